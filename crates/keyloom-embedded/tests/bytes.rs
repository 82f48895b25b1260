//! What the dialect says a row takes is what the store holds for it, byte by byte.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use common::*;
use keyloom_embedded::EmbeddedDialect;
use keyloom_store::{
    Along, Change, Column, Decision, Define, Dialect, Discipline, Expect, Freshness, Get, Group, GroupImage,
    GroupSizes, Image, Inspect, Millis, Placement, Placing, RowSizes, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Duration, Kind, Member, Value, Variant};

const NOW: Millis = Millis(1_000);

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn all_kinds(discipline: Discipline, groups: usize) -> Table {
    let level = Kind::Enum(vec![Variant { name: "low".to_owned(), rank: 10 }]);
    let member = |name: &str, kind| Member { name: name.to_owned(), kind, optional: true };
    let parts = vec![member("a", Kind::Text), member("b", Kind::Int), member("c", Kind::Bool)];
    let columns = |group: usize| {
        let kinds = [
            ("text", Kind::Text),
            ("int", Kind::Int),
            ("decimal", Kind::Decimal { scale: 3 }),
            ("span", Kind::Duration),
            ("list", Kind::List(Box::new(Kind::Struct(parts.clone())))),
            ("set", Kind::Set(Box::new(Kind::Date))),
            ("map", Kind::Map(Box::new(Kind::Text), Box::new(Kind::Uuid))),
            ("either", Kind::OneOf(vec![Kind::Float, Kind::Json])),
        ];
        Group { columns: kinds.into_iter().map(|(name, kind)| column(&format!("{name}{group}"), kind)).collect() }
    };
    let sort = |name: &str, kind, descending| SortColumn { name: name.to_owned(), kind, descending };
    Table {
        name: format!("{discipline:?}").to_lowercase(),
        discipline,
        partition: vec![column("owner", Kind::Text), column("host", Kind::Ip)],
        sort: vec![sort("level", level, true), sort("id", Kind::Uuid, false), sort("day", Kind::Date, true)],
        groups: (0..groups).map(columns).collect(),
        grace_ms: 1_000,
        lifetime_ms: None,
    }
}

/// Values of every size: number n leaves some of them away and makes others long.
fn values(number: u64) -> Vec<Value<'static>> {
    let some = |bit: u64, value: Value<'static>| if number >> bit & 1 == 0 { value } else { Value::Null };
    let long = if number.is_multiple_of(7) { 40_000 } else { number as usize % 300 };
    let part = Value::Struct(vec![some(1, "a".into()), some(2, Value::Int(1)), some(3, Value::Bool(true))]);
    let dates = [Value::Date(1), Value::Date(1), Value::Date(number as i32)];
    let all = [
        some(0, "x".repeat(long).into()),
        some(1, Value::Int(number as i64)),
        some(2, Value::Decimal(-5)),
        some(3, Value::Duration(Duration { months: 1, days: 1, micros: 1 })),
        some(4, Value::List(vec![part; number as usize % 4])),
        some(5, Value::Set(dates.to_vec())),
        some(6, Value::Map(vec![("k".into(), Value::Uuid([7; 16]))])),
        if number.is_multiple_of(2) {
            Value::OneOf(0, Box::new(Value::Float(0.5)))
        } else {
            Value::OneOf(1, Box::new(Value::Json("{}".into())))
        },
    ];
    // Who does not know the last columns says nothing of them.
    all[..8 - number as usize % 3].to_vec()
}

fn key(number: u64) -> Vec<Value<'static>> {
    let host = if number.is_multiple_of(2) { Value::Ip([1, 2, 3, 4].into()) } else { Value::Ip([7u16; 8].into()) };
    let owner = "o".repeat(number as usize % 50);
    vec![owner.into(), host, Value::Enum(10), Value::Uuid([number as u8; 16]), Value::Date(number as i32)]
}

