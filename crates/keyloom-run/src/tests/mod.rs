//! The executor under faults: several processes, a simulated wide store, requests that are repeated, and what is true
//! when it is quiet again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

mod ablations;
#[path = "../../tests/shop/catalog.rs"]
mod catalog;
mod client;
mod judge;
mod world;

use keyloom_sim::Faults;
use world::World;

use crate::protocol::Protocol;

/// As it is run, with bounds so small that all of them are met.
const AS_DESIGNED: Protocol =
    Protocol { span_ms: 100, settle_ms: 400, tokens_max: 2, stale_max: 2, ..Protocol::AS_DESIGNED };

/// What happened in some runs, so that a test can see that something did.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    applied: u64,
    not_applied: u64,
    uncertain: u64,
    repeated: u64,
    hidden: u64,
    settled: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.applied += other.applied;
        self.not_applied += other.not_applied;
        self.uncertain += other.uncertain;
        self.repeated += other.repeated;
        self.hidden += other.hidden;
        self.settled += other.settled;
    }
}

/// Bad days of several kinds, by the seed.
fn faults(seed: u64) -> Faults {
    let rough = Faults { late: 0.03, lose_replica_message: 0.03, ..Faults::rough() };
    match seed % 4 {
        0 => rough,
        1 => Faults { late: 0.1, pause: 0.02, crash: 0.0, ..rough },
        2 => Faults { crash: 0.004, lose_answer: 0.1, ..rough },
        _ => Faults { pause: 0.04, lose_request: 0.01, ..rough },
    }
}

/// One run of one seed.
fn check(seed: u64, protocol: Protocol) -> Result<Tally, String> {
    let world = World::new(seed, protocol);
    world.simulation.set_faults(faults(seed));
    let requests = world.clients();
    let settled = world.quiet_tail()?;
    let tally = world.judge(&requests)?;
    Ok(Tally { settled, ..tally })
}

fn clean(seeds: std::ops::Range<u64>) -> Tally {
    let mut sum = Tally::default();
    for seed in seeds.clone() {
        sum += check(seed, AS_DESIGNED).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
    println!("{seeds:?}: {sum:?}");
    sum
}

#[test]
fn every_answer_is_true_and_all_projections_follow() {
    let sum = clean(0..1_000);
    assert!(sum.applied > 1_000 && sum.not_applied > 100, "too little happened: {sum:?}");
    assert!(sum.uncertain > 100 && sum.repeated > 100 && sum.settled > 100, "too little went wrong: {sum:?}");
}

#[test]
#[ignore = "some minutes: for changes of the protocol"]
fn every_answer_is_true_for_long() {
    clean(1_000..100_000);
}
