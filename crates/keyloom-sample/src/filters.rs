//! Tests over rows: `where`, and the conditions of `if`.

use keyloom_model::Type;

use crate::chance::Chance;
use crate::inputs::Inputs;
use crate::shape::{Entity, Field};
use crate::types;
use crate::world::World;

/// Something a test can look at.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// As it is written.
    pub(crate) path: String,
    pub(crate) ty: Type,
    pub(crate) optional: bool,
}

impl Subject {
    pub(crate) fn of(field: &Field) -> Self {
        Self { path: field.name.clone(), ty: field.ty.clone(), optional: field.optional }
    }

    /// How an input for it is called.
    fn input(&self) -> String {
        self.path.replace('.', "_")
    }
}

/// What tests over an entity's rows can look at: its fields, members of its structs, and fields of rows it points to.
pub(crate) fn subjects(world: &World, entity: &Entity) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = entity.fields.iter().map(Subject::of).collect();
    for field in &entity.fields {
        if let Type::Struct(name) = &field.ty {
            let members = world.structs.iter().filter(|(known, _)| known == name).flat_map(|(_, members)| members);
            subjects.extend(members.map(|member| Subject {
                path: format!("{}.{}", field.name, member.name),
                ty: member.ty.clone(),
                optional: field.optional || member.optional,
            }));
        }
    }
    subjects
}

/// The fields of rows that an entity points to.
pub(crate) fn paths(world: &World, entity: &Entity) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for reference in &entity.fields {
        let Some(target) = reference.reference.as_ref().and_then(|to| world.entity(&to.entity)) else { continue };
        let begin = if entity.field(reference.path()).is_some() { &reference.name } else { reference.path() };
        subjects.extend(target.fields.iter().filter(|field| !target.is_key(field)).map(|field| Subject {
            path: format!("{begin}.{}", field.name),
            ty: field.ty.clone(),
            optional: reference.optional || field.optional,
        }));
    }
    subjects
}

/// A test without inputs; nothing for types that have no constants.
pub(crate) fn constant(chance: &mut Chance, of: &Subject) -> Option<String> {
    let path = &of.path;
    if of.optional && chance.percent(40) {
        return Some(format!("{path} is {}null", chance.one(["", "not "])));
    }
    let value = types::constant(chance, &of.ty);
    Some(match (&of.ty, value) {
        (Type::Bool, _) => match chance.below(4) {
            0 => path.clone(),
            1 => format!("not {path}"),
            2 => format!("{path} = false"),
            _ => format!("{path} = true"),
        },
        (Type::Enum(variants), Some(value)) => match chance.below(10) {
            0 => format!("{path} != {value}"),
            1..4 => {
                let some = chance.some(variants, 2, 3).into_iter().map(|variant| variant.name);
                format!("{path} in ({})", some.collect::<Vec<_>>().join(", "))
            }
            _ => format!("{path} = {value}"),
        },
        (Type::Text(_), Some(value)) => match chance.below(4) {
            0 => format!("{path} starts with {value}"),
            1 => format!("left({path}, 2) = 'eu'"),
            2 => format!("{path} in ({value}, 'other')"),
            _ => format!("{path} = {value}"),
        },
        (Type::Int | Type::Decimal { .. } | Type::Float, Some(value)) => match chance.below(4) {
            0 => format!("{path} in 1..100"),
            1 => format!("{path} in {value}.."),
            _ => format!("{path} {} {value}", chance.one([">", ">=", "<", "<="])),
        },
        (Type::Date, Some(value)) => match chance.below(3) {
            0 => format!("{path} = day(now)"),
            1 => format!("{path} >= day(now - 30 days)"),
            _ => format!("{path} < {value}"),
        },
        (Type::Timestamp { .. }, Some(value)) => match chance.below(6) {
            0 => format!("{path} <= now"),
            1 => format!("{path} > now - 7 days"),
            2 => format!("{path} in now - 30 days..now"),
            3 => format!("day({path}) = day(now)"),
            4 => format!("year({path}) = 2026"),
            _ => format!("{path} >= {value}"),
        },
        (Type::Set(of, _) | Type::List(of, _), _) => {
            let value = types::constant(chance, of)?;
            if chance.percent(40) { format!("size({path}) > 0") } else { format!("{path} has {value}") }
        }
        (_, Some(value)) => format!("{path} = {value}"),
        _ => return None,
    })
}

