//! What one call asks of the store, and what its path promised.
//!
//! Nobody carries a count through the executor. [`Metered`] stands between it and the store and adds to whatever call is
//! being polled; [`measured`] says which one that is. Outside of it nothing is counted.

use std::{
    cell::RefCell,
    future::poll_fn,
    hash::{DefaultHasher, Hasher},
    pin::pin,
    sync::Arc,
};

use keyloom_store::{
    Abilities, Along, BoxedStore, Cost, Decision, Fault, Get, Got, Millis, Placement, Rows, Shape, Slice, Store,
    TableId, Verdict,
};
use keyloom_value::{Value, key};

use crate::term::Term;

/// What a call did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// How often the store was asked for something; several rows that are asked for together are one time.
    pub trips: u64,
    /// Different partitions that were read.
    pub partitions: u64,
    /// Rows that were looked at, as the engine counts them, also those that are not answered with.
    pub rows: u64,
    /// Those among them that are not there any more, though they are still stored: removed, or past their end.
    pub gone: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The engine's own units of reading in thousandths; 0 where it has none.
    pub milliunits: u64,
    /// Guarded changes of a row.
    pub decisions: u64,
    /// Rows that were placed, or rode along with a decision.
    pub placements: u64,
    /// The bound of the path; only reads have one.
    pub promised: Option<Promise>,
    /// The partitions that were read or written, each once.
    pub touched: Vec<Partition>,
    /// Those that were read.
    read: Vec<Partition>,
}

/// A partition, by a digest of its key; nothing of the key itself can be seen in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition {
    /// The table.
    pub table: TableId,
    /// The digest.
    pub digest: u64,
}

/// What one call of a path reads at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Promise {
    /// Different partitions.
    pub partitions: u64,
    /// Rows that are looked at.
    pub rows: u64,
    /// The same where some of them are gone: a list reads on past them.
    pub rows_past_gone: u64,
}

impl Promise {
    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            partitions: self.partitions.saturating_add(other.partitions),
            rows: self.rows.saturating_add(other.rows),
            rows_past_gone: self.rows_past_gone.saturating_add(other.rows_past_gone),
        }
    }

    /// So many of it.
    pub(crate) fn times(self, number: u64) -> Self {
        Self {
            partitions: self.partitions.saturating_mul(number),
            rows: self.rows.saturating_mul(number),
            rows_past_gone: self.rows_past_gone.saturating_mul(number),
        }
    }

    /// The larger of both.
    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            partitions: self.partitions.max(other.partitions),
            rows: self.rows.max(other.rows),
            rows_past_gone: self.rows_past_gone.max(other.rows_past_gone),
        }
    }
}

impl Work {
    /// Whether it read more than its path promised, which no call may.
    pub fn is_above_bound(&self) -> bool {
        self.promised.is_some_and(|most| self.partitions > most.partitions || self.rows > self.rows_allowed(most))
    }

    /// How many rows a promise allows, by what was met.
    pub fn rows_allowed(&self, most: Promise) -> u64 {
        if self.gone > 0 { most.rows_past_gone } else { most.rows }
    }

    fn read(&mut self, at: Partition, cost: Cost, there: usize) {
        self.rows += cost.rows;
        self.gone += cost.rows.saturating_sub(there as u64);
        self.bytes += cost.bytes;
        self.milliunits += cost.milliunits;
        self.read.push(at);
    }

    /// Counts each partition once.
    fn finish(&mut self) {
        let distinct = |partitions: &mut Vec<Partition>| {
            partitions.sort_unstable();
            partitions.dedup();
        };
        distinct(&mut self.read);
        self.partitions = self.read.len() as u64;
        // What is read is seldom written as well, so that one of the two lists is most often empty.
        if self.touched.is_empty() {
            self.touched = std::mem::take(&mut self.read);
        } else {
            self.touched.append(&mut self.read);
            distinct(&mut self.touched);
        }
    }
}

