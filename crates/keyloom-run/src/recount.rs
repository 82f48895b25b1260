//! Kept values that are counted again: the group is read as it stands, and what it comes to is decided.
//!
//! Nothing tells such a value what happened. Its version is read before the group, so whoever has read an older group loses
//! against whoever has read a newer one.

use keyloom_model::layout::Way;
use keyloom_store::{Change, Decision, End, Fault, Freshness, Get, Image, Range, Row, Slice, Store, Verdict};
use keyloom_value::Value;

use crate::{
    carry::Companion,
    kept::{KeptChange, Tally, following},
    problem::Problem,
    program::{Counts, EntityPlan, Kept},
    read::millis,
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

/// How often a group is counted again before it is left to others.
const TRIES_MAX: usize = 16;
/// How many rows of a group are read at once.
const PIECE_ROWS: u32 = 1_000;
const PIECE_BYTES: u32 = 4 << 20;

/// A value that is to be counted again: which, and whose.
pub(crate) struct Group<'a> {
    pub(crate) kept: &'a Kept,
    pub(crate) key: Vec<Owned>,
    /// A moment that is over, whatever the own clock says: what ended before it is not counted.
    pub(crate) over_us: i64,
}

/// A row in a group, while it is counted: all but this one, and this one as it is to be.
struct Instead<'a> {
    /// Where it stands, and where it is to stand.
    keys: &'a [Vec<u8>],
    /// Where and what it is to be, if it is in the group then.
    becomes: Option<(Vec<u8>, &'a [Owned])>,
}