/// A test with inputs; nothing for types that have none.
pub(crate) fn asked(chance: &mut Chance, inputs: &mut Inputs, of: &Subject) -> Option<String> {
    let path = &of.path;
    let name = of.input();
    let droppable = chance.percent(35);
    let mark = if droppable && inputs.may_drop() { "?" } else { "" };
    let mut input = |wish: String, ty: &Type| format!("${}{mark}", inputs.fresh(&wish, ty));
    Some(match &of.ty {
        Type::Timestamp { .. } | Type::Date | Type::Int | Type::Decimal { .. } | Type::Float => match chance.below(8) {
            0..3 => {
                let (from, to) = (input("from".into(), &of.ty), input("to".into(), &of.ty));
                format!("{path} in {from}..{to}")
            }
            3 => format!("{path} < {}", input("before".into(), &of.ty)),
            4 => format!("{path} >= {}", input(format!("least_{name}"), &of.ty)),
            5 => format!("{path} in {}..", input("since".into(), &of.ty)),
            6 if matches!(of.ty, Type::Timestamp { .. }) => {
                format!("{}({path}) = {}", chance.one(["day", "month"]), input("day".into(), &Type::Date))
            }
            _ => format!("{path} = {}", input(name, &of.ty)),
        },
        Type::Uuid7 if chance.percent(60) => match chance.below(2) {
            0 => format!("{path} < {}", input("before".into(), &of.ty)),
            _ => format!("time({path}) > {}", input("since".into(), &Type::Timestamp { micros: false })),
        },
        Type::Text(_) => match chance.below(5) {
            0..2 => format!("{path} starts with {}", input(format!("{name}_begins"), &of.ty)),
            2 => format!("lower({path}) = {}", input(name, &of.ty)),
            3 => list(chance, &mut input, of),
            _ => format!("{path} = {}", input(name, &of.ty)),
        },
        Type::Uuid | Type::Uuid7 | Type::Enum(_) | Type::Ip if chance.percent(30) => list(chance, &mut input, of),
        Type::Uuid | Type::Uuid7 | Type::Enum(_) | Type::Ip | Type::Bool => match &of.ty {
            Type::Uuid if chance.percent(15) => format!("{path} = $caller"),
            ty => format!("{path} = {}", input(name, ty)),
        },
        ty @ (Type::Set(item, _) | Type::List(item, _)) => match chance.below(3) {
            0 => format!("{path} has any {}", input(name, ty)),
            1 => format!("{path} has all {}", input(name, ty)),
            _ => format!("{path} has {}", input(format!("one_of_{name}"), item)),
        },
        Type::Map(key, ..) => format!("{path} has {}", input(format!("key_of_{name}"), key)),
        Type::Bytes(_) | Type::Json(_) | Type::Duration | Type::Struct(_) | Type::OneOf(_) => return None,
    })
}

fn list(chance: &mut Chance, input: &mut impl FnMut(String, &Type) -> String, of: &Subject) -> String {
    let most = chance.one([5, 20, 100]);
    // A list of them has another type than one of them.
    format!("{} in {} max {most}", of.path, input(format!("{}_list", of.input()), &of.ty))
}

/// A test of one of these, mostly without inputs; nothing where none of the tried ones has any.
pub(crate) fn any(chance: &mut Chance, inputs: &mut Inputs, of: &[Subject]) -> Option<String> {
    let subject = chance.pick(of)?;
    match chance.below(10) {
        0..4 => constant(chance, subject),
        4..9 => asked(chance, inputs, subject),
        _ => {
            let other = chance.pick(of)?;
            let (a, b) = (constant(chance, subject)?, constant(chance, other)?);
            Some(format!("({a} or {b})"))
        }
    }
}
