//! Rollups: entities kept from another, step by step of time.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::fills::steady;
use crate::filters::Subject;
use crate::page::Map;
use crate::shape::{Entity, Field, Fill, Origin};
use crate::words;

/// A rollup of an entity, and how it is written; nothing where it has no moment to be cut from.
pub(crate) fn make(chance: &mut Chance, of: &Entity) -> Option<(Entity, Map)> {
    let is_steady = |field: &&Field| field.is_written() && !field.optional;
    let moments: Vec<&Field> = of
        .fields
        .iter()
        .filter(is_steady)
        .filter(|field| matches!(field.ty, Type::Timestamp { .. } | Type::Date))
        .collect();
    let moment = chance.pick(&moments)?;
    let (every, slot) = match (chance.below(6), &moment.ty) {
        (0..2, Type::Timestamp { .. }) => ("1h", "hour"),
        (2, Type::Timestamp { .. }) => ("15min", "slot"),
        (3, _) => ("1 week", "week_start"),
        (4, _) => ("1 month", "month"),
        _ => ("1 day", "day"),
    };
    let mut rollup =
        Entity::new(format!("{}By{}", of.name, chance.one(["Time", "Period"])), Origin::Followed, of.shared);
    let groups: Vec<&Field> = of
        .fields
        .iter()
        .filter(is_steady)
        .filter(|field| field.is_ordered() && field.name != moment.name && field.name != slot)
        .filter(|field| field.reference.is_some() || matches!(field.ty, Type::Enum(_) | Type::Uuid))
        .collect();
    for field in chance.some(&groups, 0, 2) {
        rollup.key.push(field.name.clone());
        rollup.fields.push(Field { fill: Fill::Taken, ..field.clone() });
    }
    let by = rollup.key.clone();
    if !rollup.is_free(slot) {
        return None;
    }
    let ty = if matches!(slot, "hour" | "slot") { moment.ty.clone() } else { Type::Date };
    rollup.fields.push(Field::new(slot, ty));
    rollup.key.push(slot.to_owned());
    let named = if matches!(slot, "slot" | "week_start") { format!(" as {slot}") } else { String::new() };
    let mut map = Map::of("of", of.name.as_str());
    if !by.is_empty() {
        map.put("by", by);
    }
    map.put("every", format!("{every} of {}{named}", moment.name));
    let subjects: Vec<Subject> = of.fields.iter().filter(|field| field.is_written()).map(Subject::of).collect();
    if chance.percent(20)
        && let Some(test) = chance.pick(&subjects).and_then(|subject| steady(chance, subject))
    {
        map.put("where", test);
    }
    map.put("values", values(chance, of, moment, &subjects, &mut rollup));
    if chance.percent(40) {
        map.put("late", chance.one(["10min", "1h"]));
    }
    if chance.percent(60) {
        map.put("freshness", chance.one(["1min", "5s", "1h"]));
    }
    if chance.percent(40) {
        map.put("expires", format!("{slot} + {}", chance.one(["2 years", "400 days"])));
    }
    if chance.percent(15) {
        map.put("doc", "Kept for the dashboard.");
    }
    Some((rollup, map))
}

fn values(chance: &mut Chance, of: &Entity, moment: &Field, subjects: &[Subject], rollup: &mut Entity) -> Map {
    let numbers: Vec<&Field> = of
        .fields
        .iter()
        .filter(|field| field.is_written() && !field.optional && field.reference.is_none())
        .filter(|field| matches!(field.ty, Type::Int | Type::Decimal { .. } | Type::Float))
        .collect();
    let mut map = Map::default();
    let mut keep = |wish: String, ty: Type, text: String| {
        let name = words::free(rollup, &wish);
        rollup.fields.push(Field::new(&name, ty));
        map.put(name, text);
    };
    keep("n".to_owned(), Type::Int, "count".to_owned());
    if chance.percent(40)
        && let Some(test) = chance.pick(subjects).and_then(|subject| steady(chance, subject))
    {
        keep("matching".to_owned(), Type::Int, format!("count where {test}"));
    }
    for field in chance.some(&numbers, 0, 2) {
        let name = &field.name;
        let mean = if matches!(field.ty, Type::Decimal { .. }) { field.ty.clone() } else { Type::Float };
        match chance.below(5) {
            0 => keep(format!("mean_{name}"), mean, format!("avg of {name}")),
            1 => keep(format!("low_{name}"), field.ty.clone(), format!("min of {name}")),
            2 => keep(format!("high_{name}"), field.ty.clone(), format!("max of {name}")),
            3 => {
                let which = chance.one(["last", "first"]);
                keep(format!("{which}_{name}"), field.ty.clone(), format!("{which} of {name} by {}", moment.name));
            }
            _ => keep(format!("{name}_sum"), field.ty.clone(), format!("sum of {name}")),
        }
    }
    map
}
