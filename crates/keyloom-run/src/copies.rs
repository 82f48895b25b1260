//! Fields of other rows that rows of lists hold, so that nobody has to look them up.
//!
//! A copy is right by one of two rules. Where companions ride along, a row is decided only if what it copies is as it was
//! read. Where they follow, a row first stands in the list of those that point to the other one, acknowledged, and then
//! looks at it: either whoever changes the other one finds this row in that list, or this row finds the change. Whoever
//! changes a field that is copied walks that list, behind his decision, and touches each row of it: it is decided once
//! more, so that an image that was made before loses by its version.

use futures_util::{StreamExt, stream};
use keyloom_store::{BoxFuture, Freshness, Get, Store};
use keyloom_value::Value;

use crate::{
    carry::Companion,
    judge::Checked,
    problem::Problem,
    program::{Copied, Copiers, EntityPlan, Support},
    read::millis,
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

/// How many rows are touched side by side.
const SIDE_BY_SIDE: usize = 16;
/// How many rows are asked for at once.
const AT_ONCE: usize = 100;

/// How far a walk over the rows that copy has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Walked {
    /// All of them have followed.
    All,
    /// Those up to here have; what it means is known to the walk alone.
    Until(Vec<u8>),
}

impl Run {
    /// Gives images of rows what they hold of other rows, as those are now; which they are, each with its version.
    pub(crate) async fn copy_into(
        &self,
        entity: &EntityPlan,
        images: &mut [(&Record, &mut Companion)],
    ) -> Result<Vec<Checked>, Problem> {
        let mut rows: Vec<Checked> = Vec::new();
        let mut cells: Vec<(usize, &Copied, Option<usize>)> = Vec::new();
        for (at, (record, image)) in images.iter().enumerate() {
            for copied in copied_in(entity, image.table) {
                let table = self.entity(copied.entity).source.table;
                let row = record.fields(&copied.fields).map(|key| {
                    let same = |known: &Checked| known.table == table && known.key == key;
                    rows.iter().position(same).unwrap_or_else(|| {
                        rows.push(Checked { table, key, version: None });
                        rows.len() - 1
                    })
                });
                cells.push((at, copied, row));
            }
        }
        let now_us = self.now_us();
        let mut found: Vec<Option<Record>> = Vec::with_capacity(rows.len());
        for rows in rows.chunks(AT_ONCE) {
            let gets = rows.iter().map(|row| {
                let table = self.table(row.table).0;
                Get { table, key: &row.key, freshness: Freshness::Settled, now: millis(now_us) }
            });
            for (row, got) in rows.iter().zip(self.store.get_many(&gets.collect::<Vec<_>>()).await) {
                let other = self.program.entities.iter().find(|entity| entity.source.table == row.table);
                let (Some(got), Some(other)) = (got?.row, other) else {
                    found.push(None);
                    continue;
                };
                found.push(Some(Record::read(&got, self.table(row.table).1, &other.source)?));
            }
        }
        for (row, found) in rows.iter_mut().zip(&found) {
            row.version = found.as_ref().map(|found| found.version);
        }
        for (at, copied, row) in cells {
            let there = row.and_then(|row| found[row].as_ref()).filter(|there| !there.gone);
            if let Some(values) = &mut images[at].1.values {
                values[copied.column] = there.map_or(Value::Null, |there| there.values[copied.from].clone());
            }
        }
        Ok(rows)
    }

    /// The same for images of one row.
    pub(crate) async fn copy_into_images(
        &self,
        entity: &EntityPlan,
        record: &Record,
        images: &mut [Companion],
    ) -> Result<Vec<Checked>, Problem> {
        if !entity.copies() {
            return Ok(Vec::new());
        }
        let mut images: Vec<(&Record, &mut Companion)> = images.iter_mut().map(|image| (record, image)).collect();
        self.copy_into(entity, &mut images).await
    }

