//! The contract of stores on both simulated ones, under several schedules.

#![allow(clippy::expect_used, reason = "a test that can't go on has failed")]

use keyloom_contract::Subject;
use keyloom_sim::{Faults, ItemStore, Simulation, WideStore};

/// Schedules besides the one that is counted in the table of suites.
const MORE_SEEDS: u64 = 4;

fn contract<S: Subject>(engine: &str, fresh: impl Fn(&Simulation) -> S) {
    let simulation = Simulation::new(0, Faults::none());
    keyloom_contract::run(
        engine,
        || fresh(&simulation),
        |_, case| simulation.block_on(case).expect("a case comes to its end"),
    );
    for seed in 1..=MORE_SEEDS {
        let simulation = Simulation::new(seed, Faults::none());
        for case in keyloom_contract::cases::<S>() {
            let store = fresh(&simulation);
            simulation.block_on((case.run)(&store)).expect("a case comes to its end");
        }
    }
}

#[test]
fn the_item_store_keeps_the_contract() {
    contract("simulated-items", ItemStore::new);
}

#[test]
fn the_wide_store_keeps_the_contract() {
    contract("simulated-wide", WideStore::new);
}
