//! Tables of a real node, damaged by hand: what differs is found and brought right.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/verify/damage.rs"]
mod damage;
#[path = "../../keyloom-run/tests/all/verify/house.rs"]
mod house;

use common::Node;
use keyloom_engines::announce;
use keyloom_model::Engine;

const SUITE: &str = "verify";

#[test]
fn damage_is_found_and_mended_on_cassandra() {
    let Some(node) = Node::start(SUITE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let store = runtime.block_on(keyloom_cassandra::Cassandra::connect(&node.options())).unwrap();
    house::all_ways(store, Engine::Cassandra, runtime);
    announce(SUITE, "cassandra", 1, 0);
}
