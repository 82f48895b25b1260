//! The executor against code written by hand on the client, with the same items, the same promises and the same answers, in one
//! run on one server: `cargo bench -p keyloom-dynamodb --bench operations`.
//!
//! Requests are those that went over the wire. Latency and processor time are the medians of nine rounds of short turns,
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
#[path = "../client/mod.rs"]
mod client;
#[path = "../../../keyloom-run/benches/operations/desk.rs"]
mod desk;
#[path = "../../../keyloom-run/benches/operations/hand.rs"]
mod hand;

use std::sync::Arc;

use by_hand::ByHand;
use desk::{Asked, Calls, Ours, compare, fill};
use keyloom_bench::{Duel, Wire, count};
use keyloom_dynamodb::{Credentials, DynamoDb, Options};
use keyloom_engines::{
    Dynoxide,
    dynamodb::{ACCESS_KEY, REGION, SECRET_KEY},
};
use keyloom_model::Engine;

const TEAMS: u64 = 20;
/// Tasks that are changed: each often, and not so often that it would have to forget a request.
const CHANGED: usize = 505;
const CALLS: u64 = 400;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let only = std::env::var("KEYLOOM_ONLY").unwrap_or_default();
    let server = Dynoxide::start().expect("Dynoxide can be had here");
    let address = server.endpoint().strip_prefix("http://").unwrap().parse().unwrap();
    let wire = Wire::to(address).unwrap();
    let counted = format!("http://{}", wire.address());
    runtime.block_on(async {
        let (ours, ours_counted) = (open("ours", &server.endpoint()).await, open("ours", &counted).await);
        let tables = open(by_hand::PREFIX, &server.endpoint()).await;
        let (by_hand, by_hand_counted) = (ByHand::open(&server.endpoint()), ByHand::open(&counted));
        let ids = fill(&ours, &by_hand, TEAMS).await;
        compare(&ours, &by_hand, &ids).await;
        compare(&tables, &by_hand, &ids[2..]).await;
        println!("the executor against code by hand on Dynoxide, {} tasks", ids.len());
        println!("{}", Duel::heading());
        let requests = || async { wire.requests() };
        for asked in Asked::ALL.into_iter().filter(|asked| asked.name().starts_with(&only)) {
            let ids = if matches!(asked, Asked::Update) { &ids[..CHANGED] } else { &ids[..] };
            let requests = (
                count(&mut Calls { asked, desk: &ours_counted, ids }, requests).await,
                count(&mut Calls { asked, desk: &by_hand_counted, ids }, requests).await,
            );
            let mut one = Calls { asked, desk: &ours, ids };
            let mut other = Calls { asked, desk: &by_hand, ids };
            println!("{}", Duel::run(asked.name(), CALLS, requests, &mut one, &mut other).await);
        }
    });
}

async fn open(prefix: &str, endpoint: &str) -> Ours {
    let options = Options {
        region: Some(REGION.to_owned()),
        endpoint: Some(endpoint.to_owned()),
        credentials: Credentials::Fixed { key: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() },
        ..Options::new(prefix)
    };
    Ours::open(Arc::new(DynamoDb::connect(&options).await.unwrap()), Engine::DynamoDb).await
}
