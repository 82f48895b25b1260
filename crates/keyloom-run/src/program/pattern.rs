use keyloom_model::{
    Action, ByItem, Change, Compare, Direction, Endpoint, Entity, Expr, Field, Fill, Freshness as Stated, Input, Limit,
    Path, Pattern, Read, ReadVerb, Returns, Root, Set, Write as WriteModel, WriteVerb,
};
use keyloom_store::Freshness;
use keyloom_value::Kind;

use super::{EntityPlan, NotYet, PAGE_ASSUMED, Plan, Program, Typed};
use crate::{
    evaluate::{self, BuiltIn},
    layout::Layout,
};

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
    /// Tests on the first sort column.
    pub(crate) bounds: Vec<Bounds>,
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

type Planned<T> = Result<T, Vec<String>>;

fn one<T>(what: impl Into<String>) -> Planned<T> {
    Err(vec![what.into()])
}

impl Program {
    pub(super) fn pattern(&mut self, pattern: &Pattern, layout: &Layout, found: &mut Vec<NotYet>) {
        let planned = match &pattern.action {
            _ if pattern.all_tenants => one("`tenant: all`"),
            _ if !pattern.once_per.is_empty() => one("`once_per`"),
            Action::Read(read) => self.read(pattern, read, layout),
            Action::Write(write) => self.write(pattern, write),
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

    fn target(&self, name: &str) -> Planned<(usize, &EntityPlan, &Entity)> {
        let at = self.entities.iter().position(|plan| plan.name == name);
        match (at, self.catalog.entity(name)) {
            (Some(at), Some(entity)) => Ok((at, &self.entities[at], entity)),
            // What is not run of the entity was said there.
            _ => Err(Vec::new()),
        }
    }

    fn read(&self, pattern: &Pattern, read: &Read, layout: &Layout) -> Planned<Plan> {
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
        if read.verb == ReadVerb::Get {
            if let Some(filter) = &read.selection.filter {
                return one(format!("a get with the filter `{filter}`"));
            }
            let key = key(plan, entity, read.selection.by.items())?;
            let freshness = if read.freshness == Some(Stated::Latest) { Freshness::Fresh } else { Freshness::Settled };
            return Ok(Plan::Get(Get { entity: at, key, outputs, freshness }));
        }
        self.list(at, read, outputs, layout)
    }

    fn list(&self, at: usize, read: &Read, outputs: Outputs, layout: &Layout) -> Planned<Plan> {
        let (_, plan, entity) = self.target(&read.selection.entity)?;
        let selection = &read.selection;
        let mut words = Vec::new();
        let by = by(plan, entity, selection.by.items())?;
        let order = selection.orders.first().map_or(&[][..], |order| &order.items[..]);
        let serves = |projection: &&super::Projection| {
            let table = &self.tables[projection.table];
            let grouped = table.partition.len() == by.len()
                && table.partition.iter().all(|column| by.iter().any(|(name, _)| *name == column.name));
            let sorted = table.sort.len() >= order.len()
                && table.sort.iter().zip(order).all(|(column, item)| {
                    item.path == Path::own(&column.name)
                        && column.descending == (item.direction == Direction::Descending)
                });
            // What follows the order must be the tie-break and nothing else.
            let tied = table.sort.iter().skip(order.len()).all(|column| entity.key.contains(&column.name));
            grouped && sorted && tied
        };
        let Some(position) = plan.projections.iter().position(|projection| serves(&projection)) else {
            return one("the layout has no table for this list");
        };
        let projection = &plan.projections[position];
        let table = &self.tables[projection.table];
        let partition = table
            .partition
            .iter()
            .filter_map(|column| by.iter().find(|(name, _)| *name == column.name))
            .map(|(_, value)| value.clone())
            .collect();
        let mut bounds = Vec::new();
        let conjuncts = selection.filter.as_ref().map_or(&[][..], Expr::conjuncts);
        for test in conjuncts {
            words.extend(evaluate::not_yet(test, entity));
            let first = table.sort.first().map(|column| (column.name.as_str(), &column.kind));
            match first.and_then(|(name, kind)| bounds_of(test, name, kind)) {
                Some(found) => bounds.push(found),
                None => words.push(format!("the filter `{test}`: only ranges of what the list is ordered by are run")),
            }
        }
        // What the answer needs must be in the table.
        let laid = layout.tables.iter().find(|laid| laid.name == table.name);
        for (names, from) in &outputs.items {
            let name = names.join(".");
            let there = match from {
                From::Field(field) => projection.columns[*field].is_some(),
                From::BuiltIn(name) => name == "version",
                From::Lookup { .. } => laid.is_some_and(|laid| laid.looked_up.contains(&name)),
            };
            if !there {
                words.push(format!("the layout's table `{}` has no `{name}`", table.name));
            }
        }
        for field in outputs.lookups.iter().flat_map(|(_, key)| key) {
            if projection.columns[*field].is_none() {
                words.push(format!(
                    "the layout's table `{}` lacks the reference `{}`",
                    table.name, plan.fields[*field].0
                ));
            }
        }
        if !words.is_empty() {
            return Err(words);
        }
        let (page, goes_on) = match read.limit {
            Some(Limit::Page(rows)) => (rows, true),
            Some(Limit::First(rows)) => (rows, false),
            None => (PAGE_ASSUMED, true),
        };
        Ok(Plan::List(List { entity: at, projection: position, partition, bounds, page, goes_on, outputs }))
    }

    fn write(&self, pattern: &Pattern, write: &WriteModel) -> Planned<Plan> {
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
        let key = if write.verb == WriteVerb::Update {
            key(plan, entity, &write.by).unwrap_or_else(|more| {
                words.extend(more);
                Vec::new()
            })
        } else {
            Vec::new()
        };
        if !words.is_empty() {
            return Err(words);
        }
        let conditions =
            write.conditions.iter().map(|condition| (condition.test.clone(), condition.reason.clone())).collect();
        let planned = Write { entity: at, key, assigned, conditions };
        Ok(if write.verb == WriteVerb::Create { Plan::Create(planned) } else { Plan::Update(planned) })
    }

    fn outputs(&self, pattern: &Pattern, returns: &Returns, plan: &EntityPlan, entity: &Entity) -> Planned<Outputs> {
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

/// The fields that `by` fixes, with their values.
fn by(plan: &EntityPlan, entity: &Entity, items: &[ByItem]) -> Planned<Vec<(String, Typed)>> {
    let mut fixed = Vec::new();
    for item in items {
        let words = evaluate::not_yet(&item.value, entity);
        if !words.is_empty() {
            return Err(words);
        }
        match plan.field(&item.path.field) {
            Some(field) if item.path.root == Root::Own && item.path.members.is_empty() => {
                let (name, kind) = plan.fields[field].clone();
                fixed.push((name, Typed { expr: item.value.clone(), kind }));
            }
            _ => return one(format!("`by: [{}]`", item.path)),
        }
    }
    Ok(fixed)
}

/// The whole key of the source, from `by`.
fn key(plan: &EntityPlan, entity: &Entity, items: &[ByItem]) -> Planned<Vec<Typed>> {
    let fixed = by(plan, entity, items)?;
    if fixed.len() != plan.source.key.len() {
        return one("`by` with other fields than the key");
    }
    let value = |field: &usize| fixed.iter().find(|(name, _)| *name == plan.fields[*field].0).map(|(_, to)| to.clone());
    let key: Option<Vec<Typed>> = plan.source.key.iter().map(value).collect();
    key.ok_or_else(|| vec!["`by` with other fields than the key".to_owned()])
}

/// A test as bounds of a column, if it is that.
fn bounds_of(test: &Expr, column: &str, kind: &Kind) -> Option<Bounds> {
    let is_column = |expr: &Expr| matches!(expr, Expr::Path(path) if *path == Path::own(column));
    let typed = |expr: &Expr| {
        let constant = expr.paths().is_empty();
        constant.then(|| Typed { expr: expr.clone(), kind: kind.clone() })
    };
    match test {
        Expr::In(of, Set::Range(from, to)) if is_column(of) => {
            let end = |end: &Option<Box<Expr>>, included: bool| match end {
                Some(end) => typed(end).map(|typed| Some((typed, included))),
                None => Some(None),
            };
            Some(Bounds { low: end(from, true)?, high: end(to, false)? })
        }
        Expr::Compare(operation, of, value) if is_column(of) => {
            let value = typed(value)?;
            let (low, high) = match operation {
                Compare::Equal => (Some((value.clone(), true)), Some((value, true))),
                Compare::Less => (None, Some((value, false))),
                Compare::LessOrEqual => (None, Some((value, true))),
                Compare::Greater => (Some((value, false)), None),
                Compare::GreaterOrEqual => (Some((value, true)), None),
                Compare::NotEqual => return None,
            };
            Some(Bounds { low, high })
        }
        _ => None,
    }
}
