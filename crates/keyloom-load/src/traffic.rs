//! Calls: which pattern, with which inputs, on whose rows.

use std::collections::BTreeMap;

use keyloom_model::{
    Action, Assignment, Catalog, Change, Endpoint, Entity, Expr, Field, Fill, Function, Literal, Pattern, Root, Skew,
    Type, Write, WriteVerb,
};
use serde_json::{Map, Value as Json, json};

use crate::{
    chance::Chance,
    known::{Known, Row},
    values::Values,
};

/// How many tenants are called for, where the catalog has any.
const TENANTS: usize = 20;
/// What the busiest tenant takes where the catalog does not say: it is there to be a nuisance.
const BUSIEST_TENANT: f64 = 0.5;
/// How many items a batch has.
const ITEMS: u64 = 5;
/// How many rows are looked at for one in a fitting state.
const LOOKS: usize = 16;

/// A request that is ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The position of its pattern.
    pub(crate) pattern: usize,
    pub(crate) tenant: usize,
    pub(crate) method: &'static str,
    /// With its query.
    pub(crate) path: String,
    pub(crate) body: Option<Json>,
    pub(crate) key: Option<String>,
    /// The row that it is about: of which entity, and where it stands among those that are known.
    about: Option<(String, usize)>,
    /// What each item sends.
    items: Vec<Row>,
}

/// Makes requests, and learns from their answers which rows there are.
pub(crate) struct Traffic<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) chance: Chance,
    /// The rows of each tenant; one where there are none.
    known: Vec<Known>,
    /// The names of the tenants.
    pub(crate) tenants: Vec<String>,
    busiest_tenant: f64,
    seed: u64,
    now_ms: u64,
}

impl<'a> Traffic<'a> {
    pub(crate) fn new(catalog: &'a Catalog, seed: u64, now_ms: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut tenants = Vec::new();
        if let Some(tenant) = &catalog.tenant {
            let count = tenant.count.map_or(TENANTS, |count| usize::try_from(count).unwrap_or(TENANTS).min(TENANTS));
            let mut values = Values { catalog, chance: &mut chance, now_ms };
            tenants.extend((0..count.max(1)).map(|number| match &tenant.ty {
                Type::Uuid | Type::Uuid7 => values.uuid4(),
                Type::Int => (number + 1).to_string(),
                _ => format!("tenant-{number}"),
            }));
        }
        let stated = catalog.tenant.as_ref().and_then(|tenant| tenant.busiest);
        let busiest_tenant = stated.map_or(BUSIEST_TENANT, |share| f64::from(share.millionths) / 1e6);
        let known = (0..tenants.len().max(1)).map(|_| Known::default()).collect();
        Self { catalog, chance, known, tenants, busiest_tenant, seed, now_ms }
    }

    /// The tenant of the next call.
    pub(crate) fn tenant(&mut self) -> usize {
        match self.tenants.len() {
            0 | 1 => 0,
            _ if self.chance.unit() < self.busiest_tenant => 0,
            count => 1 + self.chance.below(count as u64 - 1) as usize,
        }
    }

    pub(crate) fn rows(&self, tenant: usize, entity: &str) -> usize {
        self.known[tenant].of(entity).len()
    }

    /// A call of a pattern; nothing if there is no row yet that it could be about.
    pub(crate) fn call(&mut self, at: usize, tenant: usize, now_ms: u64) -> Option<Request> {
        self.call_with(at, tenant, now_ms, None)
    }

