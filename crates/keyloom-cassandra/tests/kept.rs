//! Values that are kept from other rows, on a real node.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/support/house.rs"]
mod house;
#[path = "../../keyloom-run/tests/all/support/lots.rs"]
mod lots;

use common::Node;
use keyloom_engines::announce;
use keyloom_model::Engine;

const SUITE: &str = "kept";

#[test]
fn kept_values_follow_on_cassandra() {
    let Some(node) = Node::start(SUITE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();

    let store = runtime.block_on(keyloom_cassandra::Cassandra::connect(&node.options())).unwrap();
    lots::kept_values_follow(&house::open_on(store, Engine::Cassandra, runtime, lots::CATALOG));
    announce(SUITE, "cassandra", 1, 0);
}
