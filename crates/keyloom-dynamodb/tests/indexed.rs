//! Lists that the engine keeps, on real servers: however late they are, whoever presents what it has seen finds it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/support/desk.rs"]
mod desk;
#[path = "../../keyloom-run/tests/all/support/house.rs"]
mod house;

use std::time::Duration;

use keyloom_engines::{ExtendDb, announce, available, dynamodb};
use keyloom_model::Engine;

const SUITE: &str = "indexed";

#[test]
fn own_writes_are_seen_on_dynoxide() {
    common::on_dynoxide(SUITE, |engine, endpoint| {
        seen(endpoint);
        announce(SUITE, engine, 1, 0);
    });
}

#[test]
fn own_writes_are_seen_on_extenddb_whose_indexes_lag() {
    let options = dynamodb::Options { index_lag: Duration::from_secs(1), ..dynamodb::Options::default() };
    let Some(server) = available(SUITE, "extenddb", ExtendDb::start(&options)) else { return };
    let late = seen(&server.endpoint());
    assert!(late > 20, "its indexes were late {late} times only: this shows nothing");
    announce(SUITE, "extenddb", 1, 0);
}

fn seen(endpoint: &str) -> usize {
    let runtime = common::runtime();
    let store = runtime.block_on(common::fresh(endpoint));
    let house = house::opened(store, Engine::DynamoDb, runtime, desk::CATALOG, desk::indexed);
    desk::own_writes_are_seen(&house, 1, 100)
}
