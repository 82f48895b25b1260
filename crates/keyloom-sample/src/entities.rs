//! Entities: keys, references and fields.

use keyloom_model::{Size, Type};

use crate::chance::Chance;
use crate::shape::{Entity, Field, Fill, Origin, Reference};
use crate::types;
use crate::words::{self, ROLES, snake};

/// Makes an entity that may point to those before it.
pub(crate) fn make(
    chance: &mut Chance,
    name: &str,
    before: &[Entity],
    structs: &[String],
    has_tenants: bool,
) -> Entity {
    let shared = has_tenants && chance.percent(12);
    let origin = if chance.percent(8) { Origin::Elsewhere } else { Origin::Declared };
    let mut entity = Entity::new(name, origin, shared);
    entity.append_only = origin == Origin::Declared && chance.percent(22);
    entity.deleted = !entity.append_only && chance.percent(60);
    // A row that all tenants share can't point to a row of one of them.
    let targets: Vec<&Entity> =
        before.iter().filter(|target| !target.key.is_empty() && (target.shared || !shared)).collect();
    key(chance, &mut entity, &targets);
    for target in chance.some(&targets, 0, 2) {
        refer(chance, &mut entity, target);
    }
    if chance.percent(8) && !entity.append_only && entity.key.len() == 1 {
        refer_to_itself(&mut entity);
    }
    part_of(chance, &mut entity, before);
    if chance.percent(75) {
        add(chance, &mut entity, Type::Timestamp { micros: false });
    }
    if chance.percent(60) {
        let ty = types::enumeration(chance);
        add(chance, &mut entity, ty);
    }
    for _ in 0..chance.between(1, 7) {
        let ty = types::any(chance, structs);
        add(chance, &mut entity, ty);
    }
    if chance.percent(15) && entity.is_free("lat") && entity.is_free("lon") {
        entity.fields.extend(["lat", "lon"].map(|name| Field::new(name, Type::Float)));
    }
    if origin == Origin::Elsewhere && entity.field("seq").is_none() {
        entity.fields.push(Field::new("seq", Type::Int));
    }
    entity
}

fn key(chance: &mut Chance, entity: &mut Entity, targets: &[&Entity]) {
    let own = format!("{}_id", snake(&entity.name));
    let fresh = |name: &str, ty: Type| Field::new(name, ty).filled(Fill::New);
    let parent = chance.pick(targets).copied();
    match (chance.below(100), parent) {
        (0..3, _) if entity.origin == Origin::Declared && !entity.append_only => {}
        (3..40, _) | (40.., None) if entity.origin == Origin::Declared => {
            let ty = if entity.append_only || chance.percent(25) { Type::Uuid7 } else { Type::Uuid };
            push_key(entity, fresh(&own, ty));
        }
        (40..62, Some(parent)) => {
            push_reference(chance, entity, parent);
            push_key(entity, fresh(&own, if chance.percent(70) { Type::Uuid7 } else { Type::Uuid }));
        }
        (62..70, Some(parent)) => {
            push_reference(chance, entity, parent);
            if let Some(other) = chance.pick(targets) {
                push_reference(chance, entity, other);
            }
            let ty = types::natural(chance);
            if entity.key.len() < 2 {
                push_natural(chance, entity, ty);
            }
        }
        (70..78, Some(parent)) => {
            push_reference(chance, entity, parent);
            push_key(entity, Field::new(words::free(entity, "at"), Type::Timestamp { micros: chance.percent(20) }));
        }
        (78..82, Some(parent)) => {
            push_reference(chance, entity, parent);
            let per = entity.key.first().cloned().unwrap_or_default();
            push_key(entity, Field::new("number", Type::Int).filled(Fill::Default(format!("next per {per}"))));
        }
        _ => {
            for _ in 0..chance.one([1, 1, 2]) {
                let ty = types::natural(chance);
                push_natural(chance, entity, ty);
            }
        }
    }
}

fn push_key(entity: &mut Entity, field: Field) {
    entity.key.push(field.name.clone());
    entity.fields.push(field);
}

fn push_natural(chance: &mut Chance, entity: &mut Entity, ty: Type) {
    let name = match &ty {
        Type::Text(_) => words::free(entity, chance.one(["code", "sku", "handle", "country"])),
        ty => words::field(chance, entity, ty),
    };
    push_key(entity, Field::new(name, ty));
}

