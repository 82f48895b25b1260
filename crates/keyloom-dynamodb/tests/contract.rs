//! Every promise of the contract, on both servers.
#![allow(clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

const SUITE: &str = "contract";

#[test]
fn dynoxide_keeps_the_contract() {
    common::on_dynoxide(SUITE, keeps_the_contract);
}

#[test]
fn extenddb_keeps_the_contract() {
    common::on_extenddb(SUITE, keeps_the_contract);
}

fn keeps_the_contract(engine: &str, endpoint: &str) {
    let runtime = common::runtime();
    keyloom_contract::run(engine, || runtime.block_on(common::fresh(endpoint)), |_, future| runtime.block_on(future));
}
