//! Reads: `get`, `list`, `count`, and what is served elsewhere.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::facets;
use crate::filters::{self, Subject};
use crate::inputs::Inputs;
use crate::page::{Map, Node};
use crate::shape::{Entity, Field, Fill};
use crate::types;
use crate::words::snake;
use crate::world::World;

/// A pattern's name and what it says.
type Made = Option<(String, Map)>;

pub(crate) fn get(chance: &mut Chance, world: &World, entity: &Entity) -> Made {
    let mut inputs = Inputs::default();
    let mut map = Map::of("get", entity.name.as_str());
    let mut name = format!("get_{}", snake(&entity.name));
    let unique = if chance.percent(40) { chance.pick(&entity.unique) } else { None };
    let by = unique.map_or(&entity.key, |unique| &unique.fields);
    if !by.is_empty() {
        map.put("by", by.clone());
        by.iter().filter_map(|name| entity.field(name)).for_each(|field| {
            inputs.take(&field.name, &field.ty);
        });
    }
    if let Some(unique) = unique {
        name = format!("find_{}_by_{}", snake(&entity.name), by.join("_and_"));
        if let Some(filter) = &unique.filter {
            map.put("where", filter.as_str());
        }
    }
    if chance.percent(35) {
        with(chance, world, entity, &mut inputs, &mut map);
    } else if chance.percent(20) && !entity.key.is_empty() {
        map.put("batch", chance.one(["25", "100"]));
    }
    returns(chance, world, entity, &mut map);
    freshness(chance, &mut map);
    Some((name, map))
}

pub(crate) fn list(chance: &mut Chance, world: &World, entity: &Entity) -> Made {
    let mut inputs = Inputs::default();
    let mut map = Map::of("list", entity.name.as_str());
    let mut name = format!("list_{}", snake(&entity.name));
    if chance.percent(6) && world.has_tenants && !entity.shared {
        name = format!("sweep_{}", snake(&entity.name));
        map.put("tenant", "all");
    }
    let groups = if chance.percent(14) { through(chance, world, entity, &mut inputs, &mut map) } else { None };
    let groups = groups.unwrap_or_else(|| by(chance, world, entity, &mut inputs, &mut map));
    if !groups.is_empty() {
        name = format!("{name}_by_{}", groups.join("_and_").replace('.', "_"));
    }
    let mut tests = select(chance, world, entity, &groups, &mut inputs);
    let order = orders(chance, world, entity, &groups, &mut tests);
    put_tests(&mut map, &tests);
    if chance.percent(8) {
        let fields: Vec<String> =
            entity.fields.iter().filter(|field| is_group(field)).map(|f| f.name.clone()).collect();
        let one_per = chance.some(&fields, 1, 2);
        if !one_per.is_empty() {
            map.put("one_per", one_per);
        }
    }
    if let Some(order) = order {
        map.put("order", order);
    }
    match chance.below(10) {
        0..3 => map.put("first", chance.one(["1", "20", "500"])),
        3..9 => map.put("page", chance.one(["20", "50", "100", "500"])),
        _ => {}
    }
    numbers(chance, &tests, &mut map);
    if chance.percent(10) {
        with(chance, world, entity, &mut inputs, &mut map);
    }
    returns(chance, world, entity, &mut map);
    freshness(chance, &mut map);
    if chance.percent(12) {
        map.put("while_moving", chance.one(["duplicate", "hole"]));
    }
    Some((name, map))
}

pub(crate) fn count(chance: &mut Chance, world: &World, entity: &Entity) -> Made {
    let mut inputs = Inputs::default();
    let mut map = Map::of("count", entity.name.as_str());
    if chance.percent(8) && world.has_tenants && !entity.shared {
        map.put("tenant", "all");
    }
    let groups = by(chance, world, entity, &mut inputs, &mut map);
    let tests = select(chance, world, entity, &groups, &mut inputs);
    put_tests(&mut map, &tests);
    if chance.percent(60) {
        map.put("up_to", chance.one(["100", "1000", "10k"]));
    }
    if chance.percent(25) {
        map.put("exact", chance.one(["false", "true"]));
    }
    numbers(chance, &tests, &mut map);
    freshness(chance, &mut map);
    Some((format!("count_{}", snake(&entity.name)), map))
}

/// What another service answers.
pub(crate) fn outside(chance: &mut Chance, world: &World, entity: &Entity) -> (String, Map) {
    let mut map = Map::of("outside", "full-text search lives in the search service");
    let inputs = &mut Inputs::default();
    if chance.percent(50) {
        map.put("list", entity.name.as_str());
        by(chance, world, entity, inputs, &mut map);
    }
    (format!("search_{}", snake(&entity.name)), map)
}

