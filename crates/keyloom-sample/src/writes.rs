//! Writes: `create`, `put`, `update`, `delete` and `claim`.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::filters::{self, Subject};
use crate::inputs::Inputs;
use crate::page::Map;
use crate::reads;
use crate::shape::{Entity, Field, Fill, Origin};
use crate::types;
use crate::words::snake;
use crate::world::World;

/// A pattern's name and what it says.
type Made = Option<(String, Map)>;

/// The write that brings an entity's rows.
pub(crate) fn first(chance: &mut Chance, world: &mut World, entity: &Entity) -> Made {
    if entity.origin == Origin::Elsewhere {
        return Some(put(chance, world, entity));
    }
    let mut inputs = Inputs::default();
    let mut map = create(chance, world, entity, &mut inputs)?;
    let sent = entity.key_fields().all(|key| matches!(key.fill, Fill::New | Fill::Taken)) && !map.has("set");
    if chance.percent(if entity.append_only { 70 } else { 20 }) && sent && !entity.key.is_empty() {
        map.put("once_per", entity.key.clone());
    } else if chance.percent(10) {
        map.put("once_per", vec!["request_token"]);
    }
    batch(chance, &mut map);
    written(chance, entity, &mut map, &["after"]);
    Some((format!("create_{}", snake(&entity.name)), map))
}

/// Another way to bring rows.
pub(crate) fn again(chance: &mut Chance, world: &mut World, entity: &Entity) -> Made {
    match entity.origin {
        Origin::Declared if !entity.append_only && !entity.key.is_empty() => Some(put(chance, world, entity)),
        Origin::Followed => None,
        _ => first(chance, world, entity),
    }
}

/// A `create`, alone or as a step; nothing where an input has another type already.
pub(crate) fn create(chance: &mut Chance, world: &mut World, entity: &Entity, inputs: &mut Inputs) -> Option<Map> {
    let mut map = Map::of("create", entity.name.as_str());
    let mut set = Map::default();
    let mut taken: Vec<&Field> = entity.fields.iter().filter(|field| field.fill == Fill::Taken).collect();
    if chance.percent(60) {
        let offered = |field: &&Field| field.is_required() || (field.fill != Fill::New && field.is_written());
        taken = entity.fields.iter().filter(offered).collect();
        taken.retain(|field| field.is_required() || chance.percent(40));
        if chance.percent(40) {
            taken.retain(|field| {
                let value = if entity.is_key(field) { None } else { first_value(chance, field) };
                value.as_ref().is_none_or(|value| {
                    set.put(&field.name, value.as_str());
                    false
                })
            });
        }
        map.put("takes", taken.iter().map(|field| field.name.clone()).collect::<Vec<_>>());
    }
    let made = entity.fields.iter().filter(|field| field.fill == Fill::New);
    if !taken.iter().copied().chain(made).all(|field| inputs.take(&field.name, &field.ty)) {
        return None;
    }
    if !set.is_empty() {
        map.put("set", set);
    }
    if let Some(event) = world.emit(chance, entity, "Created") {
        map.put("emits", event);
    }
    Some(map)
}

/// What a create sets by itself, sometimes.
fn first_value(chance: &mut Chance, field: &Field) -> Option<String> {
    if chance.percent(70) {
        return None;
    }
    match &field.ty {
        Type::Timestamp { .. } => Some(chance.one(["now", "now + 30 days"]).to_owned()),
        Type::Date => Some("day(now)".to_owned()),
        Type::Uuid if field.reference.is_none() => Some("$caller".to_owned()),
        ty => types::constant(chance, ty),
    }
}

