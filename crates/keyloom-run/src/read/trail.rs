//! The buckets of a list that is cut by time, in the order in which they are read.
//!
//! A range that touches two buckets or fewer says itself which they are. Otherwise the names of those that have rows are read,
//! from where the page begins and in the direction of reading, as many as a call may need: months without rows are never
//! looked at. Names that come while a list is read are of rows that came meanwhile.

use std::{collections::VecDeque, ops::Bound};

use keyloom_store::{End, Range as Within, Slice, Store};
use keyloom_value::{Kind, Value};

use super::{
    merge::{Reading, at_most_settled},
    millis,
    ranges::{Between, Range},
};
use crate::{
    bucket::{begins, ends, moment, value_at},
    problem::Problem,
    program::Walks,
    run::Run,
};

type Owned = Value<'static>;

/// How many names are read at once.
const NAMES: u64 = 64;
/// How many bytes of them: more than they can have.
const NAMES_BYTES: u32 = 1 << 20;
/// How many buckets are read side by side at most.
const SIDE_BY_SIDE: u64 = 8;

/// Buckets that are still to be read.
pub(super) struct Trail {
    /// Where those begin that are known.
    known: VecDeque<i64>,
    /// Where further ones are looked up.
    names: Option<Names>,
    /// How many buckets may still be read, and how many names.
    buckets_left: u64,
    names_left: u64,
    /// How many are read side by side next.
    width: u64,
}

/// Names of buckets, as far as they were not read.
struct Names {
    group: Vec<u8>,
    low: Bound<Owned>,
    high: Bound<Owned>,
    after: Option<Vec<Owned>>,
}

impl Trail {
    /// There are no more.
    pub(super) fn is_over(&self) -> bool {
        self.known.is_empty() && self.names.is_none()
    }

    /// There may be more, and this call does not read them.
    pub(super) fn is_spent(&self) -> bool {
        !self.is_over() && (self.buckets_left == 0 || self.known.is_empty() && self.names_left == 0)
    }

    /// One bucket is read that it does not name.
    pub(super) fn reads_one(&mut self) {
        self.buckets_left = self.buckets_left.saturating_sub(1);
    }
}

impl Walks {
    /// Whether the latest bucket is read first.
    pub(super) fn backwards(&self, reverse: bool) -> bool {
        self.latest_first != reverse
    }

    /// The bucket of what stands first behind the equal columns.
    pub(super) fn bucket_of(&self, value: &Value<'_>) -> Option<i64> {
        Some(begins(self.cut.step, moment(value, &self.kind)?))
    }

    /// The last value of a bucket, in the direction of reading.
    pub(super) fn last_of(&self, begins_ms: i64, reverse: bool) -> Owned {
        match self.backwards(reverse) {
            true => value_at(begins_ms, &self.kind, false),
            false => value_at(ends(self.cut.step, begins_ms), &self.kind, true),
        }
    }

    /// The first and the last bucket that a range touches, as far as it has ends.
    fn touched(&self, between: &Between) -> (Option<i64>, Option<i64>) {
        let low = match &between.low {
            Bound::Unbounded => None,
            Bound::Included(low) | Bound::Excluded(low) => self.bucket_of(low),
        };
        let high = match &between.high {
            Bound::Unbounded => None,
            Bound::Included(high) => self.bucket_of(high),
            Bound::Excluded(high) => self.bucket_of(high).map(|bucket| {
                let is_first = *high == value_at(bucket, &self.kind, false) && self.kind != Kind::Uuid7;
                if is_first { begins(self.cut.step, bucket - 1) } else { bucket }
            }),
        };
        (low, high)
    }
}

