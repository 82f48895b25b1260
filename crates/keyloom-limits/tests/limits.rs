//! What is refused, throttled, warned of and seen late, each at its number.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::sync::{Arc, atomic::Ordering};

use common::*;
use keyloom_facts::fact;
use keyloom_limits::{Limited, Regime, Units, Warning};
use keyloom_model::Engine as EngineKind;
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, End, Expect, Fault, Freshness, Get, Group, GroupImage, Image, Millis,
    Model, Placement, Placing, Range, Rows, Scope, Slice, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

const NOW: Millis = Millis(4_000_000_000_000);

type Owned = Value<'static>;

/// A clock that stands still until it is moved.
fn still() -> Arc<Steps> {
    Steps::of(0)
}

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn table(name: &str, discipline: Discipline) -> Table {
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![column("p", Kind::Text)],
        sort: vec![SortColumn { name: "s".to_owned(), kind: Kind::Int, descending: false }],
        groups: vec![Group { columns: vec![column("v", Kind::Text), column("n", Kind::Int)] }],
        grace_ms: 3_600_000,
        lifetime_ms: None,
    }
}

struct Desk {
    store: Limited<Model>,
    heard: Heard,
    clock: Arc<Steps>,
    version: std::cell::Cell<u64>,
}

impl Desk {
    fn open(kind: EngineKind, regime: Regime, tables: &[Table]) -> Self {
        let clock = still();
        let mut engine = engine(kind);
        engine.regime = regime;
        let (store, heard) = limited(Arc::new(Model::new()), engine, clock.clone());
        for table in tables {
            wait(store.apply(&Step::Create(table.clone()))).unwrap();
        }
        Self { store, heard, clock, version: std::cell::Cell::new(1) }
    }

    fn table(&self, name: &str) -> TableId {
        let all = wait(self.store.describe()).unwrap();
        all.iter().find(|(_, shape)| shape.table().name == name).unwrap().0
    }

