//! What the tests of this crate share.
#![allow(dead_code, clippy::disallowed_methods, reason = "each test uses a part of it, and some break files")]

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use keyloom_embedded::{Embedded, Environment, Opened, Options};
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Fault, Freshness, Get, Group, GroupImage, Image, Millis,
    Placement, Placing, Row, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

/// A machine that stands still until a test moves it.
#[derive(Debug)]
pub struct Still {
    pub now: AtomicI64,
    pub free: AtomicU64,
}

pub fn still() -> Arc<Still> {
    Arc::new(Still { now: AtomicI64::new(0), free: AtomicU64::new(u64::MAX) })
}

impl Environment for Still {
    fn now(&self) -> Millis {
        Millis(self.now.load(Ordering::SeqCst))
    }

    fn free_disk_bytes(&self, _: &Path) -> io::Result<u64> {
        Ok(self.free.load(Ordering::SeqCst))
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Drives a future to its end on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}

pub fn open(folder: &Path) -> (Embedded, Opened) {
    Embedded::open(folder, Options::default(), still()).expect("it opens")
}

/// A table with a text as partition, an int as order, and a text in each group.
pub fn table(name: &str, discipline: Discipline, groups: usize) -> Table {
    let group = |at: usize| Group { columns: vec![Column { name: format!("c{at}"), kind: Kind::Text }] };
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![Column { name: "p".into(), kind: Kind::Text }],
        sort: vec![SortColumn { name: "s".into(), kind: Kind::Int, descending: false }],
        groups: (0..groups).map(group).collect(),
        grace_ms: 1_000,
        lifetime_ms: None,
    }
}

/// The usual three: decided, carried, placed with two groups.
pub fn three(store: &Embedded) -> [TableId; 3] {
    for table in [
        table("decided", Discipline::Decided, 1),
        table("carried", Discipline::Carried, 1),
        table("placed", Discipline::Placed, 2),
    ] {
        wait(store.apply(&Step::Create(table))).unwrap();
    }
    ["decided", "carried", "placed"].map(|name| id(store, name))
}

pub fn id(store: &Embedded, name: &str) -> TableId {
    let tables = wait(store.describe()).unwrap();
    tables.iter().find(|(_, shape)| shape.table().name == name).expect("the table is there").0
}

pub fn key(partition: &str, sort: i64) -> [Value<'_>; 2] {
    [Value::Text(partition.into()), Value::Int(sort)]
}

pub fn get(store: &Embedded, table: TableId, partition: &str, sort: i64, now: i64) -> Result<Option<Row>, Fault> {
    let at = Get { table, key: &key(partition, sort), freshness: Freshness::Fresh, now: Millis(now) };
    wait(store.get(at)).map(|got| got.row)
}

pub fn decide(store: &Embedded, table: TableId, partition: &str, sort: i64, text: &str) -> Result<Verdict, Fault> {
    let change = Change {
        table,
        key: &key(partition, sort),
        expect: Expect::Absent,
        becomes: Image { version: 1, expires_at: None, values: &[Value::Text(text.into())] },
    };
    wait(store.decide(Decision { change, along: &[], now: Millis(0) }))
}

pub fn place(store: &Embedded, table: TableId, at: (&str, i64), version: u64, text: &str) -> Result<(), Fault> {
    place_until(store, table, at, version, text, None)
}

pub fn place_until(
    store: &Embedded,
    table: TableId,
    (partition, sort): (&str, i64),
    version: u64,
    text: &str,
    expires_at: Option<Millis>,
) -> Result<(), Fault> {
    let groups = [GroupImage { group: 0, version, values: &[Value::Text(text.into())] }];
    let placing = Placing::Put { groups: &groups, expires_at };
    wait(store.place(&[Placement { table, key: &key(partition, sort), placing }], false, Millis(0)))
}

/// The text in the root of a row.
pub fn text(store: &Embedded, table: TableId, partition: &str, sort: i64) -> Option<String> {
    let row = get(store, table, partition, sort, 0).unwrap()?;
    let cell = row.section(0).unwrap().cell(0).unwrap()?;
    Some(String::from_utf8(cell.to_vec()).unwrap())
}

/// Every file of a folder.
pub fn read_all(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(read_all(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

pub fn write_all(files: &BTreeMap<PathBuf, Vec<u8>>) {
    for (path, bytes) in files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The lock says who opened the folder last, also who failed to.
pub fn without_lock(mut files: BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    files.retain(|path, _| path.file_name().is_none_or(|name| name != "lock"));
    files
}
