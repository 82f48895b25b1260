use keyloom_model::{
    Action, Change, Endpoint, Entity, Expr, Field, Fill, Freshness as Stated, Input, Path, Pattern, Read, ReadVerb,
    Returns, Root, Write as WriteModel, WriteVerb,
};
use keyloom_plan::{Component, Fixed, Program as Planned, Reach, ReadPlan, Slice, Wants, Within};
use keyloom_store::Freshness;
use keyloom_value::Kind;

use super::{EntityPlan, NotYet, Plan, Program, Typed};
use crate::evaluate::{self, BuiltIn};

/// One row by its key.
#[derive(Debug, Clone)]
pub(crate) struct Get {
    pub(crate) entity: usize,
    /// The key of the source.
    pub(crate) key: Vec<Typed>,
    pub(crate) outputs: Outputs,
    pub(crate) freshness: Freshness,
}

/// Rows of one partition of a projection.
#[derive(Debug, Clone)]
pub(crate) struct List {
    pub(crate) entity: usize,
    pub(crate) projection: usize,
    pub(crate) partition: Vec<Typed>,
    /// The first sort columns, as far as they are fixed.
    pub(crate) equal: Vec<Typed>,
    /// Tests on the next one.
    pub(crate) bounds: Vec<Bounds>,
    /// Rows are read against the order in which they stand.
    pub(crate) backward: bool,
    pub(crate) page: u64,
    /// Whether a next page can be asked for.
    pub(crate) goes_on: bool,
    pub(crate) outputs: Outputs,
}

/// One end, or both, of a range.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) low: Option<(Typed, bool)>,
    pub(crate) high: Option<(Typed, bool)>,
}

/// A create or an update.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) entity: usize,
    /// The key of the source; nothing for a create.
    pub(crate) key: Vec<Typed>,
    /// For each field, what it becomes, where the write says so.
    pub(crate) assigned: Vec<Option<Typed>>,
    pub(crate) conditions: Vec<(Expr, String)>,
}

/// What is answered for each row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outputs {
    pub(crate) items: Vec<(Vec<String>, From)>,
    /// Other rows that are looked up: the entity, and the own fields that its source's key equals.
    pub(crate) lookups: Vec<(usize, Vec<usize>)>,
}

/// Where a value of an answer comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum From {
    Field(usize),
    BuiltIn(String),
    Lookup { lookup: usize, field: usize },
}

type Bound<T> = Result<T, Vec<String>>;

fn one<T>(what: impl Into<String>) -> Bound<T> {
    Err(vec![what.into()])
}

impl Program {
    pub(super) fn pattern(&mut self, pattern: &Pattern, planned: &Planned, found: &mut Vec<NotYet>) {
        let planned = match &pattern.action {
            _ if pattern.all_tenants => one("`tenant: all`"),
            _ if !pattern.once_per.is_empty() => one("`once_per`"),
            Action::Read(read) => self.read(pattern, read, planned),
            Action::Write(write) => self.write(pattern, write, planned),
            Action::Claim(_) => one("`claim`"),
            Action::Atomic(_) => one("`atomic`"),
            Action::Outside(_) => one("`outside`"),
        };
        match planned {
            Ok(plan) => self.plans.push(plan),
            Err(words) => {
                let at = format!("patterns.{}", pattern.name);
                found.extend(words.into_iter().map(|what| NotYet { at: at.clone(), what }));
            }
        }
    }

    fn target(&self, name: &str) -> Bound<(usize, &EntityPlan, &Entity)> {
        let at = self.entities.iter().position(|plan| plan.name == name);
        match (at, self.catalog.entity(name)) {
            (Some(at), Some(entity)) => Ok((at, &self.entities[at], entity)),
            // What is not run of the entity was said there.
            _ => Err(Vec::new()),
        }
    }

    fn read(&self, pattern: &Pattern, read: &Read, planned: &Planned) -> Bound<Plan> {
        let mut words = Vec::new();
        let mut refuse = |is: bool, what: &str| {
            if is {
                words.push(what.to_owned());
            }
        };
        refuse(read.verb == ReadVerb::Count, "`count`");
        refuse(read.batch.is_some(), "`batch`");
        refuse(!read.with.is_empty(), "`with`");
        refuse(read.through.is_some(), "`through`");
        refuse(!read.one_per.is_empty(), "`one_per`");
        refuse(read.selection.orders.len() > 1, "several orders");
        if !words.is_empty() {
            return Err(words);
        }
        let (at, plan, entity) = self.target(&read.selection.entity)?;
        let outputs = self.outputs(pattern, &read.returns, plan, entity)?;
        // With every optional input sent, so that all that may narrow the read is there.
        let Some(found) = planned.reads_of(&pattern.name).last() else { return one("it has no plan") };
        let remains = found.access.remains.first();
        if let Some(test) = remains.filter(|_| !matches!(found.access.reach, Reach::Via { .. })) {
            return one(format!("the filter `{test}`: only ranges of what the list is ordered by are run"));
        }
        match &found.access.reach {
            Reach::Get { key } => {
                let key = fixed(plan, entity, key)?;
                let fresh = read.freshness == Some(Stated::Latest);
                let freshness = if fresh { Freshness::Fresh } else { Freshness::Settled };
                Ok(Plan::Get(Get { entity: at, key, outputs, freshness }))
            }
            Reach::Via { .. } => one("`by` with other fields than the key"),
            Reach::Slice(slice) => self.list(at, found, slice, outputs),
        }
    }

