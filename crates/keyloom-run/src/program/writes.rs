//! Writes: which row is changed, what each field becomes, what must hold.

use keyloom_model::{
    Change, Entity, Expr, Field, Fill, Input, Member, Path, Pattern, Returns, Root, Write as WriteModel, WriteVerb,
};
use keyloom_plan::{Program as Planned, Reach};
use keyloom_value::Kind;

use super::{
    Bound, Choice, EntityPlan, Outputs, Plan, Program, Typed, one,
    reads::{choices, source_choices},
};
use crate::evaluate;

/// A write of one row.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) entity: usize,
    pub(crate) verb: WriteVerb,
    /// An update makes the row that is not there.
    pub(crate) or_create: bool,
    pub(crate) target: Target,
    /// For each field, what it becomes, where the write says so.
    pub(crate) assigned: Vec<Option<Typed>>,
    /// Fields that stay as they are where nothing is sent.
    pub(crate) patched: Vec<usize>,
    /// Changes of parts of fields, in the order in which they are made.
    pub(crate) changes: Vec<PartChange>,
    pub(crate) conditions: Vec<(Expr, String)>,
    /// Rows that must be there.
    pub(crate) references: Vec<MustExist>,
    /// What a new row takes from others.
    pub(crate) snapshots: Vec<Snapshot>,
    /// A row that is there is the one that the same request made before: nobody is told that it exists.
    pub(crate) is_memory: bool,
    /// Inputs that stand for the request, instead of a key that it carries.
    pub(crate) once_per: Vec<String>,
    pub(crate) batch: Option<u64>,
    pub(crate) answers: Answers,
}

/// Which row is changed.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The one that the values make.
    New,
    /// The one of this key.
    Key(Vec<Choice>),
    /// The one that holds a unique value.
    Holder { reservation: usize, value: Vec<Choice> },
}

/// A change of a part of a field.
#[derive(Debug, Clone)]
pub(crate) struct PartChange {
    pub(crate) field: usize,
    /// Where in it.
    pub(crate) members: Vec<Member>,
    pub(crate) change: Change,
    pub(crate) value: Typed,
}

/// A reference whose row must be there.
#[derive(Debug, Clone)]
pub(crate) struct MustExist {
    pub(crate) entity: usize,
    /// The own fields that the other's source key equals.
    pub(crate) fields: Vec<usize>,
    pub(crate) reason: String,
}

/// A field that a new row takes from another.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) field: usize,
    pub(crate) entity: usize,
    /// The own fields that the other's source key equals.
    pub(crate) fields: Vec<usize>,
    pub(crate) from: usize,
    /// The value that it is there, where it is kept from other rows.
    pub(crate) kept: Option<usize>,
}

/// What is answered of the row besides its key and version.
#[derive(Debug, Clone)]
pub(crate) enum Answers {
    Nothing,
    Before(Outputs),
    After(Outputs),
}