impl Run {
    /// The groups that these rows of counted tables stand in, each once.
    pub(crate) fn groups(&self, entity: &EntityPlan, rows: &[&Companion]) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        for kept in self.recounted(entity) {
            let Some(counts) = &kept.counts else { continue };
            for row in rows.iter().filter(|row| row.table == counts.table) {
                let key = Kept::key_at(counts, &row.key);
                let known = |group: &Group<'_>| group.kept.table == kept.table && group.key == key;
                if !groups.iter().any(known) {
                    groups.push(Group { kept, key, over_us: 0 });
                }
            }
        }
        groups
    }

    /// A value that is counted again, by the names of its table and of whose it is.
    pub(crate) fn group_named(&self, table: &str, key: &[u8], over_us: i64) -> Result<Option<Group<'_>>, Problem> {
        let is_it = |kept: &&Kept| self.program.tables[kept.table].name == table;
        let Some(kept) = self.program.kept.iter().filter(|kept| self.is_kept_up(kept.table)).find(is_it) else {
            return Ok(None);
        };
        Ok(Some(Group { kept, key: self.key_values(kept.table, key)?, over_us }))
    }

    /// Whether something is counted again from the rows of an entity in a table.
    pub(crate) fn is_counted(&self, entity: &EntityPlan, table: usize) -> bool {
        self.recounted(entity).any(|kept| kept.counts.as_ref().is_some_and(|counts| counts.table == table))
    }

    fn recounted(&self, entity: &EntityPlan) -> impl Iterator<Item = &Kept> {
        let fed = |kept: &&Kept| kept.way == Way::Recount && self.entity(kept.feeder).name == entity.name;
        self.program.kept.iter().filter(fed).filter(|kept| self.is_kept_up(kept.table))
    }

    /// Counts groups again; whether all of it is acknowledged. What feeds them must be acknowledged before.
    pub(crate) async fn recount(&self, groups: &[Group<'_>]) -> bool {
        for group in groups {
            if !self.recount_one(group).await.unwrap_or(false) {
                return false;
            }
        }
        true
    }

    /// Counts one value again.
    pub(crate) async fn recount_group(&self, kept: &Kept, key: Vec<Owned>) -> bool {
        self.recount(&[Group { kept, key, over_us: 0 }]).await
    }

    async fn recount_one(&self, Group { kept, key, over_us }: &Group<'_>) -> Result<bool, Problem> {
        let Some(counts) = &kept.counts else { return Ok(true) };
        for _ in 0..TRIES_MAX {
            let mut stands = Err(Problem::Broken("a kept value was not looked at".into()));
            if self.protocol.versions_first {
                stands = self.kept_row(kept, key).await;
            }
            // A row that had ended when the value was counted before is not counted again by a clock that is behind.
            let counted_us = match &stands {
                Ok(Some(row)) if self.protocol.counts_forward => i64::try_from(row.version()?).unwrap_or(0),
                _ => 0,
            };
            let now_us = self.now_us().max(*over_us).max(counted_us);
            let tally = self.tally(kept, counts, key, None, now_us).await;
            if !self.protocol.versions_first {
                stands = self.kept_row(kept, key).await;
            }
            let (Ok(stands), Ok(tally)) = (stands, tally) else { continue };
            let (expect, version) = following(stands.as_ref(), now_us)?;
            let values = tally.values();
            // It gets a new version also when it is the same, so that nobody decides it who has read the group before.
            let becomes = Image { version, expires_at: None, values: &values };
            let change = Change { table: self.table(kept.table).0, key, expect, becomes };
            match self.store.decide(Decision { change, along: &[], now: millis(now_us) }).await {
                Ok(Verdict::Done) => return Ok(true),
                Ok(Verdict::Lost { .. }) | Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(false)
    }

    /// What values that are counted again become by a decision that covers them: they are counted without the row that
    /// changes, and then with it. All that changes a group decides its value too, so it stays as it was read.
    pub(crate) async fn recounts_along(
        &self,
        kept: &Kept,
        before: Option<&Record>,
        after: &Record,
        now_us: i64,
    ) -> Result<Vec<KeptChange>, Problem> {
        let Some(counts) = &kept.counts else { return Ok(Vec::new()) };
        let entity = self.entity(kept.feeder);
        let stands = |record: &Record| self.standing(entity, record).into_iter().find(|row| row.table == counts.table);
        let (old, new) = (before.and_then(stands), stands(after));
        if let (Some(old), Some(new)) = (&old, &new)
            && old.is_as(new)
        {
            return Ok(Vec::new());
        }
        let own = |row: &Companion| self.key_bytes(counts.table, &row.key);
        let keys = new.iter().chain(&old).map(own).collect::<Result<Vec<_>, Problem>>()?;
        let mut changes: Vec<KeptChange> = Vec::new();
        for row in new.iter().chain(&old) {
            let key = Kept::key_at(counts, &row.key);
            if changes.iter().any(|change| change.key == key) {
                continue;
            }
            let stands = self.kept_row(kept, &key).await?;
            let here = new.as_ref().filter(|new| Kept::key_at(counts, &new.key) == key);
            let becomes = here.map(own).transpose()?.map(|at| (at, after.values.as_slice()));
            let instead = Instead { keys: &keys, becomes };
            let values = self.tally(kept, counts, &key, Some(instead), now_us).await?.values();
            let (expect, version) = following(stands.as_ref(), now_us)?;
            changes.push(KeptChange { table: kept.table, key, expect, version, values });
        }
        Ok(changes)
    }

    async fn kept_row(&self, kept: &Kept, key: &[Owned]) -> Result<Option<Row>, Problem> {
        let now = millis(self.now_us());
        let get = Get { table: self.table(kept.table).0, key, freshness: Freshness::Fresh, now };
        Ok(self.store.get(get).await?.row)
    }

    /// What a group comes to as it stands, perhaps with one row as it is to be.
    async fn tally<'a>(
        &'a self,
        kept: &'a Kept,
        counts: &Counts,
        key: &[Owned],
        instead: Option<Instead<'_>>,
        now_us: i64,
    ) -> Result<Tally<'a>, Problem> {
        let (table, shape) = self.table(counts.table);
        let partition: Vec<Owned> = counts.partition.iter().map(|component| key[*component].clone()).collect();
        let mut tally = Tally::new(kept, self.entity(kept.feeder));
        let mut after: Option<Vec<Owned>> = None;
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
                now: millis(now_us),
            });
            let read = read.await?;
            for row in &read.rows {
                let is_own = |instead: &Instead<'_>| instead.keys.iter().any(|key| key == row.key_bytes());
                if instead.as_ref().is_some_and(is_own) {
                    continue;
                }
                let value = |at: &Option<_>| match at {
                    Some(at) => Ok(row.value(shape, *at)?.into_owned()),
                    None => Ok(Value::Null),
                };
                let values = counts.columns.iter().map(value).collect::<Result<Vec<Owned>, Problem>>()?;
                tally.add(&values, row.key_bytes().to_vec());
            }
            match read.end {
                End::Range => break,
                End::Limit { reached } => after = Some(reached),
            }
        }
        if let Some(Instead { becomes: Some((key, values)), .. }) = instead {
            tally.add(values, key);
        }
        Ok(tally)
    }
}
