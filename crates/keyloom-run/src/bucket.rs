//! Time buckets: partitions that are cut by a step of time, and which of them a group has.
//!
//! Nobody can see from outside which buckets hold rows, and a reader that goes back month by month would walk through years
//! without any. So `kl_bucket` names, for each group of a table that is cut, the buckets that have rows. A name is placed and
//! acknowledged **before** the first row of its bucket is sent, and it ends after all of them. What it names may be empty, which
//! costs a look; what has rows is always named. Names are never removed, so any number of processes may place them in any
//! order. Each process remembers which it has seen acknowledged: a bucket is named once by each, not with every row.

use std::{collections::HashSet, sync::Mutex};

use keyloom_model::{Date, layout::Bucket};
use keyloom_store::{Fault, GroupImage, Millis, Placement, Placing, Store};
use keyloom_value::{Kind, Value, key};

use crate::{
    carry::Companion,
    digest::digest,
    idempotency::{born, uuid7},
    problem::Problem,
    read::millis,
    run::Run,
};

type Owned = Value<'static>;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;
/// The first and the last moment of the calendar. What lies beyond has a place in the first and the last bucket.
const FIRST_MS: i64 = -62_135_596_800_000;
const LAST_MS: i64 = 253_402_300_799_999;
/// How many names a process remembers at most.
const REMEMBERED_MAX: usize = 1 << 16;

/// Where the bucket begins in which a moment lies.
pub(crate) fn begins(step: Bucket, moment_ms: i64) -> i64 {
    let moment_ms = moment_ms.clamp(FIRST_MS, LAST_MS);
    let day = moment_ms.div_euclid(DAY_MS);
    // Within these bounds every day has a date.
    let date = Date::from_days_since_1970(day).unwrap_or(Date { year: 1970, month: 1, day: 1 });
    match step {
        Bucket::Hour => moment_ms.div_euclid(HOUR_MS) * HOUR_MS,
        Bucket::Day => day * DAY_MS,
        Bucket::Month => Date { day: 1, ..date }.days_since_1970() * DAY_MS,
        Bucket::Year => Date { month: 1, day: 1, ..date }.days_since_1970() * DAY_MS,
    }
}

/// The last moment of the bucket that begins there.
pub(crate) fn ends(step: Bucket, begins_ms: i64) -> i64 {
    let longest_ms = match step {
        Bucket::Hour => HOUR_MS,
        Bucket::Day => DAY_MS,
        Bucket::Month => 31 * DAY_MS,
        Bucket::Year => 366 * DAY_MS,
    };
    match begins(step, begins_ms.saturating_add(longest_ms)) {
        // There is none behind the last.
        next if next == begins_ms => LAST_MS,
        next => next - 1,
    }
}

/// The moment, in milliseconds, at which a value of this kind lies.
pub(crate) fn moment(value: &Value<'_>, kind: &Kind) -> Option<i64> {
    match (value, kind) {
        (Value::Timestamp(moment), Kind::Timestamp { micros: true }) => Some(moment.div_euclid(1_000)),
        (Value::Timestamp(moment), _) => Some(*moment),
        (Value::Date(day), _) => Some(i64::from(*day) * DAY_MS),
        (Value::Uuid(uuid), Kind::Uuid7) => Some(born(uuid)),
        _ => None,
    }
}

/// The first or the last value of this kind in a millisecond.
pub(crate) fn value_at(moment_ms: i64, kind: &Kind, last: bool) -> Owned {
    match kind {
        Kind::Timestamp { micros: true } => {
            Value::Timestamp(moment_ms.saturating_mul(1_000).saturating_add(if last { 999 } else { 0 }))
        }
        Kind::Date => day(moment_ms),
        Kind::Uuid7 => Value::Uuid(uuid7(moment_ms.max(0), [if last { 0xFF } else { 0 }; 10])),
        _ => Value::Timestamp(moment_ms),
    }
}

