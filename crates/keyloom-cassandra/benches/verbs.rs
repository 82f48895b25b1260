//! The store against code written by hand on the same driver, with the same statements, in one run on one node:
//! `cargo bench -p keyloom-cassandra --bench verbs`.
//!
//! Requests are those that the node has counted. Latency and processor time are the medians of nine rounds of short turns,
//! one call at a time; processor time is that of this process alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where something is wrong"
)]

mod by_hand;
mod session;

use by_hand::ByHand;
use keyloom_bench::{
    Duel, count,
    verbs::{StoreSide, Turn, Verb, Versions},
};
use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::cassandra;

const KEYSPACE: &str = "verbs";
const CALLS: u64 = 400;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let node = keyloom_engines::Cassandra::start(&cassandra::Options::default()).expect("Cassandra can be had here");
    runtime.block_on(async {
        let point = node.contact_point().to_string();
        let options = Options { create_keyspace: Some(1), ..Options::new(vec![point.clone()], KEYSPACE) };
        let ours = StoreSide::open(Cassandra::connect(&options).await.unwrap()).await;
        ours.fill().await;
        let by_hand = ByHand::open(&point).await;
        let (our_versions, their_versions) = (Versions::default(), Versions::default());
        println!("{}", Duel::heading());
        for verb in Verb::ALL {
            let mut mine = Turn { verb, side: &ours, versions: &our_versions };
            let mut theirs = Turn { verb, side: &by_hand, versions: &their_versions };
            let requests =
                (count(&mut mine, || by_hand.requests()).await, count(&mut theirs, || by_hand.requests()).await);
            println!("{}", Duel::run(verb.name(), CALLS, requests, &mut mine, &mut theirs).await);
        }
    });
}
