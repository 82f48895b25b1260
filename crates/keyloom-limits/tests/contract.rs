//! The contract on a folder with the limits of other engines, and scripts on it and on the model.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod common;

use common::*;
use keyloom_limits::Limited;
use keyloom_model::Engine as EngineKind;
use keyloom_store::{Fault, Model};

/// So long that no partition is ever short of anything, and no index behind.
const LONG_US: u64 = 10_000_000;

#[test]
fn a_folder_as_dynamodb_keeps_the_contract() {
    keeps("embedded-as-dynamodb", EngineKind::DynamoDb);
}

#[test]
fn a_folder_as_cassandra_keeps_the_contract() {
    keeps("embedded-as-cassandra", EngineKind::Cassandra);
}

fn keeps(name: &str, kind: EngineKind) {
    let folders = Folders::new();
    let fresh = || limited(folders.fresh(), engine(kind), Steps::of(LONG_US)).0;
    keyloom_contract::run(name, fresh, |_, case| wait(case));
}

#[test]
fn scripts_see_the_same_rows_on_the_model() {
    for kind in [EngineKind::DynamoDb, EngineKind::Cassandra] {
        let folders = Folders::new();
        let fresh = || (Model::new(), limited(folders.fresh(), engine(kind), Steps::of(LONG_US)).0);
        keyloom_contract::agree(0..2, 5_000, fresh, |_, _, script| wait(script));
    }
}

#[test]
fn a_store_remembers_its_limits() {
    let folders = Folders::new();
    let store = folders.fresh();
    let over = |kind| wait(Limited::over(store.clone(), engine(kind), Steps::of(1), std::sync::Arc::new(|_| {})));
    assert!(over(EngineKind::DynamoDb).is_ok());
    assert!(over(EngineKind::DynamoDb).is_ok(), "again");
    let refused = over(EngineKind::Cassandra).unwrap_err();
    assert_eq!(refused, Fault::refused("it was made with the limits of dynamodb, not of cassandra"));
    assert_eq!(wait(keyloom_limits::remembered(&*store)), Ok(Some("dynamodb".to_owned())));
    let plain = Model::new();
    let table = keyloom_contract::tables(1, 1, 40, keyloom_store::Store::abilities(&plain)).remove(0);
    wait(keyloom_store::Define::apply(&plain, &keyloom_store::Step::Create(table))).unwrap();
    let late =
        wait(Limited::over(plain.into(), engine(EngineKind::DynamoDb), Steps::of(1), std::sync::Arc::new(|_| {})));
    assert_eq!(late.unwrap_err(), Fault::refused("it was made without the limits of dynamodb"));
}
