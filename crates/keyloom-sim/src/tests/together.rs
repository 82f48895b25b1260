//! Rows that are placed together are all there or none, whoever crashes. Those that are not are there when that is said,
//! and not there when that is.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use keyloom_store::{Discipline, Freshness, Get, GroupImage, Placement, Placing, Shape, Step, TableId};
use keyloom_value::{Kind, Value};

use super::{
    Subject, Wrong, clean,
    clients::{Answer, Hand, Tally, clients},
    faults, quiet_tail, table,
};
use crate::{ItemStore, Simulation, WideStore};

const ROWS: u64 = 3;

type Histories = Arc<Mutex<BTreeMap<u64, Answer>>>;

fn key(batch: u64, row: u64) -> [Value<'static>; 1] {
    [Value::from(format!("row {row} of batch {batch}"))]
}

async fn act<S: Subject>(hand: Hand<S>, histories: Histories, together: bool) {
    let batch = {
        let mut histories = histories.lock().unwrap();
        let batch = histories.len() as u64;
        histories.insert(batch, Answer::Unknown);
        batch
    };
    let keys: Vec<_> = (0..ROWS).map(|row| key(batch, row)).collect();
    let images = [GroupImage { group: 0, version: 1, values: &[Value::Int(1)] }];
    let placing = Placing::Put { groups: &images, expires_at: None };
    let placements: Vec<_> = keys.iter().map(|key| Placement { table: TableId(0), key, placing }).collect();
    let placed = hand.store.place(&placements, together, hand.clock.now()).await;
    histories.lock().unwrap().insert(batch, Answer::of(&placed, |()| true));
}

/// One run of one seed: a batch that is there in part, if any.
pub(super) fn check<S: Subject>(seed: u64, together: bool, fresh: impl Fn(&Simulation) -> S) -> Result<Tally, Wrong> {
    let simulation = Simulation::new(seed, faults(seed));
    let (store, histories) = (fresh(&simulation), Histories::default());
    let shape = Shape::of(table("placed", Discipline::Placed, &[&[("a", Kind::Int)]])).unwrap();
    simulation.block_on(store.apply(&Step::Create(shape.table().clone()))).unwrap().unwrap();
    let shared = histories.clone();
    let act =
        move |hand: Hand<S>| -> keyloom_store::BoxFuture<'static, ()> { Box::pin(act(hand, shared.clone(), together)) };
    clients(&simulation, &store, (3, 5), act);
    quiet_tail(&simulation)?;
    let mut tally = Tally::default();
    for (batch, answer) in &*histories.lock().unwrap() {
        let there = (0..ROWS).filter(|row| {
            let now = simulation.clock().now();
            let get = Get { table: TableId(0), key: &key(*batch, *row), freshness: Freshness::Settled, now };
            simulation.block_on(store.get(get)).unwrap().unwrap().row.is_some()
        });
        match (answer, there.count() as u64) {
            (Answer::Done | Answer::Unknown, ROWS) => tally.count(*answer, true),
            (Answer::Not | Answer::Unknown, 0) => tally.count(*answer, false),
            (Answer::Unknown, _) if !together => tally.count(*answer, false),
            (answer, rows) => return Err(format!("of batch {batch}, answered {answer:?}, {rows} rows are there")),
        }
    }
    Ok(tally)
}

#[test]
fn batches_of_items_are_whole() {
    let tally = clean(1_000, |seed| check(seed, true, ItemStore::new));
    assert!(tally.done > 1_000 && tally.unknown_and_done > 100 && tally.unknown_and_not > 100, "{tally:?}");
}

#[test]
fn batches_of_the_wide_store_are_whole() {
    let tally = clean(1_000, |seed| check(seed, true, WideStore::new));
    assert!(tally.done > 1_000 && tally.unknown_and_done > 100 && tally.unknown_and_not > 100, "{tally:?}");
}

#[test]
fn rows_placed_one_by_one_are_what_the_answer_says() {
    let tally = clean(1_000, |seed| check(seed, false, ItemStore::new));
    assert!(tally.done > 1_000 && tally.unknown_and_not > 100, "{tally:?}");
    let tally = clean(1_000, |seed| check(seed, false, WideStore::new));
    assert!(tally.done > 1_000 && tally.unknown_and_not > 100, "{tally:?}");
}
