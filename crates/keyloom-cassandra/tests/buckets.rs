//! Tables that are cut by time, on a real node.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/support/house.rs"]
mod house;
#[path = "../../keyloom-run/tests/all/support/timeline.rs"]
mod timeline;

use common::Node;
use keyloom_engines::announce;
use keyloom_model::{Engine, layout::Bucket};

const SUITE: &str = "buckets";

#[test]
fn lists_answer_as_they_do_without_buckets_on_cassandra() {
    let Some(node) = Node::start(SUITE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();

    let store = runtime.block_on(keyloom_cassandra::Cassandra::connect(&node.options())).unwrap();
    let house = house::opened(store, Engine::Cassandra, runtime, timeline::CATALOG, timeline::cut_by(Bucket::Month));
    timeline::lists_are_as_without_buckets(&house, 7, 40);
    announce(SUITE, "cassandra", 1, 0);
}
