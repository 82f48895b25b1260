//! `get` and `list`.

use std::ops::Bound;

use keyloom_store::{End, Freshness, Get as GetRow, Millis, Range, Row, Slice, Store};
use keyloom_value::{Value, compare, key};
use serde_json::{Map, Value as Json};

use crate::{
    answer::Answer,
    cursor::{Binding, Cursor},
    evaluate::{BuiltIn, Scope},
    inputs::Inputs,
    problem::Problem,
    program::{EntityPlan, From, Get, List, Outputs, Typed},
    record::Record,
    run::{Call, Run, put},
};

type Owned = Value<'static>;

/// How often a page is filled up when rows that were looked at had expired, before it is given out partly filled.
const FILLS_MAX: usize = 8;
/// How many bytes are read for a page at once.
const PAGE_BYTES: u32 = 4 << 20;

impl Run {
    pub(crate) async fn get(&self, plan: &Get, call: &Call<'_>) -> Result<Answer, Problem> {
        if call.limit.is_some() || call.cursor.is_some() {
            return Err(Problem::Input(format!(
                "`{}` answers with one row: it has no `limit` and no `cursor`",
                call.pattern
            )));
        }
        let now_us = self.now_us();
        let entity = self.entity(plan.entity);
        let key = self.constants(entity, &plan.key, &call.inputs, now_us)?;
        let found = self.source(entity, &key, plan.freshness, now_us).await?;
        let Some(record) = found.filter(|record| !record.gone) else { return Ok(Answer::NoRow) };
        let found = [(record.values.clone(), record.built_in())];
        let rows = self.rows_out(entity, &plan.outputs, &found, now_us).await?;
        let row = rows.into_iter().next().unwrap_or(Json::Null);
        Ok(Answer::Row { row, version: record.version })
    }

    /// What stands in a source row: also that it is gone.
    pub(crate) async fn source(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        freshness: Freshness,
        now_us: i64,
    ) -> Result<Option<Record>, Problem> {
        let (table, shape) = self.table(entity.source.table);
        let got = self.store.get(GetRow { table, key, freshness, now: millis(now_us) }).await?;
        Ok(got.row.map(|row| Record::read(&row, shape, &entity.source)).transpose()?)
    }

