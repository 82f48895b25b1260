//! Several writes and checks, all or nothing.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::filters::{self, Subject};
use crate::inputs::Inputs;
use crate::page::Map;
use crate::shape::{Entity, Field, Fill, Origin};
use crate::words::snake;
use crate::world::World;
use crate::writes;

/// A pattern of two or three steps that begin at this entity; nothing where it has no part in such a thing.
pub(crate) fn make(chance: &mut Chance, world: &mut World, entity: &Entity) -> Option<(String, Map)> {
    if entity.origin != Origin::Declared || entity.key.is_empty() {
        return None;
    }
    let inputs = &mut Inputs::default();
    let steps = match chance.below(7) {
        0 => with_parts(chance, world, entity, inputs)?,
        1..4 => for_each(chance, world, entity, inputs)?,
        4 => replaced(chance, world, entity, inputs)?,
        5 => checked(chance, world, entity, inputs)?,
        _ => changed(chance, world, entity, inputs)?,
    };
    let mut map = Map::of("atomic", steps);
    if chance.percent(25) {
        map.put("once_per", vec!["request_token"]);
    }
    Some((format!("{}_{}", chance.one(["settle", "commit", "complete"]), snake(&entity.name)), map))
}

/// Another entity of the same tenants that patterns make.
fn other(chance: &mut Chance, world: &World, entity: &Entity) -> Option<Entity> {
    let fits = |other: &&Entity| {
        other.name != entity.name && other.origin == Origin::Declared && other.shared == entity.shared
    };
    let others: Vec<&Entity> = world.entities.iter().filter(fits).collect();
    chance.pick(&others).map(|&other| other.clone())
}

/// A change, and a row that says so.
fn changed(chance: &mut Chance, world: &mut World, entity: &Entity, inputs: &mut Inputs) -> Option<Vec<Map>> {
    let update = writes::changed(chance, world, entity, inputs, None)?;
    let other = other(chance, world, entity)?;
    Some(vec![update, writes::create(chance, world, &other, inputs)?])
}

/// A row that is made only while another is as it should be.
fn checked(chance: &mut Chance, world: &mut World, entity: &Entity, inputs: &mut Inputs) -> Option<Vec<Map>> {
    let other = other(chance, world, entity)?;
    if other.key.is_empty() || !other.key_fields().all(|key| inputs.take(&key.name, &key.ty)) {
        return None;
    }
    let subjects: Vec<Subject> = other.fields.iter().filter(|field| !field.is_kept()).map(Subject::of).collect();
    let test = chance.pick(&subjects).and_then(|subject| filters::constant(chance, subject))?;
    let reason = format!("{} else {}_not_ready", test, snake(&other.name));
    let check = Map::of("check", other.name.as_str()).with("by", other.key.clone()).with("if", reason);
    Some(vec![check, writes::create(chance, world, entity, inputs)?])
}

/// A row that takes the place of another.
fn replaced(chance: &mut Chance, world: &mut World, entity: &Entity, inputs: &mut Inputs) -> Option<Vec<Map>> {
    let mut delete = Map::of("delete", entity.name.as_str());
    writes::deleted(chance, world, entity, inputs, &mut delete)?;
    let other = other(chance, world, entity)?;
    Some(vec![delete, writes::create(chance, world, &other, inputs)?])
}

/// A row and, for each item of a list, a row that points to it.
fn with_parts(chance: &mut Chance, world: &mut World, entity: &Entity, inputs: &mut Inputs) -> Option<Vec<Map>> {
    let is_part = |part: &&Entity| {
        part.name != entity.name
            && part.origin == Origin::Declared
            && part.shared == entity.shared
            && part.references_to(&entity.name).count() == 1
    };
    let parts: Vec<&Entity> = world.entities.iter().filter(is_part).collect();
    let part = (*chance.pick(&parts)?).clone();
    let first = writes::create(chance, world, entity, inputs)?;
    let list = inputs.fresh("lines", &Type::Struct(part.name.clone()));
    let last_key = entity.key.last()?;
    let set = part.fields.iter().filter(|field| field.is_required()).fold(Map::default(), |set, field| {
        let points = field.reference.as_ref().is_some_and(|to| to.entity == entity.name);
        let is_joined = entity.key_fields().any(|key| key.name == field.name && key.ty == field.ty);
        let value = match (is_joined, points) {
            (true, _) => format!("${}", field.name),
            (false, true) => format!("${last_key}"),
            (false, false) => format!("l.{}", field.name),
        };
        set.with(&field.name, value)
    });
    let takes: Vec<String> = Vec::new();
    let mut each = Map::of("each", format!("l in ${list} max {}", chance.one([20, 50])));
    each.put("create", part.name.as_str());
    each.put("takes", takes);
    each.put("set", set);
    // What `set` names must be known: a key that the first step sets is no input of the second.
    entity.key_fields().all(|key| matches!(key.fill, Fill::New | Fill::Taken)).then(|| vec![first, each])
}

/// The same change for each item of a list.
fn for_each(chance: &mut Chance, world: &mut World, entity: &Entity, inputs: &mut Inputs) -> Option<Vec<Map>> {
    let [key] = entity.key.as_slice() else { return None };
    let other = other(chance, world, entity)?;
    let numbers: Vec<&Field> = entity
        .fields
        .iter()
        .filter(|field| field.is_written() && !field.optional && !entity.is_key(field))
        .filter(|field| matches!(field.ty, Type::Int | Type::Decimal { .. }))
        .collect();
    let list = inputs.fresh("items", &Type::Struct(entity.name.clone()));
    let most = chance.one([20, 100]);
    let step = match chance.pick(&numbers) {
        Some(number) if !entity.append_only && chance.percent(70) => {
            let number = &number.name;
            Map::of("each", format!("i in ${list} max {most}"))
                .with("update", entity.name.as_str())
                .with("by", vec![format!("{key} = i.{key}")])
                .with("set", Map::of(number, format!("{number} - i.amount")))
                .with("if", format!("{number} >= i.amount else too_little"))
        }
        _ => {
            let each = Map::of("each", format!("i in ${list} max {most}"));
            let mut step = each;
            step.extend(&writes::changed(chance, world, entity, inputs, Some(vec![format!("{key} = i")]))?);
            step
        }
    };
    Some(vec![step, writes::create(chance, world, &other, inputs)?])
}
