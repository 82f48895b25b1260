//! What Keyloom makes in a keyspace, seen by somebody who knows nothing of it but CQL.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod common;

use std::sync::Arc;

use common::Node;
use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::announce;
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, End, Expect, Fault, Freshness, Get, Group, GroupImage, Image, Millis,
    Placement, Placing, Range, Shape, Slice, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Duration, Kind, Member, Value, Variant};
use scylla::{
    client::{session::Session, session_builder::SessionBuilder},
    response::query_result::QueryRowsResult,
};

const NOW: Millis = Millis(1_800_000_000_000);
const HOUR: i64 = 3_600_000;

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn member(name: &str, kind: Kind) -> Member {
    Member { name: name.to_owned(), kind, optional: true }
}

/// A table of numbers in order, with these columns.
fn table(name: &str, discipline: Discipline, columns: Vec<Column>) -> Table {
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![column("p", Kind::Int)],
        sort: vec![SortColumn { name: "s".to_owned(), kind: Kind::Int, descending: false }],
        groups: vec![Group { columns }],
        grace_ms: HOUR,
        lifetime_ms: None,
    }
}

fn add(table: &str, name: &str, kind: Kind) -> Step {
    Step::AddColumn { table: table.to_owned(), group: 0, column: column(name, kind) }
}

/// A keyspace, a store in it, and somebody who speaks CQL beside it.
struct Place {
    options: Options,
    store: Cassandra,
    session: Session,
}

impl Place {
    async fn open(node: &Node) -> Self {
        let options = node.options();
        let store = Cassandra::connect(&options).await.unwrap();
        let session = SessionBuilder::new().known_nodes(&options.contact_points).build().await.unwrap();
        session.use_keyspace(&options.keyspace, true).await.unwrap();
        Self { options, store, session }
    }

    /// Another process.
    async fn other(&self) -> Cassandra {
        Cassandra::connect(&self.options).await.unwrap()
    }

    async fn say(&self, statement: &str) {
        self.session.query_unpaged(statement, ()).await.unwrap();
    }

    async fn ask(&self, statement: &str) -> QueryRowsResult {
        self.session.query_unpaged(statement, ()).await.unwrap().into_rows_result().unwrap()
    }

    /// As a process leaves a step that died after it was written down.
    async fn leave_pending(&self, step: &Step) {
        let text = serde_json::to_string(step).unwrap().replace('\'', "''");
        let name = step.table();
        let here = format!("WHERE store = 'keyloom' AND name = '{name}'");
        let found = self.ask(&format!("SELECT version, incarnation FROM keyloom_schema {here}")).await;
        match (found.maybe_first_row::<(i64, i64)>().unwrap(), step) {
            (None, _) => {
                self.say(&format!(
                    "INSERT INTO keyloom_schema (store, name, incarnation, version, pending) \
                     VALUES ('keyloom', '{name}', 1, 1, '{text}') IF NOT EXISTS"
                ))
                .await;
            }
            (Some((version, incarnation)), _) => {
                let next = version + 1;
                self.say(&format!(
                    "UPDATE keyloom_schema SET version = {next}, incarnation = {incarnation}, pending = '{text}' {here} \
                     IF version = {version}"
                ))
                .await;
            }
        }
    }
}

async fn described(store: &Cassandra) -> Vec<(TableId, Arc<Shape>)> {
    store.describe().await.unwrap()
}

async fn tables(store: &Cassandra) -> Vec<Table> {
    described(store).await.into_iter().map(|(_, shape)| shape.table().clone()).collect()
}

async fn id(store: &Cassandra, name: &str) -> TableId {
    described(store).await.into_iter().find(|(_, shape)| shape.table().name == name).unwrap().0
}

