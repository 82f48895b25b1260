//! A backup is of one moment, whole, and restored whole or not at all.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails"
)]

mod common;

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use common::*;
use keyloom_embedded::{BackupError, BackupSummary, Embedded, restore};
use keyloom_store::{Define, Discipline, GroupImage, Millis, Placement, Placing, Step, Store, TableId};
use keyloom_value::Value;

fn backup(store: &Embedded) -> (Vec<u8>, BackupSummary) {
    let mut stream = Vec::new();
    let summary = store.backup(&mut stream, |_| {}).unwrap();
    (stream, summary)
}

fn restored(folder: &Path, mut stream: &[u8]) -> Result<BackupSummary, BackupError> {
    restore(folder, &mut stream, still(), |_| {})
}

fn both(store: &Embedded, placed: TableId, pair: i64, version: u64) {
    let groups = [GroupImage { group: 0, version, values: &[Value::Text("x".repeat(100).into())] }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    let (first, second) = (key("first", pair), key("second", pair));
    let rows = [&first, &second].map(|key| Placement { table: placed, key, placing });
    wait(store.place(&rows, true, Millis(0))).unwrap();
}

#[test]
fn everything_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(&folder.path().join("old"));
    let [decided, _, placed] = three(&store);
    for row in 0..3_000 {
        decide(&store, decided, "a", row, &"y".repeat(row as usize)).unwrap();
    }
    place(&store, placed, ("a", 1), 7, "seven").unwrap();
    place_until(&store, placed, ("a", 2), 7, "seven", Some(Millis(10))).unwrap();
    let mut seen = 0;
    let mut stream = Vec::new();
    let summary = store.backup(&mut stream, |so_far| seen = so_far.rows.max(seen)).unwrap();
    assert_eq!((summary.tables, summary.rows, seen), (3, 3_002, 3_002));
    let new = folder.path().join("new");
    assert_eq!(restored(&new, &stream).unwrap(), summary);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
    let (copy, opened) = open(&new);
    assert!(!opened.created && opened.crashed.is_none());
    assert_eq!(
        wait(copy.describe()).unwrap().into_iter().map(|(_, shape)| shape).collect::<Vec<_>>(),
        wait(store.describe()).unwrap().into_iter().map(|(_, shape)| shape).collect::<Vec<_>>()
    );
    assert_eq!(backup(&copy).0, stream, "the same rows are the same bytes");
    // It goes on as the old one would have: what is newer wins, what is older does not.
    let placed = id(&copy, "placed");
    place(&copy, placed, ("a", 1), 6, "six").unwrap();
    assert_eq!(text(&copy, placed, "a", 1).as_deref(), Some("seven"));
    place(&copy, placed, ("a", 1), 8, "eight").unwrap();
    assert_eq!(text(&copy, placed, "a", 1).as_deref(), Some("eight"));
    copy.close().unwrap();
    let (copy, _) = open(&new);
    assert_eq!(text(&copy, id(&copy, "placed"), "a", 1).as_deref(), Some("eight"));
}

#[test]
fn an_empty_store_has_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(&folder.path().join("old"));
    let (stream, summary) = backup(&store);
    assert_eq!(summary, BackupSummary::default());
    // An empty folder is as good as none.
    fs::create_dir(folder.path().join("new")).unwrap();
    restored(&folder.path().join("new"), &stream).unwrap();
    let (copy, opened) = open(&folder.path().join("new"));
    assert!(!opened.created);
    assert!(wait(copy.describe()).unwrap().is_empty());
}

#[test]
fn a_backup_under_writers_is_of_one_moment() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(&folder.path().join("old"));
    let [_, _, placed] = three(&store);
    (0..500).for_each(|pair| both(&store, placed, pair, 1));
    let (written, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let streams: Vec<Vec<u8>> = thread::scope(|scope| {
        for writer in 0..2 {
            let (store, written, done) = (&store, &written, &done);
            scope.spawn(move || {
                for version in (2..).take_while(|_| !done.load(Ordering::Relaxed)) {
                    for pair in 0..500 {
                        both(store, placed, pair, version * 2 + writer);
                        written.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        // Each backup begins when the writers have moved on, however late they are scheduled.
        let streams = (1..=5)
            .map(|at| {
                while written.load(Ordering::Relaxed) < at * 100 {
                    thread::yield_now();
                }
                backup(&store).0
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        streams
    });
    let mut versions = Vec::new();
    for (at, stream) in streams.iter().enumerate() {
        let new = folder.path().join(at.to_string());
        restored(&new, stream).unwrap();
        let (copy, _) = open(&new);
        let placed = id(&copy, "placed");
        for pair in 0..500 {
            let version = |partition| get(&copy, placed, partition, pair, 0).unwrap().unwrap().version().unwrap();
            assert_eq!(version("first"), version("second"), "pair {pair}");
            versions.push(version("first"));
        }
    }
    assert!(versions.iter().any(|version| *version > 1), "nobody wrote meanwhile");
}

#[test]
fn what_is_cut_or_flipped_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(&folder.path().join("old"));
    wait(store.apply(&Step::Create(table("decided", Discipline::Decided, 1)))).unwrap();
    let decided = id(&store, "decided");
    for row in 0..5 {
        decide(&store, decided, "a", row, "text").unwrap();
    }
    let (stream, _) = backup(&store);
    drop(store);
    let new = folder.path().join("new");
    let refused = |stream: &[u8], what: &str| {
        let error = restored(&new, stream).expect_err(what);
        assert!(matches!(error, BackupError::Stream(_) | BackupError::Format { .. }), "{what}: {error}");
        assert!(!new.exists());
    };
    for cut in (0..stream.len()).step_by(13).chain(stream.len() - 12..stream.len()) {
        refused(&stream[..cut], &format!("cut at {cut}"));
    }
    for at in (0..stream.len()).step_by(11) {
        let mut flipped = stream.clone();
        flipped[at] ^= 1 << (at % 8);
        refused(&flipped, &format!("flipped at {at}"));
    }
    refused(&[stream.as_slice(), b"x"].concat(), "longer");
    refused(b"", "nothing");
    refused(&[0xFF; 1_000], "noise");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft is left");
    let mut future = stream.clone();
    future[16] = 9;
    let error = restored(&new, &future).unwrap_err().to_string();
    assert_eq!(error, "the backup has format 9, but this version reads 1");
    restored(&new, &stream).unwrap();
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(&folder.path().join("old"));
    let (stream, _) = backup(&store);
    let error = restored(&folder.path().join("old"), &stream).unwrap_err();
    assert!(matches!(error, BackupError::Occupied(_)), "{error}");
    drop(store);
    // A draft that was cut off is begun again.
    let draft = folder.path().join("new.restoring");
    drop(open(&draft));
    restored(&folder.path().join("new"), &stream).unwrap();
    assert!(!draft.exists());
    // Unless somebody is at it.
    let _held = open(&folder.path().join("other.restoring"));
    let error = restored(&folder.path().join("other"), &stream).unwrap_err();
    assert!(matches!(error, BackupError::Open(_)), "{error}");
}