/// A bucket as it stands in a key.
pub(crate) fn component(step: Bucket, begins_ms: i64) -> Owned {
    match step {
        Bucket::Hour => Value::Timestamp(begins_ms),
        Bucket::Day | Bucket::Month | Bucket::Year => day(begins_ms),
    }
}

/// The bucket of a value, as it stands in a key.
pub(crate) fn bucket_of(step: Bucket, value: &Value<'_>, kind: &Kind) -> Option<Owned> {
    Some(component(step, begins(step, moment(value, kind)?)))
}

fn day(moment_ms: i64) -> Owned {
    Value::Date(i32::try_from(moment_ms.div_euclid(DAY_MS)).unwrap_or(i32::MAX))
}

/// Until when a bucket is named in which a row ends then. Rounded up generously, so that the rows of a bucket share few names.
fn until(step: Bucket, ends_at: Option<Millis>) -> (i64, Option<Millis>) {
    let coarse = match step {
        Bucket::Hour | Bucket::Day => Bucket::Month,
        Bucket::Month | Bucket::Year => Bucket::Year,
    };
    match ends_at {
        Some(Millis(end)) => {
            let until = ends(coarse, begins(coarse, end)) + 1;
            (until, Some(Millis(until)))
        }
        None => (LAST_MS, None),
    }
}

/// How a table is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Which component of the partition it is.
    pub(crate) at: usize,
    pub(crate) step: Bucket,
}

/// The names that were acknowledged to this process: the newest ones, and those before.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<[HashSet<[u8; 16]>; 2]>);

impl Remembered {
    fn has(&self, name: &[u8; 16]) -> bool {
        let [newer, older] = &*self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        newer.contains(name) || older.contains(name)
    }

    /// Forgets all of them, as a process does that dies.
    #[cfg(feature = "trial")]
    pub(crate) fn clear(&self) {
        let mut both = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        both.iter_mut().for_each(HashSet::clear);
    }

    fn add(&self, name: [u8; 16]) {
        let mut both = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if both[0].len() >= REMEMBERED_MAX / 2 {
            both[1] = std::mem::take(&mut both[0]);
        }
        both[0].insert(name);
    }
}

impl Run {
    /// Stands for a group: all of a partition but its bucket. It fits into a key on every engine, however long the group's own
    /// is.
    pub(crate) fn group_digest(&self, table: usize, cut: Cut, partition: &[Owned]) -> Result<Vec<u8>, Problem> {
        let (_, shape) = self.table(table);
        let mut bytes = Vec::new();
        for (at, (value, part)) in partition.iter().zip(shape.partition_parts()).enumerate() {
            if at != cut.at {
                key::encode_part(value, part, &mut bytes).map_err(|wrong| Problem::Broken(wrong.to_string()))?;
            }
        }
        Ok(digest("group", &[&bytes]).to_vec())
    }

    /// The name of the bucket in which a row stands; none where its table is not cut.
    pub(crate) fn name_of_bucket(&self, row: &Companion) -> Result<Option<Companion>, Problem> {
        let (Some(cut), Some(named)) = (self.program.cuts[row.table], self.program.buckets) else { return Ok(None) };
        let (_, shape) = self.table(row.table);
        let group = self.group_digest(row.table, cut, &row.key[..shape.partition_parts().len()])?;
        let kind = &shape.partition_parts()[cut.at].kind;
        let begins_ms = moment(&row.key[cut.at], kind).unwrap_or_default();
        let (until_ms, expires_at) = match self.protocol.names_outlast {
            true => until(cut.step, row.expires_at),
            false => (0, row.expires_at),
        };
        let key = vec![
            Value::from(shape.table().name.clone()),
            Value::from(group),
            Value::Timestamp(begins_ms),
            Value::Timestamp(until_ms),
        ];
        Ok(Some(self.name(named, key, expires_at)))
    }