async fn place(store: &Cassandra, id: TableId, key: i64, values: &[Value<'_>], expires_at: Option<Millis>) {
    let groups = [GroupImage { group: 0, version: 1, values }];
    let key = [Value::Int(1), Value::Int(key)];
    let placing = Placing::Put { groups: &groups, expires_at };
    store.place(&[Placement { table: id, key: &key, placing }], false, NOW).await.unwrap();
}

async fn values(store: &Cassandra, id: TableId, key: i64) -> Vec<Value<'static>> {
    let shape = described(store).await.into_iter().find(|(found, _)| *found == id).unwrap().1;
    let key = [Value::Int(1), Value::Int(key)];
    let got = store.get(Get { table: id, key: &key, freshness: Freshness::Settled, now: NOW }).await.unwrap();
    let row = got.row.unwrap();
    let columns = 0..shape.table().groups[0].columns.len();
    let value = |column| row.value(&shape, keyloom_store::ColumnAt::Cell { group: 0, column }).unwrap().into_owned();
    columns.map(value).collect()
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Fault>) -> String {
    match answer {
        Err(Fault::Refused(cause)) => cause.into_owned(),
        other => panic!("not refused: {other:?}"),
    }
}

async fn columns_can_be_read_by_everybody(node: &Node) {
    let place_ = Place::open(node).await;
    let variants = vec![Variant { name: "open".to_owned(), rank: 10 }, Variant { name: "done".to_owned(), rank: 20 }];
    let point = Kind::Struct(vec![member("x", Kind::Int), member("y", Kind::Int)]);
    let address = Kind::Struct(vec![member("street", Kind::Text), member("at", point)]);
    let columns = [
        ("a_bool", Kind::Bool, Value::Bool(true), "true"),
        ("a_date", Kind::Date, Value::Date(1), "\"1970-01-02\""),
        ("a_decimal", Kind::Decimal { scale: 2 }, Value::Decimal(-1_250), "-12.50"),
        ("a_float", Kind::Float, Value::Float(-0.5), "-0.5"),
        ("a_json", Kind::Json, Value::Json("{\"a\":1}".into()), "\"{\\\"a\\\":1}\""),
        ("a_list", Kind::List(Box::new(Kind::Text)), Value::List(vec!["b".into(), "a".into()]), "[\"b\", \"a\"]"),
        (
            "a_map",
            Kind::Map(Box::new(Kind::Text), Box::new(address.clone())),
            Value::Map(vec![("home".into(), Value::Struct(vec!["Row".into(), Value::Null]))]),
            "{\"home\": {\"street\": \"Row\", \"at\": null}}",
        ),
        ("a_moment", Kind::Timestamp { micros: false }, Value::Timestamp(1_000), "\"1970-01-01 00:00:01.000Z\""),
        (
            "a_oneof",
            Kind::OneOf(vec![Kind::Int, Kind::Text]),
            Value::OneOf(1, Box::new("t".into())),
            "{\"int\": null, \"text\": \"t\"}",
        ),
        ("a_set", Kind::Set(Box::new(Kind::Int)), Value::Set(vec![Value::Int(2), Value::Int(-1)]), "[-1, 2]"),
        ("a_state", Kind::Enum(variants), Value::Enum(20), "\"done\""),
        (
            "a_struct",
            address,
            Value::Struct(vec!["Long Row".into(), Value::Struct(vec![Value::Int(1), Value::Int(2)])]),
            "{\"street\": \"Long Row\", \"at\": {\"x\": 1, \"y\": 2}}",
        ),
        ("a_uuid", Kind::Uuid, Value::Uuid([0x11; 16]), "\"11111111-1111-1111-1111-111111111111\""),
        ("an_ip", Kind::Ip, Value::Ip("10.0.0.1".parse().unwrap()), "\"10.0.0.1\""),
    ];
    let defined = columns.iter().map(|(name, kind, ..)| column(name, kind.clone())).collect();
    place_.store.apply(&Step::Create(table("everything", Discipline::Placed, defined))).await.unwrap();
    let id = id(&place_.store, "everything").await;
    let written: Vec<Value<'_>> = columns.iter().map(|(_, _, value, _)| value.clone()).collect();
    place(&place_.store, id, 7, &written, None).await;
    for (name, _, _, json) in &columns {
        let found = place_.ask(&format!("SELECT toJson({name}) FROM everything WHERE p = 1 AND s = 7")).await;
        assert_eq!(found.single_row::<(&str,)>().unwrap().0, *json, "{name}");
    }
    let found = place_.ask("SELECT kl_v, kl_x FROM everything WHERE p = 1 AND s = 7").await;
    assert_eq!(found.single_row::<(i64, i64)>().unwrap(), (1, i64::MAX));
}

