//! Verifying and repairing, on every kind of store that needs no server.

pub(crate) mod damage;
mod house;

use std::sync::Arc;

use house::{all_ways, house};
use keyloom_embedded::Embedded;
use keyloom_model::Engine;
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use keyloom_value::Value;
use tokio::runtime::Runtime;

use crate::support::clock;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[test]
fn damage_is_found_and_mended_on_the_model() {
    all_ways(Model::new(), Engine::Embedded, runtime());
}

#[test]
fn damage_is_found_and_mended_on_the_wide_store() {
    all_ways(AtOnce::new(1, WideStore::new), Engine::Embedded, runtime());
}

#[test]
fn damage_is_found_and_mended_on_the_item_store() {
    all_ways(AtOnce::new(1, ItemStore::new), Engine::Embedded, runtime());
}

#[test]
fn damage_is_found_and_mended_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let options = keyloom_embedded::Options::default();
    let (store, _) = Embedded::open(folder.path(), options, Arc::new(keyloom_embedded::System)).unwrap();
    all_ways(store, Engine::Embedded, runtime());
}

/// Whose it is only people can say.
#[test]
fn a_value_that_two_rows_have_is_named_and_left() {
    let house = house(Model::new(), Engine::Embedded, runtime());
    let damaged = house.damaged();
    let mut row = damaged.rows("room").into_iter().find(|row| row.cells.contains(&Value::from("room 4"))).unwrap();
    for cell in row.cells.iter_mut().filter(|cell| **cell == Value::from("room 4")) {
        *cell = Value::from("room 7");
    }
    damaged.put("room", &row);
    let report = house.verified(true);
    assert_eq!(report.unmended.len(), 1, "{report:#?}");
    assert!(report.unmended[0].contains("have the same value; change one of them"), "{report:#?}");
}