impl Program {
    pub(super) fn write(&self, pattern: &Pattern, write: &WriteModel, planned: &Planned) -> Bound<Plan> {
        let (at, plan, entity) = self.target(&write.entity)?;
        let mut words = not_written(write);
        let mut assigned: Vec<Option<Typed>> = vec![None; plan.fields.len()];
        let sent = |name: &str, field: usize| Typed {
            expr: Expr::Input { name: name.to_owned(), optional: is_optional(&pattern.inputs, name) },
            kind: plan.fields[field].1.clone(),
        };
        // A new identity may be sent by the caller, though `takes` does not list it.
        let sent_new =
            |field: &&Field| field.fill == Fill::New && pattern.inputs.iter().any(|input| input.name == field.name);
        let new = entity.fields.iter().filter(sent_new).map(|field| &field.name);
        let new = new.filter(|_| matches!(write.verb, WriteVerb::Create | WriteVerb::Put));
        for name in write.takes.iter().chain(&write.any_of).chain(new) {
            if let Some(field) = plan.field(name) {
                assigned[field] = Some(sent(name, field));
            }
        }
        words.extend(unsaid_moment(pattern, write, plan, entity));
        let mut changes = Vec::new();
        for assignment in &write.assignments {
            words.extend(evaluate::not_yet(&assignment.value, entity));
            let Some(field) = plan.field(&assignment.path.field) else {
                words.push(format!("a change of `{}`", assignment.path));
                continue;
            };
            let whole = assignment.path.members.is_empty();
            let value = |kind: Kind| Typed { expr: assignment.value.clone(), kind };
            let kind = evaluate::member_kind(&plan.fields[field].1, &assignment.path.members);
            match (kind, assignment.change) {
                (Some(kind), Change::Set) if whole => assigned[field] = Some(value(kind)),
                (Some(kind), change) => {
                    let (members, value) = (assignment.path.members.clone(), value(element(kind, change)));
                    changes.push(PartChange { field, members, change, value });
                }
                (None, _) => words.push(format!("a change of `{}`", assignment.path)),
            }
        }
        let patched = write.any_of.iter().filter_map(|name| plan.field(name)).collect();
        if write.verb == WriteVerb::Update && plan.key.iter().any(|field| assigned[*field].is_some()) {
            words.push("a change of the key".to_owned());
        }
        for condition in &write.conditions {
            words.extend(evaluate::not_yet(&condition.test, entity));
        }
        let mut bound = |found: Vec<String>| words.extend(found);
        let target = self.changed_row(pattern, write, plan, entity, planned).unwrap_or_else(|found| {
            bound(found);
            Target::New
        });
        let references = self.references(write, plan, entity).unwrap_or_else(|found| {
            bound(found);
            Vec::new()
        });
        let snapshots = self.snapshots(plan, entity).unwrap_or_else(|found| {
            bound(found);
            Vec::new()
        });
        let answers = self.answers(write, plan, entity).unwrap_or_else(|found| {
            bound(found);
            Answers::Nothing
        });
        if !words.is_empty() {
            return Err(words);
        }
        let conditions =
            write.conditions.iter().map(|condition| (condition.test.clone(), condition.reason.clone())).collect();
        Ok(Plan::Write(Box::new(Write {
            entity: at,
            verb: write.verb,
            or_create: write.or_create,
            target,
            assigned,
            patched,
            changes,
            conditions,
            references,
            snapshots,
            is_memory: entity.append_only || !pattern.once_per.is_empty(),
            once_per: pattern.once_per.clone(),
            batch: write.batch,
            answers,
        })))
    }

    fn changed_row(
        &self,
        pattern: &Pattern,
        write: &WriteModel,
        plan: &EntityPlan,
        entity: &Entity,
        planned: &Planned,
    ) -> Bound<Target> {
        if matches!(write.verb, WriteVerb::Create | WriteVerb::Put) {
            return Ok(Target::New);
        }
        match planned.reads_of(&pattern.name).last().map(|found| &found.access.reach) {
            Some(Reach::Get { key }) => Ok(Target::Key(source_choices(plan, entity, key)?)),
            // What is refused today may happen tomorrow, and then to another row.
            Some(Reach::Via { .. }) if !pattern.once_per.is_empty() => one("`once_per` by other fields than the key"),
            Some(Reach::Via { reservations, value }) => {
                let named = |known: &super::Reservation| self.tables[known.table].name == *reservations;
                let Some(reservation) = plan.reservations.iter().position(named) else { return Err(Vec::new()) };
                Ok(Target::Holder { reservation, value: choices(plan, entity, value)? })
            }
            Some(Reach::Slice(_)) | None => one("`by` with other fields than the key"),
        }
    }

