//! Both sides of every comparison: the embedded store, and what an engineer would write by hand on the same engine with
//! the same keys and bytes.

#![allow(dead_code, reason = "each benchmark uses a part of it")]

use std::{
    hint::black_box,
    path::Path,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, Waker},
};

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use keyloom_embedded::{Embedded, Options, System};
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Freshness, Get, Group, GroupImage, Image, Millis, Placement,
    Placing, Range, Slice, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

/// Partitions that are filled before anything is measured.
pub const PARTITIONS: u64 = 2_000;
/// Rows of each.
pub const ROWS: u64 = 100;
const PAYLOAD: usize = 160;
const NOW: Millis = Millis(1_700_000_000_000);

/// Numbers that look random and are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

fn user(partition: u64) -> String {
    format!("user-{partition:08}")
}

fn payload(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..PAYLOAD / 8).flat_map(|_| random.next().to_le_bytes()).collect()
}

/// The store under test.
pub struct Ours {
    store: Embedded,
    timeline: TableId,
    accounts: TableId,
    versions: Vec<AtomicU64>,
}

impl Ours {
    pub fn open(folder: &Path) -> Self {
        let (store, _) = Embedded::open(folder, Options::default(), Arc::new(System)).unwrap();
        let payload = || vec![Group { columns: vec![Column { name: "payload".into(), kind: Kind::Bytes }] }];
        let user = || vec![Column { name: "user".into(), kind: Kind::Text }];
        let timeline = Table {
            name: "timeline".into(),
            discipline: Discipline::Placed,
            partition: user(),
            sort: vec![SortColumn { name: "number".into(), kind: Kind::Int, descending: true }],
            groups: payload(),
            grace_ms: 0,
            lifetime_ms: None,
        };
        let accounts = Table {
            name: "accounts".into(),
            discipline: Discipline::Decided,
            partition: user(),
            sort: Vec::new(),
            groups: payload(),
            grace_ms: 0,
            lifetime_ms: None,
        };
        for table in [timeline, accounts] {
            ready(store.apply(&Step::Create(table))).unwrap();
        }
        let tables = ready(store.describe()).unwrap();
        let id = |name: &str| tables.iter().find(|(_, shape)| shape.table().name == name).unwrap().0;
        let versions = (0..PARTITIONS).map(|_| AtomicU64::new(0)).collect();
        Self { timeline: id("timeline"), accounts: id("accounts"), store, versions }
    }

    pub fn fill(&self, partition: u64) {
        self.place(partition, 0, ROWS);
        self.decide(partition);
    }

    pub fn get(&self, number: u64) {
        let key = [user(number % PARTITIONS).into(), Value::Int((number >> 32) as i64 % ROWS as i64)];
        let got =
            ready(self.store.get(Get { table: self.timeline, key: &key, freshness: Freshness::Settled, now: NOW }));
        assert!(black_box(got).unwrap().row.is_some());
    }

    pub fn slice(&self, number: u64) {
        let partition = [user(number % PARTITIONS).into()];
        let rows = ready(self.store.slice(Slice {
            table: self.timeline,
            partition: &partition,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: 100,
            bytes_max: u32::MAX,
            freshness: Freshness::Settled,
            now: NOW,
        }));
        assert_eq!(black_box(rows).unwrap().rows.len(), 100);
    }

    pub fn close(self) {
        self.store.close().unwrap();
    }

    pub fn place(&self, partition: u64, from: u64, count: u64) {
        let user = user(partition);
        let payload = payload(partition);
        let keys: Vec<_> =
            (from..from + count).map(|number| [user.as_str().into(), Value::Int(number as i64)]).collect();
        let values = [payload.as_slice().into()];
        let groups = [GroupImage { group: 0, version: from + 1, values: &values }];
        let rows: Vec<_> = keys
            .iter()
            .map(|key| Placement {
                table: self.timeline,
                key,
                placing: Placing::Put { groups: &groups, expires_at: None },
            })
            .collect();
        ready(self.store.place(&rows, count > 1, NOW)).unwrap();
    }

    /// A row that was not there: the common case of a timeline.
    pub fn place_one(&self, number: u64) {
        self.place(PARTITIONS + number % PARTITIONS, number >> 12, 1);
    }

    pub fn place_many(&self, number: u64) {
        self.place(2 * PARTITIONS + number % PARTITIONS, number >> 12, 100);
    }

