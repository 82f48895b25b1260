//! What has expired is never returned, fences as long as it must, and is forgotten afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};

use common::*;
use keyloom_embedded::{Embedded, Options};
use keyloom_store::{
    Change, Decision, Expect, Image, Inspect, Millis, Placement, Placing, Store, Sweep, TableId, Verdict,
};
use keyloom_value::Value;

fn at(now: i64) -> (tempfile::TempDir, Embedded, Arc<Still>) {
    let folder = tempfile::tempdir().unwrap();
    let machine = still();
    machine.now.store(now, Ordering::SeqCst);
    let (store, _) = Embedded::open(folder.path(), Options::default(), machine.clone()).unwrap();
    (folder, store, machine)
}

/// Tables have a grace of 1,000 ms.
#[test]
fn an_expired_row_fences_until_its_grace_is_over() {
    let (_folder, store, machine) = at(5_000);
    let [_, _, placed] = three(&store);
    place_until(&store, placed, ("a", 1), 10, "ten", Some(Millis(6_000))).unwrap();
    assert!(get(&store, placed, "a", 1, 5_999).unwrap().is_some());
    assert!(get(&store, placed, "a", 1, 6_000).unwrap().is_none());
    for now in [5_000, 6_000, 6_999] {
        machine.now.store(now, Ordering::SeqCst);
        assert_eq!(store.clean_now().unwrap(), 0, "at {now}");
        place(&store, placed, ("a", 1), 9, "nine").unwrap();
        assert!(get(&store, placed, "a", 1, 6_500).unwrap().is_none(), "the fence is gone at {now}");
    }
    machine.now.store(7_000, Ordering::SeqCst);
    assert_eq!(store.clean_now().unwrap(), 1);
    assert_eq!(store.clean_now().unwrap(), 0);
    place(&store, placed, ("a", 1), 9, "nine").unwrap();
    assert_eq!(text(&store, placed, "a", 1).as_deref(), Some("nine"));
}

#[test]
fn a_removed_row_fences_until_its_grace_is_over() {
    let (_folder, store, machine) = at(0);
    let [_, _, placed] = three(&store);
    place(&store, placed, ("a", 1), 10, "ten").unwrap();
    remove(&store, placed, 1, &[(0, 11)], 5_000);
    for now in [5_000, 5_999] {
        machine.now.store(now, Ordering::SeqCst);
        assert_eq!(store.clean_now().unwrap(), 0, "at {now}");
    }
    place(&store, placed, ("a", 1), 10, "ten").unwrap();
    assert_eq!(text(&store, placed, "a", 1), None);
    machine.now.store(6_000, Ordering::SeqCst);
    assert_eq!(store.clean_now().unwrap(), 1);
    place(&store, placed, ("a", 1), 10, "ten").unwrap();
    assert_eq!(text(&store, placed, "a", 1).as_deref(), Some("ten"));
}

#[test]
fn a_row_of_which_one_group_is_needed_stays() {
    let (_folder, store, machine) = at(0);
    let [_, _, placed] = three(&store);
    place(&store, placed, ("a", 1), 10, "ten").unwrap();
    // The root goes at 5,000, the other group was removed earlier and again later.
    remove(&store, placed, 1, &[(0, 11), (1, 20)], 5_000);
    remove(&store, placed, 1, &[(1, 21)], 8_000);
    machine.now.store(8_999, Ordering::SeqCst);
    assert_eq!(store.clean_now().unwrap(), 0);
    machine.now.store(9_000, Ordering::SeqCst);
    assert_eq!(store.clean_now().unwrap(), 1);
}

#[test]
fn rows_without_an_end_stay() {
    let (_folder, store, machine) = at(0);
    let [decided, _, placed] = three(&store);
    place(&store, placed, ("a", 1), 10, "ten").unwrap();
    decide(&store, decided, "a", 1, "one").unwrap();
    machine.now.store(i64::MAX, Ordering::SeqCst);
    assert_eq!(store.clean_now().unwrap(), 0);
    assert!(text(&store, placed, "a", 1).is_some() && text(&store, decided, "a", 1).is_some());
}

#[test]
fn it_is_cleaned_by_itself_and_also_after_a_start() {
    let (folder, store, machine) = at(0);
    let [decided, _, placed] = three(&store);
    for row in 0..2_000 {
        place_until(&store, placed, ("a", row), 1, "text", Some(Millis(1_000 + row))).unwrap();
    }
    let change = Change {
        table: decided,
        key: &key("a", 1),
        expect: Expect::Absent,
        becomes: Image { version: 1, expires_at: Some(Millis(500)), values: &[Value::Text("text".into())] },
    };
    let verdict = wait(store.decide(Decision { change, along: &[], now: Millis(0) })).unwrap();
    assert_eq!(verdict, Verdict::Done);
    assert_eq!(stored(&store, decided), 1);
    machine.now.store(2_500, Ordering::SeqCst);
    until(|| stored(&store, decided) == 0);
    until(|| stored(&store, placed) == 1_499);
    drop(store);
    machine.now.store(1_000_000, Ordering::SeqCst);
    let (store, _) = Embedded::open(folder.path(), Options::default(), machine).unwrap();
    until(|| stored(&store, id(&store, "placed")) == 0);
    assert!(wait(store.inspect(id(&store, "placed"))).unwrap().rows.is_some());
}

fn remove(store: &Embedded, table: TableId, row: i64, groups: &[(usize, u64)], now: i64) {
    let placing = Placing::Remove { groups };
    wait(store.place(&[Placement { table, key: &key("a", row), placing }], false, Millis(now))).unwrap();
}

/// How many rows are held, seen from a moment at which none has expired.
fn stored(store: &Embedded, table: TableId) -> usize {
    let segments = wait(store.segments(table, 3)).unwrap();
    let rows = |segment| {
        let (mut count, mut from) = (0, None);
        loop {
            let swept = wait(store.sweep(table, segment, from.as_ref(), 100, Millis(i64::MIN))).unwrap();
            count += swept.rows.len();
            from = swept.resume;
            if from.is_none() {
                return count;
            }
        }
    };
    segments.iter().map(rows).sum()
}

fn until(done: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("it did not happen within 20 s");
}
