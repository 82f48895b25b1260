//! Tables and calls that several tests use.

use keyloom_sim::Simulation;
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Fault, Freshness, Get, Group, GroupImage, Image, Millis,
    Placement, Placing, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

/// A table of numbers by a text.
pub fn numbers(name: &str, discipline: Discipline) -> Table {
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![Column { name: "id".into(), kind: Kind::Text }],
        sort: Vec::new(),
        groups: vec![Group { columns: vec![Column { name: "number".into(), kind: Kind::Int }] }],
        grace_ms: 3_600_000,
        lifetime_ms: None,
    }
}

/// The same numbers, all in one partition for each number.
#[allow(dead_code, reason = "each test file is a crate of its own, and not all use it")]
pub fn by_number(of: &str) -> Table {
    Table {
        name: "by number".into(),
        discipline: Discipline::Indexed { of: of.to_owned() },
        partition: vec![Column { name: "number".into(), kind: Kind::Int }],
        sort: vec![SortColumn { name: "id".into(), kind: Kind::Text, descending: false }],
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: 0,
        lifetime_ms: None,
    }
}

pub fn create(simulation: &Simulation, store: &impl Define, table: Table) {
    simulation.block_on(store.apply(&Step::Create(table))).unwrap().unwrap();
}

pub async fn decide(
    store: &impl Store,
    expect: Expect,
    number: i64,
    expires_at: Option<Millis>,
    now: Millis,
) -> Result<Verdict, Fault> {
    let version = if let Expect::Version(version) = expect { version + 1 } else { 1 };
    let becomes = Image { version, expires_at, values: &[Value::Int(number)] };
    let change = Change { table: TableId(0), key: &["a".into()], expect, becomes };
    store.decide(Decision { change, along: &[], now }).await
}

#[allow(dead_code, reason = "each test file is a crate of its own, and not all use it")]
pub async fn place(store: &impl Store, version: u64, expires_at: Option<Millis>, now: Millis) -> Result<(), Fault> {
    let groups = [GroupImage { group: 0, version, values: &[Value::Int(7)] }];
    let placing = Placing::Put { groups: &groups, expires_at };
    store.place(&[Placement { table: TableId(0), key: &["a".into()], placing }], false, now).await
}

/// The version of the row, if it is there.
pub async fn version(store: &impl Store, freshness: Freshness, now: Millis) -> Result<Option<u64>, Fault> {
    let got = store.get(Get { table: TableId(0), key: &["a".into()], freshness, now }).await?;
    Ok(got.row.map(|row| row.version().unwrap()))
}