#[test]
fn rows_take_what_the_dialect_says() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let tables =
        [all_kinds(Discipline::Decided, 1), all_kinds(Discipline::Carried, 1), all_kinds(Discipline::Placed, 2)];
    for table in &tables {
        wait(store.apply(&Step::Create(table.clone()))).unwrap();
    }
    let there = wait(store.describe()).unwrap();
    let id = |table: &Table| there.iter().find(|(_, shape)| shape.table().name == table.name).unwrap().0;
    let ids: Vec<TableId> = tables.iter().map(id).collect();
    for number in 0..300 {
        let (key, values, version) = (key(number), values(number), number + 1);
        let expires_at = number.is_multiple_of(3).then_some(Millis(5_000));
        let becomes = Image { version, expires_at, values: &values };
        let change = Change { table: ids[0], key: &key, expect: Expect::Absent, becomes };
        let group = number as usize % 2;
        let groups = [GroupImage { group, version, values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at };
        let along = [
            Along::Put { table: ids[1], key: &key, becomes },
            Along::Place(Placement { table: ids[2], key: &key, placing }),
        ];
        assert_eq!(wait(store.decide(Decision { change, along: &along, now: NOW })), Ok(Verdict::Done));
        for (at, table) in tables.iter().enumerate() {
            let put = |group| GroupSizes::of(table, group, version, expires_at, &values).unwrap();
            let sizes = match at {
                2 if group == 1 => vec![GroupSizes::Never, put(1)],
                _ => vec![put(0)],
            };
            let sizes = RowSizes::of_groups(table, &key, sizes).unwrap();
            let get = Get { table: ids[at], key: &key, freshness: Freshness::Any, now: NOW };
            let stored = wait(store.get(get)).unwrap().cost.bytes;
            assert_eq!(EmbeddedDialect.row_bytes(table, &[], &sizes), stored, "{} {number}", table.name);
        }
    }
}

#[test]
fn what_was_removed_takes_what_the_dialect_says() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = open(folder.path());
    let table = all_kinds(Discipline::Placed, 2);
    wait(store.apply(&Step::Create(table.clone()))).unwrap();
    let id = wait(store.describe()).unwrap()[0].0;
    let key = key(3);
    let placing = Placing::Remove { groups: &[(1, 9)] };
    wait(store.place(&[Placement { table: id, key: &key, placing }], false, NOW)).unwrap();
    let sizes = vec![GroupSizes::Never, GroupSizes::Removed { version: 9, at: NOW }];
    let sizes = RowSizes::of_groups(&table, &key, sizes).unwrap();
    let get = Get { table: id, key: &key, freshness: Freshness::Any, now: NOW };
    let stored = wait(store.get(get)).unwrap().cost.bytes;
    assert_eq!(EmbeddedDialect.row_bytes(&table, &[], &sizes), stored);
}

/// Rows like the events of the example `cases`, with nothing in them that could be compressed: what a tree spares is the
/// keys of partitions, and that is more than it needs beside the rows.
#[test]
fn a_tree_takes_no_more_than_the_bytes_of_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let sort = |name: &str, kind| SortColumn { name: name.to_owned(), kind, descending: true };
    let table = Table {
        name: "case_event".to_owned(),
        discipline: Discipline::Placed,
        partition: vec![column("tenant_id", Kind::Uuid), column("case_id", Kind::Uuid)],
        sort: vec![sort("at", Kind::Timestamp { micros: false }), sort("event_id", Kind::Uuid7)],
        groups: vec![Group { columns: vec![column("actor_id", Kind::Uuid), column("summary", Kind::Bytes)] }],
        grace_ms: 1_000,
        lifetime_ms: None,
    };
    let mut bits = 1u64;
    let mut random = move |bytes: &mut [u8]| {
        for byte in bytes {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (bits >> 56) as u8;
        }
    };
    let mut uuid = |version: u8| {
        let mut bytes = [0; 16];
        random(&mut bytes);
        bytes[6] = version << 4;
        bytes
    };
    let (store, _) = open(folder.path());
    wait(store.apply(&Step::Create(table.clone()))).unwrap();
    let id = wait(store.describe()).unwrap()[0].0;
    let mut predicted = 0;
    for number in 0..20_000u64 {
        let case = Value::Uuid([(number / 100) as u8; 16]);
        let key = [Value::Uuid([4; 16]), case, Value::Timestamp(number as i64), Value::Uuid(uuid(7))];
        let summary: Vec<u8> = (0..10).flat_map(|_| uuid(4)).collect();
        let values = [Value::Uuid(uuid(4)), Value::Bytes(summary.into())];
        let groups = [GroupImage { group: 0, version: 1_794_000_000_000_000 + number, values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        wait(store.place(&[Placement { table: id, key: &key, placing }], false, NOW)).unwrap();
        let sizes = RowSizes::of(&table, &key, 1_794_000_000_000_000, None, &values).unwrap();
        predicted += EmbeddedDialect.row_bytes(&table, &[], &sizes);
    }
    store.close().unwrap();
    let (store, _) = open(folder.path());
    let id = wait(store.describe()).unwrap()[0].0;
    let stored = wait(Inspect::inspect(&store, id)).unwrap().disk_bytes.unwrap();
    println!("{predicted} bytes predicted, {stored} stored: {} %", predicted * 100 / stored);
    assert!((100..=120).contains(&(predicted * 100 / stored)), "{predicted} predicted, {stored} stored");
}
