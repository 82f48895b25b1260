//! The store against code written by hand on the same client, with the same requests, in one run on one server:
//! `cargo bench -p keyloom-dynamodb --bench verbs`.
//!
//! Requests are those that went over the wire. Latency and processor time are the medians of nine rounds of short turns,
//! one call at a time; processor time is that of this process alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where something is wrong"
)]

mod by_hand;
mod client;

use by_hand::ByHand;
use keyloom_bench::{
    Duel, Wire, count,
    verbs::{StoreSide, Turn, Verb, Versions},
};
use keyloom_dynamodb::{Credentials, DynamoDb, Options};
use keyloom_engines::{
    Dynoxide,
    dynamodb::{ACCESS_KEY, REGION, SECRET_KEY},
};

const PREFIX: &str = "verbs";
const CALLS: u64 = 400;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Dynoxide::start().expect("Dynoxide can be had here");
    let address = server.endpoint().strip_prefix("http://").unwrap().parse().unwrap();
    let wire = Wire::to(address).unwrap();
    let counted = format!("http://{}", wire.address());
    runtime.block_on(async {
        let ours = open(&server.endpoint()).await;
        ours.fill().await;
        let by_hand = ByHand::open(&server.endpoint());
        let (ours_counted, by_hand_counted) = (open(&counted).await, ByHand::open(&counted));
        let (our_versions, their_versions) = (Versions::default(), Versions::default());
        println!("{}", Duel::heading());
        let requests = || async { wire.requests() };
        for verb in Verb::ALL {
            let requests = (
                count(&mut Turn { verb, side: &ours_counted, versions: &our_versions }, requests).await,
                count(&mut Turn { verb, side: &by_hand_counted, versions: &their_versions }, requests).await,
            );
            let mut mine = Turn { verb, side: &ours, versions: &our_versions };
            let mut theirs = Turn { verb, side: &by_hand, versions: &their_versions };
            println!("{}", Duel::run(verb.name(), CALLS, requests, &mut mine, &mut theirs).await);
        }
    });
}

async fn open(endpoint: &str) -> StoreSide<DynamoDb> {
    let options = Options {
        region: Some(REGION.to_owned()),
        endpoint: Some(endpoint.to_owned()),
        credentials: Credentials::Fixed { key: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() },
        ..Options::new(PREFIX)
    };
    StoreSide::open(DynamoDb::connect(&options).await.unwrap()).await
}