    /// The same, with what is known of a row in the place of what would be made up.
    pub(crate) fn call_with(&mut self, at: usize, tenant: usize, now_ms: u64, given: Option<&Row>) -> Option<Request> {
        self.now_ms = now_ms;
        let catalog = self.catalog;
        let pattern = &catalog.patterns[at];
        let endpoint = Endpoint::of(catalog, pattern)?;
        let batch = match &pattern.action {
            Action::Read(read) => read.batch,
            Action::Write(write) => write.batch,
            _ => None,
        };
        let number = if given.is_some() { 1 } else { batch.map_or(1, |most| self.chance.between(1, most.min(ITEMS))) };
        let (mut items, mut about) = (Vec::new(), None);
        for _ in 0..number {
            let (inputs, row) = self.inputs(pattern, tenant, given)?;
            items.push(inputs);
            about = row;
        }
        let mut path = endpoint.path.clone();
        let body = match (endpoint.method, batch) {
            ("GET", _) => {
                path.push_str(&query(&items[0]));
                None
            }
            (_, None) => Some(Json::Object(items[0].clone())),
            (_, Some(_)) => Some(json!({ "items": items.iter().cloned().map(Json::Object).collect::<Vec<_>>() })),
        };
        let mut values = Values { catalog, chance: &mut self.chance, now_ms };
        let key = endpoint.needs_idempotency_key.then(|| values.uuid7(now_ms));
        let about = about.filter(|_| batch.is_none());
        Some(Request { pattern: at, tenant, method: endpoint.method, path, body, key, about, items })
    }

    /// What one item sends, and the row that it is about.
    fn inputs(
        &mut self,
        pattern: &Pattern,
        tenant: usize,
        given: Option<&Row>,
    ) -> Option<(Row, Option<(String, usize)>)> {
        let catalog = self.catalog;
        let entity = catalog.entity(entity_of(pattern)?)?;
        let creates = is_create(pattern);
        let about = if creates { None } else { Some(self.choose(pattern, entity, tenant)?) };
        let mut references: BTreeMap<String, usize> = BTreeMap::new();
        let mut inputs = Map::new();
        for input in &pattern.inputs {
            let field = field_of(pattern, &input.name).or_else(|| set_by(pattern, &input.name));
            let field = entity.field(field.as_deref().unwrap_or(&input.name));
            if let Some(value) = given.and_then(|row| row.get(&input.name)) {
                inputs.insert(input.name.clone(), value.clone());
                continue;
            }
            if input.optional || given.is_some() && field.is_some_and(|field| field.optional) {
                continue;
            }
            let own = about.and_then(|at| {
                value_of(
                    &self.known[tenant].of(&entity.name)[at],
                    entity,
                    field.map_or(&input.name, |field| &field.name),
                )
            });
            let sets = !creates && is_set(pattern, &input.name);
            let reference = field.and_then(|field| field.reference.as_ref()).map(|reference| reference.entity.clone());
            let value = match (own.filter(|_| !sets), reference) {
                (Some(own), _) => own,
                (None, Some(other)) if self.rows(tenant, &other) > 0 => {
                    let at = match references.get(&other) {
                        Some(at) => *at,
                        None => self.group(
                            pattern,
                            entity,
                            field.map_or("", |field| &field.name),
                            self.rows(tenant, &other),
                        ),
                    };
                    references.insert(other.clone(), at);
                    let other = catalog.entity(&other)?;
                    // The field of the other row that bears the same name, else the last of its key.
                    let row = &self.known[tenant].of(&other.name)[at];
                    row.get(&input.name).or_else(|| row.get(other.key.last()?))?.clone()
                }
                (None, _) if input.name == "version" => return None,
                (None, _) if field.is_some_and(|field| typical(entity, &field.name).is_some()) => {
                    self.shared(pattern, entity, field?, tenant)
                }
                (None, _) => {
                    let unique = is_unique(entity, field.map_or(&input.name, |field| &field.name));
                    let key = entity.key.contains(&input.name);
                    let now_ms = self.now_ms;
                    let mut values = Values { catalog, chance: &mut self.chance, now_ms };
                    match input.ty {
                        // Rows that are made now bear a name of now.
                        Type::Uuid7 if creates => Json::from(values.uuid7(now_ms)),
                        _ => values.of(&input.ty, &input.name, creates && (unique || key)),
                    }
                }
            };
            inputs.insert(
                input.name.clone(),
                if input.list_max.is_some() && !value.is_array() { json!([value]) } else { value },
            );
        }
        Some((inputs, about.map(|at| (entity.name.clone(), at))))
    }

