//! What decisions and placements share: rows that are to be changed, locked, read and committed together.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{MutexGuard, atomic::Ordering},
};

use bytes::Bytes;
use fjall::{OwnedWriteBatch, PersistMode};
use keyloom_store::{Fault, Image, Millis, Row, RowBuilder, Shape, refuse};

use crate::{
    clean::forgettable_from,
    faults,
    read::Key,
    shared::Shared,
    stripes::{Stripe, Stripes},
    tables::OpenTable,
};

/// The key of a row that a call names.
pub(crate) struct Named<'a> {
    pub(crate) table: &'a OpenTable,
    pub(crate) key: Bytes,
    stripe: Stripe,
    partition_bytes: usize,
}

/// So many keys of one partition are read as a range.
const MANY: usize = 8;

/// Every row between two keys.
pub(crate) struct Between(Vec<Row>);

impl Between {
    pub(crate) fn find(&self, key: &Bytes) -> Option<Row> {
        self.0.binary_search_by(|row| row.key_bytes().cmp(key)).ok().map(|at| self.0[at].clone())
    }
}

/// A row as it will be; without a body it will be gone.
pub(crate) struct Outcome<'a> {
    pub(crate) table: &'a OpenTable,
    pub(crate) key: Bytes,
    pub(crate) body: Option<Bytes>,
}

impl<'a> Named<'a> {
    pub(crate) fn new(table: &'a OpenTable, key: Key) -> Self {
        let stripe = Stripes::of(table.number, &key.bytes);
        Self { table, key: key.bytes.into(), stripe, partition_bytes: key.partition_bytes }
    }

    fn partition(&self) -> &[u8] {
        &self.key[..self.partition_bytes]
    }
}

