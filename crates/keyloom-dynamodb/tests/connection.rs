//! What is said of a write whose connection breaks: nothing that is not true.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use common::gate::Gate;
use keyloom_contract::NOW;
use keyloom_dynamodb::DynamoDb;
use keyloom_engines::announce;
use keyloom_store::{
    Change, Column, Decision, Discipline, Expect, Fault, Freshness, Get, Group, GroupImage, Image, Placement, Placing,
    Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

const SUITE: &str = "connection";

#[test]
fn a_broken_connection_is_unknown_and_none_at_all_is_not_done() {
    common::on_dynoxide(SUITE, |engine, endpoint| {
        let gate = Gate::open(endpoint);
        common::runtime().block_on(breaks(&gate, endpoint));
        announce(SUITE, engine, 1, 0);
    });
}

async fn breaks(gate: &Gate, endpoint: &str) {
    let prefix = common::new_prefix();
    let (store, direct) = (common::open(&gate.endpoint(), &prefix).await, common::open(endpoint, &prefix).await);
    let tables = [table("decided", Discipline::Decided), table("placed", Discipline::Placed)];
    let ids = common::define(&store, &tables).await;
    let there = common::define(&direct, &tables).await;

    // The answers are lost: both writes have happened.
    gate.lose(1_000);
    assert!(matches!(decide(&store, ids[0], 1).await, Err(Fault::Unknown(_))), "a decision without an answer");
    assert!(matches!(place(&store, ids[1], 1).await, Err(Fault::Unknown(_))), "a placement without an answer");
    assert!(matches!(get(&store, ids[0], 1).await, Err(Fault::NotDone(_))), "a read without an answer");
    gate.lose(0);
    assert!(get(&direct, there[0], 1).await.unwrap() && get(&direct, there[1], 1).await.unwrap());
    assert_eq!(decide(&store, ids[0], 2).await, Ok(Verdict::Done), "the next call finds a new connection");

    // There is nobody: neither write has left.
    gate.close();
    assert!(matches!(decide(&store, ids[0], 3).await, Err(Fault::NotDone(_))), "a decision without a connection");
    assert!(matches!(place(&store, ids[1], 3).await, Err(Fault::NotDone(_))), "a placement without a connection");
    assert!(!get(&direct, there[0], 3).await.unwrap() && !get(&direct, there[1], 3).await.unwrap());
}

fn table(name: &str, discipline: Discipline) -> Table {
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![Column { name: "id".to_owned(), kind: Kind::Int }],
        sort: Vec::new(),
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: 0,
        lifetime_ms: None,
    }
}

async fn decide(store: &DynamoDb, table: TableId, id: i64) -> Result<Verdict, Fault> {
    let (key, becomes) = ([Value::Int(id)], Image { version: 1, expires_at: None, values: &[] });
    let change = Change { table, key: &key, expect: Expect::Absent, becomes };
    store.decide(Decision { change, along: &[], now: NOW }).await
}

async fn place(store: &DynamoDb, table: TableId, id: i64) -> Result<(), Fault> {
    let groups = [GroupImage { group: 0, version: 1, values: &[] }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    store.place(&[Placement { table, key: &[Value::Int(id)], placing }], false, NOW).await
}

async fn get(store: &DynamoDb, table: TableId, id: i64) -> Result<bool, Fault> {
    let at = Get { table, key: &[Value::Int(id)], freshness: Freshness::Settled, now: NOW };
    Ok(store.get(at).await?.row.is_some())
}
