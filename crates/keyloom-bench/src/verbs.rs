//! The verbs of a store as both sides of a comparison do them: the store itself, and code written by hand on the same
//! client.

use std::cell::Cell;

use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Freshness, Get, Group, GroupImage, Image, Millis, Placement,
    Placing, Range, Slice, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

use crate::Side;

/// When everything happens.
pub const NOW: Millis = Millis(1_790_000_000_000);
/// Rows that are [placed together](Verb::PlaceTogether), each of another partition.
pub const TOGETHER: u64 = 4;
/// Whose rows the store reads and writes.
pub const OURS: &str = "ours";
/// Whose rows the code written by hand reads and writes.
pub const BY_HAND: &str = "hand";

const PARTITIONS: u64 = 100;
const ROWS: u64 = 100;

/// What both sides do.
#[derive(Debug, Clone, Copy)]
pub enum Verb {
    /// Reads a row.
    Get,
    /// Reads the hundred rows of a partition.
    Slice,
    /// Places a row.
    Place,
    /// Places rows of several partitions at once.
    PlaceTogether,
    /// Decides a row that has the version decided before.
    Decide,
}

impl Verb {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Get, Self::Slice, Self::Place, Self::PlaceTogether, Self::Decide];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Slice => "slice of 100",
            Self::Place => "place",
            Self::PlaceTogether => "place together",
            Self::Decide => "decide",
        }
    }
}

/// One side. The rows of a call follow from its number by [`user`] and [`sort`], what is written by [`payload`]. Each side has
/// rows of its own: one that the other has just written is not written as it would be.
pub trait Verbs {
    /// Reads a row.
    fn get(&self, number: u64) -> impl Future<Output = ()>;
    /// Reads a partition.
    fn slice(&self, number: u64) -> impl Future<Output = ()>;
    /// Places a row.
    fn place(&self, number: u64, version: u64) -> impl Future<Output = ()>;
    /// Places [some](TOGETHER) rows.
    fn place_together(&self, number: u64, version: u64) -> impl Future<Output = ()>;
    /// Decides the row of this side, which has the version `before` or, if that is zero, is absent.
    fn decide(&self, before: u64, version: u64) -> impl Future<Output = ()>;
}

/// The versions that a side has written.
#[derive(Debug, Default)]
pub struct Versions {
    last: Cell<u64>,
    decided: Cell<u64>,
}

/// A side that does one verb.
#[derive(Debug)]
pub struct Turn<'a, V> {
    /// What it does.
    pub verb: Verb,
    /// Who does it.
    pub side: &'a V,
    /// Shared by all turns on the same rows.
    pub versions: &'a Versions,
}

impl<V: Verbs> Side for Turn<'_, V> {
    async fn call(&mut self, number: u64) {
        let version = self.versions.last.get() + 1;
        self.versions.last.set(version);
        match self.verb {
            Verb::Get => self.side.get(number).await,
            Verb::Slice => self.side.slice(number).await,
            Verb::Place => self.side.place(number, version).await,
            Verb::PlaceTogether => self.side.place_together(number, version).await,
            Verb::Decide => self.side.decide(self.versions.decided.replace(version), version).await,
        }
    }
}

/// The partition of a call.
pub fn user(whose: &str, number: u64) -> String {
    format!("{whose}-{:06}", number % PARTITIONS)
}

/// The row of a call in its partition.
pub fn sort(number: u64) -> i64 {
    (number % ROWS) as i64
}

/// What a call writes.
pub fn payload(number: u64) -> Vec<u8> {
    vec![u8::try_from(number % 251).unwrap_or(0); 160]
}

/// A store as a side: rows of `timeline` by `user` and `number`, rows of `accounts` by `user`, each with a `payload`.
#[derive(Debug)]
pub struct StoreSide<S> {
    store: S,
    timeline: TableId,
    accounts: TableId,
}

impl<S: Store + Define> StoreSide<S> {
    /// Makes the tables, if they are not there.
    pub async fn open(store: S) -> Self {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        let table = |name: &str, discipline, sort| Table {
            name: name.to_owned(),
            discipline,
            partition: vec![column("user", Kind::Text)],
            sort,
            groups: vec![Group { columns: vec![column("payload", Kind::Bytes)] }],
            grace_ms: 0,
            lifetime_ms: None,
        };
        let number = SortColumn { name: "number".to_owned(), kind: Kind::Int, descending: false };
        let wanted =
            [table("timeline", Discipline::Placed, vec![number]), table("accounts", Discipline::Decided, Vec::new())];
        for table in wanted {
            store.apply(&Step::Create(table)).await.expect("a table");
        }
        let there = store.describe().await.expect("tables");
        let id = |name: &str| there.iter().find(|(_, shape)| shape.table().name == name).expect("the table").0;
        Self { timeline: id("timeline"), accounts: id("accounts"), store }
    }

    /// Writes the rows that both sides read.
    pub async fn fill(&self) {
        for whose in [OURS, BY_HAND] {
            for number in 0..PARTITIONS * ROWS {
                self.put(&[[user(whose, number).into(), Value::Int(sort(number / PARTITIONS))]], number, 1, false)
                    .await;
            }
        }
    }

    async fn put(&self, keys: &[[Value<'_>; 2]], number: u64, version: u64, together: bool) {
        let payload = payload(number);
        let values = [payload.as_slice().into()];
        let groups = [GroupImage { group: 0, version, values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        let rows: Vec<Placement<'_>> =
            keys.iter().map(|key| Placement { table: self.timeline, key, placing }).collect();
        self.store.place(&rows, together, NOW).await.expect("placed");
    }
}

impl<S: Store + Define> Verbs for StoreSide<S> {
    async fn get(&self, number: u64) {
        let key = [user(OURS, number).into(), Value::Int(sort(number))];
        let get = Get { table: self.timeline, key: &key, freshness: Freshness::Settled, now: NOW };
        assert!(self.store.get(get).await.expect("read").row.is_some());
    }

    async fn slice(&self, number: u64) {
        let partition = [user(OURS, number).into()];
        let slice = Slice {
            table: self.timeline,
            partition: &partition,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: 100,
            bytes_max: u32::MAX,
            freshness: Freshness::Settled,
            now: NOW,
        };
        assert_eq!(self.store.slice(slice).await.expect("read").rows.len(), 100);
    }

    async fn place(&self, number: u64, version: u64) {
        let key = [user(OURS, number).into(), Value::Int(sort(number))];
        self.put(&[key], number, version, false).await;
    }

    async fn place_together(&self, number: u64, version: u64) {
        let keys: Vec<[Value<'_>; 2]> =
            (number..number + TOGETHER).map(|at| [user(OURS, at).into(), Value::Int(sort(number))]).collect();
        self.put(&keys, number, version, true).await;
    }

    async fn decide(&self, before: u64, version: u64) {
        let payload = payload(version);
        let expect = if before == 0 { Expect::Absent } else { Expect::Version(before) };
        let becomes = Image { version, expires_at: None, values: &[payload.as_slice().into()] };
        let change = Change { table: self.accounts, key: &[OURS.into()], expect, becomes };
        let verdict = self.store.decide(Decision { change, along: &[], now: NOW }).await.expect("decided");
        assert_eq!(verdict, Verdict::Done);
    }
}
