//! What an entity says beyond its key and its fields.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::fills::steady;
use crate::filters::Subject;
use crate::page::{Map, Node};
use crate::shape::{Entity, Field, Fill, Origin, States, Unique};
use crate::world::World;

/// Sizes of groups that end.
const SIZES: [&str; 6] = ["3 / 20 / 100", "12 / 400 / 20k", "40 / 5k / 200k", "1 / 4 / 10", "300 / 20k / 500k", "500"];

/// Sizes of groups that grow.
const GROWING: [&str; 3] = ["200 / 5k / 100k per month", "300 / 20k / 4M per day", "20 / 90 / 400 per year"];

pub(crate) fn add(chance: &mut Chance, world: &World, entity: &mut Entity) {
    states(chance, entity);
    unique(chance, entity);
    let mut facets = Map::default();
    if chance.percent(20) {
        facets.put("doc", format!("What the service knows of one {}, and no more.", entity.name));
    }
    if chance.percent(15) {
        facets.put("owner", chance.one(["team-orders", "platform", "jane"]));
    }
    if !entity.states.is_empty() {
        let all = entity.states.iter().fold(Map::default(), |all, states| {
            let changes = states.changes.iter().map(|(from, to)| format!("{from} -> {to}"));
            all.with(&states.field, changes.collect::<Vec<_>>())
        });
        facets.put("states", all);
    }
    put(&mut facets, "unique", uniques(entity));
    put(&mut facets, "drift", drift(chance, entity));
    if chance.percent(25) {
        history(chance, entity, &mut facets);
    }
    if chance.percent(70) {
        volume(chance, entity, &mut facets);
    }
    groups(chance, world, entity, &mut facets);
    if let Some(expires) = expires(chance, entity) {
        facets.put("expires", expires);
    }
    let secrets: Vec<String> = entity.fields.iter().filter(|field| is_secret(entity, field)).map(name).collect();
    if chance.percent(12) && !secrets.is_empty() {
        facets.put("secret", chance.some(&secrets, 1, 2));
    }
    if chance.percent(4) {
        let allow = Map::of("rule", "missing-growth").with("because", "nobody counts these: they are few");
        facets.put("allow", vec![if chance.percent(50) { allow.with("until", "2027-06-30") } else { allow }]);
    }
    entity.facets = facets;
}

fn put(facets: &mut Map, key: &str, map: Map) {
    if !map.is_empty() {
        facets.put(key, map);
    }
}

fn name(field: &Field) -> String {
    field.name.clone()
}

fn is_secret(entity: &Entity, field: &Field) -> bool {
    matches!(field.ty, Type::Text(_) | Type::Bytes(_)) && !entity.is_key(field) && field.is_written()
}

fn states(chance: &mut Chance, entity: &mut Entity) {
    if entity.append_only || entity.origin != Origin::Declared {
        return;
    }
    let mut all = Vec::new();
    for field in entity.fields.iter().filter(|field| field.is_written() && !entity.is_key(field)) {
        let Type::Enum(variants) = &field.ty else { continue };
        if !chance.percent(45) {
            continue;
        }
        let mut changes = Vec::new();
        for pair in variants.windows(2) {
            changes.push((pair[0].name.clone(), pair[1].name.clone()));
            if chance.percent(25) {
                changes.push((pair[1].name.clone(), pair[0].name.clone()));
            }
        }
        all.push(States { field: field.name.clone(), changes });
    }
    entity.states = all;
}

fn unique(chance: &mut Chance, entity: &mut Entity) {
    let fits = |field: &&Field| {
        matches!(field.ty, Type::Text(_) | Type::Bytes(_) | Type::Int | Type::Date | Type::Uuid)
            && !entity.is_key(field)
            && matches!(field.fill, Fill::Taken | Fill::Derived(_))
    };
    let fields: Vec<&Field> = entity.fields.iter().filter(fits).collect();
    let subjects: Vec<Subject> = entity
        .fields
        .iter()
        .filter(|field| field.is_written() && matches!(field.ty, Type::Enum(_) | Type::Bool))
        .map(Subject::of)
        .collect();
    let mut all = Vec::new();
    for _ in 0..chance.one([0, 0, 0, 1, 1, 2]) {
        let fields: Vec<String> = chance.some(&fields, 1, 2).into_iter().map(name).collect();
        if fields.is_empty() || entity.append_only {
            continue;
        }
        let filter = if chance.percent(35) { chance.pick(&subjects) } else { None };
        let filter = filter.and_then(|subject| steady(chance, subject));
        if all.iter().all(|known: &Unique| known.fields != fields) {
            all.push(Unique { fields, filter });
        }
    }
    entity.unique = all;
}

fn uniques(entity: &Entity) -> Map {
    let mut map = Map::default();
    for (at, unique) in entity.unique.iter().enumerate() {
        let reason = format!("{}_taken{}", unique.fields.join("_and_"), if at == 0 { "" } else { "_too" });
        match (&unique.filter, unique.fields.as_slice()) {
            (Some(filter), fields) => map.put(reason, format!("{} where {filter}", fields.join(", "))),
            (None, [field]) => map.put(reason, field.as_str()),
            (None, fields) => map.put(reason, fields.to_vec()),
        }
    }
    map
}

fn drift(chance: &mut Chance, entity: &Entity) -> Map {
    let fields: Vec<&Field> =
        entity.fields.iter().filter(|field| !entity.is_key(field) && field.reference.is_none()).collect();
    let most = chance.one([0, 1, 3]);
    let bound = |chance: &mut Chance| chance.one(["1h", "1 day", "10min", "never", "30s"]);
    chance.some(&fields, 0, most).into_iter().fold(Map::default(), |map, field| map.with(&field.name, bound(chance)))
}

