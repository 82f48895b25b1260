//! When the disk is nearly full, writes wait and reads go on.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use std::{sync::atomic::Ordering, thread, time::Duration};

use common::*;
use keyloom_embedded::{Embedded, Environment, Options, System};
use keyloom_store::{Fault, Inspect, Scope};

#[test]
fn below_the_watermark_writes_are_busy_and_reads_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let machine = still();
    let options = Options { low_disk_bytes: 100 << 20, ..Options::default() };
    let (store, _) = Embedded::open(folder.path(), options, machine.clone()).unwrap();
    let [decided, _, placed] = three(&store);
    place(&store, placed, ("a", 1), 1, "one").unwrap();
    machine.free.store((100 << 20) - 1, Ordering::SeqCst);
    eventually(|| place(&store, placed, ("a", 2), 1, "two").is_err());
    let Err(Fault::Busy { scope: Scope::Store, cause, .. }) = place(&store, placed, ("a", 2), 1, "two") else {
        panic!("it is not busy");
    };
    assert_eq!(cause, "less than 100 MB of the disk are free");
    assert!(matches!(decide(&store, decided, "a", 2, "two"), Err(Fault::Busy { .. })));
    assert_eq!(text(&store, placed, "a", 1).as_deref(), Some("one"));
    assert!(wait(store.inspect(placed)).unwrap().throttled >= Some(2));
    machine.free.store(100 << 20, Ordering::SeqCst);
    eventually(|| place(&store, placed, ("a", 2), 1, "two").is_ok());
    assert_eq!(text(&store, placed, "a", 2).as_deref(), Some("two"));
}

#[test]
fn a_stream_of_writes_does_not_outrun_the_look_at_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let machine = still();
    let options = Options { low_disk_bytes: 16 << 20, ..Options::default() };
    let (store, _) = Embedded::open(folder.path(), options, machine.clone()).unwrap();
    let [_, _, placed] = three(&store);
    machine.free.store(0, Ordering::SeqCst);
    // Without a pause, so that no thread gets to look.
    let text = "x".repeat(1 << 20);
    let written = (0..64).take_while(|row| place(&store, placed, ("a", *row), 1, &text).is_ok()).count();
    assert!(written <= 3, "{written} MB were written");
}

#[test]
fn the_machine_says_how_much_is_free() {
    let folder = tempfile::tempdir().unwrap();
    assert!(System.free_disk_bytes(folder.path()).unwrap() > 0);
    assert!(System.free_disk_bytes(&folder.path().join("nowhere")).is_err());
}

fn eventually(done: impl Fn() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not happen within 5 s");
}
