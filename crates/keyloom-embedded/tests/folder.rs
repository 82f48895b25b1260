//! Whose a folder is, in which format, and what a start makes of what it finds there.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; these break files on purpose"
)]

mod common;

use std::{fs, path::Path};

use common::*;
use keyloom_embedded::{Embedded, OpenError, Options};
use keyloom_store::{Define, Step, Verdict};

fn try_open(folder: &Path) -> Result<Embedded, OpenError> {
    Embedded::open(folder, Options::default(), still()).map(|(store, _)| store)
}

/// A store with some rows in three tables, stopped cleanly.
fn stopped(folder: &Path) {
    let (store, _) = open(folder);
    let [decided, _, placed] = three(&store);
    for at in 0..100 {
        assert_eq!(decide(&store, decided, "a", at, "one").unwrap(), Verdict::Done);
        place(&store, placed, ("a", at), 5, "five").unwrap();
    }
    store.close().unwrap();
}

fn all_rows_are_there(store: &Embedded) -> bool {
    let (decided, placed) = (id(store, "decided"), id(store, "placed"));
    (0..100).all(|at| {
        text(store, decided, "a", at).as_deref() == Some("one")
            && text(store, placed, "a", at).as_deref() == Some("five")
    })
}

#[test]
fn a_store_opens_again_after_a_clean_stop() {
    let folder = tempfile::tempdir().unwrap();
    stopped(folder.path());
    for _ in 0..3 {
        let (store, opened) = open(folder.path());
        assert!(!opened.created);
        assert_eq!(opened.crashed, None);
        assert!(all_rows_are_there(&store));
        // What is written after a clean stop is newer than what was written before it.
        let placed = id(&store, "placed");
        place(&store, placed, ("b", 0), 1, "before").unwrap();
        store.close().unwrap();
        let (store, _) = open(folder.path());
        let placed = id(&store, "placed");
        place(&store, placed, ("b", 0), 9, "after").unwrap();
        assert_eq!(text(&store, placed, "b", 0).as_deref(), Some("after"));
        store.close().unwrap();
        let (store, _) = open(folder.path());
        assert_eq!(text(&store, id(&store, "placed"), "b", 0).as_deref(), Some("after"));
        store.close().unwrap();
    }
}

#[test]
fn a_store_that_was_only_dropped_opens_as_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let (store, opened) = open(folder.path());
    assert!(opened.created);
    let [decided, ..] = three(&store);
    decide(&store, decided, "a", 1, "one").unwrap();
    drop(store);
    let (store, opened) = open(folder.path());
    let crashed = opened.crashed.unwrap();
    assert!(crashed.journal_bytes > 0);
    assert_eq!(crashed.dropped_bytes, 0);
    assert!(!crashed.machine_restarted);
    assert_eq!(text(&store, id(&store, "decided"), "a", 1).as_deref(), Some("one"));
}

#[test]
fn a_second_open_is_refused_with_the_folder_and_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let error = try_open(folder.path()).unwrap_err();
    let name = folder.path().canonicalize().unwrap();
    assert_eq!(error.to_string(), format!("`{}` is in use by process {}", name.display(), std::process::id()));
    drop(store);
    try_open(folder.path()).unwrap();
}

#[test]
fn another_format_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    stopped(folder.path());
    fs::write(folder.path().join("format"), "keyloom 7\n").unwrap();
    let error = try_open(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("has format 7, but this version reads format 1"), "{error}");
    fs::write(folder.path().join("format"), [0xFF; 1000]).unwrap();
    let error = try_open(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("has format unknown, but this version reads format 1"), "{error}");
}

#[test]
fn a_folder_with_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.txt"), "mine").unwrap();
    assert!(matches!(try_open(folder.path()).unwrap_err(), OpenError::NotAStore { .. }));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_start_that_was_cut_off_before_there_was_a_store_is_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    fs::remove_file(folder.path().join("format")).unwrap();
    let (store, opened) = open(folder.path());
    assert!(opened.created);
    assert!(wait(store.describe()).unwrap().is_empty());
}