    pub(crate) async fn list(&self, plan: &List, call: &Call<'_>) -> Result<Answer, Problem> {
        let now_us = self.now_us();
        let entity = self.entity(plan.entity);
        let projection = &entity.projections[plan.projection];
        let (table, shape) = self.table(projection.table);
        let limit = match call.limit {
            Some(limit) if (1..=plan.page).contains(&limit) => limit,
            Some(limit) => {
                return Err(Problem::Input(format!("`limit`: {limit}, but a page has 1 to {} rows", plan.page)));
            }
            None => plan.page,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let binding = Binding {
            secret: &self.secret,
            pattern: call.pattern,
            inputs: call.inputs.digest(call.pattern)?,
            epoch: self.program.epoch,
        };
        let cursor = match call.cursor {
            Some(_) if !plan.goes_on => {
                return Err(Problem::Cursor(
                    "this list has no pages: it answers with its first rows and no more".into(),
                ));
            }
            Some(text) => Some(Cursor::read(text, &binding)?),
            None => None,
        };
        let backwards = cursor.as_ref().is_some_and(|cursor| cursor.backwards);
        let behind = cursor.as_ref().and_then(|cursor| cursor.behind.as_deref());
        let broken = |_| Problem::Cursor("this cursor is of another order".into());
        let mut after = behind.map(|bytes| key::decode(bytes, shape.sort_parts())).transpose().map_err(broken)?;

        let partition = self.constants(entity, &plan.partition, &call.inputs, now_us)?;
        let equal = self.constants(entity, &plan.equal, &call.inputs, now_us)?;
        let (low, high) = self.bounds(plan, entity, &call.inputs, now_us)?;
        let mut rows: Vec<Row> = Vec::new();
        let mut partial = false;
        // One row more than the page, to know whether there is a next one.
        for fill in 0.. {
            let wanted = u32::try_from(limit + 1 - rows.len()).unwrap_or(u32::MAX);
            let read = self.store.slice(Slice {
                table,
                partition: &partition,
                within: Range { equal: &equal, low: bound(&low), high: bound(&high) },
                after: after.as_deref(),
                reverse: backwards != plan.backward,
                rows_max: wanted,
                bytes_max: PAGE_BYTES,
                freshness: Freshness::Settled,
                now: millis(now_us),
            });
            let read = read.await?;
            rows.extend(read.rows);
            match read.end {
                End::Range => break,
                End::Limit { .. } if rows.len() > limit => break,
                End::Limit { .. } if fill == FILLS_MAX => {
                    partial = true;
                    break;
                }
                End::Limit { reached } => after = Some(reached),
            }
        }
        let more = rows.len() > limit;
        rows.truncate(limit);
        if backwards {
            rows.reverse();
        }
        let position = |row: Option<&Row>, backwards: bool| -> Result<String, Problem> {
            let behind = match row {
                Some(row) => {
                    let key = row.key(shape)?;
                    let sort = &key[shape.partition_parts().len()..];
                    Some(
                        key::encode(sort, shape.sort_parts())
                            .map_err(|mismatch| Problem::Broken(mismatch.to_string()))?,
                    )
                }
                None => None,
            };
            Ok(Cursor { backwards, behind }.write(&binding))
        };
        // Behind the first and the last row there is something if the page was reached from there, or more was read.
        // A page without rows leads back to where there are some: to the end of the list, or to its start.
        let resumed = cursor.is_some() && behind.is_some();
        let (ahead, before) = if backwards { (resumed, more || partial) } else { (more || partial, resumed) };
        let next = if ahead && plan.goes_on { Some(position(rows.last(), false)?) } else { None };
        let previous = if before && plan.goes_on { Some(position(rows.first(), true)?) } else { None };
        let found = rows
            .iter()
            .map(|row| {
                let values = projection.columns.iter().map(|at| match at {
                    Some(at) => Ok(row.value(shape, *at)?.into_owned()),
                    None => Ok(Value::Null),
                });
                let values = values.collect::<Result<Vec<Owned>, keyloom_value::Malformed>>()?;
                Ok((values, BuiltIn { version: row.version()?, ..BuiltIn::default() }))
            })
            .collect::<Result<Vec<_>, Problem>>()?;
        let rows = self.rows_out(entity, &plan.outputs, &found, now_us).await?;
        Ok(Answer::Rows { rows, next, previous, partial })
    }

    /// Values that depend on the inputs alone.
    pub(crate) fn constants(
        &self,
        entity: &EntityPlan,
        exprs: &[Typed],
        inputs: &Inputs,
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let scope = Scope { fields: &entity.fields, row: &[], built_in: BuiltIn::default(), inputs, now_us };
        exprs.iter().map(|typed| Ok(scope.value(&typed.expr, &typed.kind)?)).collect()
    }

    /// The narrowest range that all bounds of the list leave.
    fn bounds(
        &self,
        plan: &List,
        entity: &EntityPlan,
        inputs: &Inputs,
        now_us: i64,
    ) -> Result<(Bound<Owned>, Bound<Owned>), Problem> {
        let (mut low, mut high) = (Bound::Unbounded, Bound::Unbounded);
        for bounds in &plan.bounds {
            for (end, is_low, narrowest) in [(&bounds.low, true, &mut low), (&bounds.high, false, &mut high)] {
                let Some((typed, included)) = end else { continue };
                let value = self.constants(entity, std::slice::from_ref(typed), inputs, now_us)?.remove(0);
                // An optional input that was not sent bounds nothing.
                if !value.is_null() {
                    narrow(narrowest, value, *included, is_low);
                }
            }
        }
        Ok((low, high))
    }

    /// The answer's rows, with what is looked up in other entities: one read for each of them, whatever the page holds.
    async fn rows_out(
        &self,
        entity: &EntityPlan,
        outputs: &Outputs,
        rows: &[(Vec<Owned>, BuiltIn)],
        now_us: i64,
    ) -> Result<Vec<Json>, Problem> {
        let mut looked_up: Vec<Vec<Option<Record>>> = Vec::new();
        for (to, fields) in &outputs.lookups {
            looked_up.push(self.look_up(self.entity(*to), fields, rows, now_us).await?);
        }
        let answer = |(at, (values, built_in)): (usize, &(Vec<Owned>, BuiltIn))| {
            let mut object = Map::new();
            for (names, from) in &outputs.items {
                match from {
                    From::Field(field) => put(&mut object, names, &values[*field], &entity.fields[*field].1)?,
                    From::BuiltIn(name) => {
                        if let (Some(value), Some(kind)) = (built_in.value(name), BuiltIn::kind(name)) {
                            put(&mut object, names, &value, &kind)?;
                        }
                    }
                    From::Lookup { lookup, field } => {
                        let other = self.entity(outputs.lookups[*lookup].0);
                        if let Some(record) = &looked_up[*lookup][at] {
                            put(&mut object, names, &record.values[*field], &other.fields[*field].1)?;
                        }
                    }
                }
            }
            Ok(Json::Object(object))
        };
        rows.iter().enumerate().map(answer).collect()
    }

    /// For each row, the row that its reference points to; each is read once.
    async fn look_up(
        &self,
        other: &EntityPlan,
        fields: &[usize],
        rows: &[(Vec<Owned>, BuiltIn)],
        now_us: i64,
    ) -> Result<Vec<Option<Record>>, Problem> {
        let keys: Vec<Vec<Owned>> =
            rows.iter().map(|(values, _)| fields.iter().map(|field| values[*field].clone()).collect()).collect();
        let mut distinct: Vec<&[Owned]> = Vec::new();
        for key in &keys {
            if !key.iter().any(Value::is_null) && !distinct.contains(&key.as_slice()) {
                distinct.push(key);
            }
        }
        let (table, shape) = self.table(other.source.table);
        let gets: Vec<GetRow<'_>> = distinct
            .iter()
            .map(|key| GetRow { table, key, freshness: Freshness::Settled, now: millis(now_us) })
            .collect();
        let mut found = Vec::with_capacity(gets.len());
        for got in self.store.get_many(&gets).await {
            let record = got?.row.map(|row| Record::read(&row, shape, &other.source)).transpose()?;
            found.push(record.filter(|record| !record.gone));
        }
        let position = |key: &Vec<Owned>| distinct.iter().position(|known| *known == key.as_slice());
        Ok(keys.iter().map(|key| position(key).and_then(|at| found[at].clone())).collect())
    }
}

pub(crate) fn millis(now_us: i64) -> Millis {
    Millis(now_us.div_euclid(1_000))
}

fn bound(of: &Bound<Owned>) -> Bound<&Owned> {
    match of {
        Bound::Included(value) => Bound::Included(value),
        Bound::Excluded(value) => Bound::Excluded(value),
        Bound::Unbounded => Bound::Unbounded,
    }
}

fn narrow(bound: &mut Bound<Owned>, value: Owned, included: bool, is_low: bool) {
    let narrower = match &*bound {
        Bound::Unbounded => true,
        Bound::Included(held) | Bound::Excluded(held) => match compare(&value, held) {
            Some(std::cmp::Ordering::Equal) => !included,
            Some(order) => order.is_gt() == is_low,
            None => false,
        },
    };
    if narrower {
        *bound = if included { Bound::Included(value) } else { Bound::Excluded(value) };
    }
}
