//! From rows to what is answered: fields, what every row has, and what is looked up in other rows.

use keyloom_store::{Freshness, Get, Row, Shape, Store};
use keyloom_value::Value;

use super::millis;
use crate::{
    evaluate::BuiltIn,
    problem::Problem,
    program::{EntityPlan, From, Outputs, Slices},
    record::Record,
    run::Run,
    shown::Object,
};

type Owned = Value<'static>;

/// As long as many rows are; a longer one grows.
const SIZE: usize = 256;

/// A row that was found: one value for each field, absent where its table has none.
pub(crate) struct Found {
    pub(crate) values: Vec<Owned>,
    pub(crate) built_in: BuiltIn,
    /// What it holds of other rows, in the order of its list.
    pub(crate) copied: Vec<Owned>,
}

impl Found {
    pub(crate) fn of(record: Record) -> Self {
        Self { built_in: record.built_in(), values: record.values, copied: Vec::new() }
    }

    /// A row of a list.
    pub(crate) fn read(row: &Row, shape: &Shape, slices: &Slices) -> Result<Self, Problem> {
        let mut values: Vec<Owned> = row.values(shape, &slices.columns)?.into_iter().map(Value::into_owned).collect();
        for (field, flag) in &slices.flags {
            if row.value(shape, *flag)? == Value::Bool(true) {
                values[*field] = Value::Null;
            }
        }
        let copied = slices.copied.iter().map(|at| Ok(row.value(shape, *at)?.into_owned()));
        let copied = copied.collect::<Result<Vec<Owned>, Problem>>()?;
        Ok(Self { values, built_in: BuiltIn { version: row.version()?, ..BuiltIn::default() }, copied })
    }
}

impl Run {
    /// The rows as they are answered, with what is looked up in other entities: each of those rows is read once.
    pub(crate) async fn shown<'a>(
        &self,
        entity: &EntityPlan,
        outputs: &'a Outputs,
        rows: &[Found],
        now_us: i64,
    ) -> Result<Vec<Object<'a>>, Problem> {
        let mut looked_up: Vec<Vec<Option<Record>>> = Vec::new();
        for (to, fields) in &outputs.lookups {
            looked_up.push(self.look_up(self.entity(*to), fields, rows, now_us).await?);
        }
        let mut kept_values: Vec<Vec<Owned>> = Vec::new();
        for (kept, fields) in &outputs.kept {
            kept_values.push(self.kept_values(&self.program.kept[*kept], fields, rows, now_us).await?);
        }
        let answer = |(at, row): (usize, &Found)| {
            let mut object = Object::sized(SIZE);
            for (name, from) in &outputs.items {
                match from {
                    From::Field(field) => object.put(name, &row.values[*field], &entity.fields[*field].1)?,
                    From::Kept(which) => {
                        let kind = &self.program.kept[outputs.kept[*which].0].kind;
                        object.put(name, &kept_values[*which][at], kind)?;
                    }
                    From::Copied { copied, kind } => object.put(name, &row.copied[*copied], kind)?,
                    From::BuiltIn(which) => {
                        if let (Some(value), Some(kind)) = (row.built_in.value(which), BuiltIn::kind(which)) {
                            object.put(name, &value, &kind)?;
                        }
                    }
                    From::Lookup { lookup, field } => {
                        let other = self.entity(outputs.lookups[*lookup].0);
                        if let Some(record) = &looked_up[*lookup][at] {
                            object.put(name, &record.values[*field], &other.fields[*field].1)?;
                        }
                    }
                }
            }
            Ok(object)
        };
        rows.iter().enumerate().map(answer).collect()
    }

    /// For each row, the row that its reference points to.
    async fn look_up(
        &self,
        other: &EntityPlan,
        fields: &[usize],
        rows: &[Found],
        now_us: i64,
    ) -> Result<Vec<Option<Record>>, Problem> {
        let keys: Vec<Vec<Owned>> =
            rows.iter().map(|row| fields.iter().map(|field| row.values[*field].clone()).collect()).collect();
        let mut distinct: Vec<&[Owned]> = Vec::new();
        for key in &keys {
            if !key.iter().any(Value::is_null) && !distinct.contains(&key.as_slice()) {
                distinct.push(key);
            }
        }
        let (table, shape) = self.table(other.source.table);
        let gets = distinct.iter().map(|key| Get { table, key, freshness: Freshness::Settled, now: millis(now_us) });
        let gets: Vec<Get<'_>> = gets.collect();
        let mut found = Vec::with_capacity(gets.len());
        for got in self.store.get_many(&gets).await {
            let record = got?.row.map(|row| Record::shown(&row, shape, &other.source)).transpose()?;
            found.push(self.alive(other, record, now_us)?);
        }
        let position = |key: &Vec<Owned>| distinct.iter().position(|known| *known == key.as_slice());
        Ok(keys.iter().map(|key| position(key).and_then(|at| found[at].clone())).collect())
    }
}
