//! Calls from a catalog's patterns: few rows, few values, so that everything collides.

use std::collections::BTreeMap;

use keyloom_model::{
    Action, Catalog, Class, Entity, Expr, Field, Fill, Input, Path, Pattern, Read, ReadVerb, Root, Set, Type, WriteVerb,
};
use keyloom_run::{Caller, Run, uuid7};
use serde_json::{Map, Value as Json, json};

use crate::{
    dice::Dice,
    meaning::is_known,
    script::{Script, Step, Try, What},
};

/// Processes that serve.
pub(crate) const SERVERS: usize = 3;
/// Rows of each entity that clients name.
const ROWS: usize = 3;
const TEXTS: [&str; 4] = ["a", "B", "b", "ab"];
const DECIMALS: [i64; 4] = [0, 1, 5, 12];
/// Moments near to each other, and some that come while it is run.
const OFFSETS_MS: [i64; 6] = [0, 1_000, 2_500, 6_000, 30_000, 4_000_000];

/// The patterns that can be tried: their words are known to the judge.
pub(crate) fn known_patterns(catalog: &Catalog) -> Vec<&Pattern> {
    catalog.patterns.iter().filter(|pattern| is_tried(catalog, pattern)).collect()
}

fn is_tried(catalog: &Catalog, pattern: &Pattern) -> bool {
    let version = |expr: &Expr| expr.conjuncts().iter().all(|part| is_known(part) || version_input(part).is_some());
    let own = |path: &Path| path.root == Root::Own && path.members.is_empty();
    let sendable = pattern.inputs.iter().all(|input| is_made(&input.ty));
    let known_entity = |name: &str| {
        catalog.entity(name).is_some_and(|entity| {
            entity.fields.iter().all(|field| match &field.fill {
                Fill::Default(expr) | Fill::Derived(expr) => is_known(expr),
                Fill::New => entity.key.contains(&field.name),
                // What a row takes of a value that lags can't be told.
                Fill::Snapshot(Path { root: Root::Reference { entity, .. }, field, .. }) => {
                    !is_kept(catalog, entity, field)
                }
                _ => true,
            })
        })
    };
    let known_read = |read: &Read| {
        known_entity(&read.selection.entity)
            && read.selection.filter.as_ref().is_none_or(is_known)
            && !read.selection.filter.iter().flat_map(Expr::paths).any(|path| {
                // Nor whether a row passes by a value that lags.
                is_kept(catalog, &read.selection.entity, &path.field)
            })
            && read.selection.by.items().iter().all(|item| own(&item.path) && is_known(&item.value))
            && read.selection.orders.iter().flat_map(|order| &order.items).all(|item| own(&item.path))
            && match &read.returns {
                keyloom_model::Returns::Paths(paths) => paths.iter().all(|path| {
                    path.members.is_empty()
                        && !matches!(path.field.as_str(), "version" | "created" | "updated" | "lease")
                }),
                _ => true,
            }
    };
    sendable
        && match &pattern.action {
            Action::Read(read) => known_read(read) && read.with.iter().all(|with| known_read(&with.read)),
            Action::Write(write) => {
                known_entity(&write.entity)
                    && write.conditions.iter().all(|condition| version(&condition.test))
                    && write.assignments.iter().all(|one| is_known(&one.value))
                    && write.by.iter().all(|item| own(&item.path) && is_known(&item.value))
            }
            _ => false,
        }
}

/// Whether a field is kept from other rows.
fn is_kept(catalog: &Catalog, entity: &str, field: &str) -> bool {
    let field = catalog.entity(entity).and_then(|entity| entity.field(field));
    field.is_some_and(|field| matches!(field.fill, Fill::Kept(_)))
}

