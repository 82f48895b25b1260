//! Forgets rows of which nothing is needed any more.

use std::{
    ops::Bound,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use bytes::Bytes;
use fjall::Readable;
use keyloom_store::{Fault, Millis, Row};

use crate::{faults, shared::Shared, stripes::Stripes, tables::OpenTable, write::Outcome};

/// Rows that are looked at between two pauses.
const PIECE: usize = 256;
const PAUSE: Duration = Duration::from_millis(5);
/// How often it is asked whether something is due.
const ROUND: Duration = Duration::from_secs(1);
/// A table in which something is always due is not swept all the time.
const REST: Duration = Duration::from_secs(60);

impl Shared {
    /// Works until the store is closed.
    pub(crate) fn clean_forever(&self) {
        while !self.cleaner.wait(Some(ROUND)) {
            for table in self.tables.all() {
                if table.due() > self.environment.now() || !table.has_rested(REST) {
                    continue;
                }
                // What can't be read now is met again by a reader, who is told; here it would only stop the rest.
                let _ = self.clean_table(table, || self.cleaner.wait(Some(PAUSE)));
            }
        }
    }

    /// Forgets what can be forgotten in a table, and learns when something will be due again.
    pub(crate) fn clean_table(&self, table: &OpenTable, mut stop: impl FnMut() -> bool) -> Result<u64, Fault> {
        let now = self.environment.now();
        // Writers lower it again for what they write behind the sweep.
        table.set_due(Millis(i64::MAX));
        let (mut from, mut next, mut forgotten) = (Bound::Unbounded, Millis(i64::MAX), 0);
        loop {
            let piece = faults::contained(|| self.piece(table, from.clone()))?;
            for row in &piece {
                match forgettable_from(row, table)? {
                    Some(moment) if moment <= now => forgotten += u64::from(self.forget(table, row, now)?),
                    Some(moment) => next = next.min(moment),
                    None => {}
                }
            }
            let Some(last) = piece.last().filter(|_| piece.len() == PIECE) else { break };
            from = Bound::Excluded(last.key_bytes().clone());
            if stop() {
                // Unknown again, as after a start.
                next = Millis(i64::MIN);
                break;
            }
        }
        table.is_due(next);
        Ok(forgotten)
    }

    fn piece(&self, table: &OpenTable, from: Bound<Bytes>) -> Result<Vec<Row>, Fault> {
        let snapshot = self.engine.snapshot();
        let rows = snapshot.range::<Bytes, _>(&table.keyspace, (from, Bound::Unbounded)).take(PIECE);
        rows.map(|guard| {
            let (key, body) = guard.into_inner().map_err(|error| faults::of_read(&error))?;
            Ok(Row::new(key.into(), body.into()))
        })
        .collect()
    }

    /// Forgets a row, if it is still as it was.
    fn forget(&self, table: &OpenTable, row: &Row, now: Millis) -> Result<bool, Fault> {
        let _lock = self.stripes.lock(Stripes::of(table.number, row.key_bytes()));
        let Some(stored) = self.stored(table, row.key_bytes())? else { return Ok(false) };
        if forgettable_from(&stored, table)?.is_none_or(|moment| moment > now) {
            return Ok(false);
        }
        self.disk.admit(row.size() as u64)?;
        self.commit_one(Outcome { table, key: row.key_bytes().clone(), body: None })?;
        Ok(true)
    }
}

/// From when on nothing depends on a row: on none of its groups.
pub(crate) fn forgettable_from(row: &Row, table: &OpenTable) -> Result<Option<Millis>, Fault> {
    let shape = table.shape().table();
    let mut latest = Millis(i64::MIN);
    for group in 0..shape.groups.len() {
        match row.section(group)?.forgettable_from(shape.grace_ms) {
            Some(moment) => latest = latest.max(moment),
            None => return Ok(None),
        }
    }
    Ok(Some(latest))
}

impl OpenTable {
    /// When the first of its rows can be forgotten, as far as is known.
    pub(crate) fn due(&self) -> Millis {
        Millis(self.due.load(Ordering::Relaxed))
    }

    fn set_due(&self, moment: Millis) {
        self.due.store(moment.0, Ordering::Relaxed);
    }

    /// A row can be forgotten from this moment on.
    pub(crate) fn is_due(&self, moment: Millis) {
        if moment < self.due() {
            self.due.fetch_min(moment.0, Ordering::Relaxed);
        }
    }

    fn has_rested(&self, time: Duration) -> bool {
        let mut last = self.cleaned.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let rested = last.is_none_or(|last: Instant| last.elapsed() >= time);
        if rested {
            *last = Some(Instant::now());
        }
        rested
    }
}