async fn a_step_that_died_is_finished_by_whoever_comes(node: &Node) {
    let created = table("t", Discipline::Placed, vec![column("v", Kind::Text)]);
    let create = Step::Create(created.clone());
    let (drop, grown) = (Step::Drop { table: "t".to_owned() }, add("t", "w", Kind::Int));
    // A table of another name, so that there is something to write into.
    let neighbour = table("neighbour", Discipline::Placed, Vec::new());
    for told in [false, true] {
        let place_ = Place::open(node).await;
        place_.store.apply(&Step::Create(neighbour.clone())).await.unwrap();
        let script = place_.store.script(std::slice::from_ref(&create)).await.unwrap();
        place_.leave_pending(&create).await;
        if told {
            place_.say(script[0].trim_end_matches(';')).await;
        }
        let other = place_.other().await;
        assert_eq!(tables(&other).await, std::slice::from_ref(&neighbour), "what is not done is not described");
        let wider = table("t", Discipline::Decided, vec![column("v", Kind::Text)]);
        refused(other.apply(&Step::Create(wider)).await);
        other.apply(&create).await.unwrap();
        let id = id(&other, "t").await;
        place(&other, id, 1, &["v".into()], None).await;

        place_.leave_pending(&grown).await;
        if told {
            place_.say("ALTER TABLE t ADD w bigint").await;
        }
        let another = place_.other().await;
        another.apply(&grown).await.unwrap();
        let id = self::id(&another, "t").await;
        assert_eq!(values(&another, id, 1).await, ["v".into(), Value::Null]);
        place(&another, id, 2, &["v".into(), Value::Int(3)], None).await;

        place_.leave_pending(&drop).await;
        if told {
            place_.say("DROP TABLE t").await;
        }
        // Whoever wants the table back finishes dropping it first.
        let last = place_.other().await;
        last.apply(&create).await.unwrap();
        let id = self::id(&last, "t").await;
        let key = [Value::Int(1), Value::Int(1)];
        let got = last.get(Get { table: id, key: &key, freshness: Freshness::Settled, now: NOW }).await.unwrap();
        assert_eq!(got.row, None, "it is another table");
        assert_eq!(tables(&last).await, [neighbour.clone(), created.clone()]);
    }
}

async fn what_others_made_is_left_alone(node: &Node) {
    let place_ = Place::open(node).await;
    place_.say("CREATE TABLE t (p bigint PRIMARY KEY, theirs text)").await;
    place_.say("INSERT INTO t (p, theirs) VALUES (1, 'x')").await;
    let create = Step::Create(table("t", Discipline::Placed, Vec::new()));
    assert!(refused(place_.store.apply(&create).await).contains("did not make it"));
    assert_eq!(tables(&place_.store).await, []);
    assert_eq!(place_.ask("SELECT theirs FROM t").await.rows_num(), 1);

    place_.store.apply(&Step::Create(table("ours", Discipline::Placed, Vec::new()))).await.unwrap();
    place_.say("ALTER TABLE ours ADD theirs text").await;
    assert!(refused(place_.store.apply(&add("ours", "theirs", Kind::Int)).await).contains("did not make it"));
    place_.store.apply(&add("ours", "v", Kind::Int)).await.unwrap();
}

