//! Types, and constants of them.

use keyloom_model::{Distribution, Share, Size, Type, Variant};

use crate::chance::Chance;

/// The values of enumerations, each list in its natural order.
const VALUES: [&[&str]; 6] = [
    &["OPEN", "CLOSED"],
    &["DRAFT", "SUBMITTED", "APPROVED", "REJECTED"],
    &["LOW", "NORMAL", "HIGH"],
    &["NEW", "PAID", "SHIPPED", "DELIVERED", "CANCELLED", "RETURNED_BY_CUSTOMER"],
    &["EMAIL", "SMS", "PUSH"],
    &["A", "B", "C", "NO", "ON_HOLD", "V2"],
];

/// Shares that are 100 % together, for so many values.
fn shares(count: usize) -> &'static [u32] {
    match count {
        2 => &[60_000, 940_000],
        3 => &[75_000, 900_000, 25_000],
        4 => &[20_000, 80_000, 850_000, 50_000],
        6 => &[10_000, 20_000, 30_000, 900_000, 35_000, 5_000],
        _ => &[],
    }
}

pub(crate) fn enumeration(chance: &mut Chance) -> Type {
    let names = chance.one(VALUES);
    let shares: &[u32] = if chance.percent(60) { shares(names.len()) } else { &[] };
    let variant = |(at, name): (usize, &&str)| Variant {
        name: (*name).to_owned(),
        share: shares.get(at).map(|&millionths| Share { millionths }),
    };
    Type::Enum(names.iter().enumerate().map(variant).collect())
}

pub(crate) fn text(chance: &mut Chance) -> Type {
    let sizes = [(3, 3), (0, 20), (8, 30), (20, 100), (80, 400), (200, 4096), (1024, 61440)];
    let known = if chance.percent(10) { sizes.len() } else { 5 };
    let (typical, max) = sizes[chance.below(known)];
    Type::Text(Size { typical, max })
}

fn counts(chance: &mut Chance) -> Distribution<u64> {
    let (typical, p99, worst) = chance.one([(2, 10, 40), (3, 20, 100), (1, 4, 12), (20, 200, 500)]);
    if chance.percent(20) {
        return Distribution { typical: None, p99: None, worst: Some(worst), per: None };
    }
    Distribution { typical: Some(typical), p99: Some(p99), worst: Some(worst), per: None }
}

/// What keys are made of beside fresh identities and references.
pub(crate) fn natural(chance: &mut Chance) -> Type {
    match chance.below(9) {
        0..3 => Type::Text(chance.one([Size { typical: 3, max: 12 }, Size { typical: 10, max: 40 }])),
        3 => Type::Int,
        4 => Type::Date,
        5 => Type::Timestamp { micros: chance.percent(30) },
        6 => Type::Bytes(Size { typical: 32, max: 32 }),
        7 => Type::Ip,
        _ => enumeration(chance),
    }
}

/// A type that has no parts.
fn simple(chance: &mut Chance) -> Type {
    match chance.below(8) {
        0..3 => text(chance),
        3 => Type::Int,
        4 => Type::Uuid,
        5 => Type::Decimal { scale: 2 },
        6 => Type::Timestamp { micros: false },
        _ => enumeration(chance),
    }
}

/// The type of a field.
pub(crate) fn any(chance: &mut Chance, structs: &[String]) -> Type {
    match chance.below(100) {
        0..18 => text(chance),
        18..30 => Type::Timestamp { micros: chance.percent(15) },
        30..40 => enumeration(chance),
        40..49 => Type::Int,
        49..56 => Type::Decimal { scale: chance.one([0, 2, 4]) },
        56..62 => Type::Bool,
        62..66 => Type::Date,
        66..70 => Type::Uuid,
        70..72 => Type::Uuid7,
        72..75 => Type::Float,
        75..77 => Type::Ip,
        77..79 => Type::Bytes(chance.one([Size { typical: 32, max: 32 }, Size { typical: 1024, max: 61440 }])),
        79..81 => Type::Json(chance.one([Size { typical: 400, max: 2048 }, Size { typical: 1024, max: 61440 }])),
        81..83 => Type::Duration,
        83..89 => Type::Set(Box::new(simple(chance)), counts(chance)),
        89..93 => {
            let of = chance.pick(structs).map(|name| Type::Struct(name.clone()));
            Type::List(Box::new(of.unwrap_or_else(|| simple(chance))), counts(chance))
        }
        93..97 => {
            let of = match chance.below(4) {
                0 => Type::Int,
                1 => Type::Bool,
                _ => text(chance),
            };
            Type::Map(Box::new(Type::Text(Size { typical: 5, max: 40 })), Box::new(of), counts(chance))
        }
        97 => Type::OneOf(vec![Type::Int, Type::Bool, Type::Text(Size { typical: 20, max: 400 })]),
        _ => chance.pick(structs).map_or(Type::Int, |name| Type::Struct(name.clone())),
    }
}

/// The type of a member of a struct.
pub(crate) fn member(chance: &mut Chance) -> Type {
    if chance.percent(15) { Type::Set(Box::new(simple(chance)), counts(chance)) } else { simple(chance) }
}

/// A type as a catalog writes it, with all its numbers; messages leave some of them out.
pub(crate) fn written(ty: &Type) -> String {
    let counted = |text: String, counts: &Distribution<u64>| match (counts.typical, counts.p99, counts.worst) {
        (Some(typical), Some(p99), Some(worst)) => format!("{text} ({typical} / {p99} / {worst})"),
        _ => format!("{text} ({})", counts.worst.unwrap_or(1)),
    };
    match ty {
        Type::Enum(variants) => {
            let variant = |variant: &Variant| match variant.share {
                Some(share) => format!("{} {share}", variant.name),
                None => variant.name.clone(),
            };
            format!("enum({})", variants.iter().map(variant).collect::<Vec<_>>().join(" | "))
        }
        Type::List(of, counts) => counted(format!("list of {}", written(of)), counts),
        Type::Set(of, counts) => counted(format!("set of {}", written(of)), counts),
        Type::Map(key, value, counts) => counted(format!("map of {} to {}", written(key), written(value)), counts),
        Type::OneOf(types) => format!("oneof({})", types.iter().map(written).collect::<Vec<_>>().join(" | ")),
        ty => ty.to_string(),
    }
}

/// A constant of a type, as expressions write it; nothing for types that have none.
pub(crate) fn constant(chance: &mut Chance, ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Enum(variants) => chance.pick(variants)?.name.clone(),
        Type::Bool => chance.one(["true", "false"]).to_owned(),
        Type::Int => chance.one(["0", "1", "10", "250", "5k", "-1"]).to_owned(),
        Type::Float => chance.one(["0", "0.5", "36.6", "-40"]).to_owned(),
        Type::Decimal { scale: 0 } => chance.one(["0", "100"]).to_owned(),
        Type::Decimal { .. } => chance.one(["0", "100", "9.99", "0.5"]).to_owned(),
        Type::Text(size) if size.max >= 3 => chance.one(["'eu'", "'a'", "'it''s'", "'x-1'"]).to_owned(),
        Type::Date => chance.one(["'2026-11-15'", "'2024-02-29'"]).to_owned(),
        Type::Timestamp { .. } => chance.one(["'2026-11-15T12:30:00Z'", "'2025-01-01T00:00:00.000Z'"]).to_owned(),
        Type::Ip => chance.one(["'10.0.0.1'", "'2001:db8::1'"]).to_owned(),
        Type::Uuid => "'6f1c2f0e-2b0a-4c55-9d53-0a1f6f2f7b11'".to_owned(),
        _ => return None,
    })
}
