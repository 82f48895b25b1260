//! Values that are kept from other rows, on real servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/support/house.rs"]
mod house;
#[path = "../../keyloom-run/tests/all/support/lots.rs"]
mod lots;

use keyloom_engines::announce;
use keyloom_model::Engine;

const SUITE: &str = "kept";

#[test]
fn kept_values_follow_on_dynoxide() {
    common::on_dynoxide(SUITE, follow);
}

#[test]
fn kept_values_follow_on_extenddb() {
    common::on_extenddb(SUITE, follow);
}

fn follow(engine: &str, endpoint: &str) {
    let runtime = common::runtime();
    let store = runtime.block_on(common::fresh(endpoint));
    lots::kept_values_follow(&house::open_on(store, Engine::DynamoDb, runtime, lots::CATALOG));
    announce(SUITE, engine, 1, 0);
}