    pub fn decide(&self, number: u64) {
        let number = number % PARTITIONS;
        let version = self.versions[number as usize].load(Relaxed);
        let payload = payload(number);
        let change = Change {
            table: self.accounts,
            key: &[user(number).into()],
            expect: if version == 0 { Expect::Absent } else { Expect::Version(version) },
            becomes: Image { version: version + 2, expires_at: None, values: &[payload.as_slice().into()] },
        };
        let verdict = ready(self.store.decide(Decision { change, along: &[], now: NOW })).unwrap();
        if verdict == Verdict::Done {
            self.versions[number as usize].store(version + 2, Relaxed);
        }
    }
}

/// What an engineer would write by hand on the same engine, with the same keys and bytes.
pub struct Bare {
    database: Database,
    timeline: Keyspace,
    accounts: Keyspace,
    locks: Vec<Mutex<()>>,
    versions: Vec<AtomicU64>,
}

impl Bare {
    pub fn open(folder: &Path) -> Self {
        let options = Options::default();
        let database = Database::builder(folder).cache_size(options.cache_bytes).open().unwrap();
        let keyspace = |name| database.keyspace(name, KeyspaceCreateOptions::default).unwrap();
        let versions = (0..PARTITIONS).map(|_| AtomicU64::new(0)).collect();
        let locks = (0..1024).map(|_| Mutex::new(())).collect();
        Self { timeline: keyspace("timeline"), accounts: keyspace("accounts"), database, locks, versions }
    }

    fn key(partition: u64, number: i64) -> Vec<u8> {
        let mut key = user(partition).into_bytes();
        key.extend([0, 1]);
        key.extend((!(number ^ i64::MIN)).to_be_bytes());
        key
    }

    /// The bytes of a body with one group and one column, as the store writes them.
    fn body(version: u64, payload: &[u8]) -> Vec<u8> {
        let mut body = Vec::with_capacity(payload.len() + 18);
        body.extend([1, 1]);
        body.extend(version.to_le_bytes());
        body.extend((payload.len() as u32 + 4).to_le_bytes());
        body.extend(1u16.to_le_bytes());
        body.extend((payload.len() as u16).to_le_bytes());
        body.extend(payload);
        body
    }

    pub fn fill(&self, partition: u64) {
        self.place(partition, 0, ROWS);
        self.decide(partition);
    }

    pub fn get(&self, number: u64) {
        let key = Self::key(number % PARTITIONS, (number >> 32) as i64 % ROWS as i64);
        assert!(black_box(self.timeline.get(key)).unwrap().is_some());
    }

    pub fn slice(&self, number: u64) {
        let mut prefix = user(number % PARTITIONS).into_bytes();
        prefix.extend([0, 1]);
        let rows: Vec<_> = self.timeline.prefix(prefix).take(100).map(|row| row.into_inner().unwrap()).collect();
        assert_eq!(black_box(rows).len(), 100);
    }

    pub fn place(&self, partition: u64, from: u64, count: u64) {
        let payload = payload(partition);
        let mut batch = self.database.batch();
        for number in from..from + count {
            batch.insert(&self.timeline, Self::key(partition, number as i64), Self::body(from + 1, &payload));
        }
        batch.commit().unwrap();
    }

    pub fn place_one(&self, number: u64) {
        self.place(PARTITIONS + number % PARTITIONS, number >> 12, 1);
    }

    pub fn place_many(&self, number: u64) {
        self.place(2 * PARTITIONS + number % PARTITIONS, number >> 12, 100);
    }

    pub fn decide(&self, number: u64) {
        let number = number % PARTITIONS;
        let expected = self.versions[number as usize].load(Relaxed);
        let mut key = user(number).into_bytes();
        key.extend([0, 1]);
        let _guard = self.locks[number as usize % self.locks.len()].lock().unwrap();
        let row = self.accounts.get(&key).unwrap();
        let found = row.map_or(0, |row| u64::from_le_bytes(row[2..10].try_into().unwrap()));
        if found != expected {
            return;
        }
        let mut batch = self.database.batch();
        batch.insert(&self.accounts, key, Self::body(expected + 2, &payload(number)));
        batch.commit().unwrap();
        self.versions[number as usize].store(expected + 2, Relaxed);
    }
}

/// Runs a future that never waits: the embedded store's do not.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("only a store that syncs always waits"),
    }
}
