//! All cases of the contract on a real node.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod common;

use common::Node;

#[test]
fn the_contract_holds() {
    let Some(node) = Node::start("contract") else { return };
    keyloom_contract::run("cassandra", || node.store(), |_, case| node.runtime.block_on(case));
}
