//! Writes: what each field becomes, and which row is changed.

use keyloom_model::{Change, Expr, Field, Fill, Input, Pattern, Returns, Write as WriteModel, WriteVerb};
use keyloom_plan::{Program as Planned, Reach};
use keyloom_value::Kind;

use super::{Bound, Choice, Plan, Program, Typed, one, reads::choices};
use crate::evaluate;

/// A create or an update.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) entity: usize,
    /// The key of the source; nothing for a create.
    pub(crate) key: Vec<Choice>,
    /// For each field, what it becomes, where the write says so.
    pub(crate) assigned: Vec<Option<Typed>>,
    pub(crate) conditions: Vec<(Expr, String)>,
}

impl Program {
    pub(super) fn write(&self, pattern: &Pattern, write: &WriteModel, planned: &Planned) -> Bound<Plan> {
        let (at, plan, entity) = self.target(&write.entity)?;
        let mut words = Vec::new();
        let mut refuse = |is: bool, what: &str| {
            if is {
                words.push(what.to_owned());
            }
        };
        refuse(matches!(write.verb, WriteVerb::Put | WriteVerb::Delete), &format!("`{}`", write.verb.name()));
        refuse(write.batch.is_some(), "`batch`");
        refuse(write.emits.is_some(), "`emits`");
        refuse(write.or_create, "`or_create`");
        refuse(!write.any_of.is_empty(), "`any_of`");
        refuse(write.returns != Returns::Default, "`returns` of a write");
        let mut assigned: Vec<Option<Typed>> = vec![None; plan.fields.len()];
        // A new identity may be sent by the caller, though `takes` does not list it.
        let sent_new =
            |field: &&Field| field.fill == Fill::New && pattern.inputs.iter().any(|input| input.name == field.name);
        let new = entity.fields.iter().filter(sent_new).map(|field| &field.name);
        let new = new.filter(|_| write.verb == WriteVerb::Create);
        for name in write.takes.iter().chain(new) {
            let Some(field) = plan.field(name) else { continue };
            let sent = Expr::Input { name: name.clone(), optional: is_optional(&pattern.inputs, name) };
            assigned[field] = Some(Typed { expr: sent, kind: plan.fields[field].1.clone() });
        }
        for assignment in &write.assignments {
            words.extend(evaluate::not_yet(&assignment.value, entity));
            match plan.field(&assignment.path.field) {
                Some(field) if assignment.change == Change::Set && assignment.path.members.is_empty() => {
                    let kind = plan.fields[field].1.clone();
                    assigned[field] = Some(Typed { expr: assignment.value.clone(), kind });
                }
                _ => words.push(format!("a change of `{}` other than `set`", assignment.path)),
            }
        }
        if write.verb == WriteVerb::Update && plan.key.iter().any(|field| assigned[*field].is_some()) {
            words.push("a change of the key".to_owned());
        }
        for condition in &write.conditions {
            words.extend(evaluate::not_yet(&condition.test, entity));
        }
        for field in &entity.fields {
            if let (Fill::New, Kind::Uuid | Kind::Uuid7) | (Fill::Taken, _) =
                (&field.fill, Kind::of(&field.ty, &self.catalog))
            {
                continue;
            }
            if field.fill == Fill::New {
                words.push(format!("`{}`: a new {}", field.name, field.ty.word()));
            }
        }
        let key = match planned.reads_of(&pattern.name).last().map(|found| &found.access.reach) {
            Some(Reach::Get { key }) if write.verb == WriteVerb::Update => choices(plan, entity, key),
            Some(_) if write.verb == WriteVerb::Update => one("`by` with other fields than the key"),
            _ => Ok(Vec::new()),
        };
        let key = key.unwrap_or_else(|more| {
            words.extend(more);
            Vec::new()
        });
        if !words.is_empty() {
            return Err(words);
        }
        let conditions =
            write.conditions.iter().map(|condition| (condition.test.clone(), condition.reason.clone())).collect();
        let planned = Write { entity: at, key, assigned, conditions };
        Ok(if write.verb == WriteVerb::Create { Plan::Create(planned) } else { Plan::Update(planned) })
    }
}

fn is_optional(inputs: &[Input], name: &str) -> bool {
    inputs.iter().any(|input| input.name == name && input.optional)
}