/// Puts a reference into the key.
fn push_reference(chance: &mut Chance, entity: &mut Entity, target: &Entity) {
    let known = entity.fields.len();
    refer(chance, entity, target);
    for field in &mut entity.fields[known..] {
        field.optional = false;
        entity.key.push(field.name.clone());
    }
}

/// Adds a reference, with all fields that the target's key asks for.
fn refer(chance: &mut Chance, entity: &mut Entity, target: &Entity) {
    let keys: Vec<Field> = target.key_fields().cloned().collect();
    let Some((last, others)) = keys.split_last() else { return };
    let has_other = |other: &Field| match entity.field(&other.name) {
        Some(own) => own.ty == other.ty && !own.optional,
        None => entity.is_free(&other.name),
    };
    if !others.iter().all(has_other) {
        return;
    }
    for other in others {
        if entity.field(&other.name).is_none() {
            entity.fields.push(Field { fill: Fill::Taken, ..other.clone() });
        }
    }
    let wish = match chance.below(10) {
        0..2 => chance.one(ROLES).to_owned(),
        2 if last.name.ends_with("_id") => format!("related_{}", last.name),
        _ if last.name.ends_with("_id") => last.name.clone(),
        _ => format!("{}_{}", snake(&target.name), last.name),
    };
    // Of the name of another key field of the target, it would stand for that one.
    let wish = if others.iter().any(|other| other.name == wish) { last.name.clone() } else { wish };
    let name = words::free(entity, &wish);
    let reference = Reference { entity: target.name.clone(), must_exist: chance.percent(40) };
    let field = Field { reference: Some(reference), optional: chance.percent(20), ..Field::new(name, last.ty.clone()) };
    entity.fields.push(field);
}

fn refer_to_itself(entity: &mut Entity) {
    let Some(key) = entity.key_fields().next().cloned() else { return };
    let reference = Reference { entity: entity.name.clone(), must_exist: false };
    let name = words::free(entity, "parent_id");
    entity.fields.push(Field { optional: true, reference: Some(reference), ..Field::new(name, key.ty) });
}

/// Parts of rows that are deleted say how many they are, so they never grow for ever; see the groups.
fn part_of(chance: &mut Chance, entity: &mut Entity, before: &[Entity]) {
    let points = |field: &&Field| field.reference.is_some() && !field.optional;
    let parents: Vec<&str> = entity
        .fields
        .iter()
        .filter(points)
        .filter_map(|field| field.reference.as_ref())
        .filter_map(|reference| before.iter().find(|parent| parent.name == reference.entity))
        .filter(|parent| parent.origin == Origin::Declared && parent.shared == entity.shared && !parent.append_only)
        .map(|parent| parent.name.as_str())
        .collect();
    if chance.percent(45) && entity.origin == Origin::Declared {
        entity.part_of = chance.pick(&parents).map(|&parent| parent.to_owned());
    }
}

fn add(chance: &mut Chance, entity: &mut Entity, ty: Type) {
    let name = words::field(chance, entity, &ty);
    let optional = chance.percent(18);
    let fill = if optional { Fill::Taken } else { default(chance, entity, &ty) };
    entity.fields.push(Field { optional, fill, ..Field::new(name, ty) });
}

fn default(chance: &mut Chance, entity: &Entity, ty: &Type) -> Fill {
    let constant = |text: &str| Fill::Default(text.to_owned());
    let roll = chance.below(100);
    match ty {
        Type::Timestamp { .. } if roll < 35 => constant("now"),
        Type::Timestamp { .. } if roll < 42 => constant("now + 30 days"),
        Type::Timestamp { .. } if roll < 55 && !entity.append_only => Fill::NowOnWrite,
        Type::Date if roll < 25 => constant("day(now)"),
        Type::Uuid | Type::Uuid7 if roll < 20 => Fill::New,
        Type::Enum(_) | Type::Bool if roll < 55 => {
            types::constant(chance, ty).map_or(Fill::Taken, |value| constant(&value))
        }
        Type::Int if roll < 8 => {
            let mut queues = entity.fields.iter().filter(|field| field.reference.is_some() && !field.optional);
            queues.next_back().map_or(Fill::Taken, |queue| constant(&format!("next per {}", queue.name)))
        }
        Type::Int | Type::Decimal { .. } | Type::Float if roll < 45 => constant("0"),
        Type::Text(Size { max: 20.., .. }) if roll < 8 => constant("'none given'"),
        Type::Duration if roll < 40 => constant("30 min"),
        _ => Fill::Taken,
    }
}