    /// The row that a call is about.
    fn choose(&mut self, pattern: &Pattern, entity: &Entity, tenant: usize) -> Option<usize> {
        let count = self.rows(tenant, &entity.name);
        if count == 0 {
            return None;
        }
        let at = match pattern.skew {
            Some(skew) => self.uneven(skew, count),
            None => self.chance.below(count as u64) as usize,
        };
        let Some(allowed) = leads(pattern, entity) else { return Some(at) };
        // A row in a state from which the change is allowed, if one is soon found.
        let rows = self.known[tenant].of(&entity.name);
        let fits = |at: &usize| {
            rows[*at].get(&allowed.0).and_then(Json::as_str).is_none_or(|is| allowed.1.iter().any(|from| from == is))
        };
        (0..LOOKS).map(|step| (at + step * 7) % count).find(fits).or(Some(at))
    }

    /// Which row of another entity a new row belongs to: uneven as the pattern says, or as the sizes of groups do.
    fn group(&mut self, pattern: &Pattern, entity: &Entity, field: &str, count: usize) -> usize {
        let group = entity
            .groups
            .iter()
            .find(|group| group.filter.is_none() && group.by.iter().map(String::as_str).eq([field]));
        if let (Some(skew), true) =
            (pattern.skew, group.is_some() || entity.key.first().is_some_and(|first| first == field))
        {
            return self.uneven(skew, count);
        }
        let worst = group.filter(|group| group.rows.per.is_none()).and_then(|group| group.rows.worst);
        let rows = entity.volume.as_ref().and_then(|volume| volume.rows);
        match (worst, rows) {
            (Some(worst), Some(rows)) if self.chance.unit() < worst as f64 / rows.max(1) as f64 => 0,
            _ => self.chance.below(count as u64) as usize,
        }
    }

    /// A value that rows share by which they are grouped: one of so many that groups are as large as is typical.
    fn shared(&mut self, pattern: &Pattern, entity: &Entity, field: &Field, tenant: usize) -> Json {
        let rows = self.rows(tenant, &entity.name);
        let of = typical(entity, &field.name).and_then(|rows| usize::try_from(rows).ok()).unwrap_or(usize::MAX);
        let number = self.group(pattern, entity, &field.name, rows / of.max(1) + 1);
        // The same for all rows, also of other entities that have such a field.
        let mut chance = Chance::new(self.seed).of(&field.name).of(&format!("{tenant} {number}"));
        Values { catalog: self.catalog, chance: &mut chance, now_ms: self.now_ms }.of(&field.ty, &field.name, false)
    }

    fn uneven(&mut self, skew: Skew, count: usize) -> usize {
        match skew {
            Skew::Busiest(share) if self.chance.unit() < f64::from(share.millionths) / 1e6 => 0,
            Skew::Busiest(_) => self.chance.below(count as u64) as usize,
            Skew::Zipf(thousandths) => self.chance.zipf(count, f64::from(thousandths) / 1_000.0),
        }
    }

    /// Learns from the answer to a request.
    pub(crate) fn answered(&mut self, request: &Request, answer: &Json) {
        let catalog = self.catalog;
        let pattern = &catalog.patterns[request.pattern];
        let Action::Write(write) = &pattern.action else { return };
        let answers: Vec<&Json> = match answer.get("items").and_then(Json::as_array) {
            Some(items) => items.iter().collect(),
            None => vec![answer],
        };
        for (sent, answer) in request.items.iter().zip(answers) {
            if answer.get("outcome").and_then(Json::as_str) != Some("applied") {
                continue;
            }
            match (&request.about, write.verb) {
                (_, WriteVerb::Create | WriteVerb::Put) => {
                    let mut row = sent.clone();
                    row.extend(answer.get("key").and_then(Json::as_object).cloned().unwrap_or_default());
                    row.extend(answer.get("version").map(|version| ("version".to_owned(), version.clone())));
                    row.extend(defaults(catalog, write));
                    self.known[request.tenant].add(&write.entity, row, &mut self.chance);
                }
                (Some((entity, at)), WriteVerb::Delete) => self.known[request.tenant].remove(entity, *at),
                (Some((entity, at)), WriteVerb::Update) => {
                    if let Some(version) = answer.get("version") {
                        self.known[request.tenant].set(entity, *at, "version", version.clone());
                    }
                    for (field, value) in constants(write).into_iter().chain(set(write, sent)) {
                        self.known[request.tenant].set(entity, *at, &field, value);
                    }
                }
                (None, _) => {}
            }
        }
    }
}