    fn list(&self, at: usize, found: &ReadPlan, slice: &Slice, outputs: Outputs) -> Bound<Plan> {
        let (_, plan, entity) = self.target(&found.asked.entity)?;
        let named = |projection: &super::Projection| self.tables[projection.table].name == found.access.table;
        let Some(projection) = plan.projections.iter().position(named) else {
            let source = self.tables.get(plan.source.table).is_some_and(|table| table.name == found.access.table);
            // What is not run of a projection was said of its table.
            return if source { one(format!("rows of `{}` as a list", found.access.table)) } else { Err(Vec::new()) };
        };
        let partition: Vec<(String, Fixed)> = slice
            .partition
            .iter()
            .map(|component| match component {
                Component::Field(field, to) => Ok((field.clone(), to.clone())),
                Component::Buckets { field, .. } => Err(vec![format!("`{field}` in time buckets")]),
            })
            .collect::<Bound<_>>()?;
        let partition = fixed(plan, entity, &partition)?;
        let equal = fixed(plan, entity, &slice.equal)?;
        let mut bounds = Vec::new();
        if let Some((field, within)) = &slice.range {
            let Some(kind) = plan.field(field).map(|field| &plan.fields[field].1) else { return Err(Vec::new()) };
            for within in within {
                bounds.push(bounds_of(within, entity, kind)?);
            }
        }
        let Wants::Rows { page, goes_on } = found.asked.wants else { return one("a read of another kind") };
        let backward = slice.backward;
        Ok(Plan::List(List { entity: at, projection, partition, equal, bounds, backward, page, goes_on, outputs }))
    }

    fn write(&self, pattern: &Pattern, write: &WriteModel, planned: &Planned) -> Bound<Plan> {
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
            Some(Reach::Get { key }) if write.verb == WriteVerb::Update => fixed(plan, entity, key),
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

    fn outputs(&self, pattern: &Pattern, returns: &Returns, plan: &EntityPlan, entity: &Entity) -> Bound<Outputs> {
        let own = || {
            let endpoint = Endpoint::of(&self.catalog, pattern);
            endpoint.into_iter().flat_map(|endpoint| endpoint.outputs).map(|output| Path::own(output.name)).collect()
        };
        let paths: Vec<Path> = match returns {
            Returns::Paths(paths) => paths.clone(),
            _ => own(),
        };
        let mut outputs = Outputs::default();
        for path in &paths {
            let from = self.output(path, plan, entity, &mut outputs.lookups);
            let Some(from) = from else { return one(format!("`returns: {path}`")) };
            outputs.items.push((path.to_string().split('.').map(str::to_owned).collect(), from));
        }
        Ok(outputs)
    }

    fn output(
        &self,
        path: &Path,
        plan: &EntityPlan,
        entity: &Entity,
        lookups: &mut Vec<(usize, Vec<usize>)>,
    ) -> Option<From> {
        if !path.members.is_empty() {
            return None;
        }
        match &path.root {
            Root::Own => match plan.field(&path.field) {
                Some(field) => Some(From::Field(field)),
                None => BuiltIn::kind(&path.field).map(|_| From::BuiltIn(path.field.clone())),
            },
            Root::Reference { field, entity: other } => {
                let to = self.entities.iter().position(|known| known.name == *other)?;
                let join = entity.join(entity.field(field)?, self.catalog.entity(other)?);
                let other = &self.entities[to];
                let own = |part: &usize| {
                    let key = &other.fields[*part].0;
                    let (own, _) = join.iter().find(|(_, to)| to == key)?;
                    plan.field(own)
                };
                let key = other.source.key.iter().map(own).collect::<Option<Vec<usize>>>()?;
                let lookup = lookups.iter().position(|known| *known == (to, key.clone())).unwrap_or_else(|| {
                    lookups.push((to, key));
                    lookups.len() - 1
                });
                Some(From::Lookup { lookup, field: other.field(&path.field)? })
            }
            Root::Edge { .. } | Root::Item(_) => None,
        }
    }
}

fn is_optional(inputs: &[Input], name: &str) -> bool {
    inputs.iter().any(|input| input.name == name && input.optional)
}

/// The values of fields that are fixed, each with its kind.
fn fixed(plan: &EntityPlan, entity: &Entity, fields: &[(String, Fixed)]) -> Bound<Vec<Typed>> {
    let typed = |(name, to): &(String, Fixed)| match (to, plan.field(name)) {
        (Fixed::To(expr), Some(field)) => {
            let words = evaluate::not_yet(expr, entity);
            if words.is_empty() {
                Ok(Typed { expr: expr.clone(), kind: plan.fields[field].1.clone() })
            } else {
                Err(words)
            }
        }
        _ => one(format!("`by: [{name}]`")),
    };
    fields.iter().map(typed).collect()
}

/// A range as bounds, if it is run.
fn bounds_of(within: &Within, entity: &Entity, kind: &Kind) -> Bound<Bounds> {
    let Within::Ends { low, high } = within else { return one("a range of a prefix or of a function") };
    let end = |end: &Option<(Expr, bool)>| match end {
        Some((expr, included)) => {
            let words = evaluate::not_yet(expr, entity);
            if words.is_empty() {
                Ok(Some((Typed { expr: expr.clone(), kind: kind.clone() }, *included)))
            } else {
                Err(words)
            }
        }
        None => Ok(None),
    };
    Ok(Bounds { low: end(low)?, high: end(high)? })
}