/// The input that a test compares with the version of a row.
fn version_input(test: &Expr) -> Option<&str> {
    match test {
        Expr::Compare(keyloom_model::Compare::Equal, a, b) => match (&**a, &**b) {
            (Expr::Path(path), Expr::Input { name, .. }) if *path == Path::own("version") => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn is_made(ty: &Type) -> bool {
    match ty {
        Type::OneOf(_) | Type::Json(_) | Type::Float => false,
        Type::List(of, _) | Type::Set(of, _) => is_made(of),
        Type::Map(key, of, _) => matches!(**key, Type::Text(_)) && is_made(of),
        _ => true,
    }
}

/// Makes steps.
pub(crate) struct Generator<'a> {
    catalog: &'a Catalog,
    run: &'a Run,
    dice: Dice,
    /// When the trial begins.
    start_ms: i64,
    /// Numbers of steps.
    count: usize,
    /// Identities that servers have made, by entity.
    made: BTreeMap<String, Vec<Json>>,
    /// Rows that are only added, by who they are.
    added: BTreeMap<String, String>,
    patterns: Vec<&'a Pattern>,
    /// Patterns that are asked most of the time, by chance.
    favourites: Vec<&'a Pattern>,
}

impl<'a> Generator<'a> {
    pub(crate) fn new(catalog: &'a Catalog, run: &'a Run, seed: u64, start_ms: i64) -> Self {
        let mut dice = Dice::new(seed);
        let patterns = known_patterns(catalog);
        // A day has its theme: one entity, or all of them.
        let entities: Vec<&str> = catalog.entities.iter().map(|entity| entity.name.as_str()).collect();
        let theme = dice.one_of(&entities).copied().filter(|_| dice.percent(70));
        let of = |pattern: &&&Pattern| theme.is_none_or(|theme| entity_of(pattern) == Some(theme));
        let mut favourites: Vec<&Pattern> = patterns.iter().filter(of).copied().collect();
        while favourites.len() > 8 {
            favourites.remove(dice.below(favourites.len()));
        }
        Self {
            catalog,
            run,
            dice,
            start_ms,
            count: 0,
            made: BTreeMap::new(),
            added: BTreeMap::new(),
            patterns,
            favourites,
        }
    }

    /// A whole trial; clients ask so many times as much.
    pub(crate) fn script(mut self, times: usize) -> Script {
        let mut opening = Vec::new();
        for pattern in self.patterns.clone() {
            if matches!(&pattern.action, Action::Write(write) if matches!(write.verb, WriteVerb::Create | WriteVerb::Put))
            {
                opening.extend((0..2).filter_map(|_| self.step(pattern, false)));
            }
        }
        let clients = 2 + self.dice.below(3);
        let clients = (0..clients)
            .map(|_| {
                let count = times * (3 + self.dice.below(8));
                (0..count).filter_map(|_| self.some(true)).collect()
            })
            .collect();
        let tail = (0..6).filter_map(|_| self.some(false)).collect();
        Script { opening, clients, tail }
    }

    fn some(&mut self, rough: bool) -> Option<Step> {
        let writes = self.dice.percent(75);
        let all = if self.dice.percent(85) { &self.favourites } else { &self.patterns };
        let fit = |pattern: &&&Pattern| matches!(pattern.action, Action::Write(_)) == writes;
        let fit: Vec<&Pattern> = all.iter().filter(fit).copied().collect();
        let pattern = *self.dice.one_of(&fit)?;
        self.step(pattern, rough)
    }

    fn step(&mut self, pattern: &'a Pattern, rough: bool) -> Option<Step> {
        let number = self.count;
        self.count += 1;
        let caller = self.caller();
        let wait_ms = if self.dice.percent(20) { self.dice.below(1_000) } else { self.dice.below(10) } as u64;
        let mut versions = Vec::new();
        let what = match &pattern.action {
            Action::Write(write) => {
                for condition in &write.conditions {
                    versions.extend(
                        condition.test.conjuncts().iter().filter_map(|test| version_input(test)).map(str::to_owned),
                    );
                }
                let tries = if rough { 1 + self.dice.below(3) } else { 1 };
                let tries = (0..tries).map(|_| self.attempt(rough)).collect();
                // Births lie close together, and not in the order of the requests.
                let born = self.start_ms + ((number * 7) % 64) as i64;
                What::Write { key: format!("request {number};{born}"), tries }
            }
            Action::Read(read) => {
                let orders: Vec<&str> = read.selection.orders.iter().map(|order| order.name.as_str()).collect();
                let named = orders.len() > 1 && self.dice.percent(70);
                let order = self.dice.one_of(&orders).filter(|_| named).map(|name| (*name).to_owned());
                let page = match read.limit {
                    Some(keyloom_model::Limit::Page(rows) | keyloom_model::Limit::First(rows)) => rows,
                    None => 100,
                };
                let limit = (read.verb == ReadVerb::List && self.dice.percent(50))
                    .then(|| 1 + self.dice.below(usize::try_from(page.min(3)).unwrap_or(1)) as u64);
                What::Read { server: self.dice.below(SERVERS), order, limit, back: self.dice.percent(30) }
            }
            _ => return None,
        };
        let (batch, verb) = match &pattern.action {
            Action::Write(write) => (write.batch, Some(write.verb)),
            Action::Read(read) => (read.batch, None),
            _ => (None, None),
        };
        let items = batch.map_or(1, |max| 1 + self.dice.below(usize::try_from(max.min(3)).unwrap_or(1)));
        let mut bodies: Vec<Json> = (0..items).map(|_| self.body(pattern, &versions)).collect();
        if bodies.len() > 1 && self.dice.percent(20) {
            bodies[1] = bodies[0].clone();
        }
        if self.is_append(pattern) && verb.is_some() && !bodies.iter().all(|body| self.is_one(pattern, &caller, body)) {
            return None;
        }
        if let (What::Write { key, .. }, Some(WriteVerb::Create), None) = (&what, verb, batch) {
            self.remember(pattern, &caller, key, &bodies[0]);
        }
        Some(Step { number, wait_ms, pattern: pattern.name.clone(), caller, bodies, versions, what })
    }

    /// A row that the server gives its identity may be named by others.
    fn remember(&mut self, pattern: &Pattern, caller: &Caller, key: &str, body: &Json) {
        let Some(entity) = entity_of(pattern).and_then(|name| self.catalog.entity(name)) else { return };
        let [field] = &entity.key[..] else { return };
        let made = entity.field(field).is_some_and(|field| field.fill == Fill::New) && body.get(field).is_none();
        if made
            && pattern.once_per.is_empty()
            && let Ok(Some(id)) = self.run.new_identity(&entity.name, caller, key)
        {
            self.made.entry(entity.name.clone()).or_default().push(id);
        }
    }

    fn attempt(&mut self, rough: bool) -> Try {
        let patience_ms = if rough && self.dice.percent(10) { 50 } else { 20_000 };
        Try {
            server: self.dice.below(SERVERS),
            patience_ms,
            asks: self.dice.percent(50),
            anyway: rough && self.dice.percent(15),
        }
    }

    pub(crate) fn caller(&mut self) -> Caller {
        let all = callers(self.catalog);
        all[self.dice.below(all.len())].clone()
    }

    fn body(&mut self, pattern: &Pattern, versions: &[String]) -> Json {
        let mut body = Map::new();
        for input in pattern.inputs.iter().filter(|input| !versions.contains(&input.name)) {
            let new = is_new(self.catalog, pattern, input);
            if input.optional && self.dice.percent(if new { 45 } else { 33 }) {
                continue;
            }
            let mut values = self.values(pattern, input);
            if let Some(max) = input.list_max {
                let count = 1 + self.dice.below(usize::try_from(max.min(3)).unwrap_or(1));
                let some: Vec<Json> = (0..count).filter_map(|_| self.dice.one_of(&values).cloned()).collect();
                values = vec![Json::Array(some)];
            }
            if let Some(value) = self.dice.one_of(&values) {
                body.insert(input.name.clone(), value.clone());
            }
        }
        Json::Object(body)
    }

    /// Whether a row that is added is sent as it was sent before, if it was. One identity with two bodies is not tried: see
    /// "What is not tried" in `docs/design/004-simulation.md`.
    fn is_one(&mut self, pattern: &Pattern, caller: &Caller, body: &Json) -> bool {
        let entity = entity_of(pattern).and_then(|name| self.catalog.entity(name));
        let key: Option<Vec<&Json>> = entity.and_then(|entity| entity.key.iter().map(|key| body.get(key)).collect());
        let Some(key) = key else { return true };
        // Rows that all tenants share are the same whoever sends them.
        let tenant = caller.tenant.as_ref().filter(|_| entity.is_some_and(|entity| entity.per_tenant));
        let name = format!("{:?} {key:?} {tenant:?}", entity_of(pattern));
        let row = format!("{} {caller:?} {body}", pattern.name);
        match self.added.get(&name) {
            None => {
                self.added.insert(name, row);
                true
            }
            Some(known) => *known == row && !pattern.once_per.is_empty(),
        }
    }

    fn is_append(&self, pattern: &Pattern) -> bool {
        let entity = entity_of(pattern).and_then(|name| self.catalog.entity(name));
        entity.is_some_and(|entity| entity.class(self.catalog).0 == Class::Append)
    }

    /// The few values that an input has in a trial.
    fn values(&mut self, pattern: &Pattern, input: &Input) -> Vec<Json> {
        if let (Type::Uuid, Some((entity, field))) = (&input.ty, field_of(self.catalog, pattern, &input.name)) {
            let made = named_by(entity, field).and_then(|name| self.made.get(name));
            return few_uuids(self.catalog, entity, field)
                .into_iter()
                .chain(made.into_iter().flatten().cloned())
                .collect();
        }
        domain(self.catalog, &input.ty, self.start_ms)
    }

    /// Rows that a script makes may be asked for.
    pub(crate) fn know(&mut self, script: &Script) {
        let steps = script.opening.iter().chain(script.clients.iter().flatten()).chain(&script.tail);
        for step in steps {
            if let (What::Write { key, .. }, Some(pattern), [body]) =
                (&step.what, self.catalog.pattern(&step.pattern), &step.bodies[..])
                && matches!(&pattern.action, Action::Write(write) if write.verb == WriteVerb::Create && write.batch.is_none())
            {
                self.remember(pattern, &step.caller, key, body);
            }
        }
    }

    /// Every way to ask a read, up to a bound, with all identities that servers have made.
    pub(crate) fn questions(&mut self, pattern: &'a Pattern, max: usize) -> Vec<(Caller, Json)> {
        let mut bodies = vec![Map::new()];
        for input in &pattern.inputs {
            let mut values = self.values(pattern, input);
            if input.list_max.is_some() {
                values = vec![Json::Array(values.into_iter().take(3).collect())];
            }
            let mut next = Vec::new();
            for body in &bodies {
                if input.optional {
                    next.push(body.clone());
                }
                for value in values.iter().take(if input.optional { 2 } else { usize::MAX }) {
                    let mut body = body.clone();
                    body.insert(input.name.clone(), value.clone());
                    next.push(body);
                }
            }
            bodies = next;
        }
        while bodies.len() > max {
            let one = self.dice.below(bodies.len());
            bodies.remove(one);
        }
        let callers = callers(self.catalog);
        bodies.into_iter().zip(callers.into_iter().cycle()).map(|(body, caller)| (caller, Json::Object(body))).collect()
    }
}

/// Those who call: two of each tenant. Where rows are theirs by a uuid, they are called by one.
pub(crate) fn callers(catalog: &Catalog) -> Vec<Caller> {
    let theirs = catalog.patterns.iter().filter_map(|pattern| field_of(catalog, pattern, "caller"));
    let mut uuids =
        theirs.filter(|(_, field)| field.ty == Type::Uuid).map(|(entity, field)| few_uuids(catalog, entity, field));
    let names = uuids.next().unwrap_or_else(|| vec![json!("ann"), json!("ben")]);
    let subjects: Vec<&str> = names.iter().filter_map(Json::as_str).take(2).collect();
    let tenants: Vec<Option<String>> = match &catalog.tenant {
        None => vec![None],
        Some(tenant) => domain(catalog, &tenant.ty, 0)
            .iter()
            .take(2)
            .map(|it| Some(it.as_str().map_or_else(|| it.to_string(), str::to_owned)))
            .collect(),
    };
    let of = |tenant: &Option<String>| {
        let caller = |subject: &&str| Caller { tenant: tenant.clone(), subject: Some((*subject).to_owned()) };
        subjects.iter().map(caller).collect::<Vec<_>>()
    };
    tenants.iter().flat_map(of).collect()
}

pub(crate) fn entity_of(pattern: &Pattern) -> Option<&str> {
    match &pattern.action {
        Action::Read(read) => Some(&read.selection.entity),
        Action::Write(write) => Some(&write.entity),
        _ => None,
    }
}

/// The entity whose rows a field names: those that it refers to, or its own.
fn named_by<'a>(entity: &'a Entity, field: &'a Field) -> Option<&'a str> {
    let pointed = field.reference.as_ref().map(|reference| reference.entity.as_str());
    pointed.or_else(|| entity.key.contains(&field.name).then_some(entity.name.as_str()))
}

/// The few values of a field that is a uuid.
fn few_uuids(catalog: &Catalog, entity: &Entity, field: &Field) -> Vec<Json> {
    named_by(entity, field).map_or_else(|| domain(catalog, &Type::Uuid, 0), |name| ids(catalog, name))
}

/// Identities of rows that clients name themselves.
fn ids(catalog: &Catalog, entity: &str) -> Vec<Json> {
    let at = catalog.entities.iter().position(|known| known.name == entity).unwrap_or(0);
    (0..ROWS).map(|row| json!(format!("{row:08x}-0000-4000-8000-{at:012x}"))).collect()
}

/// Whether an input is the identity of a row that a server would else make.
fn is_new(catalog: &Catalog, pattern: &Pattern, input: &Input) -> bool {
    let entity = entity_of(pattern).and_then(|name| catalog.entity(name));
    entity.and_then(|entity| entity.field(&input.name)).is_some_and(|field| field.fill == Fill::New)
}

/// The field that an input is compared with or assigned to.
fn field_of<'a>(catalog: &'a Catalog, pattern: &Pattern, input: &str) -> Option<(&'a Entity, &'a Field)> {
    let entity = catalog.entity(entity_of(pattern)?)?;
    let is_it = |expr: &Expr| matches!(expr, Expr::Input { name, .. } if name == input);
    let mut names = vec![input.to_owned()];
    let mut test = |expr: &Expr| {
        expr.walk(&mut |part| match part {
            Expr::Compare(_, a, b) if is_it(b) => names.extend(a.paths().iter().map(|path| path.field.clone())),
            Expr::In(of, Set::Input { name, .. }) if name == input => {
                names.extend(of.paths().iter().map(|path| path.field.clone()));
            }
            _ => {}
        });
    };
    match &pattern.action {
        Action::Read(read) => {
            read.selection.filter.iter().for_each(&mut test);
            names
                .extend(read.selection.by.items().iter().filter(|it| is_it(&it.value)).map(|it| it.path.field.clone()));
        }
        Action::Write(write) => {
            write.conditions.iter().for_each(|condition| test(&condition.test));
            names.extend(write.by.iter().filter(|it| is_it(&it.value)).map(|it| it.path.field.clone()));
            names.extend(write.assignments.iter().filter(|it| is_it(&it.value)).map(|it| it.path.field.clone()));
        }
        _ => {}
    }
    let field = names.iter().find_map(|name| entity.field(name))?;
    Some((entity, field))
}

/// The few values of a type.
pub(crate) fn domain(catalog: &Catalog, ty: &Type, start_ms: i64) -> Vec<Json> {
    let few = |values: &[i64]| values.iter().map(|value| json!(value)).collect();
    match ty {
        Type::Uuid => (0..ROWS).map(|row| json!(format!("{row:08x}-0000-4000-9000-000000000000"))).collect(),
        Type::Uuid7 => {
            (0..4).map(|at| json!(uuid_text(&uuid7(start_ms + at, [u8::try_from(at).unwrap_or(0); 10])))).collect()
        }
        Type::Text(size) => TEXTS.iter().filter(|text| text.len() as u64 <= size.max).map(|text| json!(text)).collect(),
        Type::Bytes(size) => {
            let length = usize::try_from(size.max.min(2)).unwrap_or(1);
            ["AAA=", "AAE="].iter().map(|text| json!(if length < 2 { "AA==" } else { *text })).collect()
        }
        Type::Json(_) => vec![json!({"a": 1})],
        Type::Int => few(&[0, 1, 2, 3]),
        Type::Float => vec![json!(0.5), json!(1.5)],
        Type::Decimal { scale } => DECIMALS
            .iter()
            .map(|number| match scale {
                0 => json!(number.to_string()),
                scale => json!(format!("{number}.{}", "5".repeat((*scale).into()))),
            })
            .collect(),
        Type::Bool => vec![json!(true), json!(false)],
        Type::Date => vec![json!("1970-01-01"), json!("1970-02-01"), json!("2024-02-29")],
        Type::Timestamp { micros } => OFFSETS_MS
            .iter()
            .map(|offset| {
                let kind = keyloom_value::Kind::Timestamp { micros: *micros };
                let moment = (start_ms + offset) * if *micros { 1_000 } else { 1 };
                keyloom_value::json::to_json(&keyloom_value::Value::Timestamp(moment), &kind).unwrap_or(Json::Null)
            })
            .collect(),
        Type::Duration => vec![json!("PT1S"), json!("P1D")],
        Type::Ip => vec![json!("10.0.0.1"), json!("::1")],
        Type::Enum(variants) => variants.iter().map(|variant| json!(variant.name)).collect(),
        Type::List(of, _) => {
            let values = domain(catalog, of, start_ms);
            vec![json!([]), json!([values.first()]), json!([values.last(), values.first()])]
        }
        Type::Set(of, _) => {
            let values = domain(catalog, of, start_ms);
            vec![json!([]), json!([values.first()]), json!([values.last()])]
        }
        Type::Map(key, of, _) => {
            let (keys, values) = (domain(catalog, key, start_ms), domain(catalog, of, start_ms));
            let key = keys.first().and_then(Json::as_str).unwrap_or("a").to_owned();
            vec![json!({}), json!({ key: values.last() })]
        }
        Type::Struct(name) => {
            let members = catalog.struct_type(name).map_or(&[][..], |known| &known.members);
            let make = |at: usize| {
                let one = |(name, ty, _): &(String, Type, bool)| {
                    let values = domain(catalog, ty, start_ms);
                    Some((name.clone(), values.get(at % values.len().max(1))?.clone()))
                };
                Json::Object(members.iter().filter_map(one).collect())
            };
            vec![make(0), make(1)]
        }
        Type::OneOf(_) => Vec::new(),
    }
}

fn uuid_text(uuid: &[u8; 16]) -> String {
    let hex: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