async fn what_cassandra_refuses_leaves_nothing_behind(node: &Node) {
    let place_ = Place::open(node).await;
    // A user type has a field at least.
    let empty = table("t", Discipline::Placed, vec![column("v", Kind::Struct(Vec::new()))]);
    refused(place_.store.apply(&Step::Create(empty)).await);
    assert_eq!(tables(&place_.store).await, []);
    let sound = table("t", Discipline::Placed, vec![column("v", Kind::Int)]);
    place_.other().await.apply(&Step::Create(sound.clone())).await.unwrap();
    refused(place_.store.apply(&add("t", "w", Kind::Struct(Vec::new()))).await);
    assert_eq!(tables(&place_.store).await, [sound]);
}

async fn names_that_do_not_fit_are_refused(node: &Node) {
    let place_ = Place::open(node).await;
    let long = "t".repeat(49);
    for name in ["two words", "dots.", "ä", "keyloom_schema", &long] {
        let words = refused(place_.store.apply(&Step::Create(table(name, Discipline::Placed, Vec::new()))).await);
        assert!(words.contains(name), "{words}");
    }
    for name in ["kl_v", "kl_x", "kl_v3", ""] {
        let with = table("t", Discipline::Placed, vec![column(name, Kind::Int)]);
        refused(place_.store.apply(&Step::Create(with)).await);
    }
    // Columns of the run time, and of whoever likes them.
    let names = ["kl_tokens", "Kl_V", "select", "with \"quotes\"", "ä ö", "a.b"];
    let with = table(&long[1..], Discipline::Placed, names.iter().map(|name| column(name, Kind::Int)).collect());
    place_.store.apply(&Step::Create(with)).await.unwrap();
    let id = id(&place_.store, &long[1..]).await;
    let written: Vec<Value<'_>> = (0..6).map(Value::Int).collect();
    place(&place_.store, id, 1, &written, None).await;
    assert_eq!(values(&place_.store, id, 1).await, written);
    // Were they one type, a change of one would be a change of both.
    let point = || Kind::Struct(vec![member("x", Kind::Int)]);
    let first = table("a", Discipline::Placed, vec![column("b_c", point())]);
    let second = table("a_b", Discipline::Placed, vec![column("c", point())]);
    place_.store.apply(&Step::Create(first)).await.unwrap();
    assert!(refused(place_.store.apply(&Step::Create(second)).await).contains("kl_a_b_c"));
}

