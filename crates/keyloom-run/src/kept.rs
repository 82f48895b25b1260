//! Kept values: they change in the same decision as the rows that feed them.

use std::collections::BTreeMap;

use keyloom_model::Aggregate;
use keyloom_store::{ColumnAt, Expect, Freshness, Get, Row, Store};
use keyloom_value::{Kind, Value};

use crate::{
    carry::passes,
    problem::Problem,
    program::Kept,
    read::{Found, millis},
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

/// What becomes of a kept value by a decision.
pub(crate) struct KeptChange {
    pub(crate) table: usize,
    pub(crate) key: Vec<Owned>,
    pub(crate) expect: Expect,
    pub(crate) version: u64,
    pub(crate) values: Vec<Owned>,
}

/// What rows add to a kept value: how many, and how much.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Share {
    count: i64,
    sum: Owned,
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
        for kept in self.program.kept.iter().filter(|kept| kept.feeder == entity) {
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
        let clock = u64::try_from(now_us).unwrap_or(0).max(2);
        let (expect, version) = match &row {
            Some(row) => (Expect::Version(row.version()?), clock.max(row.version()? + 2)),
            None => (Expect::Absent, clock),
        };
        Ok(KeptChange { table: kept.table, key, expect, version, values: total.columns(kept) })
    }

    /// What a row adds to a kept value, and to whose.
    pub(crate) fn share(&self, kept: &Kept, record: &Record) -> Option<(Vec<Owned>, Share)> {
        let entity = self.entity(kept.feeder);
        if record.gone || !kept.filter.as_ref().is_none_or(|filter| passes(entity, record, filter)) {
            return None;
        }
        let key = record.fields(&kept.through)?;
        let of = kept.of.map_or(Value::Null, |field| record.values[field].clone());
        let counts = kept.of.is_none() || !of.is_null();
        let sum = match (of, &kept.kind) {
            (Value::Null, kind) => nothing(kind),
            // A mean is a number with a fraction, whatever it is of.
            (Value::Int(of), Kind::Float) => Value::Float(of as f64),
            (Value::Decimal(of), Kind::Float) => {
                let scale = kept.of.map_or(0, |field| match entity.fields[field].1 {
                    Kind::Decimal { scale } => scale,
                    _ => 0,
                });
                Value::Float(of as f64 / 10_f64.powi(scale.into()))
            }
            (of, _) => of,
        };
        Some((key, Share { count: i64::from(counts), sum }))
    }

    /// What a row of a kept value says.
    pub(crate) fn standing_share(&self, kept: &Kept, row: Option<&Row>) -> Result<Share, Problem> {
        let none = Share { count: 0, sum: nothing(&kept.kind) };
        let Some(row) = row else { return Ok(none) };
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

    /// The kept values of these rows, by the fields that say whose.
    pub(crate) async fn kept_values(
        &self,
        kept: &Kept,
        fields: &[usize],
        rows: &[Found],
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let keys: Vec<Vec<Owned>> =
            rows.iter().map(|row| fields.iter().map(|field| row.values[*field].clone()).collect()).collect();
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

impl Share {
    /// The columns of a row that says this.
    pub(crate) fn columns(self, kept: &Kept) -> Vec<Owned> {
        match kept.aggregate {
            Aggregate::Count => vec![Value::Int(self.count)],
            Aggregate::Average => vec![self.sum, Value::Int(self.count)],
            _ => vec![self.sum],
        }
    }

    /// Whether it says the same. Sums of numbers with a fraction depend on the order in which they were added.
    pub(crate) fn is_as(&self, other: &Self, kept: &Kept) -> bool {
        let counted = matches!(kept.aggregate, Aggregate::Count | Aggregate::Average);
        let same = match (&self.sum, &other.sum) {
            (Value::Float(a), Value::Float(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0),
            (a, b) => a == b,
        };
        (!counted || self.count == other.count) && (kept.aggregate == Aggregate::Count || same)
    }

    fn signed(self, sign: i64) -> Result<Self, Problem> {
        let negative = |value| match value {
            Value::Int(value) => value.checked_neg().map(Value::Int),
            Value::Decimal(value) => value.checked_neg().map(Value::Decimal),
            Value::Float(value) => Some(Value::Float(-value)),
            other => Some(other),
        };
        let sum = if sign < 0 { negative(self.sum).ok_or_else(too_large)? } else { self.sum };
        Ok(Self { count: self.count * sign, sum })
    }

    pub(crate) fn plus(&self, other: &Self) -> Result<Self, Problem> {
        let sum = match (&self.sum, &other.sum) {
            (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int),
            (Value::Decimal(a), Value::Decimal(b)) => a.checked_add(*b).map(Value::Decimal),
            (Value::Float(a), Value::Float(b)) => Some(Value::Float(a + b)),
            (a, _) => Some(a.clone()),
        };
        let count = self.count.checked_add(other.count);
        Ok(Self { count: count.ok_or_else(too_large)?, sum: sum.ok_or_else(too_large)? })
    }

    pub(crate) fn is_nothing(&self) -> bool {
        let zero = match &self.sum {
            Value::Int(sum) => *sum == 0,
            Value::Decimal(sum) => *sum == 0,
            Value::Float(sum) => *sum == 0.0,
            _ => true,
        };
        self.count == 0 && zero
    }

    fn mean(&self) -> Owned {
        match &self.sum {
            _ if self.count == 0 => Value::Null,
            Value::Int(sum) => Value::Int(sum / self.count),
            Value::Decimal(sum) => Value::Decimal(sum / i128::from(self.count)),
            Value::Float(sum) => Value::Float(sum / self.count as f64),
            _ => Value::Null,
        }
    }
}

fn nothing(kind: &Kind) -> Owned {
    match kind {
        Kind::Decimal { .. } => Value::Decimal(0),
        Kind::Float => Value::Float(0.0),
        _ => Value::Int(0),
    }
}

fn too_large() -> Problem {
    Problem::Input("a kept sum would be too large".into())
}