/// Whether rows are read together by this field.
fn is_group(field: &Field) -> bool {
    field.is_ordered() && !field.is_kept() && field.ty != Type::Float && field.fill != Fill::NowOnWrite
}

/// Chooses the fields of `by`.
pub(crate) fn by(
    chance: &mut Chance,
    world: &World,
    entity: &Entity,
    inputs: &mut Inputs,
    map: &mut Map,
) -> Vec<String> {
    let fields: Vec<&Field> = entity.fields.iter().filter(|field| is_group(field)).collect();
    let likely: Vec<&Field> = fields
        .iter()
        .copied()
        .filter(|field| field.reference.is_some() || matches!(field.ty, Type::Enum(_) | Type::Uuid | Type::Date))
        .filter(|field| entity.key.len() != 1 || !entity.is_key(field))
        .collect();
    let from = if likely.is_empty() || chance.percent(15) { &fields } else { &likely };
    let paths: Vec<Subject> = filters::paths(world, entity)
        .into_iter()
        .filter(|path| matches!(path.ty, Type::Uuid | Type::Enum(_) | Type::Text(_) | Type::Date))
        .collect();
    let chosen = match chance.below(20) {
        0..3 => Vec::new(),
        3..12 => chance.some(from, 1, 1),
        _ => chance.some(from, 1, 3),
    };
    let mut items = Vec::new();
    for field in &chosen {
        items.push(item(chance, field, inputs));
    }
    let mut groups: Vec<String> = chosen.iter().map(|field| field.name.clone()).collect();
    if chance.percent(10)
        && let Some(path) = chance.pick(&paths)
        && inputs.take(&path.path.replace('.', "_"), &path.ty)
    {
        items.push(path.path.clone());
        groups.push(path.path.clone());
    }
    let by: Node = if items.is_empty() { "all".into() } else { items.into() };
    map.put("by", by);
    groups
}

/// `field`, or `field = value`.
fn item(chance: &mut Chance, field: &Field, inputs: &mut Inputs) -> String {
    let name = &field.name;
    match (chance.below(20), &field.ty) {
        (0..2, Type::Uuid | Type::Text(_)) => format!("{name} = $caller"),
        (2, ty) => format!("{name} = ${}", inputs.fresh(&format!("wanted_{name}"), ty)),
        (3, ty) => match types::constant(chance, ty) {
            Some(value) => format!("{name} = {value}"),
            None => format!("{name} = ${}", inputs.fresh(name, ty)),
        },
        (_, ty) => {
            inputs.take(name, ty);
            name.clone()
        }
    }
}

/// One hop over another entity: it points to what this one points to, or to this one.
fn through(
    chance: &mut Chance,
    world: &World,
    entity: &Entity,
    inputs: &mut Inputs,
    map: &mut Map,
) -> Option<Vec<String>> {
    let mut hops = Vec::new();
    for edge in world.entities.iter().filter(|edge| edge.name != entity.name && edge.shared == entity.shared) {
        for leg in edge.fields.iter().filter(|field| !field.optional) {
            let Some(to) = &leg.reference else { continue };
            let own = match entity.key.as_slice() {
                [key] if to.entity == entity.name => entity.field(key),
                _ => entity.references_to(&to.entity).find(|field| field.ty == leg.ty),
            };
            let starts = edge.fields.iter().filter(|start| is_group(start) && start.name != leg.name);
            hops.extend(own.into_iter().flat_map(|own| starts.clone().map(move |start| (edge, leg, own, start))));
        }
    }
    let (edge, leg, own, start) = chance.pick(&hops)?;
    map.put("through", format!("{}.{} = {}", edge.name, leg.name, own.name));
    inputs.take(&start.name, &start.ty);
    map.put("by", vec![format!("{}.{}", edge.name, start.name)]);
    Some(vec![start.name.clone()])
}

/// The tests of a `where`.
fn select(chance: &mut Chance, world: &World, entity: &Entity, by: &[String], inputs: &mut Inputs) -> Vec<String> {
    let mut subjects = filters::subjects(world, entity);
    if chance.percent(12) {
        subjects.extend(filters::paths(world, entity));
    }
    subjects.retain(|subject| !by.contains(&subject.path));
    let mut tests: Vec<String> = Vec::new();
    for _ in 0..chance.one([0, 1, 1, 2, 3]) {
        let test = filters::any(chance, inputs, &subjects);
        tests.extend(test.filter(|test| !tests.contains(test)));
    }
    tests
}

fn put_tests(map: &mut Map, tests: &[String]) {
    if !tests.is_empty() {
        map.put("where", tests.join(" and "));
    }
}

