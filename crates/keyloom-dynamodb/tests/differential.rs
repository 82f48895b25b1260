//! Seeded scripts give the same visible rows on the simulated items and on both servers.
#![allow(clippy::disallowed_methods, reason = "how many seeds the long one runs is told by the environment")]

mod common;

use std::ops::Range;

use keyloom_contract::agree;
use keyloom_dynamodb::DynamoDb;
use keyloom_engines::{announce, say};
use keyloom_sim::{AtOnce, ItemStore};

const SUITE: &str = "differential";
const CALLS: usize = 10_000;

#[test]
fn dynoxide_answers_as_the_simulated_items_do() {
    common::on_dynoxide(SUITE, |engine, endpoint| like_the_simulation(engine, endpoint, 0..1));
}

#[test]
fn extenddb_answers_as_the_simulated_items_do() {
    common::on_extenddb(SUITE, |engine, endpoint| like_the_simulation(engine, endpoint, 1..2));
}

#[test]
#[ignore = "some minutes: for changes of the store or of the simulation; KEYLOOM_SEEDS says how many"]
fn both_answer_as_the_simulated_items_do_for_long() {
    let seeds = std::env::var("KEYLOOM_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(100);
    common::on_dynoxide(SUITE, |engine, endpoint| like_the_simulation(engine, endpoint, 0..seeds));
    common::on_extenddb(SUITE, |engine, endpoint| like_the_simulation(engine, endpoint, 0..seeds));
}

fn like_the_simulation(engine: &str, endpoint: &str, seeds: Range<u64>) {
    let runtime = common::runtime();
    let count = seeds.end - seeds.start;
    for seed in seeds {
        agree(
            seed..seed + 1,
            CALLS,
            || (AtOnce::new(seed, ItemStore::new), runtime.block_on(common::fresh(endpoint))),
            |_: &AtOnce<ItemStore>, _: &DynamoDb, script| runtime.block_on(script),
        );
        if count > 1 {
            say(&format!("{engine}: seed {seed} agrees\n"));
        }
    }
    announce(SUITE, engine, usize::try_from(count).unwrap_or(usize::MAX), 0);
}
