//! Seeded scripts give the same visible rows on the simulated wide store and on a real Cassandra.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; how many seeds a run by hand takes is said by its environment"
)]

mod common;

use std::time::Instant;

use common::Node;
use keyloom_cassandra::Cassandra;
use keyloom_contract::agree;
use keyloom_engines::{announce, say};
use keyloom_sim::{AtOnce, WideStore};

fn like_the_simulated_store(node: &Node, seed: u64, calls: usize) {
    let began = Instant::now();
    agree(
        seed..seed + 1,
        calls,
        || (AtOnce::new(seed, WideStore::new), node.store()),
        |_: &AtOnce<WideStore>, _: &Cassandra, script| node.runtime.block_on(script),
    );
    say(&format!("seed {seed}: {calls} calls in {:?}\n", began.elapsed()));
}

#[test]
fn cassandra_answers_as_the_simulated_store_does() {
    let Some(node) = Node::start("differential") else { return };
    like_the_simulated_store(&node, 0, 10_000);
    announce("differential", "cassandra", 10_000, 0);
}

#[test]
#[ignore = "some seconds for each seed: for changes of the store or of the simulation; KEYLOOM_SEEDS says how many"]
fn cassandra_answers_as_the_simulated_store_does_for_long() {
    let Some(node) = Node::start("differential") else { return };
    let seeds: u64 = std::env::var("KEYLOOM_SEEDS").map_or(100, |seeds| seeds.parse().unwrap());
    (1..=seeds).for_each(|seed| like_the_simulated_store(&node, seed, 10_000));
}
