//! Tables that are cut by time, on real servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/support/house.rs"]
mod house;
#[path = "../../keyloom-run/tests/all/support/timeline.rs"]
mod timeline;

use keyloom_engines::announce;
use keyloom_model::{Engine, layout::Bucket};

const SUITE: &str = "buckets";

#[test]
fn lists_answer_as_they_do_without_buckets_on_dynoxide() {
    common::on_dynoxide(SUITE, answer);
}

#[test]
fn lists_answer_as_they_do_without_buckets_on_extenddb() {
    common::on_extenddb(SUITE, answer);
}

fn answer(engine: &str, endpoint: &str) {
    let runtime = common::runtime();
    let store = runtime.block_on(common::fresh(endpoint));
    let house = house::opened(store, Engine::DynamoDb, runtime, timeline::CATALOG, timeline::cut_by(Bucket::Month));
    timeline::lists_are_as_without_buckets(&house, 7, 40);
    announce(SUITE, engine, 1, 0);
}
