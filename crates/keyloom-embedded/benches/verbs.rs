//! The embedded store against bare fjall with the same keys and bytes, side by side in one run.
//!
//! `cargo bench -p keyloom-embedded --bench verbs` measures get, slice of 100, place of 1 and of 100, and decide, with one
//! and with two threads. Each round measures both sides, one after the other and in turns who is first; the ratio is that
//! of the medians of all rounds. Nothing here fails by the clock.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod common;

use std::{sync::Mutex, time::Instant};

use common::{Bare, Ours, PARTITIONS, ROWS, Random};
use hdrhistogram::Histogram;

const ROUNDS: usize = 9;

fn main() {
    println!("embedded against bare fjall; {} rows of about 200 B; medians of {ROUNDS} rounds", PARTITIONS * ROWS);
    println!();
    println!(
        "{:<12} {:>7} | {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9} {:>9} | {:>6}",
        "verb", "threads", "p50 us", "p99", "p99.9", "max", "bare p50", "p99", "p99.9", "max", "ratio"
    );
    let sides = Sides::open();
    for threads in [1, 2] {
        for verb in VERBS {
            let (mut ours, mut bare) = (Side::default(), Side::default());
            for round in 0..ROUNDS {
                // Who goes first changes, so that neither always meets the other's caches.
                for first in [round % 2 == 0, round % 2 != 0] {
                    let side = if first { &mut ours } else { &mut bare };
                    side.add(sides.round(verb, threads, first, round));
                }
            }
            println!(
                "{:<12} {:>7} | {} | {} | {:>6.2}",
                verb.name,
                threads,
                ours.columns(),
                bare.columns(),
                ours.median() / bare.median()
            );
        }
    }
}

struct Verb {
    name: &'static str,
    calls: u64,
    ours: fn(&Ours, u64),
    bare: fn(&Bare, u64),
}

const VERBS: &[Verb] = &[
    Verb { name: "get", calls: 20_000, ours: Ours::get, bare: Bare::get },
    Verb { name: "slice 100", calls: 1_000, ours: Ours::slice, bare: Bare::slice },
    Verb { name: "place 1", calls: 10_000, ours: Ours::place_one, bare: Bare::place_one },
    Verb { name: "place 100", calls: 300, ours: Ours::place_many, bare: Bare::place_many },
    Verb { name: "decide", calls: 10_000, ours: Ours::decide, bare: Bare::decide },
];

/// What all rounds of one side measured.
struct Side {
    latencies: Histogram<u64>,
    rounds: Vec<f64>,
}

impl Default for Side {
    fn default() -> Self {
        Self { latencies: Histogram::new(3).unwrap(), rounds: Vec::new() }
    }
}

impl Side {
    fn add(&mut self, (latencies, per_call): (Histogram<u64>, f64)) {
        self.latencies.add(latencies).unwrap();
        self.rounds.push(per_call);
    }

    fn median(&self) -> f64 {
        let mut rounds = self.rounds.clone();
        rounds.sort_by(f64::total_cmp);
        rounds[rounds.len() / 2]
    }

    fn columns(&self) -> String {
        let micros = |nanos: u64| nanos as f64 / 1_000.0;
        let at = |quantile: f64| micros(self.latencies.value_at_quantile(quantile));
        format!("{:>9.2} {:>9.2} {:>9.2} {:>9.1}", at(0.5), at(0.99), at(0.999), micros(self.latencies.max()))
    }
}

/// Both sides, filled with the same rows.
struct Sides {
    ours: Ours,
    bare: Bare,
    _folder: tempfile::TempDir,
}

impl Sides {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sides = Self {
            ours: Ours::open(&folder.path().join("ours")),
            bare: Bare::open(&folder.path().join("bare")),
            _folder: folder,
        };
        for partition in 0..PARTITIONS {
            sides.ours.fill(partition);
            sides.bare.fill(partition);
        }
        sides
    }

    /// One round of one side: every latency, and the time for each call.
    fn round(&self, verb: &Verb, threads: u64, ours: bool, round: usize) -> (Histogram<u64>, f64) {
        let calls = verb.calls / threads;
        let all = Mutex::new(Histogram::new(3).unwrap());
        let start = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let all = &all;
                scope.spawn(move || {
                    let mut latencies: Histogram<u64> = Histogram::new(3).unwrap();
                    let mut random = Random::new(1 + round as u64 * 7_919 + thread * 104_729);
                    for _ in 0..calls {
                        let number = random.next();
                        let call = Instant::now();
                        if ours {
                            (verb.ours)(&self.ours, number);
                        } else {
                            (verb.bare)(&self.bare, number);
                        }
                        latencies.record(call.elapsed().as_nanos() as u64).unwrap();
                    }
                    all.lock().unwrap().add(latencies).unwrap();
                });
            }
        });
        (all.into_inner().unwrap(), start.elapsed().as_nanos() as f64 / (calls * threads) as f64)
    }
}