impl Shared {
    /// Locks one row.
    pub(crate) fn lock_row(&self, row: &Named<'_>) -> MutexGuard<'_, ()> {
        self.stripes.lock(row.stripe)
    }

    /// Locks all rows of a call.
    pub(crate) fn lock_rows<'a>(
        &self,
        rows: impl Iterator<Item = &'a Named<'a>>,
    ) -> Result<Vec<MutexGuard<'_, ()>>, Fault> {
        let mut named: Vec<(Stripe, u32, &[u8])> =
            rows.map(|named| (named.stripe, named.table.number, &named.key[..])).collect();
        named.sort_unstable();
        if named.windows(2).any(|pair| pair[0] == pair[1]) {
            return refuse::twice();
        }
        Ok(self.stripes.lock_all(named.iter().map(|named| named.0)))
    }

    /// Whether so many bytes may be written to these tables now.
    pub(crate) fn admit<'a>(&self, tables: impl Iterator<Item = &'a OpenTable>, bytes: u64) -> Result<(), Fault> {
        if self.stopped.load(Ordering::Acquire) {
            return Err(Fault::NotDone(faults::STOPPED.into()));
        }
        let admitted = self.disk.admit(bytes).and_then(|()| self.memory.admit(bytes));
        if admitted.is_err() {
            tables.for_each(|table| {
                table.throttled.fetch_add(1, Ordering::Relaxed);
            });
        }
        admitted
    }

    /// What is stored under a key that is locked: nobody else changes it, so the newest is the right one.
    pub(crate) fn stored(&self, table: &OpenTable, key: &Bytes) -> Result<Option<Row>, Fault> {
        let body = faults::contained(|| table.keyspace.get(key).map_err(|error| faults::of_read(&error)))?;
        Ok(body.map(|body| Row::new(key.clone(), body.into())))
    }

    /// What is stored under keys that are locked, if they are many of one partition and not much else lies between them:
    /// one range costs as much as a few keys.
    pub(crate) fn stored_in_one_partition<'a>(
        &self,
        mut rows: impl ExactSizeIterator<Item = &'a Named<'a>>,
    ) -> Result<Option<Between>, Fault> {
        let count = rows.len();
        let Some(first) = rows.next().filter(|_| count >= MANY) else { return Ok(None) };
        let (mut low, mut high) = (&first.key, &first.key);
        for row in rows {
            if row.table.id != first.table.id || row.partition() != first.partition() {
                return Ok(None);
            }
            (low, high) = (low.min(&row.key), high.max(&row.key));
        }
        faults::contained(|| {
            let mut found = Vec::new();
            for guard in first.table.keyspace.range(low.clone()..=high.clone()) {
                if found.len() == count {
                    return Ok(None);
                }
                let (key, body) = guard.into_inner().map_err(|error| faults::of_read(&error))?;
                found.push(Row::new(key.into(), body.into()));
            }
            Ok(Some(Between(found)))
        })
    }

    /// The body of a row with one group.
    pub(crate) fn body(&self, shape: &Shape, key: &[u8], image: &Image<'_>) -> Result<Bytes, Fault> {
        let mut body = RowBuilder::new();
        body.put(image.version, image.expires_at, &shape.table().groups[0].columns, image.values)?;
        let body = body.finish();
        refuse::row_size(shape, key.len() + body.len(), &self.abilities)?;
        Ok(body)
    }

    /// Makes rows what they are to be: all of them or, after a crash or a fault, none. The caller holds their locks.
    pub(crate) fn commit(&self, mut outcomes: Vec<Outcome<'_>>) -> Result<(), Fault> {
        if outcomes.len() <= 1 {
            return outcomes.pop().map_or(Ok(()), |outcome| self.commit_one(outcome));
        }
        let mut due = Vec::new();
        for outcome in &outcomes {
            due.extend(self.prepare(outcome)?.map(|moment| (outcome.table, moment)));
        }
        let committed = contained(|| {
            let batch = OwnedWriteBatch::with_capacity(self.engine.clone(), outcomes.len());
            let mut batch = batch.durability(Some(PersistMode::Buffer));
            for Outcome { table, key, body } in outcomes {
                match body {
                    Some(body) => batch.insert(&table.keyspace, key, body),
                    None => batch.remove(&table.keyspace, key),
                }
            }
            batch.commit()
        });
        due.iter().for_each(|(table, moment)| table.is_due(*moment));
        committed
    }

    /// The same for one row: the engine has a shorter way for it than a batch.
    pub(crate) fn commit_one(&self, outcome: Outcome<'_>) -> Result<(), Fault> {
        let due = self.prepare(&outcome)?;
        let Outcome { table, key, body } = outcome;
        let committed = contained(|| match body {
            Some(body) => table.keyspace.insert(key, body),
            None => table.keyspace.remove(key),
        });
        // Afterwards, so that a sweep which begins in between sees the row or leaves us the last word. Also when it is
        // not known whether there is one.
        due.into_iter().for_each(|moment| table.is_due(moment));
        committed
    }

    /// Counts a row that is about to be written, and says from when on it can be forgotten.
    fn prepare(&self, outcome: &Outcome<'_>) -> Result<Option<Millis>, Fault> {
        // Whoever dropped it has waited for the locks that we hold.
        if outcome.table.is_dropped() {
            return Err(Fault::refused("there is no such table"));
        }
        let Some(body) = &outcome.body else { return Ok(None) };
        self.count_memory(outcome.table, outcome.key.len() + body.len());
        forgettable_from(&Row::new(Bytes::new(), body.clone()), outcome.table)
    }
}

/// Runs a commit. The engine's journal may have all of it, whatever goes wrong afterwards.
fn contained(commit: impl FnOnce() -> Result<(), fjall::Error>) -> Result<(), Fault> {
    match catch_unwind(AssertUnwindSafe(commit)) {
        Ok(committed) => committed.map_err(|error| faults::of_commit(&error)),
        Err(_) => Err(Fault::Unknown("the engine gave up in the middle of a write".into())),
    }
}
