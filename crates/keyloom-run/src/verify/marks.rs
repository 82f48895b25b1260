//! Which rows are under way: those with a mark that is not done.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_store::{End, Freshness, Range, Slice, Store};
use keyloom_value::Value;

use crate::{
    dirty::{Dirty, KEPT_MS},
    problem::Problem,
    program::DIRTY,
    read::millis,
    run::Run,
};

/// How many marks are read at once.
const PIECE_ROWS: u32 = 1_000;
const PIECE_BYTES: u32 = 4 << 20;

impl Run {
    /// Those of these source rows (entity, bytes of the key) of which a mark is not done. Whoever saw a row before he
    /// asks knows then that nothing more comes of it by itself, or that something may.
    pub(super) async fn undone(
        &self,
        rows: &BTreeSet<(usize, Vec<u8>)>,
    ) -> Result<BTreeSet<(usize, Vec<u8>)>, Problem> {
        let span_of = |moment_ms: i64| moment_ms.div_euclid(self.protocol.span_ms);
        let now_ms = self.now_us().div_euclid(1_000);
        let (_, settled) = self.settled_until().await?;
        let first = (settled + 1).max(span_of(now_ms - KEPT_MS));
        // A writer's clock may be ahead.
        let last = span_of(now_ms) + 1;
        let mut lanes: BTreeMap<i64, Vec<&(usize, Vec<u8>)>> = BTreeMap::new();
        for row in rows {
            lanes.entry(self.lane(self.entity(row.0), &row.1)).or_default().push(row);
        }
        let mut undone = BTreeSet::new();
        for (lane, rows) in lanes {
            for span in first..=last {
                self.undone_in(lane, span, &rows, &mut undone).await?;
            }
        }
        Ok(undone)
    }

    async fn undone_in(
        &self,
        lane: i64,
        span: i64,
        rows: &[&(usize, Vec<u8>)],
        undone: &mut BTreeSet<(usize, Vec<u8>)>,
    ) -> Result<(), Problem> {
        let (table, shape) = self.table(DIRTY);
        let partition = [Value::Int(lane), Value::Int(span)];
        let mut after: Option<Vec<Value<'static>>> = None;
        loop {
            let read = self.store.slice(Slice {
                table,
                partition: &partition,
                within: Range::ALL,
                after: after.as_deref(),
                reverse: false,
                rows_max: PIECE_ROWS,
                bytes_max: PIECE_BYTES,
                freshness: Freshness::Settled,
                now: millis(self.now_us()),
            });
            let read = read.await?;
            for row in &read.rows {
                let Some(dirty) = Dirty::read(row, shape)? else { continue };
                let is_it =
                    |(entity, key): &(usize, Vec<u8>)| *key == dirty.key && self.entity(*entity).name == dirty.entity;
                undone.extend(rows.iter().copied().filter(|row| is_it(row)).cloned());
            }
            match read.end {
                End::Range => return Ok(()),
                End::Limit { reached } => after = Some(reached),
            }
        }
    }
}