async fn values_within_values_come_back(node: &Node) {
    let place_ = Place::open(node).await;
    let point = Kind::Struct(vec![member("x", Kind::Int), member("y", Kind::Float)]);
    let kinds = [
        point.clone(),
        Kind::List(Box::new(point.clone())),
        Kind::Map(Box::new(Kind::Ip), Box::new(Kind::List(Box::new(Kind::Duration)))),
        Kind::Set(Box::new(Kind::Set(Box::new(Kind::Text)))),
        Kind::OneOf(vec![Kind::Text, point, Kind::List(Box::new(Kind::Bytes)), Kind::Text]),
    ];
    let columns = kinds.iter().zip(0..).map(|(kind, at)| column(&format!("c{at}"), kind.clone())).collect();
    place_.store.apply(&Step::Create(table("t", Discipline::Placed, columns))).await.unwrap();
    let id = id(&place_.store, "t").await;
    let nothing = || Value::Struct(vec![Value::Null, Value::Null]);
    let duration = Value::Duration(Duration { months: -1, days: 31, micros: i64::MIN });
    let texts = |texts: &[&'static str]| Value::Set(texts.iter().map(|text| Value::from(*text)).collect());
    let rows = [
        vec![
            nothing(),
            Value::List(vec![nothing(), Value::Struct(vec![Value::Int(1), Value::Float(f64::INFINITY)])]),
            Value::Map(vec![(Value::Ip("::1".parse().unwrap()), Value::List(vec![duration.clone(), duration]))]),
            Value::Set(vec![texts(&[]), texts(&["", "a"])]),
            Value::OneOf(1, Box::new(nothing())),
        ],
        vec![
            Value::Struct(vec![Value::Int(i64::MIN), Value::Null]),
            Value::List(vec![]),
            Value::Map(vec![]),
            Value::Set(vec![texts(&[])]),
            Value::OneOf(3, Box::new("".into())),
        ],
        vec![
            nothing(),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::OneOf(2, Box::new(Value::List(vec![Value::Bytes(vec![].into()), Value::Bytes(vec![0].into())]))),
        ],
    ];
    for (row, at) in rows.iter().zip(0..) {
        place(&place_.store, id, at, row, None).await;
        assert_eq!(values(&place_.store, id, at).await, *row);
    }
}

/// Cassandra gives up a read that meets 100,000 tombstones, and a null is one.
async fn absent_columns_are_no_tombstones(node: &Node) {
    let place_ = Place::open(node).await;
    let columns = || (0..300).map(|at| column(&format!("c{at}"), Kind::Int)).collect();
    for (name, discipline) in [("placed", Discipline::Placed), ("decided", Discipline::Decided)] {
        let store = &place_.store;
        store.apply(&Step::Create(table(name, discipline.clone(), columns()))).await.unwrap();
        let id = id(store, name).await;
        let keys: Vec<[Value<'_>; 2]> = (0..400).map(|at| [Value::Int(1), Value::Int(at)]).collect();
        if discipline == Discipline::Placed {
            let groups = [GroupImage { group: 0, version: 1, values: &[] }];
            let placing = Placing::Put { groups: &groups, expires_at: None };
            let rows: Vec<Placement<'_>> = keys.iter().map(|key| Placement { table: id, key, placing }).collect();
            store.place(&rows, false, NOW).await.unwrap();
        } else {
            for key in &keys {
                let becomes = Image { version: 1, expires_at: None, values: &[] };
                let change = Change { table: id, key, expect: Expect::Absent, becomes };
                let verdict = store.decide(Decision { change, along: &[], now: NOW }).await.unwrap();
                assert_eq!(verdict, Verdict::Done);
            }
        }
        let slice = Slice {
            table: id,
            partition: &[Value::Int(1)],
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: 1_000,
            bytes_max: u32::MAX,
            freshness: Freshness::Settled,
            now: NOW,
        };
        let page = store.slice(slice).await.unwrap();
        assert_eq!((page.rows.len(), page.end), (400, End::Range), "{name}");
    }
}

/// Rows that are several statements may be as large as others.
async fn large_rows_may_lack_columns(node: &Node) {
    let place_ = Place::open(node).await;
    let columns = || vec![column("large", Kind::Text), column("absent", Kind::Int)];
    let mut grouped = table("grouped", Discipline::Placed, columns());
    grouped.groups.push(Group { columns: vec![column("other", Kind::Text)] });
    let large = "x".repeat(2 << 20);
    for created in [table("t", Discipline::Placed, columns()), grouped] {
        place_.store.apply(&Step::Create(created.clone())).await.unwrap();
        let id = id(&place_.store, &created.name).await;
        let written = [Value::from(large.as_str()), Value::Null];
        let group = |group| GroupImage { group, version: 1, values: &written[..created.groups[group].columns.len()] };
        let groups: Vec<GroupImage<'_>> = (0..created.groups.len()).map(group).collect();
        let (key, placing) = ([Value::Int(1), Value::Int(1)], Placing::Put { groups: &groups, expires_at: None });
        place_.store.place(&[Placement { table: id, key: &key, placing }], false, NOW).await.unwrap();
        assert_eq!(values(&place_.store, id, 1).await, written);
    }
}

async fn cassandra_forgets_later_than_readers(node: &Node) {
    let place_ = Place::open(node).await;
    let created = table("t", Discipline::Placed, vec![column("v", Kind::Int)]);
    place_.store.apply(&Step::Create(created)).await.unwrap();
    let id = id(&place_.store, "t").await;
    let (hour, day) = (3_600, 24 * 3_600);
    // Its grace is an hour.
    for (end, expected) in [
        (None, None),
        (Some(NOW.plus(HOUR)), Some(hour + hour + day)),
        (Some(NOW.plus(-9 * HOUR)), Some(hour + day)),
        (Some(NOW.plus(40 * 365 * 24 * HOUR)), None),
        (Some(Millis(i64::MAX)), None),
    ] {
        let key = expected.unwrap_or(0) + i64::from(end.is_some());
        place(&place_.store, id, key, &[Value::Int(1)], end).await;
        let text = format!("SELECT TTL(v), TTL(kl_v), TTL(kl_x) FROM t WHERE p = 1 AND s = {key}");
        let found = place_.ask(&text).await;
        let (v, version, end) = found.single_row::<(Option<i32>, Option<i32>, Option<i32>)>().unwrap();
        for found in [v, version, end] {
            match (found, expected) {
                (None, None) => {}
                (Some(found), Some(expected)) => {
                    assert!((expected - 60..=expected + 1).contains(&found.into()), "{found}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

async fn who_creates_at_once_creates_one_table(node: &Node) {
    let place_ = Place::open(node).await;
    let (a, b) = (place_.other().await, place_.other().await);
    let step = Step::Create(table("t", Discipline::Placed, vec![column("v", Kind::Int)]));
    let (first, second) = futures_util::join!(a.apply(&step), b.apply(&step));
    first.unwrap();
    second.unwrap();
    let (in_a, in_b) = (id(&a, "t").await, id(&b, "t").await);
    place(&a, in_a, 1, &[Value::Int(1)], None).await;
    assert_eq!(values(&b, in_b, 1).await, [Value::Int(1)]);
    // And one that was made again is another.
    a.apply(&Step::Drop { table: "t".to_owned() }).await.unwrap();
    a.apply(&step).await.unwrap();
    let again = id(&b, "t").await;
    assert_ne!(again, in_b);
    let key = [Value::Int(1), Value::Int(1)];
    refused(b.get(Get { table: in_b, key: &key, freshness: Freshness::Any, now: NOW }).await);
}

async fn a_keyspace_that_is_not_there_is_said(node: &Node) {
    let options = Options { create_keyspace: None, ..node.options() };
    let words = refused(Cassandra::connect(&options).await.map(drop));
    let statement = words.split_once("CREATE KEYSPACE").unwrap().1;
    assert!(statement.contains(&options.keyspace) && statement.contains("NetworkTopologyStrategy"), "{words}");
    let elsewhere = Options { data_centre: Some("nowhere".to_owned()), ..options.clone() };
    assert!(refused(Cassandra::connect(&elsewhere).await.map(drop)).contains("`datacenter1`"));
    let hostile = Options { keyspace: "a\"; DROP KEYSPACE b".to_owned(), create_keyspace: Some(1), ..options };
    refused(Cassandra::connect(&hostile).await.map(drop));
}

#[test]
fn tables_are_what_they_are_said_to_be() {
    let Some(node) = Node::start("tables") else { return };
    node.runtime.block_on(async {
        columns_can_be_read_by_everybody(&node).await;
        a_step_that_died_is_finished_by_whoever_comes(&node).await;
        what_others_made_is_left_alone(&node).await;
        what_cassandra_refuses_leaves_nothing_behind(&node).await;
        names_that_do_not_fit_are_refused(&node).await;
        values_within_values_come_back(&node).await;
        absent_columns_are_no_tombstones(&node).await;
        large_rows_may_lack_columns(&node).await;
        cassandra_forgets_later_than_readers(&node).await;
        who_creates_at_once_creates_one_table(&node).await;
        a_keyspace_that_is_not_there_is_said(&node).await;
    });
    announce("tables", "cassandra", 11, 0);
}