fn put(chance: &mut Chance, world: &mut World, entity: &Entity) -> (String, Map) {
    let mut map = Map::of("put", entity.name.as_str());
    let numbers: Vec<&Field> = entity
        .fields
        .iter()
        .filter(|field| field.is_written() && !field.optional && !entity.is_key(field))
        .filter(|field| matches!(field.ty, Type::Int | Type::Timestamp { .. }))
        .collect();
    let seq = entity.field("seq").filter(|_| entity.origin == Origin::Elsewhere);
    let newest = seq.or(if chance.percent(40) { chance.pick(&numbers).copied() } else { None });
    if let Some(field) = newest {
        map.put("newest", field.name.as_str());
    }
    batch(chance, &mut map);
    if let Some(event) = world.emit(chance, entity, "Replaced") {
        map.put("emits", event);
    }
    written(chance, entity, &mut map, &["after", "before"]);
    (format!("put_{}", snake(&entity.name)), map)
}

pub(crate) fn update(chance: &mut Chance, world: &mut World, entity: &Entity) -> Made {
    let mut inputs = Inputs::default();
    let mut map = changed(chance, world, entity, &mut inputs, None)?;
    if chance.percent(12) {
        map.put("once_per", vec!["request_token"]);
    }
    batch(chance, &mut map);
    written(chance, entity, &mut map, &["before", "after"]);
    let verb = chance.one(["update", "change", "move", "adjust"]);
    Some((format!("{verb}_{}", snake(&entity.name)), map))
}

/// An `update`, alone or as a step; `by` says how a step names the row otherwise.
pub(crate) fn changed(
    chance: &mut Chance,
    world: &mut World,
    entity: &Entity,
    inputs: &mut Inputs,
    by: Option<Vec<String>>,
) -> Option<Map> {
    if entity.append_only || entity.origin != Origin::Declared {
        return None;
    }
    let fields: Vec<&Field> =
        entity.fields.iter().filter(|field| field.is_written() && !entity.is_key(field)).collect();
    let mut map = Map::of("update", entity.name.as_str());
    match by {
        Some(by) => map.put("by", by),
        None => row(chance, entity, inputs, &mut map)?,
    }
    let mut changes = Changes::default();
    let mut conditions: Vec<String> = Vec::new();
    let is_patch = chance.percent(18);
    let mut chosen = if is_patch { Vec::new() } else { chance.some(&fields, 1, 3) };
    let collects = |field: &&Field| matches!(field.ty, Type::Set(..) | Type::List(..) | Type::Map(..));
    let collections: Vec<&Field> = fields.iter().copied().filter(collects).collect();
    if chance.percent(70) && !collections.is_empty() && !is_patch {
        chosen.retain(|field| !collects(field));
        chosen.extend(chance.some(&collections, 1, 2));
    } else if chance.percent(25) && !is_patch {
        // A row that may have to be made is written whole.
        chosen = fields.iter().copied().filter(|field| field.is_required()).collect();
    }
    for field in chosen {
        change(chance, entity, field, inputs, &mut changes, &mut conditions);
    }
    let is_whole = |field: &Field| !field.is_required() || entity.is_key(field) || changes.set.has(&field.name);
    if chance.percent(60) && conditions.is_empty() && !is_patch && entity.fields.iter().all(is_whole) {
        map.put("or_create", "true");
    } else if chance.percent(35) {
        conditions.extend(condition(chance, entity, inputs));
    }
    if changes.is_empty() {
        let patch = fields.iter().filter(|field| inputs.take(&field.name, &field.ty)).map(|field| field.name.clone());
        let patch: Vec<String> = patch.collect();
        if patch.is_empty() {
            return None;
        }
        map.put("any_of", chance.some(&patch, 1, 4));
    }
    changes.put(&mut map);
    match conditions.as_slice() {
        [] => {}
        [one] => map.put("if", one.as_str()),
        several => map.put("if", several.to_vec()),
    }
    if let Some(event) = world.emit(chance, entity, "Changed") {
        map.put("emits", event);
    }
    Some(map)
}