    /// The references that must lead somewhere, as far as the write can change them.
    fn references(&self, write: &WriteModel, plan: &EntityPlan, entity: &Entity) -> Bound<Vec<MustExist>> {
        if write.verb == WriteVerb::Delete {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for field in &entity.fields {
            let Some(reference) = field.reference.as_ref().filter(|reference| reference.must_exist) else { continue };
            let Some(other) = self.catalog.entity(&reference.entity) else { continue };
            let (entity, fields) = self.joined(plan, entity, field, other).ok_or_else(Vec::new)?;
            let name = field.name.strip_suffix("_id").map_or_else(|| other.name.to_lowercase(), str::to_owned);
            all.push(MustExist { entity, fields, reason: format!("missing_{name}") });
        }
        Ok(all)
    }

    fn snapshots(&self, plan: &EntityPlan, entity: &Entity) -> Bound<Vec<Snapshot>> {
        let mut all = Vec::new();
        for (at, field) in entity.fields.iter().enumerate() {
            let Fill::Snapshot(path) = &field.fill else { continue };
            let not_run = || vec![format!("`{}`: `{path} at create`", field.name)];
            let Path { root: Root::Reference { field: reference, entity: other }, field: from, members } = path else {
                return Err(not_run());
            };
            let (Some(reference), Some(other), true) =
                (entity.field(reference), self.catalog.entity(other), members.is_empty())
            else {
                return Err(not_run());
            };
            // What is not run of the other entity, or of what keeps the value, was said there.
            let (entity, fields) = self.joined(plan, entity, reference, other).ok_or_else(Vec::new)?;
            let other = &self.entities[entity];
            let from = other.field(from).ok_or_else(not_run)?;
            let kept = match other.is_kept(from) {
                true => Some(self.kept_at(other, from).ok_or_else(Vec::new)?),
                false => None,
            };
            all.push(Snapshot { field: at, entity, fields, from, kept });
        }
        Ok(all)
    }

    fn answers(&self, write: &WriteModel, plan: &EntityPlan, entity: &Entity) -> Bound<Answers> {
        match &write.returns {
            Returns::Default => Ok(Answers::Nothing),
            Returns::Before => Ok(Answers::Before(self.outputs(&write.returns, plan, entity, &[])?)),
            // Of a row that is deleted there is nothing but what it was.
            _ if write.verb == WriteVerb::Delete => {
                Ok(Answers::Before(self.outputs(&write.returns, plan, entity, &[])?))
            }
            returns => Ok(Answers::After(self.outputs(returns, plan, entity, &[])?)),
        }
    }
}

/// The words of a write that are not run yet.
fn not_written(write: &WriteModel) -> Vec<String> {
    let mut words = Vec::new();
    if write.emits.is_some() {
        words.push("`emits`".to_owned());
    }
    if write.newest.is_some() {
        words.push("`newest`".to_owned());
    }
    words
}

/// The kind of what a change takes: an element, where it adds or takes away one.
fn element(kind: Kind, change: Change) -> Kind {
    match (change, kind) {
        (Change::Set, kind) => kind,
        (_, Kind::Set(of) | Kind::List(of)) => *of,
        (_, Kind::Map(key, _)) => *key,
        (_, kind) => kind,
    }
}

fn is_optional(inputs: &[Input], name: &str) -> bool {
    inputs.iter().any(|input| input.name == name && input.optional)
}

/// What is new and names the moment at which it was made, where no two attempts would name the same.
fn unsaid_moment(pattern: &Pattern, write: &WriteModel, plan: &EntityPlan, entity: &Entity) -> Option<String> {
    let kind = |name: &str| plan.field(name).map(|field| &plan.fields[field].1);
    let says = |name: &String| matches!(kind(name), Some(Kind::Uuid7 | Kind::Timestamp { .. }));
    let makes = matches!(write.verb, WriteVerb::Create | WriteVerb::Put) || write.or_create;
    if !makes || pattern.once_per.is_empty() || pattern.once_per.iter().any(says) {
        return None;
    }
    let field =
        entity.fields.iter().find(|field| field.fill == Fill::New && kind(&field.name) == Some(&Kind::Uuid7))?;
    Some(format!(
        "`{}`: a new uuid7 of what happens once per fields that name no moment: write `uuid`, or a uuid7 or timestamp in `once_per`",
        field.name
    ))
}
