//! The executor under faults: several processes, a simulated wide store, requests that are repeated, and what is true
//! when it is quiet again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

mod ablations;
#[path = "../../tests/all/shop/catalog.rs"]
mod catalog;
mod change;
mod client;
mod files;
mod fragile;
mod judge;
mod passes;
mod repair;
mod world;

use std::time::Duration;

use fragile::Fragility;
use keyloom_sim::Faults;
use world::World;

use crate::protocol::Protocol;

/// As it is run, with bounds so small that all of them are met.
const AS_DESIGNED: Protocol = Protocol {
    lanes: 1,
    span_ms: 300,
    settle_ms: 400,
    tokens_max: 2,
    stale_max: 2,
    followed_at_once: 1,
    ..Protocol::AS_DESIGNED
};

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

/// How many kinds of days there are: four kinds of faults, on users or on orders.
const KINDS: u64 = 8;

/// Bad days of several kinds, by the seed.
fn faults(seed: u64) -> (Faults, Fragility) {
    let rough = Faults {
        late: 0.01,
        lose_request: 0.005,
        lose_answer: 0.02,
        crash: 0.001,
        pause: 0.002,
        replica_down: 0.0005,
        replica_slow: 0.0005,
        lose_replica_message: 0.01,
        ..Faults::rough()
    };
    let fragility = |crash, pause, longest| Fragility { crash, pause, pause_max: Duration::from_secs(longest) };
    match seed % 4 {
        0 => (rough, fragility(0.005, 0.01, 2)),
        1 => (Faults { late: 0.05, lose_answer: 0.05, ..rough }, fragility(0.0, 0.01, 2)),
        2 => (Faults { late: 0.0, lose_answer: 0.005, ..rough }, fragility(0.03, 0.06, 4)),
        _ => (Faults { late: 0.0, lose_answer: 0.005, ..rough }, fragility(0.0, 0.05, 3)),
    }
}

/// What the clients of a world do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theme {
    Shop,
    Passes,
    Files,
    /// The same where companions ride along.
    FilesOnItems,
}

/// One run of one seed.
fn check(seed: u64, protocol: Protocol) -> Result<Tally, String> {
    check_in(Theme::Shop, seed, protocol)
}

fn check_in(theme: Theme, seed: u64, protocol: Protocol) -> Result<Tally, String> {
    let world = World::new(theme, seed, protocol);
    let requests = world.clients();
    let settled = world.quiet_tail()?;
    world.touch_all(&requests);
    let tally = world.judge(&requests)?;
    Ok(Tally { settled, ..tally })
}

fn clean(theme: Theme, seeds: std::ops::Range<u64>) -> Tally {
    let mut sum = Tally::default();
    for seed in seeds.clone() {
        sum += check_in(theme, seed, AS_DESIGNED).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
    println!("{theme:?} {seeds:?}: {sum:?}");
    sum
}

#[test]
fn every_answer_is_true_and_all_projections_follow() {
    let sum = clean(Theme::Shop, 0..1_000);
    assert!(sum.applied > 1_000 && sum.not_applied > 100, "too little happened: {sum:?}");
    assert!(sum.uncertain > 100 && sum.repeated > 100 && sum.settled > 100, "too little went wrong: {sum:?}");
}

#[test]
fn unique_values_of_rows_that_end_have_one_holder() {
    let sum = clean(Theme::Passes, 0..500);
    assert!(sum.applied > 500 && sum.not_applied > 100, "too little happened: {sum:?}");
    assert!(sum.uncertain > 100 && sum.repeated > 100 && sum.settled > 100, "too little went wrong: {sum:?}");
}

#[test]
fn parts_go_with_what_they_belong_to() {
    let sum = clean(Theme::Files, 0..500);
    assert!(sum.applied > 500 && sum.not_applied > 100, "too little happened: {sum:?}");
    assert!(sum.uncertain > 100 && sum.repeated > 100 && sum.settled > 100, "too little went wrong: {sum:?}");
}

#[test]
fn parts_go_with_what_they_belong_to_where_companions_ride_along() {
    let sum = clean(Theme::FilesOnItems, 0..500);
    assert!(sum.applied > 500 && sum.not_applied > 100, "too little happened: {sum:?}");
    assert!(sum.uncertain > 100 && sum.repeated > 100 && sum.settled > 20, "too little went wrong: {sum:?}");
}

#[test]
#[ignore = "a quarter of an hour: for changes of the protocol"]
fn every_answer_is_true_for_long() {
    for thousand in 1..50 {
        clean(Theme::Shop, thousand * 1_000..(thousand + 1) * 1_000);
        clean(Theme::Passes, thousand * 1_000..(thousand + 1) * 1_000);
        clean(Theme::Files, thousand * 1_000..(thousand + 1) * 1_000);
        clean(Theme::FilesOnItems, thousand * 1_000..(thousand + 1) * 1_000);
    }
}