/// The rows of a history have fields of their own, which the key must not have too.
fn history(chance: &mut Chance, entity: &Entity, facets: &mut Map) {
    let fits = |field: &&Field| field.is_written() && !entity.is_key(field) && !matches!(field.ty, Type::Json(_));
    let fields: Vec<String> = entity.fields.iter().filter(fits).map(name).collect();
    let of = chance.some(&fields, 1, 2);
    let is_taken = entity.key.iter().any(|name| name == "at" || name == "version");
    if of.is_empty() || is_taken || entity.append_only || entity.key.is_empty() {
        return;
    }
    let map = Map::of("of", of);
    facets.put("history", if chance.percent(80) { map.with("keep", chance.one(["7 years", "90 days"])) } else { map });
}

fn volume(chance: &mut Chance, entity: &Entity, facets: &mut Map) {
    let mut volume = Map::default();
    if entity.key.is_empty() {
        facets.put("volume", volume.with("rows", "1"));
        return;
    }
    let both = chance.below(3);
    if both != 0 {
        volume.put("rows", chance.one(["2k", "400k", "4M", "50M"]));
    }
    if both != 1 {
        volume.put("growth", chance.one(["200/day", "3k/day", "120k/day", "2M/day", "40/s"]));
    }
    facets.put("volume", volume);
}

fn groups(chance: &mut Chance, world: &World, entity: &Entity, facets: &mut Map) {
    let mut groups: Vec<(Vec<String>, Option<String>, Node)> = Vec::new();
    let parent = entity.part_of.as_deref().and_then(|parent| world.entity(parent));
    for field in entity.fields.iter().filter(|field| field.is_ordered() && !field.is_kept()) {
        // A delete of the parent deletes its parts, so they are bounded.
        let is_part = parent.is_some_and(|parent| field.reference.as_ref().is_some_and(|to| to.entity == parent.name));
        let bounded = is_part && parent.is_some_and(|parent| parent.deleted);
        let likely = match &field.ty {
            _ if bounded => 100,
            _ if field.reference.is_some() => 70,
            Type::Uuid | Type::Enum(_) | Type::Date => 30,
            _ => 4,
        };
        if entity.key.len() == 1 && entity.is_key(field) || !chance.percent(likely) {
            continue;
        }
        groups.push((vec![field.name.clone()], None, size(chance, !bounded)));
        if chance.percent(30) {
            let subjects: Vec<Subject> =
                entity.fields.iter().filter(|field| field.is_written()).map(Subject::of).collect();
            let filter = chance.pick(&subjects).and_then(|subject| steady(chance, subject));
            let filter = filter.filter(|test| !test.contains([':', '#']));
            groups.push((vec![field.name.clone()], filter, size(chance, false)));
        }
    }
    if chance.percent(10) && groups.len() > 1 {
        let pair: Vec<String> = groups.iter().flat_map(|(by, ..)| by.clone()).collect();
        let (first, last) = (pair.first().cloned(), pair.last().cloned());
        if first != last {
            groups.push((first.into_iter().chain(last).collect(), None, size(chance, false)));
        }
    }
    if chance.percent(12) {
        groups.push((Vec::new(), None, size(chance, true)));
    }
    // What is said twice about the same rows contradicts itself.
    let mut seen = std::collections::BTreeSet::new();
    groups.retain(|(by, filter, _)| seen.insert((by.clone(), filter.clone())));
    if groups.is_empty() {
        return;
    }
    if chance.percent(20) {
        let items = groups.into_iter().map(|(by, filter, rows)| {
            let by: Node = if by.is_empty() { "all".into() } else { by.into() };
            let map = Map::of("by", by);
            filter.map_or(map.clone(), |filter| map.with("where", filter)).with("rows", rows)
        });
        facets.put("groups", items.collect::<Vec<_>>());
        return;
    }
    let map = groups.into_iter().fold(Map::default(), |map, (by, filter, rows)| {
        let by = if by.is_empty() { "all".to_owned() } else { by.join(", ") };
        map.with(filter.map_or(by.clone(), |filter| format!("{by} where {filter}")), rows)
    });
    facets.put("groups", map);
}

/// How many rows a group has.
pub(crate) fn size(chance: &mut Chance, may_grow: bool) -> Node {
    match chance.below(10) {
        0 => Map::of("typical", "40").with("p99", "5k").with("worst", "200k").into(),
        1..4 if may_grow => chance.one(GROWING).into(),
        _ => chance.one(SIZES).into(),
    }
}

fn expires(chance: &mut Chance, entity: &Entity) -> Option<String> {
    let moments: Vec<&Field> = entity
        .fields
        .iter()
        .filter(|field| field.is_written() && matches!(field.ty, Type::Timestamp { .. } | Type::Date))
        .collect();
    let ids: Vec<&Field> = entity.fields.iter().filter(|field| field.ty == Type::Uuid7 && field.is_written()).collect();
    let rule = chance.one(["7 years", "90 days", "1 month", "12h"]);
    match chance.below(10) {
        0..3 => Some("forever".to_owned()),
        3..6 => chance.pick(&moments).map(|field| format!("{} + {rule}", field.name)),
        6 => chance.pick(&moments).map(|field| field.name.clone()),
        7 => chance.pick(&ids).map(|field| format!("time({}) + {rule}", field.name)),
        _ => None,
    }
}
