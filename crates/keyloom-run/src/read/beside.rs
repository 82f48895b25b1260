//! What a caller has seen, beside what a list shows of it.
//!
//! A list may follow its source later than the caller. So rows that were seen are read from the source and put where they
//! stand; what the list itself shows of them is dropped. They are one range more of the merge: they come out in their
//! place, behind the cursor and before the first row that was not read, or not at all.

use std::{cmp::Ordering, collections::VecDeque, ops::Bound};

use futures_util::future::try_join_all;
use keyloom_store::Freshness;
use keyloom_value::{Value, compare};

use super::{
    Found,
    merge::{Position, Reading, at_most_settled, encoded},
    passes,
    ranges::Between,
};
use crate::{
    carry::place,
    problem::Problem,
    program::{Access, EntityPlan, Projection, Reach},
    record::Record,
    run::Run,
    seen::Seen,
    work::Promise,
};

type Owned = Value<'static>;

/// Rows that were seen, beside a list.
#[derive(Default)]
pub(super) struct Beside<'a> {
    /// Whose rows of the list are dropped.
    hidden: Vec<Vec<Owned>>,
    /// What stands in their place, in the direction of reading.
    pub(super) rows: VecDeque<(Position, Found<'a>)>,
}

impl Run {
    /// What is put beside a list.
    pub(super) async fn beside<'a>(&self, reading: &Reading<'_, 'a>) -> Result<Beside<'a>, Problem> {
        let Reading { access, slices, entity, asking, .. } = *reading;
        let mut beside = Beside::default();
        // Where the source is the list itself, nothing follows.
        let Some(list) = entity.lists().find(|list| list.table == slices.table) else { return Ok(beside) };
        let seen: Vec<&Seen> = asking.inputs.seen_of(access.entity).collect();
        if seen.is_empty() {
            return Ok(beside);
        }
        let records = try_join_all(seen.iter().map(|seen| self.as_seen(entity, seen, access, asking.now_us))).await?;
        for (seen, record) in seen.iter().zip(records) {
            if self.protocol.drops_seen {
                beside.hidden.push(entity.identity_of(&seen.key));
            }
            let Some(record) = record else { continue };
            let Some(position) = position(self, reading, list, &record)? else { continue };
            let mut found = [self.as_listed(entity, list, &record).await?];
            self.with_kept(access, &mut found, asking.now_us).await?;
            let [found] = found;
            if passes(access, entity, asking, &found)? {
                beside.rows.push_back((position, found));
            }
        }
        let in_order =
            |one: &(Position, Found<'_>), other: &(Position, Found<'_>)| reading.order(Some(&one.0), Some(&other.0));
        beside.rows.make_contiguous().sort_by(in_order);
        Ok(beside)
    }

    /// The source row, at the version that was seen or a later one; nothing where it is gone by then.
    async fn as_seen(
        &self,
        entity: &EntityPlan,
        seen: &Seen,
        access: &Access,
        now_us: i64,
    ) -> Result<Option<Record>, Problem> {
        let mut there = self.source(entity, &seen.key, at_most_settled(access), now_us).await?;
        let older = there.as_ref().is_none_or(|there| there.version < seen.version);
        if older && self.protocol.looks_at_seen_again {
            there = self.source(entity, &seen.key, Freshness::Fresh, now_us).await?;
        }
        self.alive(entity, there, now_us)
    }

    /// A source row as a list shows it.
    async fn as_listed<'a>(
        &self,
        entity: &EntityPlan,
        list: &Projection,
        record: &Record,
    ) -> Result<Found<'a>, Problem> {
        let (values, built_in) = (record.values.clone(), record.built_in());
        if list.copies.is_empty() {
            return Ok(Found::Record { values, built_in, copied: Vec::new() });
        }
        let mut images = self.places(entity, record);
        images.retain(|image| image.table == list.table);
        self.copy_into_images(entity, record, &mut images).await?;
        let image = images.iter().flat_map(|image| &image.values).next();
        let copied = |column: usize| image.map_or(Value::Null, |image| image[column].clone());
        let copied = list.copies.iter().map(|copy| copied(copy.column)).collect();
        Ok(Found::Record { values, built_in, copied })
    }
}

impl<'a> Beside<'a> {
    /// Whether what a list shows of a row is dropped.
    pub(super) fn hides(&self, entity: &EntityPlan, found: &Found<'_>) -> Result<bool, Problem> {
        if self.hidden.is_empty() {
            return Ok(false);
        }
        let values = found.values()?;
        let is = |identity: &Vec<Owned>| entity.key.iter().zip(identity).all(|(field, value)| values[*field] == *value);
        Ok(self.hidden.iter().any(is))
    }

    /// How many rows of a list may be dropped.
    pub(super) fn hidden(&self) -> u64 {
        self.hidden.len() as u64
    }

    /// The next of its rows, if nothing of the list comes before it: its first row, or what was not read yet.
    pub(super) fn next(
        &mut self,
        first: Option<Option<&Position>>,
        reading: &Reading<'_, '_>,
    ) -> Option<(Position, Found<'a>)> {
        let (position, _) = self.rows.front()?;
        let comes = first.is_none_or(|first| reading.order(Some(position), first) != Ordering::Greater);
        if comes { self.rows.pop_front() } else { None }
    }
}

impl Access {
    /// What a call reads beside this list for each row that is presented: the row, once more where it is older, what the list
    /// shows of it, and what it copies.
    pub(super) fn beside(&self) -> Promise {
        let Reach::Slices(slices) = &self.reach else { return Promise::default() };
        let copied = slices.copied.len() as u64;
        Promise { partitions: 1 + copied, rows: 3 + copied, rows_past_gone: 3 + copied }
    }
}

/// Where a source row stands in what is read of a list, if it does.
fn position(
    run: &Run,
    reading: &Reading<'_, '_>,
    list: &Projection,
    record: &Record,
) -> Result<Option<Position>, Problem> {
    let (_, shape) = run.table(list.table);
    let Some(key) = place(reading.entity, list, record) else { return Ok(None) };
    let (partition, sort) = key.split_at(shape.partition_parts().len());
    let cut = reading.slices.walks.as_ref().map(|walks| walks.cut.at);
    // In whichever bucket it stands.
    let group = partition.iter().enumerate().filter(|(at, _)| Some(*at) != cut);
    let is_in = |range: &super::ranges::Range| {
        group.clone().all(|(at, value)| range.partition[at] == *value) && sort.starts_with(&range.equal)
    };
    let Some(range) = reading.ranges.iter().position(is_in) else { return Ok(None) };
    if !sort.get(reading.slices.equal.len()).is_none_or(|next| reading.between.holds(next)) {
        return Ok(None);
    }
    let range = u32::try_from(range).unwrap_or(u32::MAX);
    let position = Position { behind: encoded(sort, shape, reading.slices)?, range, edge: false };
    let is_behind = reading.after.is_none_or(|after| reading.order(Some(&position), Some(after)) == Ordering::Greater);
    Ok(is_behind.then_some(position))
}

impl Between {
    /// Whether a value lies there.
    fn holds(&self, value: &Owned) -> bool {
        let low = match &self.low {
            Bound::Unbounded => true,
            Bound::Included(low) => compare(value, low).is_some_and(Ordering::is_ge),
            Bound::Excluded(low) => compare(value, low).is_some_and(Ordering::is_gt),
        };
        let high = match &self.high {
            Bound::Unbounded => true,
            Bound::Included(high) => compare(value, high).is_some_and(Ordering::is_le),
            Bound::Excluded(high) => compare(value, high).is_some_and(Ordering::is_lt),
        };
        low && high
    }
}
