//! What all statements together say about fields: which are always there, what fills them, which values they have, where
//! they lead, and when rows end.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::{LiteralKind, StatementKind, TermKind};
use keyloom_survey::Role;

use crate::entity::{Entity, Field};
use crate::pattern::{Action, Change, Insert, Pattern, Test, Value};
use crate::source::Sources;
use crate::statements::{Asking, using};
use crate::types::Kind;

/// Settles the fields of all entities.
pub(crate) fn settle(
    sources: &Sources<'_>,
    entities: &mut [Entity],
    patterns: &[Pattern],
    statements: &[Asking<'_>],
    entity_of: &BTreeMap<usize, usize>,
) {
    let mut actions: Vec<Vec<&Action>> = vec![Vec::new(); entities.len()];
    for pattern in patterns {
        match &pattern.action {
            Action::Atomic(steps) => steps.iter().for_each(|(entity, action)| actions[*entity].push(action)),
            action => actions[pattern.entity].push(action),
        }
    }
    references(entities);
    for (entity, actions) in entities.iter_mut().zip(&actions) {
        presence(sources, entity, actions);
        enumerations(entity, actions);
        fills(entity, actions);
    }
    let lifetimes = lifetimes(statements, entity_of);
    for (at, entity) in entities.iter_mut().enumerate() {
        let own = sources.all[entity.base].table.default_ttl.and_then(|(seconds, _)| seconds);
        let said = lifetimes.get(&at).copied().flatten();
        if let Some(seconds) = said.or(own).filter(|seconds| (1..=LIFETIME_MAX).contains(seconds)) {
            expire(sources, entity, seconds);
        }
    }
}

/// The longest time to live that the server takes: twenty years.
const LIFETIME_MAX: u64 = 20 * 365 * 24 * 60 * 60;

fn inserts<'a>(actions: &'a [&Action]) -> impl Iterator<Item = &'a Insert> {
    actions.iter().filter_map(|action| match action {
        Action::Insert(insert) => Some(insert),
        _ => None,
    })
}

/// A field is there in every row when every insert names it, and nothing takes it away.
fn presence(sources: &Sources<'_>, entity: &mut Entity, actions: &[&Action]) {
    let named =
        |insert: &Insert, field: usize| insert.body.iter().any(|(at, value)| *at == field && *value != Value::Null);
    let taken_away = |field: usize| {
        actions.iter().any(|action| match action {
            Action::Update(update) => update.changes.contains(&(field, Change::Set(Value::Null))),
            _ => false,
        })
    };
    let any_insert = inserts(actions).next().is_some();
    for field in 0..entity.fields.len() {
        let is_there = if any_insert {
            inserts(actions).all(|insert| named(insert, field)) && !taken_away(field)
        } else {
            entity.always.contains(&field)
        };
        if is_there {
            entity.fields[field].optional = false;
        }
    }
    // A counter begins at nothing.
    let base = &sources.all[entity.base];
    if base.has_counters() {
        for column in &base.values {
            if let Some(field) = entity.field(&column.name) {
                entity.fields[field].optional = false;
                entity.fields[field].fill = Some("0");
            }
        }
    }
}

