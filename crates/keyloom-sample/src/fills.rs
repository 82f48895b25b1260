//! What follows from the row itself or from other rows: derived fields, snapshots, kept ones.

use keyloom_model::{Size, Type};

use crate::chance::Chance;
use crate::filters::{self, Subject};
use crate::shape::{Entity, Field, Fill, Origin};
use crate::words;
use crate::world::World;

/// Gives an entity fields that nobody sends.
pub(crate) fn add(chance: &mut Chance, world: &World, entity: &mut Entity) {
    for _ in 0..chance.one([0, 1, 1, 2]) {
        if let Some(field) = derived(chance, entity) {
            entity.fields.push(field);
        }
    }
    if chance.percent(30)
        && let Some(field) = snapshot(chance, world, entity)
    {
        entity.fields.push(field);
    }
    for _ in 0..chance.one([0, 1, 2, 3]) {
        if let Some(field) = kept(chance, world, entity) {
            entity.fields.push(field);
        }
    }
}

fn derived(chance: &mut Chance, entity: &Entity) -> Option<Field> {
    let of: Vec<&Field> = entity.fields.iter().filter(|field| field.is_written()).collect();
    let numbers: Vec<&&Field> = of.iter().filter(|field| matches!(field.ty, Type::Int | Type::Float)).collect();
    let prices: Vec<&&Field> = of.iter().filter(|field| matches!(field.ty, Type::Decimal { .. })).collect();
    let field = chance.pick(&of)?;
    let name = &field.name;
    let day = Type::Date;
    let (wish, ty, text) = match &field.ty {
        Type::Text(size) => match chance.below(4) {
            0 => (format!("{name}_start"), Type::Text(Size { typical: 1, max: 4 }), format!("left({name}, 1)")),
            1 => (format!("{name}_upper"), Type::Text(*size), format!("upper({name})")),
            _ => (format!("{name}_key"), Type::Text(*size), format!("lower({name})")),
        },
        Type::Timestamp { .. } => match chance.below(4) {
            0 => (format!("hour_of_{name}"), Type::Timestamp { micros: false }, format!("hour({name})")),
            1 => (format!("month_of_{name}"), day, format!("month({name})")),
            2 => (format!("year_of_{name}"), Type::Int, format!("year({name})")),
            _ => (format!("day_of_{name}"), day, format!("day({name})")),
        },
        Type::Uuid7 => {
            (format!("time_of_{}", field.path()), Type::Timestamp { micros: false }, format!("time({name})"))
        }
        Type::Decimal { .. } => {
            let count = numbers.iter().find(|number| number.ty == Type::Int && !number.optional)?;
            (format!("whole_{name}"), field.ty.clone(), format!("{} * {name}", count.name))
        }
        Type::Int => {
            let price = prices.iter().find(|price| !price.optional && !field.optional);
            match price {
                Some(price) => (format!("{name}_worth"), price.ty.clone(), format!("{name} * {}", price.name)),
                None => (format!("{name}_left"), Type::Int, format!("max(100 - {name}, 0)")),
            }
        }
        Type::Float => {
            let other =
                numbers.iter().find(|other| other.ty == Type::Float && other.name != *name && !other.optional)?;
            let cell = Type::Text(Size { typical: 6, max: 6 });
            (words::free(entity, "cell"), cell, format!("geohash({name}, {}, 6)", other.name))
        }
        Type::Set(..) | Type::List(..) => (format!("{name}_size"), Type::Int, format!("size({name})")),
        Type::Uuid => {
            let text = Type::Text(Size { typical: 36, max: 36 });
            (format!("{}_text", field.path()), text, format!("text({name})"))
        }
        _ => return None,
    };
    let made = Field::new(words::free(entity, &wish), ty).filled(Fill::Derived(text));
    Some(Field { optional: field.optional, ..made })
}

fn snapshot(chance: &mut Chance, world: &World, entity: &Entity) -> Option<Field> {
    let paths: Vec<Subject> = filters::paths(world, entity);
    let of = chance.pick(&paths)?;
    let name = words::free(entity, &format!("{}_then", of.path.replace('.', "_")));
    let made = Field::new(name, of.ty.clone()).filled(Fill::Snapshot(of.path.clone()));
    Some(Field { optional: of.optional, ..made })
}

fn kept(chance: &mut Chance, world: &World, entity: &Entity) -> Option<Field> {
    let points = |other: &&Entity| {
        other.shared == entity.shared && other.name != entity.name && other.references_to(&entity.name).next().is_some()
    };
    let others: Vec<&Entity> = world.entities.iter().filter(points).collect();
    if entity.key.is_empty() || entity.append_only || entity.origin == Origin::Elsewhere {
        return None;
    }
    let other = *chance.pick(&others)?;
    let references: Vec<&Field> = other.references_to(&entity.name).collect();
    let through = match references.as_slice() {
        [_] => String::new(),
        several => format!(".{}", chance.pick(several)?.path()),
    };
    let numbers: Vec<&Field> = other
        .fields
        .iter()
        .filter(|field| field.is_written() && !field.optional && !other.is_key(field) && field.reference.is_none())
        .filter(|field| matches!(field.ty, Type::Int | Type::Decimal { .. } | Type::Float))
        .collect();
    let values: Vec<&Field> = other
        .fields
        .iter()
        .filter(|field| field.is_written() && field.is_ordered() && !field.optional && field.reference.is_none())
        .collect();
    let moments: Vec<&Field> = other.fields.iter().filter(|field| field.is_written() && field.is_moment()).collect();
    let of = other.name.as_str();
    let things = words::snake(of);
    let (wish, ty, optional, mut text) = match chance.below(10) {
        0..4 => (format!("{things}_count"), Type::Int, false, format!("count of {of}{through}")),
        4..6 => {
            let field = chance.pick(&numbers)?;
            let name = format!("{things}_{}_sum", field.name);
            (name, field.ty.clone(), false, format!("sum of {of}{through}.{}", field.name))
        }
        6 => {
            let field = chance.pick(&numbers)?;
            let ty = if matches!(field.ty, Type::Decimal { .. }) { field.ty.clone() } else { Type::Float };
            (format!("mean_{}", field.name), ty, true, format!("avg of {of}{through}.{}", field.name))
        }
        7 => {
            let field = chance.pick(&values)?;
            let which = chance.one(["min", "max"]);
            let name = format!("{which}_{}", field.name);
            (name, field.ty.clone(), true, format!("{which} of {of}{through}.{}", field.name))
        }
        _ => {
            let (field, by) = (chance.pick(&values)?, chance.pick(&moments)?);
            let which = chance.one(["last", "first"]);
            let name = format!("{which}_{things}_{}", field.name);
            (name, field.ty.clone(), true, format!("{which} of {of}{through}.{} by {}", field.name, by.name))
        }
    };
    if chance.percent(30) {
        let subjects: Vec<Subject> = other.fields.iter().filter(|field| !field.is_kept()).map(Subject::of).collect();
        let test = chance.pick(&subjects).and_then(|subject| steady(chance, subject));
        text.extend(test.map(|test| format!(" where {test}")));
    }
    let made = Field::new(words::free(entity, &wish), ty).filled(Fill::Kept(text));
    Some(Field { optional, ..made })
}

/// A test that time alone does not change: what is kept follows writes, and nobody writes when a moment passes.
pub(crate) fn steady(chance: &mut Chance, of: &Subject) -> Option<String> {
    filters::constant(chance, of).filter(|test| !test.contains("now"))
}
