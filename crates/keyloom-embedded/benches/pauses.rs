//! The longest waits of a stream of single writes, beside bare fjall.
//!
//! `cargo bench -p keyloom-embedded --bench pauses [-- ROWS]` writes rows of about 200 B one by one, as fast as one writer
//! can, in rounds that change sides. A median says little about a store that stands still when a memtable is full: what
//! counts here is p99.9, p99.99, the longest wait, and how many were long.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod common;

use std::time::{Duration, Instant};

use common::{Bare, Ours, Random};
use hdrhistogram::Histogram;

const ROUNDS: u64 = 3;

fn main() {
    let rows: u64 = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1_000_000);
    println!("{ROUNDS} rounds of {rows} single writes by one writer, each into a new folder; microseconds");
    println!();
    println!(
        "{:<10} {:>9} {:>8} {:>8} {:>8} {:>9} {:>10} {:>9} {:>10}",
        "side", "writes/s", "p50", "p99", "p99.9", "p99.99", "max", ">= 20 ms", ">= 100 ms"
    );
    for round in 0..ROUNDS {
        for bare in [round % 2 == 0, round % 2 != 0] {
            let folder = tempfile::tempdir().unwrap();
            if bare {
                let side = Bare::open(folder.path());
                stream("bare", rows, |number| side.place_one(number));
            } else {
                let side = Ours::open(folder.path());
                stream("embedded", rows, |number| side.place_one(number));
                side.close();
            }
        }
    }
}

fn stream(side: &str, rows: u64, write: impl Fn(u64)) {
    let mut waits: Histogram<u64> = Histogram::new(3).unwrap();
    let mut random = Random::new(7);
    let (mut over_20, mut over_100) = (0, 0);
    let start = Instant::now();
    for _ in 0..rows {
        let number = random.next();
        let call = Instant::now();
        write(number);
        let wait = call.elapsed();
        waits.record(wait.as_nanos() as u64).unwrap();
        over_20 += u32::from(wait >= Duration::from_millis(20));
        over_100 += u32::from(wait >= Duration::from_millis(100));
    }
    let per_second = rows as f64 / start.elapsed().as_secs_f64();
    let at = |quantile: f64| waits.value_at_quantile(quantile) as f64 / 1_000.0;
    println!(
        "{side:<10} {per_second:>9.0} {:>8.1} {:>8.1} {:>8.1} {:>9.1} {:>10.1} {over_20:>9} {over_100:>10}",
        at(0.5),
        at(0.99),
        at(0.999),
        at(0.9999),
        waits.max() as f64 / 1_000.0,
    );
}
