//! Many clients place and remove few rows in any order of versions. When all has arrived, the highest acknowledged version
//! stands, or a higher one that was sent.

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
const VERSIONS: u64 = 12;

/// The order of placements: by version; of one version, a removal first.
type Rank = (u64, bool);

/// What was sent for one column group of one row, and how it was answered.
type Histories = Arc<Mutex<BTreeMap<(TableId, u64, usize), Vec<(Rank, Answer)>>>>;

/// A table with one group, whose rows are deleted, and one with two, whose columns are.
fn shapes() -> [Shape; 2] {
    let (root, copy) = ([("a", Kind::Int), ("b", Kind::Text)], [("c", Kind::Int)]);
    [
        Shape::of(table("rows", Discipline::Placed, &[&root])).unwrap(),
        Shape::of(table("groups", Discipline::Placed, &[&root, &copy])).unwrap(),
    ]
}

/// Two puts of one version are equal.
fn values(group: usize, version: u64) -> Vec<Value<'static>> {
    let number = Value::Int(i64::try_from(version).unwrap());
    let text = if version.is_multiple_of(2) { Value::Null } else { Value::from(format!("version {version}")) };
    if group == 0 { vec![number, text] } else { vec![number] }
}

async fn act<S: Subject>(hand: Hand<S>, histories: Histories) {
    let (table, row) = (TableId(u32::try_from(hand.dice.below(2)).unwrap()), hand.dice.below(ROWS));
    let groups: Vec<usize> = match (table.0, hand.dice.below(3)) {
        (0, _) | (_, 0) => vec![0],
        (_, 1) => vec![1],
        _ => vec![0, 1],
    };
    let put = hand.dice.chance(0.6);
    let versions: Vec<(usize, u64)> = groups.into_iter().map(|group| (group, 1 + hand.dice.below(VERSIONS))).collect();
    let note = |answer| {
        let mut histories = histories.lock().unwrap();
        for (group, version) in &versions {
            histories.entry((table, row, *group)).or_default().push(((*version, put), answer));
        }
    };
    // Whoever crashes before the answer leaves an unknown.
    note(Answer::Unknown);
    let values: Vec<_> = versions.iter().map(|(group, version)| values(*group, *version)).collect();
    let images = versions.iter().zip(&values).map(|((group, version), values)| GroupImage {
        group: *group,
        version: *version,
        values,
    });
    let images: Vec<_> = images.collect();
    let placing =
        if put { Placing::Put { groups: &images, expires_at: None } } else { Placing::Remove { groups: &versions } };
    let key = [Value::from(format!("row {row}"))];
    let placed = hand.store.place(&[Placement { table, key: &key, placing }], false, hand.clock.now()).await;
    note(Answer::of(&placed, |()| true));
}

/// One run of one seed: what is wrong with what stands at its end, if anything.
pub(super) fn check<S: Subject>(seed: u64, fresh: impl Fn(&Simulation) -> S) -> Result<Tally, Wrong> {
    let simulation = Simulation::new(seed, faults(seed));
    let (store, histories, shapes) = (fresh(&simulation), Histories::default(), shapes());
    for shape in &shapes {
        simulation.block_on(store.apply(&Step::Create(shape.table().clone()))).unwrap().unwrap();
    }
    let shared = histories.clone();
    let act = move |hand: Hand<S>| -> keyloom_store::BoxFuture<'static, ()> { Box::pin(act(hand, shared.clone())) };
    clients(&simulation, &store, (4, 8), act);
    quiet_tail(&simulation)?;
    let mut tally = Tally::default();
    for ((table, row, group), sent) in &*histories.lock().unwrap() {
        let key = [Value::from(format!("row {row}"))];
        // The copy group is only seen while the root is there, so it is given one.
        if *group == 1 {
            let images = [GroupImage { group: 0, version: VERSIONS + 9, values: &values(0, VERSIONS + 9) }];
            let placing = Placing::Put { groups: &images, expires_at: None };
            let placement = [Placement { table: *table, key: &key, placing }];
            simulation.block_on(store.place(&placement, false, simulation.clock().now())).unwrap().unwrap();
        }
        let now = simulation.clock().now();
        let get = Get { table: *table, key: &key, freshness: Freshness::Settled, now };
        let found = simulation.block_on(store.get(get)).unwrap().unwrap().row;
        let section =
            found.as_ref().map(|found| found.section(*group).unwrap()).filter(|section| section.is_there(now));
        let stands = section.map(|section| section.version);
        if let (Some(found), Some(version)) = (&found, stands) {
            let shape = &shapes[table.0 as usize];
            let names: &[&str] = if *group == 0 { &["a", "b"] } else { &["c"] };
            let stored = names.iter().map(|name| found.value(shape, shape.column(name).unwrap()).unwrap());
            if stored.collect::<Vec<_>>() != values(*group, version) {
                return Err(format!("row {row} of {table:?} is mixed from several versions"));
            }
        }
        judge(sent, stands).map_err(|wrong| format!("group {group} of row {row} of {table:?}: {wrong}"))?;
        for (rank, answer) in sent {
            tally.count(*answer, Some(rank.0) == stands && rank.1);
        }
    }
    Ok(tally)
}

fn judge(sent: &[(Rank, Answer)], stands: Option<u64>) -> Result<(), Wrong> {
    let acknowledged = sent.iter().filter(|(_, answer)| *answer == Answer::Done).map(|(rank, _)| *rank).max();
    let explained = match stands {
        Some(version) => sent.iter().any(|(rank, _)| *rank == (version, true)) && Some((version, true)) >= acknowledged,
        None => acknowledged.is_none() || sent.iter().any(|(rank, _)| !rank.1 && Some(*rank) >= acknowledged),
    };
    if explained {
        return Ok(());
    }
    Err(format!("version {stands:?} stands, though {acknowledged:?} was acknowledged of {sent:?}"))
}

#[test]
fn the_highest_placement_stands_on_items() {
    let tally = clean(2_000, |seed| check(seed, ItemStore::new));
    assert!(tally.done > 10_000 && tally.unknown_and_done > 1_000, "{tally:?}");
}

#[test]
fn the_highest_placement_stands_on_the_wide_store() {
    let tally = clean(2_000, |seed| check(seed, WideStore::new));
    assert!(tally.done > 10_000 && tally.unknown_and_done > 1_000, "{tally:?}");
}
