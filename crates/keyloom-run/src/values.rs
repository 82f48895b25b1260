//! What a row becomes: every field of a new one, and of one that is changed.

use keyloom_model::{Expr, Fill, Literal};
use keyloom_value::{Value, json::Unfit, to_text};

use crate::{
    evaluate::{BuiltIn, Scope},
    inputs::Inputs,
    problem::Problem,
    program::{EntityPlan, Write},
    record::Record,
    run::{Call, Run},
    size::within_size,
    write::Request,
};

type Owned = Value<'static>;

impl Run {
    /// Every field of a new row: as sent, as assigned, or as its declaration fills it.
    pub(crate) fn new_values(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        inputs: &Inputs,
        request: &Request,
    ) -> Result<Vec<Owned>, Problem> {
        let declared = self.declared(entity)?;
        let mut values = vec![Value::Null; entity.fields.len()];
        for (at, field) in declared.fields.iter().enumerate() {
            let (name, kind) = &entity.fields[at];
            let scope = Scope {
                fields: &entity.fields,
                row: &values,
                built_in: BuiltIn::default(),
                item: None,
                inputs,
                now_us: request.now_us,
            };
            let mut value = match &plan.assigned[at] {
                Some(typed) => scope.value(&typed.expr, &typed.kind)?,
                None => Value::Null,
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
        if let Some(tenant) = entity.tenant {
            values[tenant] = inputs.tenant();
        }
        self.finish(entity, values, inputs, request.now_us)
    }

    /// The row after an update, or the reason why it is not made.
    pub(crate) fn changed_values(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        there: &Record,
        call: &Call<'_>,
        now_us: i64,
    ) -> Result<Result<Vec<Owned>, String>, Problem> {
        let declared = self.declared(entity)?;
        let scope = Scope {
            fields: &entity.fields,
            row: &there.values,
            built_in: there.built_in(),
            item: None,
            inputs: &call.inputs,
            now_us,
        };
        for (test, reason) in &plan.conditions {
            if !scope.holds(test)? {
                return Ok(Err(reason.clone()));
            }
        }
        let mut values = there.values.clone();
        for (at, field) in declared.fields.iter().enumerate() {
            let kind = &entity.fields[at].1;
            if let Some(typed) = &plan.assigned[at] {
                values[at] = scope.value(&typed.expr, &typed.kind)?;
            } else if field.fill == Fill::NowOnWrite {
                values[at] = scope.value(&Expr::Literal(Literal::Now), kind)?;
            }
        }
        for states in &declared.states {
            let Some(at) = entity.field(&states.field).filter(|at| plan.assigned[*at].is_some()) else { continue };
            let kind = &entity.fields[at].1;
            let name = |value: &Owned| to_text(value, kind).map_err(|mismatch| Problem::Broken(mismatch.to_string()));
            let (from, to) = (name(&there.values[at])?, name(&values[at])?);
            if !states.changes.iter().any(|change| (&change.0, &change.1) == (&from, &to)) {
                return Ok(Err(format!("{}_is_{}", states.field, from.to_lowercase())));
            }
        }
        Ok(Ok(self.finish(entity, values, &call.inputs, now_us)?))
    }

    /// Derives what follows from the row itself, and looks whether every field may be as it is.
    fn finish(
        &self,
        entity: &EntityPlan,
        mut values: Vec<Owned>,
        inputs: &Inputs,
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let declared = self.declared(entity)?;
        for (at, field) in declared.fields.iter().enumerate() {
            if let Fill::Derived(expr) = &field.fill {
                let scope = Scope {
                    fields: &entity.fields,
                    row: &values,
                    built_in: BuiltIn::default(),
                    item: None,
                    inputs,
                    now_us,
                };
                values[at] = scope.value(expr, &entity.fields[at].1)?;
            }
        }
        for (value, field) in values.iter().zip(&declared.fields) {
            if value.is_null() && !field.optional {
                return Err(Unfit::new("it is missing").within(&field.name).into());
            }
            within_size(value, &field.ty, &self.program.catalog).map_err(|fault| fault.within(&field.name))?;
        }
        Ok(values)
    }

    fn declared(&self, entity: &EntityPlan) -> Result<&keyloom_model::Entity, Problem> {
        let found = self.program.catalog.entity(&entity.name);
        found.ok_or_else(|| Problem::Broken(format!("there is no entity `{}`", entity.name)))
    }
}
