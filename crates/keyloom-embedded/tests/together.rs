//! Many at once: nothing is lost, and what changes together is seen together.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use common::*;
use keyloom_embedded::{Durability, Embedded, Options};
use keyloom_store::{
    Change, Decision, Expect, Freshness, Get, GroupImage, Image, Millis, Placement, Placing, Range, Slice, Store,
    Verdict,
};
use keyloom_value::Value;

#[test]
fn of_many_decisions_on_one_row_each_counts() {
    for (durability, each) in [(Durability::ProcessCrash, 500), (Durability::PowerLoss, 20)] {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { durability, ..Options::default() };
        let (store, _) = Embedded::open(folder.path(), options, still()).unwrap();
        let [decided, ..] = three(&store);
        let raise = || {
            let version = get(&store, decided, "a", 1, 0).unwrap().map_or(0, |row| row.version().unwrap());
            let change = Change {
                table: decided,
                key: &key("a", 1),
                expect: if version == 0 { Expect::Absent } else { Expect::Version(version) },
                becomes: Image { version: version + 1, expires_at: None, values: &[Value::Text("text".into())] },
            };
            wait(store.decide(Decision { change, along: &[], now: Millis(0) })).unwrap() == Verdict::Done
        };
        let start = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    (0..each).for_each(|_| while !raise() {});
                });
            }
        });
        assert_eq!(get(&store, decided, "a", 1, 0).unwrap().unwrap().version().unwrap(), 8 * each);
    }
}

#[test]
fn rows_that_are_placed_together_are_read_together() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [_, _, placed] = three(&store);
    let both = |version: u64, swapped: bool| {
        let groups = [GroupImage { group: 0, version, values: &[Value::Text("text".into())] }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        let (first, second) = (key("a", 1), key("a", 2));
        // In either order: whoever locks must not wait for whoever waits for him.
        let keys = if swapped { [&second, &first] } else { [&first, &second] };
        let rows = keys.map(|key| Placement { table: placed, key, placing });
        wait(store.place(&rows, true, Millis(0))).unwrap();
    };
    both(1, false);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|writer| scope.spawn(move || (2..1_500).for_each(|version| both(version * 2 + writer, writer == 1))))
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let [first, second] = [key("a", 1), key("a", 2)];
                    let before = get(&store, placed, "a", 1, 0).unwrap().unwrap().version().unwrap();
                    let at = [&first, &second].map(|key| Get {
                        table: placed,
                        key,
                        freshness: Freshness::Fresh,
                        now: Millis(0),
                    });
                    let rows = wait(store.get_many(&at)).into_iter().map(|got| got.unwrap().row.unwrap());
                    let versions: Vec<u64> = rows.map(|row| row.version().unwrap()).collect();
                    assert_eq!(versions[0], versions[1]);
                    // Nobody sees less than he has seen.
                    assert!(versions[0] >= before);
                    let slice = Slice {
                        table: placed,
                        partition: &[Value::Text("a".into())],
                        within: Range::ALL,
                        after: None,
                        reverse: versions[0].is_multiple_of(2),
                        rows_max: 10,
                        bytes_max: 1_000_000,
                        freshness: Freshness::Fresh,
                        now: Millis(0),
                    };
                    let rows = wait(store.slice(slice)).unwrap().rows;
                    assert_eq!(rows[0].version().unwrap(), rows[1].version().unwrap());
                    assert!(rows[0].version().unwrap() >= versions[0]);
                    let again = get(&store, placed, "a", 1, 0).unwrap().unwrap();
                    assert!(again.version().unwrap() >= rows[0].version().unwrap());
                }
            });
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn many_rows_of_one_partition_are_each_compared_with_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [_, _, placed] = three(&store);
    let version =
        |partition: &str, row: i64| get(&store, placed, partition, row, 0).unwrap().map(|row| row.version().unwrap());
    // With nothing between the rows, and with more than are placed.
    for (partition, step) in [("dense", 1), ("sparse", 7)] {
        for row in (0..40 * step).filter(|row| row % (2 * step) == 0 || row % step != 0) {
            let version = if row % (4 * step) == 0 { 9 } else { 1 };
            place(&store, placed, (partition, row), version, "before").unwrap();
        }
        let keys: Vec<_> = (0..40).rev().map(|row| key(partition, row * step)).collect();
        let groups = [GroupImage { group: 0, version: 5, values: &[Value::Text("after".into())] }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        let rows: Vec<_> = keys.iter().map(|key| Placement { table: placed, key, placing }).collect();
        wait(store.place(&rows, true, Millis(0))).unwrap();
        for row in 0..40 * step {
            let expected = match row {
                row if row % (4 * step) == 0 => 9,
                row if row % step == 0 => 5,
                _ => 1,
            };
            assert_eq!(version(partition, row), Some(expected), "{partition} {row}");
        }
    }
}
