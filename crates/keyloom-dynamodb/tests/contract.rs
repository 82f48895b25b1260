//! Every promise of the contract, on both servers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use keyloom_engines::{Dynoxide, ExtendDb, available, dynamodb::Options};
use tokio::runtime::Runtime;

const SUITE: &str = "contract";

#[test]
fn dynoxide_keeps_the_contract() {
    let Some(server) = available(SUITE, "dynoxide", Dynoxide::start()) else { return };
    keeps_the_contract("dynoxide", &server.endpoint());
}

#[test]
fn extenddb_keeps_the_contract() {
    let Some(server) = available(SUITE, "extenddb", ExtendDb::start(&Options::default())) else { return };
    keeps_the_contract("extenddb", &server.endpoint());
}

fn keeps_the_contract(engine: &str, endpoint: &str) {
    let runtime = Runtime::new().unwrap();
    keyloom_contract::run(engine, || runtime.block_on(common::fresh(endpoint)), |_, future| runtime.block_on(future));
}
