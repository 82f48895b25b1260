//! Indexes that are behind: what changed of late is undone in what is read of them.

use std::{
    cmp::Ordering,
    collections::{HashMap, VecDeque},
    ops::Bound,
    sync::{Mutex, PoisonError},
};

use keyloom_store::{End, Fault, Row, Rows, Shape, Slice, TableId};
use keyloom_value::{Value, compare, key};

use crate::entry::Moved;

/// What indexes held before their last changes.
#[derive(Debug)]
pub(crate) struct Lag {
    by_us: u64,
    before: Mutex<HashMap<TableId, VecDeque<Before>>>,
}

/// What stood under a key until a moment.
#[derive(Debug, Clone)]
struct Before {
    until_us: u64,
    key: Vec<u8>,
    row: Option<Row>,
}

impl Lag {
    pub(crate) fn new(by_us: u64) -> Self {
        Self { by_us, before: Mutex::default() }
    }

    /// An index was changed.
    pub(crate) fn changed(&self, moved: &Moved, shape: &Shape, now_us: u64) -> Result<(), Fault> {
        if self.by_us == 0 {
            return Ok(());
        }
        let old = moved.old.as_ref().map(|entry| entry.row(shape)).transpose()?;
        let new = moved.new.as_ref().map(|entry| entry.row(shape)).transpose()?;
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let before = before.entry(moved.index).or_default();
        while before.front().is_some_and(|first| first.until_us + self.by_us <= now_us) {
            before.pop_front();
        }
        let stays = matches!((&old, &new), (Some(old), Some(new)) if old.key_bytes() == new.key_bytes());
        let mut push = |key: &[u8], row| before.push_back(Before { until_us: now_us, key: key.to_vec(), row });
        if let Some(new) = new.filter(|_| !stays) {
            push(new.key_bytes(), None);
        }
        if let Some(old) = old {
            push(&old.key_bytes().clone(), Some(old));
        }
        Ok(())
    }

    /// A slice of an index as it was.
    pub(crate) fn undone(&self, found: Rows, of: &Slice<'_>, shape: &Shape, now_us: u64) -> Result<Rows, Fault> {
        let mut earliest: HashMap<Vec<u8>, Option<Row>> = HashMap::new();
        {
            let before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
            let recent = before.get(&of.table).into_iter().flatten();
            for one in recent.filter(|one| one.until_us + self.by_us > now_us) {
                earliest.entry(one.key.clone()).or_insert_with(|| one.row.clone());
            }
        }
        if earliest.is_empty() {
            return Ok(found);
        }
        let Rows { mut rows, mut end, mut cost } = found;
        let hidden = cost.rows - rows.len() as u64;
        let part = Part::of(of, shape)?;
        for (key, row) in earliest {
            // What lies behind the end of the page is for the next one.
            if part.stands(&key, shape, of)? && !part.is_behind(&key, &end, shape, of)? {
                rows.retain(|row| row.key_bytes()[..] != key[..]);
                rows.extend(row);
            }
        }
        rows.sort_unstable_by(|one, other| {
            let order = one.key_bytes().cmp(other.key_bytes());
            if of.reverse { order.reverse() } else { order }
        });
        if rows.len() > of.rows_max as usize {
            rows.truncate(of.rows_max as usize);
            if let Some(last) = rows.last() {
                end = End::Limit { reached: sort_of(last.key_bytes(), shape)? };
            }
        }
        cost.rows = hidden + rows.len() as u64;
        Ok(Rows { rows, end, cost })
    }
}

/// The sort key in the bytes of a whole key.
pub(crate) fn sort_of(bytes: &[u8], shape: &Shape) -> Result<Vec<Value<'static>>, Fault> {
    let sort = key::decode(bytes, shape.key_parts())?.split_off(shape.table().partition.len());
    Ok(sort.into_iter().map(Value::into_owned).collect())
}

/// The part of an index that a slice asks for.
struct Part {
    partition: Vec<u8>,
    /// Partition and equal components.
    prefix: Vec<u8>,
    after: Option<Vec<u8>>,
}

impl Part {
    fn of(of: &Slice<'_>, shape: &Shape) -> Result<Self, Fault> {
        let partition = key::encode(of.partition, shape.partition_parts())?;
        let mut prefix = partition.clone();
        key::encode_into(of.within.equal, &shape.sort_parts()[..of.within.equal.len()], &mut prefix)?;
        let after = of.after.map(|after| Self::whole(&partition, after, shape)).transpose()?;
        Ok(Self { partition, prefix, after })
    }

    fn whole(partition: &[u8], sort: &[Value<'_>], shape: &Shape) -> Result<Vec<u8>, Fault> {
        let mut whole = partition.to_vec();
        key::encode_into(sort, shape.sort_parts(), &mut whole)?;
        Ok(whole)
    }

    /// Whether a key is in it.
    fn stands(&self, key: &[u8], shape: &Shape, of: &Slice<'_>) -> Result<bool, Fault> {
        if !key.starts_with(&self.prefix) || self.after.as_ref().is_some_and(|after| !follows(key, after, of)) {
            return Ok(false);
        }
        let sort = sort_of(key, shape)?;
        let Some(next) = sort.get(of.within.equal.len()) else { return Ok(true) };
        let order = |bound: &Value<'_>| compare(next, bound).unwrap_or(Ordering::Equal);
        let low = match of.within.low {
            Bound::Included(low) => order(low).is_ge(),
            Bound::Excluded(low) => order(low).is_gt(),
            Bound::Unbounded => true,
        };
        let high = match of.within.high {
            Bound::Included(high) => order(high).is_le(),
            Bound::Excluded(high) => order(high).is_lt(),
            Bound::Unbounded => true,
        };
        Ok(low && high)
    }

    fn is_behind(&self, key: &[u8], end: &End, shape: &Shape, of: &Slice<'_>) -> Result<bool, Fault> {
        match end {
            End::Range => Ok(false),
            End::Limit { reached } => Ok(follows(key, &Self::whole(&self.partition, reached, shape)?, of)),
        }
    }
}

/// Whether a key comes behind another in the direction of reading.
fn follows(key: &[u8], other: &[u8], of: &Slice<'_>) -> bool {
    if of.reverse { key < other } else { key > other }
}