impl Run {
    /// The buckets of a range, behind the one that was read to its end.
    pub(super) fn trail(
        &self,
        reading: &Reading<'_, '_>,
        walks: &Walks,
        range: &Range,
        passed: Option<i64>,
    ) -> Result<Trail, Problem> {
        let step = walks.cut.step;
        let (mut low, mut high) = walks.touched(reading.between);
        let mut over = false;
        if let Some(passed) = passed {
            if walks.backwards(reading.reverse) {
                let before = begins(step, passed - 1);
                over = before == passed;
                high = Some(high.map_or(before, |high| high.min(before)));
            } else {
                let behind = begins(step, ends(step, passed) + 1);
                over = behind == passed;
                low = Some(low.map_or(behind, |low| low.max(behind)));
            }
        }
        let mut trail = Trail {
            known: VecDeque::new(),
            names: None,
            buckets_left: walks.buckets_max,
            names_left: walks.names_max,
            width: 1,
        };
        match (low, high) {
            _ if over => {}
            (Some(low), Some(high)) if low > high => {}
            (Some(low), Some(high)) if begins(step, ends(step, low) + 1) >= high => {
                trail.known.push_back(low);
                if high > low {
                    trail.known.push_back(high);
                }
                if walks.backwards(reading.reverse) {
                    trail.known.make_contiguous().reverse();
                }
            }
            (low, high) => {
                let bound =
                    |end: Option<i64>| end.map_or(Bound::Unbounded, |end| Bound::Included(Value::Timestamp(end)));
                trail.names = Some(Names {
                    group: self.group_digest(reading.slices.table, walks.cut, &range.partition)?,
                    low: bound(low),
                    high: bound(high),
                    after: None,
                });
            }
        }
        Ok(trail)
    }

    /// The buckets that are read next, side by side: one, and more each time where they hold too little.
    pub(super) async fn next_buckets(
        &self,
        reading: &Reading<'_, '_>,
        walks: &Walks,
        trail: &mut Trail,
        rows: u64,
    ) -> Result<Vec<i64>, Problem> {
        let many = trail.width.min(rows.max(1)).min(trail.buckets_left);
        while (trail.known.len() as u64) < many && trail.names_left > 0 && trail.names.is_some() {
            self.read_names(reading, walks, trail).await?;
        }
        let many = many.min(trail.known.len() as u64);
        trail.buckets_left -= many;
        trail.width = (trail.width * 2).min(SIDE_BY_SIDE);
        Ok((0..many).filter_map(|_| trail.known.pop_front()).collect())
    }

    async fn read_names(&self, reading: &Reading<'_, '_>, walks: &Walks, trail: &mut Trail) -> Result<(), Problem> {
        let (Some(names), Some(buckets)) = (trail.names.as_mut(), self.program.buckets) else {
            return Err(Problem::Broken("nobody names the buckets of a list that is cut by time".into()));
        };
        let (table, shape) = self.table(buckets);
        let (_, cut) = self.table(reading.slices.table);
        let partition = [Value::from(cut.table().name.as_str()), Value::from(names.group.as_slice())];
        let read = self.store.slice(Slice {
            table,
            partition: &partition,
            within: Within { equal: &[], low: names.low.as_ref(), high: names.high.as_ref() },
            after: names.after.as_deref(),
            reverse: walks.backwards(reading.reverse),
            rows_max: u32::try_from(NAMES.min(trail.names_left)).unwrap_or(1),
            bytes_max: NAMES_BYTES,
            freshness: at_most_settled(reading.access),
            now: millis(reading.asking.now_us),
        });
        let read = read.await?;
        trail.names_left = trail.names_left.saturating_sub(read.cost.rows.max(1));
        for row in &read.rows {
            let key = row.key(shape)?;
            let Some(Value::Timestamp(begins_ms)) = key.get(partition.len()) else { continue };
            // A bucket may have several names.
            if trail.known.back() != Some(begins_ms) {
                trail.known.push_back(*begins_ms);
            }
        }
        match read.end {
            End::Range => trail.names = None,
            End::Limit { reached } => names.after = Some(reached),
        }
        Ok(())
    }
}