    fn place(&self, table: TableId, p: &str, s: i64, v: &str) -> Result<(), Fault> {
        self.version.set(self.version.get() + 1);
        let (key, values) = (key(p, s), values(v, s));
        let groups = [GroupImage { group: 0, version: self.version.get(), values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        wait(self.store.place(&[Placement { table, key: &key, placing }], false, NOW))
    }

    fn remove(&self, table: TableId, p: &str, s: i64) {
        self.version.set(self.version.get() + 1);
        let (key, groups) = (key(p, s), [(0, self.version.get())]);
        let placing = Placing::Remove { groups: &groups };
        wait(self.store.place(&[Placement { table, key: &key, placing }], false, NOW)).unwrap();
    }

    fn slice(&self, table: TableId, p: &str) -> Result<Rows, Fault> {
        let partition = [text(p)];
        wait(self.store.slice(Slice {
            table,
            partition: &partition,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: 200_000,
            bytes_max: 64 << 20,
            freshness: Freshness::Any,
            now: NOW,
        }))
    }

    fn wait_us(&self, micros: u64) {
        self.clock.now.fetch_add(micros, Ordering::SeqCst);
    }
}

fn text(value: &str) -> Owned {
    Value::Text(value.to_owned().into())
}

fn key(p: &str, s: i64) -> [Owned; 2] {
    [text(p), Value::Int(s)]
}

fn values(v: &str, n: i64) -> [Owned; 2] {
    [text(v), Value::Int(n)]
}

/// A text with which a write costs so many units.
fn costing(units: usize) -> String {
    "x".repeat(units * 1_024 - 200)
}

/// Calls come far too often for a minute: what is let through is what the partition gives, to the unit, and the partition beside
/// it is not touched.
#[test]
fn a_partition_gives_its_documented_rate_exactly() {
    let most = fact(EngineKind::DynamoDb, "partition_write_units").value;
    let desk = Desk::open(EngineKind::DynamoDb, Regime::of(EngineKind::DynamoDb), &[table("t", Discipline::Placed)]);
    let t = desk.table("t");
    for units in [1_usize, 7, 40] {
        let value = costing(units);
        desk.wait_us(10_000_000);
        let (mut let_through, mut throttled) = (0_u64, 0_u64);
        // Ten calls in each step, which are twice what flows in or more.
        let step = 10 * units as u64 * 1_000_000 / most / 2;
        let steps = 60_000_000 / step;
        for number in 0..steps * 10 {
            if number > 0 && number % 10 == 0 {
                desk.wait_us(step);
            }
            match desk.place(t, "hot", (number % 50) as i64, &value) {
                Ok(()) => let_through += units as u64,
                Err(Fault::Busy { scope: Scope::Key, cause, .. }) => {
                    assert!(cause.starts_with("DynamoDB throttles the partition p=hot of `t`"), "{cause}");
                    assert!(cause.contains("ThrottlingException: TableWriteKeyRangeThroughputExceeded"), "{cause}");
                    throttled += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        // A minute, and the second that was in it at first; the last call may not fit.
        let flowed = most * ((steps - 1) * step + 1_000_000) / 1_000_000;
        assert!(let_through <= flowed && flowed - let_through < 2 * units as u64, "{let_through} of {flowed}");
        assert!(throttled > 0);
        assert_eq!(desk.place(t, "cold", 1, &value), Ok(()), "its neighbour is let through");
    }
    let counts = desk.store.meter().counts();
    assert!(counts[0].throttled[1] > 0 && counts[0].throttled[0] == 0, "{counts:?}");
}

#[test]
fn reads_are_limited_beside_writes_and_cost_half_when_they_may_be_old() {
    let regime = Regime { units: Some(Units { read: 10, write: 1_000 }), ..Regime::of(EngineKind::DynamoDb) };
    let desk = Desk::open(EngineKind::DynamoDb, regime, &[table("t", Discipline::Placed)]);
    let t = desk.table("t");
    desk.place(t, "p", 1, "v").unwrap();
    let key = key("p", 1);
    for (freshness, most) in [(Freshness::Settled, 10), (Freshness::Any, 20)] {
        desk.wait_us(1_000_000);
        let get = || wait(desk.store.get(Get { table: t, key: &key, freshness, now: NOW }));
        for _ in 0..most {
            assert!(get().is_ok(), "{freshness:?}");
        }
        let refused = get().unwrap_err().to_string();
        assert!(refused.contains("TableReadKeyRangeThroughputExceeded"), "{refused}");
        desk.wait_us(100_000);
        assert!(get().is_ok(), "a tenth of a second gives one unit");
    }
    assert_eq!(desk.place(t, "p", 1, "v"), Ok(()), "writes are not held up by reads");
}

/// A refused call changes nothing and takes nothing, also not of the partitions that had enough.
#[test]
fn a_transaction_is_throttled_as_a_whole() {
    let regime = Regime { units: Some(Units { read: 3_000, write: 10 }), ..Regime::of(EngineKind::DynamoDb) };
    let desk = Desk::open(EngineKind::DynamoDb, regime, &[table("t", Discipline::Placed)]);
    let t = desk.table("t");
    desk.place(t, "hot", 1, &costing(9)).unwrap();
    let (keys, value) = ([key("cold", 1), key("hot", 2)], values("v", 1));
    let groups = [GroupImage { group: 0, version: 1, values: &value }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    let rows = keys.each_ref().map(|key| Placement { table: t, key, placing });
    let refused = wait(desk.store.place(&rows, true, NOW)).unwrap_err();
    assert!(matches!(&refused, Fault::Busy { cause, .. } if cause.contains("p=hot")), "{refused}");
    assert_eq!(desk.slice(t, "cold").unwrap().rows.len(), 0);
    let taken = desk.store.meter().counts()[0].milliunits[1];
    assert_eq!(taken, 9_000, "two units for each row were wanted, and none was taken");
    desk.wait_us(1_000_000);
    wait(desk.store.place(&rows, true, NOW)).unwrap();
    assert_eq!(desk.store.meter().counts()[0].milliunits[1], 9_000 + 4_000);
}

#[test]
fn a_page_ends_at_its_bytes_before_anything_is_left_out() {
    let desk = Desk::open(EngineKind::DynamoDb, Regime::of(EngineKind::DynamoDb), &[table("t", Discipline::Placed)]);
    let t = desk.table("t");
    for s in 0..12 {
        desk.wait_us(1_000_000);
        desk.place(t, "p", s, &"x".repeat(200 << 10)).unwrap();
    }
    desk.wait_us(1_000_000);
    let page = desk.slice(t, "p").unwrap();
    assert_eq!(
        (page.rows.len(), page.cost.milliunits),
        (5, 125_500),
        "a thousand KB and a little, at half a unit for 4 KB"
    );
    assert_eq!(page.end, End::Limit { reached: vec![Value::Int(4)] });
}

#[test]
fn an_item_above_its_size_is_refused_by_what_the_engine_counts() {
    // Names count on DynamoDB and not with us.
    let long: Vec<Column> = (0..40).map(|at| column(&format!("{}{at}", "n".repeat(200)), Kind::Text)).collect();
    let wide = Table { groups: vec![Group { columns: long }], ..table("wide", Discipline::Placed) };
    let desk = Desk::open(EngineKind::DynamoDb, Regime::of(EngineKind::DynamoDb), &[wide]);
    let (t, key) = (desk.table("wide"), key("p", 1));
    let values: Vec<Owned> = (0..40).map(|_| text(&"x".repeat(10_050))).collect();
    let groups = [GroupImage { group: 0, version: 1, values: &values }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    let refused = wait(desk.store.place(&[Placement { table: t, key: &key, placing }], false, NOW)).unwrap_err();
    assert!(matches!(&refused, Fault::Refused(cause) if cause.contains("but DynamoDB takes 409600")), "{refused}");
}

fn decide(desk: &Desk, table: TableId, s: i64, expect: Expect, version: u64, n: i64) {
    let (key, values) = (key("p", s), values("v", n));
    let becomes = Image { version, expires_at: None, values: &values };
    let change = Change { table, key: &key, expect, becomes };
    assert_eq!(wait(desk.store.decide(Decision { change, along: &[], now: NOW })), Ok(Verdict::Done));
}

fn index() -> Table {
    let sort = |name: &str, kind| SortColumn { name: name.to_owned(), kind, descending: false };
    Table {
        partition: vec![column("v", Kind::Text)],
        sort: vec![sort("n", Kind::Int), sort("p", Kind::Text), sort("s", Kind::Int)],
        groups: vec![Group { columns: Vec::new() }],
        ..table("by_v", Discipline::Indexed { of: "t".to_owned() })
    }
}

/// What an index shows: the second of its numbers.
fn shown(desk: &Desk, index: TableId) -> Vec<Owned> {
    let found = desk.slice(index, "v").unwrap();
    let shape = wait(desk.store.describe()).unwrap().into_iter().find(|(id, _)| *id == index).unwrap().1;
    found.rows.iter().map(|row| row.key(&shape).unwrap()[1].clone().into_owned()).collect()
}

#[test]
fn an_index_is_behind_by_what_is_documented() {
    let lag = fact(EngineKind::DynamoDb, "index_lag_millis").value * 1_000;
    let desk =
        Desk::open(EngineKind::DynamoDb, Regime::of(EngineKind::DynamoDb), &[table("t", Discipline::Decided), index()]);
    let (t, by_v) = (desk.table("t"), desk.table("by_v"));
    decide(&desk, t, 1, Expect::Absent, 1, 10);
    assert_eq!(shown(&desk, by_v), []);
    desk.wait_us(lag - 1);
    assert_eq!(shown(&desk, by_v), []);
    desk.wait_us(1);
    assert_eq!(shown(&desk, by_v), [Value::Int(10)]);
    // It moves, and moves on before anybody has seen it.
    decide(&desk, t, 1, Expect::Version(1), 2, 20);
    desk.wait_us(lag / 2);
    decide(&desk, t, 1, Expect::Version(2), 3, 30);
    decide(&desk, t, 2, Expect::Absent, 1, 25);
    assert_eq!(shown(&desk, by_v), [Value::Int(10)]);
    desk.wait_us(lag / 2);
    assert_eq!(shown(&desk, by_v), [Value::Int(20)]);
    desk.wait_us(lag / 2);
    assert_eq!(shown(&desk, by_v), [Value::Int(25), Value::Int(30)]);
}

#[test]
fn an_index_that_comes_later_has_the_rows_that_are_there() {
    let regime = Regime { index_lag_us: 0, ..Regime::of(EngineKind::DynamoDb) };
    for discipline in [Discipline::Decided, Discipline::Placed] {
        let desk = Desk::open(EngineKind::DynamoDb, regime.clone(), &[table("t", discipline.clone())]);
        let t = desk.table("t");
        for s in 0..500 {
            desk.wait_us(1_000_000);
            match discipline {
                Discipline::Decided => decide(&desk, t, s, Expect::Absent, 1, s),
                _ => desk.place(t, "p", s, "v").unwrap(),
            }
        }
        wait(desk.store.apply(&Step::Create(index()))).unwrap();
        let all: Vec<Owned> = (0..500).map(Value::Int).collect();
        assert_eq!(shown(&desk, desk.table("by_v")), all, "{discipline:?}");
    }
}

/// A row that was removed at a higher version than one that comes late is not brought back in an index.
#[test]
fn a_late_placement_leaves_no_ghost_in_an_index() {
    let regime = Regime { index_lag_us: 0, ..Regime::of(EngineKind::DynamoDb) };
    let desk = Desk::open(EngineKind::DynamoDb, regime, &[table("t", Discipline::Placed), index()]);
    let (t, by_v) = (desk.table("t"), desk.table("by_v"));
    desk.place(t, "p", 1, "v").unwrap();
    assert_eq!(shown(&desk, by_v), [Value::Int(1)]);
    desk.version.set(100);
    desk.remove(t, "p", 1);
    assert_eq!(shown(&desk, by_v), []);
    desk.version.set(50);
    desk.place(t, "p", 1, "v").unwrap();
    assert_eq!(desk.slice(t, "p").unwrap().rows.len(), 0, "it came too late");
    assert_eq!(shown(&desk, by_v), [], "also in the index");
    desk.version.set(200);
    desk.place(t, "p", 1, "v").unwrap();
    assert_eq!(shown(&desk, by_v), [Value::Int(1)]);
}

#[test]
fn tombstones_are_counted_per_read_and_fail_it_in_the_end() {
    let regime = Regime::of(EngineKind::Cassandra);
    let (warned, most) = (regime.tombstones_warned.unwrap().value, regime.tombstones.unwrap().value);
    assert_eq!((warned, most), (1_000, 100_000));
    let desk = Desk::open(EngineKind::Cassandra, regime, &[table("t", Discipline::Placed)]);
    let t = desk.table("t");
    for s in 0..1_000 {
        desk.remove(t, "p", s);
    }
    assert!(desk.slice(t, "p").is_ok());
    assert!(desk.heard.lock().unwrap().is_empty());
    desk.remove(t, "p", 1_000);
    assert!(desk.slice(t, "p").is_ok());
    let notices = desk.heard.lock().unwrap().clone();
    assert_eq!(notices.len(), 1);
    assert_eq!(
        notices[0].words,
        "Cassandra warns of a read of `t`, partition p=p: it read 0 live rows and 1001 tombstones, and 1,000 tombstones \
         per read is the limit"
    );
    for s in 1_001..100_001 {
        desk.remove(t, "p", s);
    }
    let refused = desk.slice(t, "p").unwrap_err();
    assert!(matches!(&refused, Fault::Refused(cause) if cause.contains("100001 tombstones")), "{refused}");
    assert_eq!(desk.store.meter().counts()[0].warnings[0], 1);
}

#[test]
fn large_partitions_and_batches_are_warned_of_once_they_are_too_large() {
    let desk = Desk::open(EngineKind::Cassandra, Regime::of(EngineKind::Cassandra), &[table("t", Discipline::Placed)]);
    let t = desk.table("t");
    for s in 0..100_002 {
        desk.place(t, "p", s, "v").unwrap();
    }
    let kinds = |desk: &Desk| desk.heard.lock().unwrap().iter().map(|notice| notice.warning).collect::<Vec<_>>();
    assert_eq!(kinds(&desk), [Warning::PartitionRows]);
    for s in 0..13 {
        desk.place(t, "q", s, &"x".repeat(8_000_000)).unwrap();
    }
    assert_eq!(kinds(&desk), [Warning::PartitionRows], "12 of 8 MB are less than 100 MB, 13 are less than 100 MiB");
    for s in 13..20 {
        desk.place(t, "q", s, &"x".repeat(8_000_000)).unwrap();
    }
    assert_eq!(kinds(&desk), [Warning::PartitionRows, Warning::PartitionBytes]);
    let (keys, value) = ([key("a", 1), key("b", 1)], values(&"x".repeat(3_000), 1));
    let groups = [GroupImage { group: 0, version: 1, values: &value }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    let rows = keys.each_ref().map(|key| Placement { table: t, key, placing });
    wait(desk.store.place(&rows, true, NOW)).unwrap();
    assert_eq!(kinds(&desk).last(), Some(&Warning::BatchBytes));
}
