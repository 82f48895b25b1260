//! The executor against code written by hand on the driver, with the same rows, the same promises and the same answers, in one
//! run on one node: `cargo bench -p keyloom-cassandra --bench operations`.
//!
//! Requests are those that the node has counted. Latency and processor time are the medians of nine rounds of short turns,
//! one call at a time; processor time is that of this process alone. `KEYLOOM_ONLY=list` runs the duels whose names begin so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod by_hand;
#[path = "../../../keyloom-run/benches/operations/desk.rs"]
mod desk;
#[path = "../../../keyloom-run/benches/operations/hand.rs"]
mod hand;
#[path = "../session/mod.rs"]
mod session;

use std::sync::Arc;

use by_hand::ByHand;
use desk::{Asked, Calls, Desk, Ours, compare, fill};
use keyloom_bench::{Duel, count};
use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::cassandra;
use keyloom_model::Engine;

const TEAMS: u64 = 20;
/// Tasks that are changed: each often, and not so often that it would have to forget a request.
const CHANGED: usize = 505;
const CALLS: u64 = 400;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let only = std::env::var("KEYLOOM_ONLY").unwrap_or_default();
    let node = keyloom_engines::Cassandra::start(&cassandra::Options::default()).expect("Cassandra can be had here");
    let point = node.contact_point().to_string();
    let open = async |keyspace: &str| {
        let options = Options { create_keyspace: Some(1), ..Options::new(vec![point.clone()], keyspace) };
        Ours::open(Arc::new(Cassandra::connect(&options).await.unwrap()), Engine::Cassandra).await
    };
    runtime.block_on(async {
        let (ours, tables) = (open("ours").await, open(by_hand::KEYSPACE).await);
        let by_hand = ByHand::open(&point).await;
        let ids = fill(&ours, &by_hand, TEAMS).await;
        compare(&ours, &by_hand, &ids).await;
        compare(&tables, &by_hand, &ids[2..]).await;
        println!("the executor against code by hand on one node of Cassandra, {} tasks", ids.len());
        println!("{}", Duel::heading());
        for asked in Asked::ALL.into_iter().filter(|asked| asked.name().starts_with(&only)) {
            let ids = if matches!(asked, Asked::Update) { &ids[..CHANGED] } else { &ids[..] };
            let mut one = Calls { asked, desk: &ours, ids };
            let mut other = Calls { asked, desk: &by_hand, ids };
            // What became due meanwhile is not what is counted.
            ours.settle().await;
            by_hand.settle().await;
            let requests =
                (count(&mut one, || by_hand.requests()).await, count(&mut other, || by_hand.requests()).await);
            println!("{}", Duel::run(asked.name(), CALLS, requests, &mut one, &mut other).await);
        }
    });
}