/// The patterns that make rows of an entity, by their positions.
pub(crate) fn creates<'a>(catalog: &'a Catalog, entity: &'a str) -> impl Iterator<Item = usize> + 'a {
    let makes =
        move |pattern: &Pattern| is_create(pattern) && entity_of(pattern) == Some(entity) && !pattern.all_tenants;
    catalog.patterns.iter().enumerate().filter(move |(_, pattern)| makes(pattern)).map(|(at, _)| at)
}

/// Why a pattern can't be driven, if it can't.
pub(crate) fn not_driven(catalog: &Catalog, pattern: &Pattern) -> Option<String> {
    match &pattern.action {
        Action::Outside(_) => return Some("it is served elsewhere".into()),
        Action::Claim(_) | Action::Atomic(_) => return Some("its kind is not driven yet".into()),
        _ if pattern.all_tenants => return Some("it crosses tenants".into()),
        _ => {}
    }
    let entity = catalog.entity(entity_of(pattern)?)?;
    let made = |name: &str| creates(catalog, name).next().is_some();
    (!made(&entity.name) && !is_create(pattern)).then(|| format!("nothing creates rows of {}", entity.name))
}

pub(crate) fn is_create(pattern: &Pattern) -> bool {
    matches!(&pattern.action, Action::Write(write) if matches!(write.verb, WriteVerb::Create | WriteVerb::Put))
}

/// The entity that a pattern is about.
fn entity_of(pattern: &Pattern) -> Option<&str> {
    match &pattern.action {
        Action::Read(read) => Some(&read.selection.entity),
        Action::Write(write) => Some(&write.entity),
        _ => None,
    }
}

/// The field that an input is compared with: `by: [owner_id = $user_id]`.
fn field_of(pattern: &Pattern, input: &str) -> Option<String> {
    let of = |value: &Expr| matches!(value, Expr::Input { name, .. } if name == input);
    let by = match &pattern.action {
        Action::Read(read) => read.selection.by.items(),
        Action::Write(write) => &write.by[..],
        _ => &[],
    };
    by.iter().find(|item| of(&item.value)).map(|item| item.path.field.clone())
}

/// The field that an input becomes the value of: `set: { assignee_id: $user_id }`.
fn set_by(pattern: &Pattern, input: &str) -> Option<String> {
    let Action::Write(write) = &pattern.action else { return None };
    let assignment = write.assignments.iter().find(|assignment| input_of(assignment) == Some(input))?;
    assignment.path.own_field().map(str::to_owned)
}

/// How many rows have the same value of a field, where they are grouped by it.
fn typical(entity: &Entity, field: &str) -> Option<u64> {
    entity.groups.iter().find(|group| group.by == [field])?.rows.typical
}

/// The updates that fill a field by which rows are grouped and which no new row has, by their positions, with their entities.
pub(crate) fn grouping(catalog: &Catalog) -> Vec<(usize, &str)> {
    let fills = |(at, pattern): (usize, &'_ Pattern)| {
        let Action::Write(write) = &pattern.action else { return None };
        let entity = catalog.entity(&write.entity).filter(|_| write.verb == WriteVerb::Update)?;
        let is_sent = |field: &str| {
            let mut inputs = creates(catalog, &entity.name).flat_map(|at| &catalog.patterns[at].inputs);
            inputs.any(|input| input.name == field && !input.optional)
        };
        let groups = |assignment: &Assignment| {
            let field = assignment.path.own_field().filter(|_| input_of(assignment).is_some());
            field.is_some_and(|field| typical(entity, field).is_some() && !is_sent(field))
        };
        write.assignments.iter().any(groups).then_some((at, entity.name.as_str()))
    };
    catalog.patterns.iter().enumerate().filter_map(fills).collect()
}