    /// Touches the rows that copy fields of a record, behind those that a walk has come to: a piece of them, or all.
    pub(crate) async fn touch_copiers(
        &self,
        entity: &EntityPlan,
        record: &Record,
        from: Option<&[u8]>,
    ) -> Result<Walked, Problem> {
        let (mut kind, mut after) = match from {
            Some(reached) => self.reached(entity, reached)?,
            None => (0, None),
        };
        let until = |kind: usize, after: &Option<Vec<Owned>>| self.noted(entity, record, kind, after.as_deref());
        while let Some(copiers) = entity.copied_by.get(kind) {
            let piece = self.pointing(record, &copiers.rows, after.as_deref()).await?;
            let own = entity.source_key(record);
            let touches: Vec<_> =
                piece.keys.into_iter().map(|key| self.touch_copier(&own, &copiers.rows, key)).collect();
            let touched: Vec<Result<bool, Problem>> = stream::iter(touches).buffered(SIDE_BY_SIDE).collect().await;
            for touched in touched {
                if !touched? {
                    return until(kind, &after);
                }
            }
            if piece.reached.is_some() {
                return until(kind, &piece.reached);
            }
            (kind, after) = (kind + 1, None);
        }
        Ok(Walked::All)
    }

    /// Decides a row once more that still points there, with what it holds of other rows as they are now; whether that is
    /// done, or somebody did it who looked later.
    fn touch_copier<'a>(
        &'a self,
        to: &'a [Owned],
        rows: &'a Support,
        key: Vec<Owned>,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            let entity = self.entity(rows.entity);
            let points = |there: &Record| there.fields(&rows.through).as_deref() == Some(to);
            self.decide_again(entity, &key, points).await
        })
    }

    /// Where a walk goes on, as it is noted: which list of rows that copy, and behind which row of it.
    fn noted(&self, entity: &EntityPlan, to: &Record, kind: usize, after: Option<&[Owned]>) -> Result<Walked, Problem> {
        let mut noted = vec![u8::try_from(kind).unwrap_or(u8::MAX)];
        if let (Some(after), Some(Copiers { rows, .. })) = (after, entity.copied_by.get(kind)) {
            let key: Vec<Owned> = rows.partition.iter().map(|field| to.values[*field].clone()).collect();
            noted.extend(self.key_bytes(rows.table, &[&key, after].concat())?);
        }
        Ok(Walked::Until(noted))
    }

    fn reached(&self, entity: &EntityPlan, noted: &[u8]) -> Result<(usize, Option<Vec<Owned>>), Problem> {
        let Some((kind, key)) = noted.split_first() else { return Ok((0, None)) };
        let kind = usize::from(*kind);
        let Some(copiers) = entity.copied_by.get(kind).filter(|_| !key.is_empty()) else { return Ok((kind, None)) };
        let mut key = self.key_values(copiers.rows.table, key)?;
        Ok((kind, Some(key.split_off(copiers.rows.partition.len()))))
    }
}

/// Whether rows that copy fields must follow when a row changes like this.
pub(crate) fn changes_copies(entity: &EntityPlan, before: Option<&Record>, after: &Record) -> bool {
    let seen = |record: &Record, fields: &[usize]| -> Option<Vec<Owned>> {
        (!record.gone).then(|| fields.iter().map(|field| record.values[*field].clone()).collect())
    };
    entity
        .copied_by
        .iter()
        .any(|copiers| before.and_then(|before| seen(before, &copiers.fields)) != seen(after, &copiers.fields))
}

/// Whether what an image of a row holds of other rows is of the same rows as before.
pub(crate) fn copies_from_same(entity: &EntityPlan, table: usize, before: &Record, after: &Record) -> bool {
    copied_in(entity, table).all(|copied| before.fields(&copied.fields) == after.fields(&copied.fields))
}

/// What images in a table hold of other rows.
pub(crate) fn copied_in(entity: &EntityPlan, table: usize) -> impl Iterator<Item = &Copied> {
    entity.projections.iter().filter(move |list| list.table == table).flat_map(|list| &list.copies)
}
