//! The catalogs on real stores, with faults on the way to them: nothing is lost, extra, applied twice or answered falsely.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and says what it saw and how long it took"
)]

mod engines;

use std::{sync::Mutex, thread, time::Instant};

use engines::Ground;
use keyloom_engines::{announce, available};
use keyloom_trial::{AS_DESIGNED, Tally, catalogs::SMALL, without};

const SUITE: &str = "trial";
/// Seeds of each catalog unless `KEYLOOM_SEEDS` says otherwise.
const SEEDS: u64 = 2;
/// Trials side by side: most of their time they wait.
const SIDE_BY_SIDE: usize = 4;

#[test]
fn catalogs_are_tried_on_a_folder() {
    on("embedded", |ground| {
        tried(ground, "embedded", 0..SEEDS);
        missed(ground, "walks_copiers", "rush", 0..20);
    });
}

#[test]
fn catalogs_are_tried_on_cassandra() {
    on("cassandra", |ground| {
        tried(ground, "cassandra", 0..SEEDS);
        missed(ground, "names_stale", "market", 0..20);
    });
}

#[test]
fn catalogs_are_tried_on_dynoxide() {
    on("dynoxide", |ground| {
        tried(ground, "dynoxide", 0..SEEDS);
        missed(ground, "walks_copiers", "rush", 0..20);
    });
}

#[test]
fn catalogs_are_tried_on_extenddb() {
    on("extenddb", |ground| {
        tried(ground, "extenddb", 0..SEEDS);
        missed(ground, "walks_copiers", "rush", 0..20);
    });
}

/// `KEYLOOM_SEEDS=50 cargo test --release -p keyloom-trial --test real -- --ignored --nocapture`
#[test]
#[ignore = "some seconds for each seed: for changes of a store or of the run time; KEYLOOM_SEEDS says how many"]
fn catalogs_are_tried_on_all_stores_for_long() {
    let seeds: u64 = std::env::var("KEYLOOM_SEEDS").map_or(20, |seeds| seeds.parse().unwrap());
    for engine in engines::NAMES {
        // A node is not made for a thousand tables.
        for first in (0..seeds).step_by(5) {
            on(engine, |ground| tried(ground, engine, first..seeds.min(first + 5)));
        }
    }
}

/// With an engine of its own.
fn on(engine: &str, run: impl FnOnce(&Ground)) {
    let Some(ground) = available(SUITE, engine, Ground::start(engine)) else { return };
    run(&ground);
}

/// Some seeds of every catalog.
fn tried(ground: &Ground, engine: &str, seeds: std::ops::Range<u64>) {
    let began = Instant::now();
    let mut all: Vec<(&str, &str, u64)> =
        seeds.flat_map(|seed| SMALL.into_iter().map(move |(name, text)| (name, text, seed))).collect();
    all.reverse();
    let (count, left, sum) = (all.len(), Mutex::new(all), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let Some((name, text, seed)) = left.lock().unwrap().pop() else { break };
                    match ground.check(text, seed, AS_DESIGNED) {
                        Ok(tally) => *sum.lock().unwrap() += tally,
                        Err(told) => panic!(
                            "\n{told}\nTried again, with another chance, by: cargo xtask sim --seed {seed} --catalog {name} \
                             --store {engine}"
                        ),
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    println!("{count} trials on {engine} in {:.1} s: {sum:?}", began.elapsed().as_secs_f64());
    assert!(sum.applied > 100 && sum.refused > 30, "too little happened: {sum:?}");
    assert!(sum.uncertain > 0 && sum.repeated > 10, "too little went wrong: {sum:?}");
    assert!(sum.compared > 200 && sum.rows > 50 && sum.looked > 20, "too little was looked at: {sum:?}");
    announce(SUITE, engine, count, 0);
}

/// A trial that can't fail would show nothing: a rule of the protocol is taken away, and must be missed.
fn missed(ground: &Ground, rule: &str, catalog: &str, mut seeds: std::ops::Range<u64>) {
    let (_, text) = SMALL.into_iter().find(|(name, _)| *name == catalog).unwrap();
    let protocol = without(rule).unwrap();
    let found = seeds.find_map(|seed| Some((seed, ground.check(text, seed, protocol).err()?)));
    let (seed, told) = found.unwrap_or_else(|| panic!("nobody misses `{rule}`"));
    let why = told.lines().find(|line| line.starts_with("Can't be: ") && !line.contains("opening: "));
    let why = why.unwrap_or_else(|| panic!("it could not be tried: {told}"));
    println!("without `{rule}`: seed {seed}: {why}");
}