thread_local! {
    /// The work of the call that is being polled.
    static CURRENT: RefCell<Option<Work>> = const { RefCell::new(None) };
}

/// Runs a call, and says what it did. What it does in tasks of its own is not seen.
pub async fn measured<T>(call: impl Future<Output = T>) -> (T, Work) {
    let mut call = pin!(call);
    let mut work = Some(Work::default());
    let answer = poll_fn(|context| {
        let around = CURRENT.replace(work.take());
        let polled = call.as_mut().poll(context);
        work = CURRENT.replace(around);
        polled
    });
    let answer = answer.await;
    let mut work = work.unwrap_or_default();
    work.finish();
    (answer, work)
}

/// Notes what the call that is being polled may read.
pub(crate) fn promise(most: Option<Promise>) {
    count(|work| work.promised = most);
}

fn count(add: impl FnOnce(&mut Work)) {
    CURRENT.with_borrow_mut(|current| current.as_mut().map(add));
}

/// A store whose use is counted.
pub(crate) struct Metered {
    store: BoxedStore,
    tables: Vec<(TableId, Arc<Shape>)>,
    term: Term,
}

impl Metered {
    pub(crate) fn new(store: BoxedStore, tables: Vec<(TableId, Arc<Shape>)>, term: Term) -> Self {
        Self { store, tables, term }
    }

    /// For how long anything is written.
    pub(crate) fn term(&self) -> &Term {
        &self.term
    }

    /// Stands for the partition in which a key lies.
    fn partition(&self, table: TableId, key: &[Value<'_>]) -> Partition {
        let mut digest = DefaultHasher::new();
        let shape = self.tables.iter().find(|(known, _)| *known == table);
        let parts = shape.map_or(&[][..], |(_, shape)| shape.partition_parts());
        let mut bytes = Vec::with_capacity(64);
        // A key that is not of its table's kinds is refused by the store.
        if key::encode_into(&key[..parts.len().min(key.len())], parts, &mut bytes).is_ok() {
            digest.write(&bytes);
        }
        Partition { table, digest: digest.finish() }
    }
}

impl Store for Metered {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        let got = self.store.get(at).await;
        count(|work| {
            work.trips += 1;
            if let Ok(got) = &got {
                work.read(self.partition(at.table, at.key), got.cost, got.row.iter().len());
            }
        });
        got
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        if at.is_empty() {
            return Vec::new();
        }
        let got = self.store.get_many(at).await;
        count(|work| {
            work.trips += 1;
            for (at, got) in at.iter().zip(&got) {
                if let Ok(got) = got {
                    work.read(self.partition(at.table, at.key), got.cost, got.row.iter().len());
                }
            }
        });
        got
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        let rows = self.store.slice(of).await;
        count(|work| {
            work.trips += 1;
            if let Ok(rows) = &rows {
                work.read(self.partition(of.table, of.partition), rows.cost, rows.rows.len());
            }
        });
        rows
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.term.check()?;
        count(|work| {
            work.trips += 1;
            work.decisions += 1;
            work.placements += what.along.len() as u64;
            work.touched.push(self.partition(what.change.table, what.change.key));
            work.touched.extend(what.along.iter().map(|along| {
                let (table, key) = place_of(along);
                self.partition(table, key)
            }));
        });
        self.store.decide(what).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.term.check()?;
        count(|work| {
            work.trips += 1;
            work.placements += rows.len() as u64;
            work.touched.extend(rows.iter().map(|row| self.partition(row.table, row.key)));
        });
        self.store.place(rows, together, now).await
    }
}

/// Which row rides along.
fn place_of<'a>(along: &Along<'a>) -> (TableId, &'a [Value<'a>]) {
    match *along {
        Along::Decide(change) => (change.table, change.key),
        Along::Check { table, key, .. } | Along::Put { table, key, .. } | Along::Remove { table, key } => (table, key),
        Along::Place(placement) => (placement.table, placement.key),
    }
}
