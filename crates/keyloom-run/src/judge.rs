//! What a write makes of a row: its values, its end, or the reason why nothing is made of it.

mod parts;

use std::borrow::Borrow;

use keyloom_model::{Expr, Fill, Literal, WriteVerb};
use keyloom_store::{Freshness, Get, Store};
use keyloom_value::{Kind, Value, json::Unfit, to_text};

use crate::{
    evaluate::{BuiltIn, Scope},
    inputs::Inputs,
    problem::Problem,
    program::{ALL, EntityPlan, MustExist, Write},
    read::millis,
    record::Record,
    run::{Call, Run},
    size::within_size,
    write::Request,
};

type Owned = Value<'static>;

/// What becomes of a row.
pub(crate) enum Next {
    /// It has these values.
    Stands(Vec<Owned>),
    /// It is gone.
    Gone,
    /// Nothing: the reason.
    Refused(String),
}

impl Run {
    /// What a write makes of a row that is there, or of none.
    pub(crate) async fn judge(
        &self,
        plan: &Write,
        there: Option<&Record>,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Next, Problem> {
        let entity = self.entity(plan.entity);
        // The value by which the row was found may have left it since.
        let is_meant = |there: &&Record| request.named.as_ref().is_none_or(|named| named.is_of(entity, there));
        let is_other = there.is_some_and(|there| !is_meant(&there) && self.protocol.looks_at_value);
        if is_other && plan.or_create {
            return Ok(Next::Refused("conflict".to_owned()));
        }
        let there = there.filter(|_| !is_other);
        match (plan.verb, there) {
            (WriteVerb::Create, Some(_)) => Ok(Next::Refused("exists".to_owned())),
            (WriteVerb::Create | WriteVerb::Put, _) => {
                let values = self.new_values(plan, entity, &call.inputs, request)?;
                let values = match self.with_snapshots(plan, entity, values, request.now_us).await? {
                    Ok(values) => values,
                    Err(reason) => return Ok(Next::Refused(reason)),
                };
                let values = self.finish(entity, values, &call.inputs, request.now_us)?;
                match there.map(|there| self.refused_state(plan, entity, there, &values, &call.inputs)).transpose()? {
                    Some(Some(reason)) => Ok(Next::Refused(reason)),
                    _ => Ok(Next::Stands(values)),
                }
            }
            (WriteVerb::Update, None) if plan.or_create => {
                let values = self.new_values(plan, entity, &call.inputs, request)?;
                let values = match self.with_snapshots(plan, entity, values, request.now_us).await? {
                    Ok(values) => values,
                    Err(reason) => return Ok(Next::Refused(reason)),
                };
                // What the write says of a row that is there, it says of the new one.
                let values = self.assigned(plan, entity, &values, BuiltIn::default(), call, request.now_us)?;
                Ok(Next::Stands(self.finish(entity, values, &call.inputs, request.now_us)?))
            }
            (WriteVerb::Update | WriteVerb::Delete, None) => Ok(Next::Refused("absent".to_owned())),
            (WriteVerb::Update | WriteVerb::Delete, Some(there)) => self.changed(plan, entity, there, call, request),
        }
    }

    /// Every field of a new row: as sent, as assigned, or as its declaration fills it. What it takes from other rows, and
    /// what follows from its own fields, is not there yet.
    pub(crate) fn new_values(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        inputs: &Inputs,
        request: &Request,
    ) -> Result<Vec<Owned>, Problem> {
        let mut values = if request.filled.is_empty() {
            self.filled(plan, entity, inputs, request)?
        } else {
            request.filled.clone()
        };
        // A row that an update makes has what it was looked for by: a unique value, and the key.
        if let Some(named) = &request.named {
            for (field, value) in entity.reservations[named.reservation].fields.iter().zip(&named.value) {
                values[*field] = value.clone();
            }
        }
        entity.source.fill(&request.target, &mut values);
        if let Some(tenant) = entity.tenant {
            values[tenant] = inputs.tenant();
        }
        if let Some(only) = entity.only {
            values[only] = ALL;
        }
        Ok(values)
    }

    /// Every field of a new row as sent, as assigned, or as its declaration fills it, whichever row it will be.
    pub(crate) fn filled(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        inputs: &Inputs,
        request: &Request,
    ) -> Result<Vec<Owned>, Problem> {
        let declared = self.declared(entity)?;
        let mut values = vec![Value::Null; entity.fields.len()];
        let keyed = plan.verb == WriteVerb::Update;
        for (at, field) in declared.fields.iter().enumerate() {
            let (name, kind) = &entity.fields[at];
            let built_in = BuiltIn::default();
            let scope =
                Scope { fields: &entity.fields, row: &values, built_in, item: None, inputs, now_us: request.now_us };
            let mut value = match &plan.assigned[at] {
                // An update says what becomes of a row that is there: here there is none yet.
                Some(typed) if !keyed => scope.value(&typed.expr, &typed.kind)?,
                _ => Value::Null,
            };
            if value.is_null() {
                value = match &field.fill {
                    Fill::Default(expr) => scope.value(expr, kind)?,
                    Fill::New => request.key.identity(&self.program.catalog.name, &entity.name, name, kind),
                    Fill::NowOnWrite => scope.value(&Expr::Literal(Literal::Now), kind)?,
                    _ => Value::Null,
                };
            }
            values[at] = value;
        }
        Ok(values)
    }

    /// The same with what the row takes from others as they are now; the reason, where one that must be there is not.
    async fn with_snapshots(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        mut values: Vec<Owned>,
        now_us: i64,
    ) -> Result<Result<Vec<Owned>, String>, Problem> {
        for snapshot in &plan.snapshots {
            let key: Vec<Owned> = snapshot.fields.iter().map(|field| values[*field].clone()).collect();
            if key.iter().any(Value::is_null) {
                continue;
            }
            let other = self.entity(snapshot.entity);
            let there = self.source(other, &key, Freshness::Fresh, now_us).await?;
            let Some(there) = self.alive(other, there, now_us)? else {
                let same = |known: &&MustExist| known.entity == snapshot.entity && known.fields == snapshot.fields;
                if let Some(reference) = plan.references.iter().find(same) {
                    return Ok(Err(reference.reason.clone()));
                }
                let (name, _) = &entity.fields[snapshot.field];
                return Err(Unfit::new(format!("there is no {} to take it from", other.name)).within(name).into());
            };
            values[snapshot.field] = match snapshot.kept {
                Some(kept) => self.kept_value(kept, &there, now_us).await?,
                None => there.values[snapshot.from].clone(),
            };
        }
        Ok(Ok(values))
    }

    /// What an update or a delete makes of a row.
    fn changed(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        there: &Record,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Next, Problem> {
        let (inputs, now_us) = (&call.inputs, request.now_us);
        let (row, built_in) = (&there.values, there.built_in());
        let scope = Scope { fields: &entity.fields, row, built_in, item: None, inputs, now_us };
        for (test, reason) in &plan.conditions {
            if !scope.holds(test)? {
                return Ok(Next::Refused(reason.clone()));
            }
        }
        if plan.verb == WriteVerb::Delete {
            return Ok(Next::Gone);
        }
        let values = self.assigned(plan, entity, row, built_in, call, now_us)?;
        if let Some(reason) = self.refused_state(plan, entity, there, &values, inputs)? {
            return Ok(Next::Refused(reason));
        }
        Ok(Next::Stands(self.finish(entity, values, inputs, now_us)?))
    }

    /// The reason why a row can't pass from its state to another. Who puts a whole row may leave it in the state it has.
    fn refused_state(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        there: &Record,
        values: &[Owned],
        inputs: &Inputs,
    ) -> Result<Option<String>, Problem> {
        let whole = plan.verb == WriteVerb::Put;
        for states in &self.declared(entity)?.states {
            let assigned = |at: &usize| whole || plan.assigned[*at].is_some();
            let Some(at) = entity.field(&states.field).filter(assigned) else { continue };
            if whole && there.values[at] == values[at] {
                continue;
            }
            if plan.patched.contains(&at) && !inputs.has(&states.field) {
                continue;
            }
            // A row that has no state is not bound by one.
            if there.values[at].is_null() || values[at].is_null() {
                continue;
            }
            let kind = &entity.fields[at].1;
            let name = |value: &Owned| to_text(value, kind).map_err(|mismatch| Problem::Broken(mismatch.to_string()));
            let (from, to) = (name(&there.values[at])?, name(&values[at])?);
            if !states.changes.iter().any(|change| (&change.0, &change.1) == (&from, &to)) {
                return Ok(Some(format!("{}_is_{}", states.field, from.to_lowercase())));
            }
        }
        Ok(None)
    }

    /// A row with what a write assigns; everything that it looks at is as it was before.
    fn assigned(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        row: &[Owned],
        built_in: BuiltIn,
        call: &Call<'_>,
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let scope = Scope { fields: &entity.fields, row, built_in, item: None, inputs: &call.inputs, now_us };
        let mut values = row.to_vec();
        for (at, field) in self.declared(entity)?.fields.iter().enumerate() {
            let (name, kind) = &entity.fields[at];
            match &plan.assigned[at] {
                Some(_) if plan.patched.contains(&at) && !call.inputs.has(name) => {}
                Some(typed) => values[at] = scope.value(&typed.expr, &typed.kind)?,
                None if field.fill == Fill::NowOnWrite => {
                    values[at] = scope.value(&Expr::Literal(Literal::Now), kind)?;
                }
                None => {}
            }
        }
        for change in &plan.changes {
            let value = scope.value(&change.value.expr, &change.value.kind)?;
            let (name, kind) = &entity.fields[change.field];
            let field = &mut values[change.field];
            parts::change(field, kind, &change.members, change.change, value, &call.inputs)
                .map_err(|fault| fault.within(name))?;
        }
        Ok(values)
    }

    /// A row with what follows from its own fields.
    pub(crate) fn derived(
        &self,
        entity: &EntityPlan,
        mut values: Vec<Owned>,
        inputs: &Inputs,
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        for (at, field) in self.declared(entity)?.fields.iter().enumerate() {
            if let Fill::Derived(expr) = &field.fill {
                let (row, built_in) = (&values, BuiltIn::default());
                let scope = Scope { fields: &entity.fields, row, built_in, item: None, inputs, now_us };
                values[at] = scope.value(expr, &entity.fields[at].1)?;
            }
        }
        Ok(values)
    }

    /// Derives what follows from the row itself, and looks whether every field may be as it is.
    fn finish(
        &self,
        entity: &EntityPlan,
        values: Vec<Owned>,
        inputs: &Inputs,
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let declared = self.declared(entity)?;
        let values = self.derived(entity, values, inputs, now_us)?;
        for (value, field) in values.iter().zip(&declared.fields) {
            if value.is_null() && !field.optional && !matches!(field.fill, Fill::Kept(_)) {
                return Err(Unfit::new("it is missing").within(&field.name).into());
            }
            within_size(value, &field.ty, &self.program.catalog).map_err(|fault| fault.within(&field.name))?;
        }
        Ok(values)
    }

    /// The row, unless it is gone or has ended.
    pub(crate) fn alive<R: Borrow<Record>>(
        &self,
        entity: &EntityPlan,
        there: Option<R>,
        now_us: i64,
    ) -> Result<Option<R>, Problem> {
        let Some(there) = there else { return Ok(None) };
        let Record { gone, values, .. } = there.borrow();
        Ok(is_alive(entity, *gone, values, now_us)?.then_some(there))
    }

    /// The rows that must be there and are, each with its version; or the reason of the first that is not.
    pub(crate) async fn checks(
        &self,
        plan: &Write,
        before: Option<&Record>,
        record: &Record,
        now_us: i64,
    ) -> Result<Result<Vec<Checked>, String>, Problem> {
        let own = self.entity(plan.entity);
        let mut checks: Vec<Checked> = Vec::new();
        for reference in &plan.references {
            let other = self.entity(reference.entity);
            let Some(key) = record.fields(&reference.fields) else { continue };
            if before.and_then(|before| before.fields(&reference.fields)).as_ref() == Some(&key) {
                continue;
            }
            // A row may point to itself once it is there; its own decision says that it is.
            let itself = other.source.table == own.source.table && key == own.source_key(record);
            if itself && before.is_some() {
                continue;
            }
            let (table, _) = self.table(other.source.table);
            let get = Get { table, key: &key, freshness: Freshness::Fresh, now: millis(now_us) };
            let row = self.store.get(get).await?.row;
            let there =
                row.map(|row| Record::read(&row, self.table(other.source.table).1, &other.source)).transpose()?;
            let Some(there) = self.alive(other, there, now_us)? else { return Ok(Err(reference.reason.clone())) };
            let check = Checked { table: other.source.table, key, version: Some(there.version) };
            if !checks.contains(&check) {
                checks.push(check);
            }
        }
        Ok(Ok(checks))
    }

    fn declared(&self, entity: &EntityPlan) -> Result<&keyloom_model::Entity, Problem> {
        let found = self.program.catalog.entity(&entity.name);
        found.ok_or_else(|| Problem::Broken(format!("there is no entity `{}`", entity.name)))
    }
}

/// A row that a write relies on, as it was seen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    pub(crate) table: usize,
    pub(crate) key: Vec<Owned>,
    /// Its version; none where it was not there.
    pub(crate) version: Option<u64>,
}

/// Whether a source row is there: it is not gone, and has not ended.
pub(crate) fn is_alive(entity: &EntityPlan, gone: bool, values: &[Value<'_>], now_us: i64) -> Result<bool, Problem> {
    Ok(!gone && ends_at(entity, values)?.is_none_or(|ends| ends > millis(now_us).0))
}

/// When a row with these values ends, in milliseconds; never, where nothing says so.
pub(crate) fn ends_at(entity: &EntityPlan, values: &[Value<'_>]) -> Result<Option<i64>, Problem> {
    let Some(expires) = &entity.expires else { return Ok(None) };
    let inputs = Inputs::default();
    let built_in = BuiltIn::default();
    let scope = Scope { fields: &entity.fields, row: values, built_in, item: None, inputs: &inputs, now_us: 0 };
    match scope.value(expires, &Kind::Timestamp { micros: false })? {
        Value::Timestamp(moment) => Ok(Some(moment)),
        Value::Date(day) => Ok(Some(i64::from(day) * 86_400_000)),
        // What has not been closed does not end seven years after.
        _ => Ok(None),
    }
}
