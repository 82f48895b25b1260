//! The store against code written by hand on the same driver, with the same statements, in one run on one node:
//! `cargo bench -p keyloom-cassandra --bench verbs`.
//!
//! Requests are those that the node has counted. Latency and processor time are the medians of nine rounds of short turns,
//! one call at a time; processor time is that of this process alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where something is wrong"
)]

mod by_hand;

use by_hand::ByHand;
use keyloom_bench::{Duel, Side, count};
use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::cassandra;
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Freshness, Get, Group, GroupImage, Image, Millis, Placement,
    Placing, Range, Slice, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

const NOW: Millis = Millis(1_790_000_000_000);
const KEYSPACE: &str = "verbs";
const PARTITIONS: u64 = 100;
const ROWS: u64 = 100;
/// Rows that are placed together, each of another partition.
const TOGETHER: u64 = 4;
const CALLS: u64 = 400;

fn user(number: u64) -> String {
    format!("user-{:06}", number % PARTITIONS)
}

fn payload(number: u64) -> Vec<u8> {
    vec![u8::try_from(number % 251).unwrap_or(0); 160]
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let node = keyloom_engines::Cassandra::start(&cassandra::Options::default()).expect("Cassandra can be had here");
    runtime.block_on(async {
        let point = node.contact_point().to_string();
        let ours = Ours::open(&point).await;
        ours.fill().await;
        let by_hand = ByHand::open(&point).await;
        println!("{}", Duel::heading());
        for verb in [Verb::Get, Verb::Slice, Verb::Place, Verb::PlaceTogether, Verb::Decide] {
            let mut mine = Turn { verb, side: &ours, versions: 0 };
            let mut theirs = Turn { verb, side: &by_hand, versions: 0 };
            let requests =
                (count(&mut mine, || by_hand.requests()).await, count(&mut theirs, || by_hand.requests()).await);
            let duel = Duel::run(verb.name(), CALLS, requests, &mut mine, &mut theirs).await;
            println!("{duel}");
        }
    });
}

/// What both sides do.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Get,
    Slice,
    Place,
    PlaceTogether,
    Decide,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Slice => "slice of 100",
            Self::Place => "place",
            Self::PlaceTogether => "place together",
            Self::Decide => "decide",
        }
    }
}

/// One side.
trait Verbs {
    async fn get(&self, number: u64);
    async fn slice(&self, number: u64);
    async fn place(&self, number: u64, version: u64);
    async fn place_together(&self, number: u64, version: u64);
    /// On a row of this side's own, whose versions follow each other.
    async fn decide(&self, version: u64);
}

struct Turn<'a, V> {
    verb: Verb,
    side: &'a V,
    versions: u64,
}

impl<V: Verbs> Side for Turn<'_, V> {
    async fn call(&mut self, number: u64) {
        self.versions += 2;
        match self.verb {
            Verb::Get => self.side.get(number).await,
            Verb::Slice => self.side.slice(number).await,
            Verb::Place => self.side.place(number, self.versions).await,
            Verb::PlaceTogether => self.side.place_together(number, self.versions).await,
            Verb::Decide => self.side.decide(self.versions).await,
        }
    }
}

/// The store.
struct Ours {
    store: Cassandra,
    timeline: TableId,
    accounts: TableId,
}

impl Ours {
    async fn open(point: &str) -> Self {
        let options = Options { create_keyspace: Some(1), ..Options::new(vec![point.to_owned()], KEYSPACE) };
        let store = Cassandra::connect(&options).await.unwrap();
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        let table = |name: &str, discipline, sort| Table {
            name: name.to_owned(),
            discipline,
            partition: vec![column("user", Kind::Text)],
            sort,
            groups: vec![Group { columns: vec![column("payload", Kind::Bytes)] }],
            grace_ms: 0,
        };
        let number = SortColumn { name: "number".to_owned(), kind: Kind::Int, descending: true };
        store.apply(&Step::Create(table("timeline", Discipline::Placed, vec![number]))).await.unwrap();
        store.apply(&Step::Create(table("accounts", Discipline::Decided, Vec::new()))).await.unwrap();
        let there = store.describe().await.unwrap();
        let id = |name: &str| there.iter().find(|(_, shape)| shape.table().name == name).unwrap().0;
        Self { timeline: id("timeline"), accounts: id("accounts"), store }
    }

    async fn fill(&self) {
        for number in 0..PARTITIONS * ROWS {
            self.put(&[[user(number).into(), Value::Int((number / PARTITIONS) as i64)]], number, 1, false).await;
        }
    }

    async fn put(&self, keys: &[[Value<'_>; 2]], number: u64, version: u64, together: bool) {
        let payload = payload(number);
        let values = [payload.as_slice().into()];
        let groups = [GroupImage { group: 0, version, values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        let rows: Vec<Placement<'_>> =
            keys.iter().map(|key| Placement { table: self.timeline, key, placing }).collect();
        self.store.place(&rows, together, NOW).await.unwrap();
    }
}

impl Verbs for Ours {
    async fn get(&self, number: u64) {
        let key = [user(number).into(), Value::Int((number % ROWS) as i64)];
        let get = Get { table: self.timeline, key: &key, freshness: Freshness::Settled, now: NOW };
        assert!(self.store.get(get).await.unwrap().row.is_some());
    }

    async fn slice(&self, number: u64) {
        let partition = [user(number).into()];
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
        assert_eq!(self.store.slice(slice).await.unwrap().rows.len(), 100);
    }

    async fn place(&self, number: u64, version: u64) {
        let key = [user(number).into(), Value::Int((number % ROWS) as i64)];
        self.put(&[key], number, version, false).await;
    }

    async fn place_together(&self, number: u64, version: u64) {
        let keys: Vec<[Value<'_>; 2]> =
            (number..number + TOGETHER).map(|at| [user(at).into(), Value::Int((number % ROWS) as i64)]).collect();
        self.put(&keys, number, version, true).await;
    }

    async fn decide(&self, version: u64) {
        let payload = payload(version);
        let expect = if version == 2 { Expect::Absent } else { Expect::Version(version - 2) };
        let becomes = Image { version, expires_at: None, values: &[payload.as_slice().into()] };
        let change = Change { table: self.accounts, key: &["ours".into()], expect, becomes };
        let verdict = self.store.decide(Decision { change, along: &[], now: NOW }).await.unwrap();
        assert_eq!(verdict, Verdict::Done);
    }
}
