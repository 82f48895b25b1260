//! A process that writes is killed at random moments. Afterwards every acknowledged row is there, and of what rode or was
//! placed together all or nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test that can't go on fails; the process under test is told by its environment what to do"
)]

mod common;

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use common::*;
use keyloom_embedded::{Durability, Embedded, Options};
use keyloom_store::{
    Along, Change, Decision, Expect, GroupImage, Image, Millis, Placement, Placing, Store, TableId, Verdict,
};
use keyloom_value::Value;

const FOLDER: &str = "KEYLOOM_TEST_FOLDER";
const ROUND: &str = "KEYLOOM_TEST_ROUND";
const SYNC: &str = "KEYLOOM_TEST_SYNC";
/// Rows of one placement.
const TOGETHER: i64 = 4;
/// Rows that are overwritten all the time.
const LARGE: i64 = 20;

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_half_done() {
    kill(8, Durability::ProcessCrash);
}

#[test]
fn a_synced_store_survives_as_well() {
    kill(3, Durability::PowerLoss);
}

/// `cargo test --release -p keyloom-embedded --test crash -- --ignored two_hundred --nocapture`
#[test]
#[ignore = "takes minutes; run by hand"]
fn two_hundred_kills() {
    kill(200, Durability::ProcessCrash);
}

/// What the four writers of the process have acknowledged: how many of each.
#[derive(Debug, Default, Clone, Copy)]
struct Acknowledged([i64; 4]);

fn kill(rounds: u64, durability: Durability) {
    let folder = tempfile::tempdir().unwrap();
    three(&open(folder.path()).0);
    let (mut all, mut dropped, mut journal) = (0, 0, 0);
    for round in 0..rounds {
        // Long enough for thousands of rows, different each time, and not a multiple of anything.
        let acknowledged =
            write_and_kill(folder.path(), round, durability, Duration::from_micros(20_000 + round * 7_919 % 400_000));
        let (store, opened) = open(folder.path());
        let crashed = opened.crashed.expect("it was killed");
        dropped += u64::from(crashed.dropped_bytes > 0);
        journal = journal.max(crashed.journal_bytes);
        check(&store, round, acknowledged);
        all += acknowledged.0[..2].iter().sum::<i64>();
        // Both ways of going on.
        if round % 2 == 0 { store.close().unwrap() } else { drop(store) }
    }
    println!(
        "{rounds} kills, {all} acknowledged decisions and placements, 0 lost; {dropped} journals ended in an unfinished batch, the longest had {journal} bytes"
    );
    assert!(all > 0);
}

fn write_and_kill(folder: &Path, round: u64, durability: Durability, after: Duration) -> Acknowledged {
    let mut process = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "the_process_that_is_killed", "--nocapture"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .env(SYNC, if durability == Durability::PowerLoss { "always" } else { "" })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let first = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("ack ")).expect("it writes");
    let reader = thread::spawn(move || {
        let mut acknowledged = Acknowledged::default();
        // A line that was cut off by the kill was not acknowledged.
        for line in std::iter::once(first).chain(lines.map_while(Result::ok)) {
            let Some((writer, count)) = line.strip_prefix("ack ").and_then(|line| line.split_once(' ')) else {
                continue;
            };
            let Some(count) = count.strip_suffix('.') else { continue };
            acknowledged.0[writer.parse::<usize>().unwrap()] = count.parse().unwrap();
        }
        acknowledged
    });
    thread::sleep(after);
    process.kill().unwrap();
    process.wait().unwrap();
    reader.join().unwrap()
}

fn check(store: &Embedded, round: u64, acknowledged: Acknowledged) {
    let Acknowledged([decided_count, together_count, large_version, hot_count]) = acknowledged;
    let [decided, carried, placed] = ["decided", "carried", "placed"].map(|name| id(store, name));
    let partition = format!("decided {round}");
    let there = |table: TableId, partition: &str, at: i64| text(store, table, partition, at).is_some();
    // Writers acknowledge in order, so only the next one may be there without.
    for at in 0..decided_count + 3 {
        let all = [decided, carried, placed].map(|table| there(table, &partition, at));
        assert!(all == [true; 3] || all == [false; 3], "decision {at} of round {round} is half done: {all:?}");
        assert!(all[0] || at >= decided_count, "decision {at} of {decided_count} is lost");
        assert!(!all[0] || at <= decided_count, "decision {at} was never made");
    }
    let partition = format!("together {round}");
    for at in 0..together_count + 3 {
        let rows = (0..TOGETHER).filter(|row| there(placed, &partition, at * TOGETHER + row)).count();
        assert!(rows == 0 || rows == TOGETHER as usize, "placement {at} of round {round} is half done: {rows}");
        assert!(rows > 0 || at >= together_count, "placement {at} of {together_count} is lost");
    }
    // One row that is decided again and again, with another that rides along.
    let hot = get(store, decided, "hot", 0, 0).unwrap().map_or(0, |row| row.version().unwrap());
    let rider = get(store, carried, "hot", 0, 0).unwrap().map_or(0, |row| row.version().unwrap());
    assert_eq!(hot, rider);
    assert!(hot >= hot_count as u64 && hot <= hot_count as u64 + 1, "{hot_count} acknowledged, {hot} there");
    // Large rows are overwritten: whole, with the text of their version.
    for at in 0..LARGE {
        let Some(row) = get(store, placed, "large", at, 0).unwrap() else { continue };
        let cell = row.section(0).unwrap().cell(0).unwrap().unwrap();
        assert_eq!(cell, large(row.version().unwrap()).as_bytes());
    }
    for version in (large_version - LARGE + 1).max(1)..=large_version {
        let row = get(store, placed, "large", version % LARGE, 0).unwrap().expect("a large row is there");
        assert!(row.version().unwrap() >= version as u64, "large row {version} is lost");
    }
}