/// What statements write into a field.
fn written<'a>(actions: &'a [&Action], field: usize) -> impl Iterator<Item = &'a Value> {
    actions.iter().flat_map(move |action| -> Vec<&'a Value> {
        match action {
            Action::Insert(insert) => {
                insert.body.iter().filter(|(at, _)| *at == field).map(|(_, value)| value).collect()
            }
            Action::Update(update) => update
                .changes
                .iter()
                .filter(|(at, _)| *at == field)
                .filter_map(|(_, change)| match change {
                    Change::Set(value) => Some(value),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    })
}

fn tests(action: &Action) -> impl Iterator<Item = (usize, &Value)> {
    let (by, tests): (&[(usize, Value)], &[Test]) = match action {
        Action::Read(read) => (&read.by, &read.tests),
        Action::Update(update) => (&update.by, &update.conditions),
        Action::Delete(delete) => (&delete.by, &delete.conditions),
        Action::Insert(_) | Action::Atomic(_) => (&[], &[]),
    };
    by.iter().map(|(field, value)| (*field, value)).chain(tests.iter().map(|test| (test.field, &test.value)))
}

/// A text is an enum where every statement that writes it writes one of a few constants.
fn enumerations(entity: &mut Entity, actions: &[&Action]) {
    for field in 0..entity.fields.len() {
        if entity.fields[field].kind != Kind::Text {
            continue;
        }
        let mut values: BTreeSet<&str> = BTreeSet::new();
        let mut all_constant = true;
        for value in written(actions, field) {
            match value {
                Value::Constant(LiteralKind::String, text) => {
                    values.insert(text);
                }
                Value::Null => {}
                _ => all_constant = false,
            }
        }
        if !all_constant || values.len() < 2 {
            continue;
        }
        let compared = actions.iter().flat_map(|action| tests(action)).filter(|(at, _)| *at == field);
        for (_, value) in compared {
            match value {
                Value::Constant(_, text) => {
                    values.insert(text);
                }
                Value::OneOf(all) => values.extend(all.iter().map(|(_, text)| text.as_str())),
                _ => {}
            }
        }
        let upper: BTreeSet<String> = values.iter().map(|value| value.to_ascii_uppercase()).collect();
        let is_name = |value: &&str| {
            value.starts_with(|c: char| c.is_ascii_alphabetic())
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if upper.len() == values.len() && values.iter().all(is_name) {
            entity.fields[field].kind = Kind::Enum(upper.into_iter().collect());
            entity.fields[field].note = Some("text; the statements write these values and no others".to_owned());
        }
    }
}

/// What the run time makes by itself: new ids, the moment of a write.
fn fills(entity: &mut Entity, actions: &[&Action]) {
    let creates = |insert: &Insert| insert_verb(entity, insert) == InsertVerb::Create;
    let all_create = inserts(actions).next().is_some() && inserts(actions).all(creates);
    // Who guards an insert chose the id: a new one meets no row.
    let guarded = inserts(actions).any(|insert| insert.if_absent);
    if let Some(id) = entity.own_id().filter(|_| all_create && !guarded) {
        entity.fields[id].fill = Some("new");
    }
    for field in 0..entity.fields.len() {
        let is_now = |insert: &Insert| insert.body.contains(&(field, Value::Now));
        let mut all = inserts(actions).peekable();
        if all.peek().is_some() && all.all(is_now) && entity.fields[field].fill.is_none() {
            entity.fields[field].fill = Some("now");
        }
    }
}

/// How an INSERT is said in the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsertVerb {
    /// A row that was not there.
    Create,
    /// The whole row, there or not.
    Put,
    /// Some fields of a row, there or not.
    Upsert,
}

/// An INSERT under a fresh id makes a row; one under any other key may meet a row, and changes what it names.
pub(crate) fn insert_verb(entity: &Entity, insert: &Insert) -> InsertVerb {
    let fresh = entity.own_id().is_some()
        || insert.body.iter().any(|(at, value)| entity.key.contains(at) && *value == Value::New);
    let named = |field: &usize| insert.body.iter().any(|(at, _)| at == field);
    let made = |field: usize| entity.fields[field].fill == Some("now on write");
    let whole = (0..entity.fields.len()).all(|field| named(&field) || made(field));
    let more_than_key = insert.body.iter().any(|(field, _)| !entity.key.contains(field));
    match (insert.if_absent || fresh, whole || !more_than_key) {
        (true, _) => InsertVerb::Create,
        (false, true) => InsertVerb::Put,
        (false, false) => InsertVerb::Upsert,
    }
}

/// A field that is named like the key of another entity leads there.
fn references(entities: &mut [Entity]) {
    const PLAIN: [&str; 7] = ["id", "key", "name", "type", "uuid", "value", "guid"];
    let mut targets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, entity) in entities.iter().enumerate() {
        let Some(last) = entity.key.last() else { continue };
        let name = entity.fields[*last].name.as_str();
        // Where a row lies leads to nothing.
        if ["shard", "partition", "bucket"].iter().any(|word| name.starts_with(word)) {
            continue;
        }
        let stem = entity.words.join("_");
        let alias = if PLAIN.contains(&name) { format!("{stem}_{name}") } else { name.to_owned() };
        targets.entry(alias).or_default().push(at);
    }
    let mut found = Vec::new();
    for (at, entity) in entities.iter().enumerate() {
        for (position, field) in entity.fields.iter().enumerate() {
            let Some(named) = targets.get(&field.name) else { continue };
            let stem = ["_id", "_uuid", "_key", "_guid"].iter().find_map(|end| field.name.strip_suffix(end));
            let fits = |target: &&usize| {
                let other = &entities[**target];
                let pointed = other.key.last().map(|last| &other.fields[*last].kind);
                let rest = other.key.iter().rev().skip(1).map(|key| &other.fields[*key]);
                let has = |key: &Field| entity.fields.iter().any(|own| own.name == key.name && own.kind == key.kind);
                **target != at && pointed == Some(&field.kind) && rest.into_iter().all(has)
            };
            let candidates: Vec<usize> = named.iter().filter(fits).copied().collect();
            let is_named = |target: &&usize| stem.is_some_and(|stem| entities[**target].words.join("_") == stem);
            let owner = candidates.iter().find(is_named).or(match candidates.as_slice() {
                // The only one of that key; unless this entity is the one that the key belongs to.
                [only] if stem.is_some() && !is_named(&&at) && entity.key.as_slice() != [position] => Some(only),
                _ => None,
            });
            if let Some(owner) = owner {
                found.push((at, position, *owner));
            }
        }
    }
    for (at, position, target) in found {
        let name = entities[target].name.clone();
        entities[at].fields[position].reference = Some(name);
    }
}

