//! Reads of every form through the executor, on real servers: as a plain list answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
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

use keyloom_engines::announce;
use keyloom_model::Engine;

const SUITE: &str = "reads";
const SEEDS: u64 = 3;

#[test]
fn dynoxide_answers_as_a_plain_list_does() {
    common::on_dynoxide(SUITE, |engine, endpoint| answers(engine, "dynoxide", endpoint));
}

#[test]
fn extenddb_answers_as_a_plain_list_does() {
    common::on_extenddb(SUITE, |engine, endpoint| answers(engine, "extenddb", endpoint));
}

fn answers(engine: &str, name: &'static str, endpoint: &str) {
    for seed in 0..SEEDS {
        let runtime = Arc::new(common::runtime());
        let store = runtime.block_on(common::fresh(endpoint));
        compare::compare(desk::Desk::on(name, store, Engine::DynamoDb, runtime, seed), 60);
    }
    announce(SUITE, engine, 1, 0);
}
