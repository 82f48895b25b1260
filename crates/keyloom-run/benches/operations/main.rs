//! The executor against code written by hand on the same store, with the same rows and the same answers, in one run:
//! `cargo bench -p keyloom-run --bench operations`.
//!
//! Both sides are given the inputs as JSON, and answer with its text. Latency and processor time are the medians of nine rounds of
//! short turns, one call at a time. `KEYLOOM_ONLY=list` runs the duels whose names begin so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod by_hand;
mod desk;

use std::sync::Arc;

use by_hand::ByHand;
use desk::{Asked, Calls, Ours, compare, fill};
use keyloom_bench::Duel;
use keyloom_embedded::{Embedded, Options, System};
use keyloom_model::Engine;
use keyloom_store::Define;

const TEAMS: u64 = 200;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let only = std::env::var("KEYLOOM_ONLY").unwrap_or_default();
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        Arc::new(Embedded::open(&folder.path().join(name), Options::default(), Arc::new(System)).unwrap().0)
    };
    let (mine, theirs) = (open("ours"), open("by hand"));
    runtime.block_on(async {
        let ours = Ours::open(Arc::clone(&mine), Engine::Embedded).await;
        let tables = mine.describe().await.unwrap().into_iter().map(|(_, shape)| shape.table().clone()).collect();
        let by_hand = ByHand::open(theirs, tables).await;
        let ids = fill(&ours, &by_hand, TEAMS).await;
        compare(&ours, &by_hand, &ids).await;
        println!("the executor against code by hand on the embedded store, {} tasks", ids.len());
        println!("{}", Duel::heading());
        for asked in Asked::ALL.into_iter().filter(|asked| asked.name().starts_with(&only)) {
            let calls = match asked {
                Asked::Get => 20_000,
                Asked::List => 1_000,
                Asked::Append | Asked::Update => 5_000,
            };
            let mut one = Calls { asked, desk: &ours, ids: &ids };
            let mut other = Calls { asked, desk: &by_hand, ids: &ids };
            println!("{}", Duel::run(asked.name(), calls, (0.0, 0.0), &mut one, &mut other).await);
        }
    });
}