/// Whether an input becomes the value of a field, rather than saying which row is meant.
fn is_set(pattern: &Pattern, input: &str) -> bool {
    field_of(pattern, input).is_none() && input != "version"
}

/// What a row has in a field, where that is known or follows from what is.
fn value_of(row: &Row, entity: &Entity, field: &str) -> Option<Json> {
    if let Some(value) = row.get(field) {
        return Some(value.clone());
    }
    match &entity.field(field)?.fill {
        Fill::Derived(Expr::Call(Function::Lower, arguments)) => match &arguments[..] {
            [Expr::Path(path)] if matches!(path.root, Root::Own) => {
                Some(Json::from(row.get(&path.field)?.as_str()?.to_lowercase()))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_unique(entity: &Entity, name: &str) -> bool {
    entity.unique.iter().flat_map(|unique| &unique.fields).any(|field| {
        let derived = entity.field(field).is_some_and(|field| match &field.fill {
            Fill::Derived(expr) => expr.paths().iter().any(|path| path.field == name),
            _ => false,
        });
        field == name || derived
    })
}

/// The field of a state that an update changes, and from which states it may.
fn leads(pattern: &Pattern, entity: &Entity) -> Option<(String, Vec<String>)> {
    let Action::Write(write) = &pattern.action else { return None };
    constants(write).into_iter().find_map(|(field, to)| {
        let states = entity.states.iter().find(|states| states.field == field)?;
        let from = states.changes.iter().filter(|(_, new)| Some(new.as_str()) == to.as_str());
        Some((field, from.map(|(old, _)| old.clone()).collect()))
    })
}

/// The fields that an update sets to a value that stands in the catalog.
fn constants(write: &Write) -> Vec<(String, Json)> {
    let constant = |assignment: &keyloom_model::Assignment| match &assignment.value {
        Expr::Literal(Literal::Variant(name)) => Some((assignment.path.field.clone(), Json::from(name.clone()))),
        _ => None,
    };
    write.assignments.iter().filter_map(constant).collect()
}

/// The fields that an update sets to what was sent.
fn set(write: &Write, sent: &Row) -> Vec<(String, Json)> {
    let value = |assignment: &Assignment| {
        let field = assignment.path.own_field()?.to_owned();
        Some((field, sent.get(input_of(assignment)?)?.clone()))
    };
    write.assignments.iter().filter_map(value).collect()
}

/// The input whose value a field is set to.
fn input_of(assignment: &Assignment) -> Option<&str> {
    match (assignment.change, &assignment.value) {
        (Change::Set, Expr::Input { name, .. }) => Some(name),
        _ => None,
    }
}

/// The states that new rows begin in.
fn defaults(catalog: &Catalog, write: &Write) -> Vec<(String, Json)> {
    let Some(entity) = catalog.entity(&write.entity) else { return Vec::new() };
    let of = |states: &keyloom_model::States| match &entity.field(&states.field)?.fill {
        Fill::Default(Expr::Literal(Literal::Variant(name))) => Some((states.field.clone(), Json::from(name.clone()))),
        _ => None,
    };
    entity.states.iter().filter_map(of).collect()
}

/// `?user_id=..&limit=..`
fn query(inputs: &Row) -> String {
    let mut text = String::new();
    for (name, value) in inputs {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values {
            text.push(if text.is_empty() { '?' } else { '&' });
            text.push_str(name);
            text.push('=');
            let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            for byte in plain.bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
                    byte => text.push_str(&format!("%{byte:02X}")),
                }
            }
        }
    }
    text
}