    /// Names the buckets in which these rows are about to stand, unless this process knows that they are named.
    pub(crate) async fn name_buckets<'a>(&self, rows: impl Iterator<Item = &'a Companion>) -> Result<(), Fault> {
        if self.program.buckets.is_none() {
            return Ok(());
        }
        let refused = |problem: Problem| Fault::refused(problem.to_string());
        let (mut names, mut digests) = (Vec::new(), Vec::new());
        for row in rows.filter(|row| row.values.is_some()) {
            let Some(name) = self.name_of_bucket(row).map_err(refused)? else { continue };
            let digest = self.digest_of_name(&name).map_err(refused)?;
            if !self.named.has(&digest) && !digests.contains(&digest) {
                names.push(name);
                digests.push(digest);
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let groups: Vec<[GroupImage<'_>; 1]> = names.iter().map(Companion::group).collect();
        let placements = names.iter().zip(&groups).map(|(name, groups)| {
            let placing = Placing::Put { groups, expires_at: name.expires_at };
            Placement { table: self.table(name.table).0, key: &name.key, placing }
        });
        let placed = self.store.place(&placements.collect::<Vec<_>>(), false, millis(self.now_us())).await;
        if self.protocol.names_first {
            placed?;
        }
        digests.into_iter().for_each(|digest| self.named.add(digest));
        Ok(())
    }

    /// Names a bucket once more: somebody has seen that it is not named.
    pub(crate) async fn name_again(&self, table: usize, key: Vec<Owned>) -> Result<(), Problem> {
        let expires_at = match key.last() {
            Some(Value::Timestamp(until_ms)) if *until_ms < LAST_MS => Some(Millis(*until_ms)),
            _ => None,
        };
        self.place(&[self.name(table, key, expires_at)]).await?;
        Ok(())
    }

    fn name(&self, table: usize, key: Vec<Owned>, expires_at: Option<Millis>) -> Companion {
        let now_us = self.now_us();
        let version = u64::try_from(now_us).unwrap_or(0).max(2);
        Companion { table, key, version, values: Some(vec![Value::Timestamp(now_us)]), expires_at }
    }

    fn digest_of_name(&self, name: &Companion) -> Result<[u8; 16], Problem> {
        Ok(digest("bucket", &[&self.key_bytes(name.table, &name.key)?]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: i64 = 1_794_735_015_123;

    #[test]
    fn buckets_follow_the_calendar() {
        for (step, first, last) in [
            (Bucket::Hour, 1_794_733_200_000, 1_794_736_799_999),
            (Bucket::Day, 1_794_700_800_000, 1_794_787_199_999),
            (Bucket::Month, 1_793_491_200_000, 1_796_083_199_999),
            (Bucket::Year, 1_767_225_600_000, 1_798_761_599_999),
        ] {
            assert_eq!(begins(step, AT), first, "{step:?}");
            assert_eq!(ends(step, first), last, "{step:?}");
            assert_eq!(begins(step, last), first, "{step:?}");
            assert_eq!(begins(step, last + 1), last + 1, "{step:?}");
        }
    }

    #[test]
    fn times_beyond_the_calendar_have_a_bucket() {
        for step in Bucket::ALL {
            assert_eq!(begins(*step, i64::MAX), begins(*step, LAST_MS));
            assert_eq!(begins(*step, i64::MIN), begins(*step, FIRST_MS));
            assert_eq!(ends(*step, begins(*step, i64::MAX)), LAST_MS);
        }
    }

    #[test]
    fn a_bucket_is_named_for_longer_than_its_rows_last() {
        for step in Bucket::ALL {
            let (until_ms, expires_at) = until(*step, Some(Millis(AT)));
            assert!(until_ms > AT && expires_at == Some(Millis(until_ms)), "{step:?}");
            assert_eq!(until(*step, Some(Millis(until_ms - 1))).0, until_ms, "rows that end close by share a name");
            assert_eq!(until(*step, None).1, None);
        }
    }
}