#[test]
fn a_store_that_has_lost_its_format_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    stopped(folder.path());
    let pristine = read_all(folder.path());
    for lost in [["format"].as_slice(), &["format", "clean"], &["format", "clean", "schema"]] {
        lost.iter().for_each(|file| fs::remove_file(folder.path().join(file)).unwrap());
        let error = try_open(folder.path()).map(|_| ()).unwrap_err();
        assert!(matches!(error, OpenError::NotAStore { .. }), "{lost:?}: {error}");
        lost.iter().for_each(|file| fs::write(folder.path().join(file), &pristine[&folder.path().join(file)]).unwrap());
        assert_eq!(without_lock(read_all(folder.path())), without_lock(pristine.clone()));
    }
    assert!(all_rows_are_there(&try_open(folder.path()).unwrap()));
}

#[test]
fn every_file_that_is_missing_cut_or_longer_after_a_clean_stop_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    stopped(folder.path());
    let pristine = read_all(folder.path());
    assert!(pristine.len() > 15, "{:?}", pristine.keys());
    for (path, bytes) in &pristine {
        // Without its format a folder is none of ours, and a marker that is missing means a crash.
        let name = path.strip_prefix(folder.path()).unwrap().to_str().unwrap();
        if ["lock", "format", "clean"].contains(&name) {
            continue;
        }
        let cut = &bytes[..bytes.len() / 2];
        let longer = [bytes.as_slice(), b"x"].concat();
        for change in [None, Some(cut), Some(&longer)] {
            match change {
                None => fs::remove_file(path).unwrap(),
                Some(same) if same == bytes => continue,
                Some(changed) => fs::write(path, changed).unwrap(),
            }
            let before = read_all(folder.path());
            let error = try_open(folder.path()).map(|_| ()).unwrap_err();
            assert!(matches!(error, OpenError::Damaged { .. }), "{name}: {error}");
            // Nothing is changed, so that whoever finds the file can put it back.
            assert_eq!(without_lock(read_all(folder.path())), without_lock(before), "{name}");
            fs::write(path, bytes).unwrap();
        }
    }
    assert!(all_rows_are_there(&try_open(folder.path()).unwrap()));
}

#[test]
fn a_file_that_came_after_a_clean_stop_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    stopped(folder.path());
    let stray = folder.path().join("engine/7.jnl");
    fs::write(&stray, "x").unwrap();
    let error = try_open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("7.jnl") && error.contains("not there when the store was stopped"), "{error}");
    fs::remove_file(stray).unwrap();
    try_open(folder.path()).unwrap();
}

#[test]
fn trees_that_are_missing_after_a_crash_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    stopped(folder.path());
    drop(open(folder.path()));
    let pristine = read_all(folder.path());
    for tree in ["0", "2", "3", "4"] {
        for gone in [tree.to_owned(), format!("{tree}/current")] {
            let path = folder.path().join("engine/keyspaces").join(&gone);
            if path.is_dir() {
                fs::remove_dir_all(&path).unwrap();
            } else {
                fs::remove_file(&path).unwrap();
            }
            let before = without_lock(read_all(folder.path()));
            let error = try_open(folder.path()).map(|_| ()).unwrap_err();
            assert!(matches!(error, OpenError::Damaged { .. }), "{gone}: {error}");
            // The engine would have removed the other trees as well.
            assert!(without_lock(read_all(folder.path())) == before, "{gone}");
            write_all(&pristine);
        }
    }
    assert!(all_rows_are_there(&try_open(folder.path()).unwrap()));
}

#[test]
fn a_journal_that_ends_early_is_a_crash_when_there_was_one() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [decided, ..] = three(&store);
    for at in 0..10 {
        decide(&store, decided, "a", at, "text").unwrap();
    }
    drop(store);
    let (journal, bytes) = journal(folder.path());
    let pristine = read_all(folder.path());
    let mut lengths = Vec::new();
    for cut in (0..bytes.len()).rev().step_by(13) {
        write_all(&pristine);
        fs::write(&journal, &bytes[..cut]).unwrap();
        let (store, opened) = open(folder.path());
        let crashed = opened.crashed.unwrap();
        let written = bytes[..cut].iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        assert_eq!(crashed.journal_bytes + crashed.dropped_bytes, written as u64);
        let decided = id(&store, "decided");
        let there = (0..10).take_while(|at| text(&store, decided, "a", *at).is_some()).count();
        assert!((there..10).all(|at| text(&store, decided, "a", at as i64).is_none()));
        lengths.push(there);
        drop(store);
        fs::remove_dir_all(folder.path().join("engine")).unwrap();
    }
    assert!(lengths.is_sorted_by(|a, b| a >= b));
    assert!(lengths.contains(&9) && lengths.contains(&0));
}