/// The row that an update or a delete is about: by its key, or by what is unique.
fn row(chance: &mut Chance, entity: &Entity, inputs: &mut Inputs, map: &mut Map) -> Option<()> {
    let uniques: Vec<&Vec<String>> =
        entity.unique.iter().filter(|unique| unique.filter.is_none()).map(|unique| &unique.fields).collect();
    let by = if chance.percent(15) { chance.pick(&uniques).copied() } else { None }.unwrap_or(&entity.key);
    if !by.is_empty() {
        map.put("by", by.clone());
    }
    by.iter().filter_map(|name| entity.field(name)).all(|field| inputs.take(&field.name, &field.ty)).then_some(())
}

/// What an update writes.
#[derive(Debug, Default)]
struct Changes {
    set: Map,
    add: Map,
    remove: Map,
    append: Map,
}

impl Changes {
    fn is_empty(&self) -> bool {
        [&self.set, &self.add, &self.remove, &self.append].iter().all(|map| map.is_empty())
    }

    fn put(self, map: &mut Map) {
        for (key, own) in [("set", self.set), ("add", self.add), ("remove", self.remove), ("append", self.append)] {
            if !own.is_empty() {
                map.put(key, own);
            }
        }
    }
}

fn change(
    chance: &mut Chance,
    entity: &Entity,
    field: &Field,
    inputs: &mut Inputs,
    changes: &mut Changes,
    conditions: &mut Vec<String>,
) {
    let name = &field.name;
    if field.optional && chance.percent(20) {
        changes.set.put(name, "null");
        return;
    }
    if let Some(steps) = entity.changes(name) {
        let Some((from, to)) = chance.pick(steps) else { return };
        changes.set.put(name, to.as_str());
        if chance.percent(30) {
            conditions.push(format!("{name} = {from} else not_{}", from.to_lowercase()));
        }
        return;
    }
    let mut input = |wish: &str, ty: &Type| format!("${}", inputs.fresh(wish, ty));
    let new = format!("new_{name}");
    match &field.ty {
        Type::Set(of, _) if chance.percent(85) => match chance.percent(60) {
            true => changes.add.put(name, input("added", of)),
            false => changes.remove.put(name, input("removed", of)),
        },
        Type::List(of, _) if chance.percent(85) => changes.append.put(name, input("appended", of)),
        Type::Map(key, value, _) if chance.percent(80) => {
            let key = input("entry", key);
            match chance.percent(60) {
                true => changes.set.put(format!("{name}.{key}"), input("value", value)),
                false => changes.remove.put(name, key),
            }
        }
        ty @ (Type::Int | Type::Decimal { .. } | Type::Float) if !field.optional => match chance.below(6) {
            0 => changes.set.put(name, format!("{name} + 1")),
            1 => changes.set.put(name, format!("{name} + {}", input("amount", ty))),
            2 => {
                let amount = input("amount", ty);
                changes.set.put(name, format!("{name} - {amount}"));
                conditions.push(format!("{name} >= {amount} else too_little_{name}"));
            }
            3 => changes.set.put(name, format!("{}({name}, {})", chance.one(["max", "min"]), input(&new, ty))),
            _ => changes.set.put(name, input(&new, ty)),
        },
        Type::Timestamp { .. } => match chance.below(4) {
            0 => changes.set.put(name, "now"),
            1 => changes.set.put(name, "now + 7 days"),
            _ => changes.set.put(name, input(&new, &field.ty)),
        },
        ty @ Type::Text(_) if chance.percent(12) => changes.set.put(name, format!("lower({})", input(&new, ty))),
        Type::Uuid if chance.percent(20) => changes.set.put(name, "$caller"),
        ty => match types::constant(chance, ty).filter(|_| chance.percent(25)) {
            Some(value) => changes.set.put(name, value),
            None => changes.set.put(name, input(&new, ty)),
        },
    }
}

