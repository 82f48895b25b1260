//! One seed replays a whole run: clients, messages, replicas, crashes, answers.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod common;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use common::{create, decide, numbers, version};
use keyloom_sim::{Faults, ItemStore, Simulation, WideStore};
use keyloom_store::{Define, Discipline, Expect, Freshness, Store};

/// What three clients were answered on a bad day, and the digest of that day.
fn run<S: Store + Define + Clone>(seed: u64, fresh: impl Fn(&Simulation) -> S) -> (u64, Vec<String>) {
    let simulation = Simulation::new(seed, Faults::rough());
    let (store, answers) = (fresh(&simulation), Arc::new(Mutex::new(Vec::new())));
    create(&simulation, &store, numbers("numbers", Discipline::Decided));
    for client in 0..3 {
        let (store, clock, answers) = (store.clone(), simulation.clock(), answers.clone());
        drop(simulation.spawn(&format!("client {client}"), async move {
            for _ in 0..5 {
                let Ok(version) = version(&store, Freshness::Settled, clock.now()).await else { continue };
                let expect = version.map_or(Expect::Absent, Expect::Version);
                let answer = decide(&store, expect, client, None, clock.now()).await;
                answers.lock().unwrap().push(format!("{:?}: {client} {answer:?}", clock.elapsed()));
            }
        }));
    }
    simulation.run().unwrap();
    let answers = answers.lock().unwrap().clone();
    (simulation.digest(), answers)
}

fn replays<S: Store + Define + Clone>(fresh: impl Fn(&Simulation) -> S) {
    let digests: BTreeSet<u64> = (0..50)
        .map(|seed| {
            let first = run(seed, &fresh);
            assert_eq!(first, run(seed, &fresh), "seed {seed}");
            first.0
        })
        .collect();
    assert_eq!(digests.len(), 50, "another seed is another run");
}

#[test]
fn a_seed_replays_the_item_store() {
    replays(ItemStore::new);
}

#[test]
fn a_seed_replays_the_wide_store() {
    replays(WideStore::new);
}
