//! Kept values: they change in the same decision as the rows that feed them, where it covers other rows; else they are
//! counted again behind it ([`recount`](crate::recount)).

mod share;

use std::collections::BTreeMap;

use keyloom_model::{Aggregate, layout::Way};
use keyloom_plan::Companions;
use keyloom_store::{ColumnAt, Expect, Freshness, Get, Row, Store};
use keyloom_value::Value;

use crate::{
    carry::passes,
    problem::Problem,
    program::{Access, Kept},
    read::{Found, millis},
    record::Record,
    run::Run,
};

pub(crate) use share::{Share, Tally};

type Owned = Value<'static>;

/// What becomes of a kept value by a decision.
pub(crate) struct KeptChange {
    pub(crate) table: usize,
    pub(crate) key: Vec<Owned>,
    pub(crate) expect: Expect,
    pub(crate) version: u64,
    pub(crate) values: Vec<Owned>,
}

impl Run {
    /// What the values that are kept from a row become when it changes like this.
    pub(crate) async fn kept_changes(
        &self,
        entity: usize,
        before: Option<&Record>,
        after: &Record,
        now_us: i64,
    ) -> Result<Vec<KeptChange>, Problem> {
        let mut changes = Vec::new();
        let fed = |kept: &&Kept| kept.feeder == entity && self.is_kept_up(kept.table);
        for kept in self.program.kept.iter().filter(fed) {
            match kept.way {
                Way::Rider => {}
                Way::Recount if self.program.companions == Companions::Ride => {
                    changes.extend(self.recounts_along(kept, before, after, now_us).await?);
                    continue;
                }
                Way::Recount | Way::Newest => continue,
            }
            let mut shares: BTreeMap<Vec<u8>, (Vec<Owned>, Share)> = BTreeMap::new();
            for (record, sign) in [(before, -1), (Some(after), 1)] {
                let Some((key, share)) = record.and_then(|record| self.share(kept, record)) else { continue };
                let share = share.signed(sign)?;
                let held = shares.entry(self.key_bytes(kept.table, &key)?);
                match held {
                    std::collections::btree_map::Entry::Occupied(mut held) => {
                        let sum = held.get().1.plus(&share)?;
                        held.get_mut().1 = sum;
                    }
                    std::collections::btree_map::Entry::Vacant(none) => {
                        none.insert((key, share));
                    }
                }
            }
            for (key, share) in shares.into_values().filter(|(_, share)| !share.is_nothing()) {
                changes.push(self.kept_change(kept, key, &share, now_us).await?);
            }
        }
        Ok(changes)
    }

    async fn kept_change(
        &self,
        kept: &Kept,
        key: Vec<Owned>,
        share: &Share,
        now_us: i64,
    ) -> Result<KeptChange, Problem> {
        let get = Get { table: self.table(kept.table).0, key: &key, freshness: Freshness::Fresh, now: millis(now_us) };
        let row = self.store.get(get).await?.row;
        let total = self.standing_share(kept, row.as_ref())?.plus(share)?;
        let (expect, version) = following(row.as_ref(), now_us)?;
        let values = total.columns(kept);
        Ok(KeptChange { table: kept.table, key, expect, version, values })
    }

    /// What a row adds to a kept value, and to whose.
    pub(crate) fn share(&self, kept: &Kept, record: &Record) -> Option<(Vec<Owned>, Share)> {
        let entity = self.entity(kept.feeder);
        if record.gone || !kept.filter.as_ref().is_none_or(|filter| passes(entity, record, filter)) {
            return None;
        }
        let key = record.fields(&kept.through)?;
        Some((key, Share::of(kept, entity, &record.values)))
    }

    /// What a row of a kept value says.
    pub(crate) fn standing_share(&self, kept: &Kept, row: Option<&Row>) -> Result<Share, Problem> {
        let none = Share::none(kept);
        let Some(row) = row else {
            let furthest = [Aggregate::Min, Aggregate::Max, Aggregate::First, Aggregate::Last];
            let absent = furthest.contains(&kept.aggregate);
            return Ok(if absent { Share { sum: Value::Null, ..none } } else { none });
        };
        let (_, shape) = self.table(kept.table);
        let cell = |column| -> Result<Owned, Problem> {
            Ok(row.value(shape, ColumnAt::Cell { group: 0, column })?.into_owned())
        };
        let number = |value: Owned| match value {
            Value::Int(number) => Ok(number),
            _ => Err(Problem::Broken("a kept count is no number".into())),
        };
        let first = cell(0)?;
        Ok(match kept.aggregate {
            Aggregate::Count => Share { count: number(first)?, ..none },
            Aggregate::Average => Share { sum: first, count: number(cell(1)?)? },
            _ => Share { sum: first, ..none },
        })
    }

    /// Looks up what of these rows is kept and to be tested.
    pub(crate) async fn with_kept(&self, access: &Access, rows: &mut [Found<'_>], now_us: i64) -> Result<(), Problem> {
        for kept in access.tested.iter().map(|kept| &self.program.kept[*kept]) {
            let values = self.kept_values(kept, &kept.key, &rows.iter().collect::<Vec<_>>(), now_us).await?;
            for (row, value) in rows.iter_mut().zip(values) {
                row.read()?[kept.field] = value;
            }
        }
        Ok(())
    }

    /// A kept value of the row that it belongs to.
    pub(crate) async fn kept_value(&self, kept: usize, owner: &Record, now_us: i64) -> Result<Owned, Problem> {
        let kept = &self.program.kept[kept];
        let values = self.kept_values(kept, &kept.key, &[&Found::of(owner.clone())], now_us).await?;
        Ok(values.into_iter().next().unwrap_or(Value::Null))
    }

    /// The kept values of these rows, by the fields that say whose.
    pub(crate) async fn kept_values(
        &self,
        kept: &Kept,
        fields: &[usize],
        rows: &[&Found<'_>],
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let keys = rows.iter().map(|row| row.fields(fields)).collect::<Result<Vec<Vec<Owned>>, Problem>>()?;
        let whole = |key: &&Vec<Owned>| !key.iter().any(Value::is_null);
        let table = self.table(kept.table).0;
        let get = |key| Get { table, key, freshness: Freshness::Settled, now: millis(now_us) };
        let gets: Vec<Get<'_>> = keys.iter().filter(whole).map(|key| get(key.as_slice())).collect();
        let mut got = self.store.get_many(&gets).await.into_iter();
        let mut values = Vec::with_capacity(rows.len());
        for key in &keys {
            let row = match if whole(&key) { got.next() } else { None } {
                Some(got) => got?.row,
                None => None,
            };
            let share = self.standing_share(kept, row.as_ref())?;
            values.push(match kept.aggregate {
                Aggregate::Count => Value::Int(share.count),
                Aggregate::Average => share.mean(),
                _ => share.sum,
            });
        }
        Ok(values)
    }
}

/// What a decision on the row of a kept value expects, and the version that it makes.
pub(crate) fn following(row: Option<&Row>, now_us: i64) -> Result<(Expect, u64), Problem> {
    let clock = u64::try_from(now_us).unwrap_or(0).max(2);
    Ok(match row {
        Some(row) => (Expect::Version(row.version()?), clock.max(row.version()? + 2)),
        None => (Expect::Absent, clock),
    })
}