/// A condition on the row itself; kept fields lag, so none looks at them.
fn condition(chance: &mut Chance, entity: &Entity, inputs: &mut Inputs) -> Option<String> {
    match chance.below(8) {
        0..2 if entity.field("version").is_none() => {
            let version = inputs.fresh("version", &Type::Int);
            Some(format!("version = ${version} else changed_meanwhile"))
        }
        2 if entity.field("lease").is_none() => {
            let lease = inputs.fresh("lease", &Type::Timestamp { micros: false });
            Some(format!("lease = ${lease} else lease_lost"))
        }
        _ => {
            // A state that `set` leaves is demanded by the rules of the states already.
            let free = |field: &&Field| !field.is_kept() && entity.changes(&field.name).is_none();
            let subjects: Vec<Subject> = entity.fields.iter().filter(free).map(Subject::of).collect();
            let test = filters::any(chance, inputs, &subjects)?;
            Some(if chance.percent(80) { format!("{test} else not_so") } else { test })
        }
    }
}

pub(crate) fn delete(chance: &mut Chance, world: &mut World, entity: &Entity) -> Made {
    let mut map = Map::of("delete", entity.name.as_str());
    deleted(chance, world, entity, &mut Inputs::default(), &mut map)?;
    batch(chance, &mut map);
    written(chance, entity, &mut map, &["before"]);
    Some((format!("delete_{}", snake(&entity.name)), map))
}

/// What a `delete` says, alone or as a step.
pub(crate) fn deleted(
    chance: &mut Chance,
    world: &mut World,
    entity: &Entity,
    inputs: &mut Inputs,
    map: &mut Map,
) -> Option<()> {
    if !entity.deleted || entity.origin == Origin::Followed {
        return None;
    }
    row(chance, entity, inputs, map)?;
    if chance.percent(30)
        && let Some(condition) = condition(chance, entity, inputs)
    {
        map.put("if", condition);
    }
    if let Some(event) = world.emit(chance, entity, "Deleted") {
        map.put("emits", event);
    }
    Some(())
}

pub(crate) fn claim(chance: &mut Chance, world: &World, entity: &Entity) -> Made {
    if entity.append_only || entity.origin != Origin::Declared || entity.key.is_empty() {
        return None;
    }
    let mut inputs = Inputs::default();
    let mut map = Map::of("claim", entity.name.as_str());
    if chance.percent(60) && world.has_tenants && !entity.shared {
        map.put("tenant", "all");
    }
    let groups = reads::by(chance, world, entity, &mut inputs, &mut map);
    let subjects: Vec<Subject> =
        entity.fields.iter().filter(|field| !groups.contains(&field.name)).map(Subject::of).collect();
    let mut tests: Vec<String> =
        chance.pick(&subjects).and_then(|of| filters::constant(chance, of)).into_iter().collect();
    let order = reads::order(chance, world, entity, &groups, &mut tests)?;
    if !tests.is_empty() {
        map.put("where", tests.join(" and "));
    }
    map.put("order", order);
    map.put("up_to", chance.one(["1", "50"]));
    map.put("lease", chance.one(["60s", "5min"]));
    if chance.percent(30) {
        reads::returns(chance, world, entity, &mut map);
    }
    if chance.percent(15) {
        map.put("once_per", vec!["request_token"]);
    }
    Some((format!("take_{}", snake(&entity.name)), map))
}

fn batch(chance: &mut Chance, map: &mut Map) {
    if chance.percent(12) {
        map.put("batch", chance.one(["100", "25"]));
    }
}

/// What a write answers with beyond key and version.
fn written(chance: &mut Chance, entity: &Entity, map: &mut Map, rows: &[&str]) {
    match chance.below(12) {
        0 => {
            if let Some(row) = chance.pick(rows) {
                map.put("returns", *row);
            }
        }
        1 => {
            let own: Vec<String> = entity.fields.iter().map(|field| field.name.clone()).collect();
            map.put("returns", chance.some(&own, 1, 3));
        }
        _ => {}
    }
}