fn orders(chance: &mut Chance, world: &World, entity: &Entity, by: &[String], tests: &mut Vec<String>) -> Option<Node> {
    match chance.below(10) {
        0 => None,
        1..3 => {
            let named = ["newest", "by_urgency", "alphabetical"];
            let mut orders = Map::default();
            for name in chance.some(&named, 2, 3) {
                if let Some(order) = order(chance, world, entity, by, tests) {
                    orders.put(name, order);
                }
            }
            (!orders.is_empty()).then(|| orders.into())
        }
        _ => order(chance, world, entity, by, tests).map(Into::into),
    }
}

/// One order; rows that lack a field come last, or are left out by a test more.
pub(crate) fn order(
    chance: &mut Chance,
    world: &World,
    entity: &Entity,
    by: &[String],
    tests: &mut Vec<String>,
) -> Option<String> {
    let mut subjects: Vec<Subject> = entity.fields.iter().map(Subject::of).collect();
    if chance.percent(6) {
        subjects.extend(filters::paths(world, entity));
    }
    subjects.retain(|subject| subject.ty.unordered().is_none() && !by.contains(&subject.path));
    let moments: Vec<Subject> =
        subjects.iter().filter(|subject| matches!(subject.ty, Type::Timestamp { .. } | Type::Uuid7)).cloned().collect();
    let chosen = if chance.percent(50) && !moments.is_empty() {
        chance.some(&moments, 1, 1)
    } else {
        chance.some(&subjects, 1, 3)
    };
    let items = chosen.into_iter().map(|subject| {
        let mut item = format!("{} {}", subject.path, chance.one(["asc", "desc"]));
        if subject.optional {
            let test = format!("{} is not null", subject.path);
            let excluded = tests.contains(&test);
            if excluded || chance.percent(40) {
                tests.extend((!excluded).then_some(test));
            } else {
                item.push_str(" nulls last");
            }
        }
        item
    });
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| items.join(", "))
}

/// What is known of the rows that are read.
fn numbers(chance: &mut Chance, tests: &[String], map: &mut Map) {
    if tests.iter().any(|test| test.contains("..") || test.contains('<') || test.contains('>')) && chance.percent(60) {
        match chance.below(4) {
            0 => map.put("span", Map::of("typical", "1 day").with("p99", "7 days").with("worst", "31 days")),
            1 => map.put("span", "90 days"),
            _ => map.put("span", "1 day / 7 days / 31 days"),
        }
    }
    if !tests.is_empty() && chance.percent(30) {
        map.put("matches", chance.one(["20%", "0.5%", "90%"]));
    }
    if chance.percent(15) {
        map.put("group", facets::size(chance, true));
    }
}

/// Other lists in the same answer.
fn with(chance: &mut Chance, world: &World, entity: &Entity, inputs: &mut Inputs, map: &mut Map) {
    let parts: Vec<&Entity> =
        world.entities.iter().filter(|part| part.references_to(&entity.name).count() == 1).collect();
    let mut lists = Map::default();
    for (part, name) in chance.some(&parts, 1, 2).into_iter().zip(["latest", "also"]) {
        let joined: Vec<String> = part.references_to(&entity.name).map(|field| field.name.clone()).collect();
        let mut list = Map::of("list", part.name.as_str());
        let mut tests = Vec::new();
        if chance.percent(50) {
            let subjects: Vec<Subject> = part.fields.iter().map(Subject::of).collect();
            tests.extend(filters::any(chance, inputs, &subjects));
        }
        let order = order(chance, world, part, &joined, &mut tests);
        put_tests(&mut list, &tests);
        if let Some(order) = order {
            list.put("order", order);
        }
        list.put("first", chance.one(["5", "20", "100"]));
        returns(chance, world, part, &mut list);
        if chance.percent(10) {
            list.put("group", facets::size(chance, false));
        }
        lists.put(name, list);
    }
    if !lists.is_empty() {
        map.put("with", lists);
    }
}

pub(crate) fn returns(chance: &mut Chance, world: &World, entity: &Entity, map: &mut Map) {
    match chance.below(20) {
        0 => map.put("returns", "all"),
        1..10 => {
            let own: Vec<String> = entity.fields.iter().map(|field| field.name.clone()).collect();
            let mut fields = chance.some(&own, 1, 6);
            let paths: Vec<String> = filters::paths(world, entity).into_iter().map(|path| path.path).collect();
            if chance.percent(50) {
                fields.extend(chance.some(&paths, 1, 2));
            }
            if chance.percent(10) && entity.field("version").is_none() {
                fields.push("version".to_owned());
            }
            map.put("returns", fields);
        }
        _ => {}
    }
}

fn freshness(chance: &mut Chance, map: &mut Map) {
    if chance.percent(75) {
        map.put("freshness", chance.one(["latest", "read_your_writes", "5s", "1min", "500ms"]));
    }
}
