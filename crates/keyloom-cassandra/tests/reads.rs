//! Reads of every form through the executor, on a real node: as a plain list answers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/reads/compare.rs"]
mod compare;
#[path = "../../keyloom-run/tests/all/reads/desk.rs"]
mod desk;
#[path = "../../keyloom-run/tests/all/reads/plain.rs"]
mod plain;

use std::sync::Arc;

use common::Node;
use keyloom_engines::announce;
use keyloom_model::Engine;

const SUITE: &str = "reads";
const SEEDS: u64 = 3;

#[test]
fn cassandra_answers_as_a_plain_list_does() {
    let Some(node) = Node::start(SUITE) else { return };
    for seed in 0..SEEDS {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let runtime = Arc::new(runtime);
        let store = runtime.block_on(keyloom_cassandra::Cassandra::connect(&node.options())).unwrap();
        compare::compare(desk::Desk::on("cassandra", store, Engine::Cassandra, runtime, seed), 60);
    }
    announce(SUITE, "cassandra", 1, 0);
}
