//! Seeded scripts give the same visible rows on the simulated wide store and on a real Cassandra.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; how many seeds a run by hand takes is said by its environment"
)]

mod common;

use std::{sync::Arc, time::Instant};

use common::Node;
use keyloom_cassandra::Cassandra;
use keyloom_contract::agree;
use keyloom_engines::{announce, say};
use keyloom_sim::{Faults, Simulation, WideStore};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Inspect, Inspection, Millis, Placement, Resume, Rows, Segment, Shape,
    Slice, Step, Store, Sweep, Swept, TableId, Verdict,
};

/// A simulated store that comes to its answer while it is asked, so that it can stand beside one that waits for a network.
struct Simulated {
    simulation: Simulation,
    store: WideStore,
}

impl Simulated {
    fn new(seed: u64) -> Self {
        let simulation = Simulation::new(seed, Faults::none());
        Self { store: WideStore::new(&simulation), simulation }
    }

    fn now<T>(&self, answer: impl Future<Output = T>) -> T {
        self.simulation.block_on(answer).unwrap()
    }
}

impl Store for Simulated {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.now(self.store.get(at))
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.now(self.store.get_many(at))
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.now(self.store.slice(of))
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.now(self.store.decide(what))
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.now(self.store.place(rows, together, now))
    }
}

impl Define for Simulated {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.now(self.store.describe())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.now(self.store.apply(step))
    }
}

impl Sweep for Simulated {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.now(self.store.segments(table, parts))
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.now(self.store.sweep(table, segment, from, rows_max, now))
    }
}

impl Inspect for Simulated {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        self.now(self.store.inspect(table))
    }
}

fn like_the_simulated_store(node: &Node, seed: u64, calls: usize) {
    let began = Instant::now();
    agree(
        seed..seed + 1,
        calls,
        || (Simulated::new(seed), node.store()),
        |_: &Simulated, _: &Cassandra, script| node.runtime.block_on(script),
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
