//! Tables of real servers, damaged by hand: what differs is found and brought right.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]
#![allow(dead_code, reason = "other tests of these modules need more of them")]

#[path = "../../keyloom-run/tests/all/support/clock.rs"]
mod clock;
mod common;
#[path = "../../keyloom-run/tests/all/verify/damage.rs"]
mod damage;
#[path = "../../keyloom-run/tests/all/verify/house.rs"]
mod house;

use keyloom_engines::announce;
use keyloom_model::Engine;

const SUITE: &str = "verify";

#[test]
fn damage_is_found_and_mended_on_dynoxide() {
    common::on_dynoxide(SUITE, mended);
}

#[test]
fn damage_is_found_and_mended_on_extenddb() {
    common::on_extenddb(SUITE, mended);
}

fn mended(engine: &str, endpoint: &str) {
    let runtime = common::runtime();
    let store = runtime.block_on(common::fresh(endpoint));
    house::all_ways(store, Engine::DynamoDb, runtime);
    announce(SUITE, engine, 1, 0);
}