#[test]
fn a_flipped_bit_in_a_journal_is_an_error_or_a_cut_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [decided, ..] = three(&store);
    for at in 0..10 {
        decide(&store, decided, "a", at, "text").unwrap();
    }
    drop(store);
    let (journal, bytes) = journal(folder.path());
    let pristine = read_all(folder.path());
    let batch = bytes.len() / 10;
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&journal, &flipped).unwrap();
        let opened = Embedded::open(folder.path(), Options::default(), still());
        let Ok((store, opened)) = opened else { continue };
        // Nothing tells a last batch whose length was flipped from one that was cut off; it is reported. And its number
        // may be any that is higher than the one before.
        let dropped = opened.crashed.unwrap().dropped_bytes as usize;
        let decided = id(&store, "decided");
        let there = (0..10).filter(|at| text(&store, decided, "a", *at).as_deref() == Some("text")).count();
        let harmless = there == 10 && dropped == 0 && at >= bytes.len() - batch;
        let reported = there == 9 && (1..=batch).contains(&dropped);
        assert!(harmless || reported, "byte {at}: {there} rows, {dropped} dropped");
        drop(store);
        fs::remove_dir_all(folder.path().join("engine")).unwrap();
        write_all(&pristine);
    }
}

#[test]
fn a_journal_with_a_hole_opens_only_when_the_machine_was_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [decided, ..] = three(&store);
    for at in 0..10 {
        decide(&store, decided, "a", at, "text").unwrap();
    }
    drop(store);
    let (journal, mut bytes) = journal(folder.path());
    let half = bytes.len() / 2;
    bytes[half..half + 20].fill(0);
    fs::write(&journal, &bytes).unwrap();
    let error = try_open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("that was no crash"), "{error}");
    fs::write(folder.path().join("lock"), "1 another-start").unwrap();
    let (_, opened) = open(folder.path());
    let crashed = opened.crashed.unwrap();
    assert!(crashed.machine_restarted);
    assert!(crashed.dropped_bytes as usize >= half - bytes.len() / 10, "{crashed:?}");
}

#[test]
fn a_journal_that_is_missing_after_a_crash_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [decided, ..] = three(&store);
    decide(&store, decided, "a", 1, "one").unwrap();
    drop(store);
    let (journal, _) = journal(folder.path());
    fs::rename(&journal, journal.with_file_name("7.jnl")).unwrap();
    fs::write(&journal, []).unwrap();
    let error = try_open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("is missing"), "{error}");
    fs::remove_file(&journal).unwrap();
    fs::remove_file(journal.with_file_name("7.jnl")).unwrap();
    let error = try_open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("journal is missing"), "{error}");
}

#[test]
fn a_dropped_table_is_gone_and_its_name_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let [decided, ..] = three(&store);
    decide(&store, decided, "a", 1, "one").unwrap();
    wait(store.apply(&Step::Drop { table: "decided".into() })).unwrap();
    assert!(get(&store, decided, "a", 1, 0).is_err());
    assert!(decide(&store, decided, "a", 2, "two").is_err());
    let [decided, ..] = three(&store);
    assert_eq!(text(&store, decided, "a", 1), None);
    decide(&store, decided, "a", 3, "three").unwrap();
    drop(store);
    let (store, _) = open(folder.path());
    let decided = id(&store, "decided");
    assert_eq!(text(&store, decided, "a", 1), None);
    assert_eq!(text(&store, decided, "a", 3).as_deref(), Some("three"));
    store.close().unwrap();
    let trees = fs::read_dir(folder.path().join("engine/keyspaces")).unwrap().count();
    assert_eq!(trees, 5, "the engine's list, the tree without rows, and three tables");
}

#[cfg(unix)]
#[test]
fn a_new_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("some/where");
    stopped(&made);
    assert_eq!(fs::metadata(&made).unwrap().permissions().mode() & 0o777, 0o700);
}

/// The journal, and its bytes without the zeros behind them.
fn journal(folder: &Path) -> (std::path::PathBuf, Vec<u8>) {
    let entries = fs::read_dir(folder.join("engine")).unwrap().map(|entry| entry.unwrap().path());
    let path = entries.filter(|path| path.extension().is_some_and(|end| end == "jnl")).max().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1);
    (path, bytes)
}