/// Runs until it is killed. Without the environment of the tests above it is nothing.
#[test]
#[ignore = "started by the other tests"]
fn the_process_that_is_killed() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let round = env::var(ROUND).unwrap();
    let durability = if env::var(SYNC).unwrap().is_empty() { Durability::ProcessCrash } else { Durability::PowerLoss };
    let options = Options { durability, ..Options::default() };
    let (store, _) = Embedded::open(Path::new(&folder), options, still()).unwrap();
    let [decided, carried, placed] = ["decided", "carried", "placed"].map(|name| id(&store, name));
    let broken = AtomicBool::new(false);
    let acknowledge = |writer: usize, count: i64| {
        let line = format!("ack {writer} {count}.\n");
        if std::io::stdout().write_all(line.as_bytes()).is_err() {
            broken.store(true, Ordering::Relaxed);
        }
    };
    let going_on = || !broken.load(Ordering::Relaxed);
    thread::scope(|scope| {
        scope.spawn(|| {
            let partition = format!("decided {round}");
            for at in (0..).take_while(|_| going_on()) {
                ride(&store, [decided, carried, placed], &key(&partition, at), Expect::Absent, 1);
                acknowledge(0, at + 1);
            }
        });
        scope.spawn(|| {
            let partition = format!("together {round}");
            for at in (0..).take_while(|_| going_on()) {
                let keys: Vec<_> = (0..TOGETHER).map(|row| key(&partition, at * TOGETHER + row)).collect();
                let groups = [GroupImage { group: 0, version: 1, values: &[Value::Text("text".into())] }];
                let placing = Placing::Put { groups: &groups, expires_at: None };
                let rows: Vec<_> = keys.iter().map(|key| Placement { table: placed, key, placing }).collect();
                wait(store.place(&rows, true, Millis(0))).unwrap();
                acknowledge(1, at + 1);
            }
        });
        scope.spawn(|| {
            let version =
                |at: i64| get(&store, placed, "large", at, 0).unwrap().map_or(0, |row| row.version().unwrap());
            let last = (0..LARGE).map(version).max().unwrap() as i64;
            for version in (last + 1..).take_while(|_| going_on()) {
                place(&store, placed, ("large", version % LARGE), version as u64, &large(version as u64)).unwrap();
                acknowledge(2, version);
            }
        });
        scope.spawn(|| {
            loop {
                let version = get(&store, decided, "hot", 0, 0).unwrap().map_or(0, |row| row.version().unwrap());
                let expect = if version == 0 { Expect::Absent } else { Expect::Version(version) };
                ride(&store, [decided, carried, placed], &key("hot", 0), expect, version + 1);
                acknowledge(3, version as i64 + 1);
                if !going_on() {
                    break;
                }
            }
        });
    });
}

/// Decides a row with a carried and a placed one riding along.
fn ride(store: &Embedded, [decided, carried, placed]: [TableId; 3], key: &[Value<'_>], expect: Expect, version: u64) {
    let values = [Value::Text("text".into())];
    let becomes = Image { version, expires_at: None, values: &values };
    let groups = [GroupImage { group: 0, version, values: &values }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    let along = [Along::Put { table: carried, key, becomes }, Along::Place(Placement { table: placed, key, placing })];
    let change = Change { table: decided, key, expect, becomes };
    let verdict = wait(store.decide(Decision { change, along: &along, now: Millis(0) })).unwrap();
    assert_eq!(verdict, Verdict::Done);
}

/// A text that belongs to a version, can't be compressed much, and so fills memory and journal fast.
fn large(version: u64) -> String {
    let mut state = version.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{state:016x}")
    };
    (0..4_000).map(|_| word()).collect()
}
