//! From rows to what is answered: fields, what every row has, and what is looked up in other rows.

use std::borrow::Cow;

use keyloom_store::{ColumnAt, Freshness, Get, Row, Shape, Store};
use keyloom_value::{Malformed, Value};

use super::millis;
use crate::{
    evaluate::BuiltIn,
    judge::is_alive,
    problem::Problem,
    program::{EntityPlan, From, Outputs, Slices, Source},
    record::Record,
    run::Run,
    shown::Object,
};

type Owned = Value<'static>;

/// As long as many rows are; a longer one grows.
const SIZE: usize = 256;

/// A row that was found: one value for each field, absent where its table has none.
pub(crate) enum Found<'a> {
    /// As it stands in a table. Its values are read where somebody asks for them: of most rows nobody does but who writes the
    /// answer, and he needs no copies of them.
    Row {
        row: Row,
        columns: Columns<'a>,
        /// Its values, where they were read once for all.
        read: Option<Vec<Owned>>,
    },
    /// As a list would show it.
    Record {
        values: Vec<Owned>,
        built_in: BuiltIn,
        /// What it holds of other rows, in the order of its list.
        copied: Vec<Owned>,
    },
}

/// Where the fields of rows are in their table.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    shape: &'a Shape,
    fields: &'a [Option<ColumnAt>],
    /// Fields that are absent where this column says so.
    flags: &'a [(usize, ColumnAt)],
    /// What it holds of other rows.
    copied: &'a [ColumnAt],
    /// Where it is the source itself.
    source: Option<&'a Source>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of_source(shape: &'a Shape, source: &'a Source) -> Self {
        Self { shape, fields: &source.columns, flags: &[], copied: &[], source: Some(source) }
    }

    /// Those of the table that a list reads.
    pub(crate) fn of_list(shape: &'a Shape, slices: &'a Slices, entity: &'a EntityPlan) -> Self {
        if slices.is_source {
            return Self::of_source(shape, &entity.source);
        }
        Self { shape, fields: &slices.columns, flags: &slices.flags, copied: &slices.copied, source: None }
    }

    /// A row of that table.
    pub(crate) fn found(self, row: Row) -> Found<'a> {
        Found::Row { row, columns: self, read: None }
    }

    fn values<'r>(&self, row: &'r Row) -> Result<Vec<Value<'r>>, Malformed> {
        let mut values = row.values(self.shape, self.fields)?;
        for (field, flag) in self.flags {
            if row.value(self.shape, *flag)? == Value::Bool(true) {
                values[*field] = Value::Null;
            }
        }
        Ok(values)
    }
}

impl<'a> Found<'a> {
    pub(crate) fn of(record: Record) -> Self {
        Self::Record { built_in: record.built_in(), values: record.values, copied: Vec::new() }
    }

    /// One value for each field.
    pub(crate) fn values(&self) -> Result<Cow<'_, [Value<'_>]>, Problem> {
        Ok(match self {
            Self::Row { read: Some(values), .. } | Self::Record { values, .. } => Cow::Borrowed(&values[..]),
            Self::Row { row, columns, read: None } => Cow::Owned(columns.values(row)?),
        })
    }

    /// The values of these fields, to be kept.
    pub(crate) fn fields(&self, fields: &[usize]) -> Result<Vec<Owned>, Problem> {
        let values = self.values()?;
        Ok(fields.iter().map(|field| values[*field].clone().into_owned()).collect())
    }

    /// What it holds of another row, by its number in the list.
    pub(crate) fn copied(&self, at: usize) -> Result<Value<'_>, Problem> {
        Ok(match self {
            Self::Row { row, columns, .. } => row.value(columns.shape, columns.copied[at])?,
            Self::Record { copied, .. } => copied[at].clone(),
        })
    }

    pub(crate) fn version(&self) -> Result<u64, Problem> {
        Ok(match self {
            Self::Row { row, .. } => row.version()?,
            Self::Record { built_in, .. } => built_in.version,
        })
    }

    pub(crate) fn built_in(&self) -> Result<BuiltIn, Problem> {
        match self {
            Self::Row { row, columns: Columns { shape, source: Some(source), .. }, .. } => {
                let (created_us, updated_us) = source.moments(row, shape)?;
                Ok(BuiltIn::of(row.version()?, created_us, updated_us))
            }
            Self::Row { row, .. } => Ok(BuiltIn { version: row.version()?, ..BuiltIn::default() }),
            Self::Record { built_in, .. } => Ok(*built_in),
        }
    }

    /// The bytes of its key, where it stands in a table.
    pub(crate) fn key_bytes(&self) -> &[u8] {
        match self {
            Self::Row { row, .. } => row.key_bytes(),
            Self::Record { .. } => &[],
        }
    }

    /// Its values, read once for all.
    pub(crate) fn read(&mut self) -> Result<&mut [Owned], Problem> {
        match self {
            Self::Row { row, columns, read } => {
                if read.is_none() {
                    *read = Some(columns.values(row)?.into_iter().map(Value::into_owned).collect());
                }
                Ok(read.as_deref_mut().unwrap_or_default())
            }
            Self::Record { values, .. } => Ok(values),
        }
    }

    /// Whether it is there, where it stands in a source: there are rows that are gone.
    pub(crate) fn is_alive(&self, entity: &EntityPlan, now_us: i64) -> Result<bool, Problem> {
        let gone = match self {
            Self::Row { row, columns: Columns { shape, source: Some(source), .. }, .. } => {
                source.is_gone(row, shape)?
            }
            _ => false,
        };
        if gone || entity.expires.is_none() {
            return Ok(!gone);
        }
        is_alive(entity, false, &self.values()?, now_us)
    }
}

impl Run {
    /// The rows as they are answered, with what is looked up in other entities: each of those rows is read once.
    pub(crate) async fn shown<'a>(
        &self,
        entity: &EntityPlan,
        outputs: &'a Outputs,
        rows: &[&Found<'_>],
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
        let answer = |(at, row): (usize, &&Found<'_>)| {
            let values = row.values()?;
            let mut object = Object::sized(SIZE);
            for (name, from) in &outputs.items {
                match from {
                    From::Field(field) => object.put(name, &values[*field], &entity.fields[*field].1)?,
                    From::Kept { kept, of } => {
                        if of.is_none_or(|of| looked_up[of][at].is_some()) {
                            let kind = &self.program.kept[outputs.kept[*kept].0].kind;
                            object.put(name, &kept_values[*kept][at], kind)?;
                        }
                    }
                    From::Copied { copied, kind } => object.put(name, &row.copied(*copied)?, kind)?,
                    From::BuiltIn(which) => {
                        if let (Some(value), Some(kind)) = (row.built_in()?.value(which), BuiltIn::kind(which)) {
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
        rows: &[&Found<'_>],
        now_us: i64,
    ) -> Result<Vec<Option<Record>>, Problem> {
        let keys = rows.iter().map(|row| row.fields(fields)).collect::<Result<Vec<Vec<Owned>>, Problem>>()?;
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