/// The time to live that all inserts into an entity agree on; `None` where they do not.
fn lifetimes(statements: &[Asking<'_>], entity_of: &BTreeMap<usize, usize>) -> BTreeMap<usize, Option<u64>> {
    let mut lifetimes: BTreeMap<usize, Option<u64>> = BTreeMap::new();
    for asking in statements.iter().filter(|asking| matches!(asking.role, Role::Service | Role::Job)) {
        let (StatementKind::Insert(_), Some(source)) = (&asking.statement.kind, asking.source) else { continue };
        let Some(entity) = entity_of.get(&source) else { continue };
        let ttl = using(asking.statement).iter().find(|using| using.name.text == "ttl");
        let seconds = ttl.and_then(|using| match &using.value.kind {
            TermKind::Literal(literal) => literal.text.parse::<u64>().ok(),
            _ => None,
        });
        let known = lifetimes.entry(*entity).or_insert(seconds);
        if *known != seconds {
            *known = None;
        }
    }
    lifetimes
}

/// Rows end a time after their own moment, or after they are written where they have none.
fn expire(sources: &Sources<'_>, entity: &mut Entity, seconds: u64) {
    let in_key = sources.all[entity.base].key.iter().filter_map(|column| entity.field(&column.name));
    let filled = (0..entity.fields.len()).filter(|field| entity.fields[*field].fill == Some("now"));
    let is_moment = |field: &usize| {
        let field = &entity.fields[*field];
        matches!(field.kind, Kind::Timestamp | Kind::Date) && !field.optional
    };
    let moment = in_key.chain(filled).find(is_moment).map(|field| entity.fields[field].name.clone());
    let moment = moment.unwrap_or_else(|| {
        let mut name = "written_at".to_owned();
        while entity.fields.iter().any(|field| field.name == name) {
            name.push_str("_too");
        }
        entity.add(Field {
            name: name.clone(),
            kind: Kind::Timestamp,
            is_own_id: false,
            optional: false,
            reference: None,
            fill: Some("now on write"),
            note: Some("no column: a time to live counts from the write".to_owned()),
        });
        name
    });
    entity.expires = Some(format!("{moment} + {}", span(seconds)));
}

/// Seconds in the largest unit that says them exactly.
fn span(seconds: u64) -> String {
    let units = [(86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds")];
    let (size, unit) = units.into_iter().find(|(size, _)| seconds.is_multiple_of(*size)).unwrap_or((1, "seconds"));
    let count = seconds / size;
    format!("{count} {}", if count == 1 { unit.trim_end_matches('s') } else { unit })
}
