//! A flipped bit or a cut, in any file, is an error or harmless: never are there other rows, or fewer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails"
)]

mod common;

use std::{collections::BTreeMap, fs, path::Path};

use common::*;
use keyloom_embedded::{Embedded, Options};
use keyloom_store::{Fault, Freshness, Get, Millis, Range, Slice, Store};
use keyloom_value::Value;

const ROWS: i64 = 400;
/// Bits that are flipped in each file, spread evenly over it.
const FLIPS: usize = 24;

#[derive(Debug, PartialEq, Eq, Clone, Copy, PartialOrd, Ord)]
enum Seen {
    /// It did not open.
    NotOpened,
    /// It opened, and a read said that something is broken.
    Broken,
    /// Every row is as it was.
    Whole,
}

#[test]
fn after_a_clean_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    fill(&store, 0);
    store.close().unwrap();
    let seen = break_everything(folder.path());
    // The manifest covers the small files, and the blocks of the large ones cover themselves.
    assert!(seen[&("tables", Seen::Broken)] > 0 && seen[&("v", Seen::NotOpened)] > 0, "{seen:?}");
}

#[test]
fn after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    fill(&store, 0);
    store.close().unwrap();
    let (store, _) = open(folder.path());
    fill(&store, ROWS);
    drop(store);
    let seen = break_everything(folder.path());
    assert!(seen[&("tables", Seen::Broken)] > 0 && seen[&("v", Seen::NotOpened)] > 0, "{seen:?}");
}

fn fill(store: &Embedded, from: i64) {
    let [decided, _, placed] = three(store);
    for row in from..from + ROWS {
        decide(store, decided, "a", row, &row.to_string().repeat(20)).unwrap();
        place(store, placed, ("a", row), 1, &row.to_string().repeat(20)).unwrap();
    }
}

fn break_everything(folder: &Path) -> BTreeMap<(&'static str, Seen), usize> {
    let pristine = read_all(folder);
    let whole = rows(folder).expect("it opens").expect("it is read");
    assert!(!whole.is_empty());
    let mut all = BTreeMap::new();
    for (path, bytes) in &pristine {
        let kind = kind(path);
        // Whose the folder is, and whether the machine was restarted, is no content; a journal is looked at in `folder`.
        if kind == "lock" || kind == "jnl" {
            continue;
        }
        let flips = (0..FLIPS).map(|flip| flip * bytes.len() / FLIPS).filter(|_| !bytes.is_empty());
        let flipped = flips.map(|at| {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            (format!("flipped at {at}"), flipped)
        });
        let cut = (!bytes.is_empty()).then(|| ("cut".to_owned(), bytes[..bytes.len() * 2 / 3].to_vec()));
        for (what, changed) in flipped.chain(cut) {
            fs::remove_dir_all(folder.join("engine")).unwrap();
            write_all(&pristine);
            fs::write(path, changed).unwrap();
            let seen = match rows(folder) {
                None => Seen::NotOpened,
                Some(Err(Fault::Broken(_))) => Seen::Broken,
                Some(Err(fault)) => panic!("{kind} {what}: {fault}"),
                Some(Ok(rows)) => {
                    assert!(rows == whole, "{} {what}: {} rows of {}", path.display(), rows.len(), whole.len());
                    Seen::Whole
                }
            };
            *all.entry((kind, seen)).or_default() += 1;
        }
    }
    all
}

/// What stands in the store, read in both ways; `None` when it does not open.
fn rows(folder: &Path) -> Option<Result<Vec<Vec<u8>>, Fault>> {
    let (store, opened) = Embedded::open(folder, Options::default(), still()).ok()?;
    if opened.created {
        return Some(Ok(Vec::new()));
    }
    Some(read(&store))
}

fn read(store: &Embedded) -> Result<Vec<Vec<u8>>, Fault> {
    let mut all = Vec::new();
    for name in ["decided", "placed"] {
        let slice = Slice {
            table: id(store, name),
            partition: &[Value::Text("a".into())],
            within: Range::ALL,
            after: None,
            reverse: name == "placed",
            rows_max: 10_000,
            bytes_max: u32::MAX,
            freshness: Freshness::Fresh,
            now: Millis(0),
        };
        let rows = wait(store.slice(slice))?.rows;
        let keys: Vec<_> = (0..2 * ROWS).map(|row| key("a", row)).collect();
        let gets: Vec<_> = keys
            .iter()
            .map(|key| Get { table: slice.table, key, freshness: Freshness::Fresh, now: Millis(0) })
            .collect();
        for got in wait(store.get_many(&gets)) {
            all.extend(got?.row.map(|row| row.body_bytes().to_vec()));
        }
        all.extend(rows.iter().map(|row| row.body_bytes().to_vec()));
    }
    Ok(all)
}

fn kind(path: &Path) -> &'static str {
    let name = path.file_name().unwrap().to_str().unwrap();
    let parent = path.parent().unwrap().file_name().unwrap();
    match name {
        "lock" => "lock",
        "current" => "current",
        "schema" => "schema",
        "format" => "format",
        "clean" => "clean",
        "version" => "version",
        _ if name.ends_with(".jnl") => "jnl",
        _ if parent == "tables" => "tables",
        _ if name.starts_with('v') => "v",
        _ => panic!("a file of an unknown kind: {name}"),
    }
}
