//! Kinds and values to test with, ordinary and hostile.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::net::IpAddr;

use keyloom_value::{Duration, Kind, Member, Value, Variant, key::Part};
use proptest::{collection::vec, prelude::*};

pub type Owned = Value<'static>;

/// Names that encodings have stumbled over: delimiters, escapes, ends, the largest code points.
pub fn hostile_text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        '\0',
        '\u{1}',
        '#',
        'a',
        '\u{7F}',
        '\u{FF}',
        '\u{D7FF}',
        '\u{E000}',
        '\u{FFFF}',
        '\u{10000}',
        '\u{10FFFF}',
    ]);
    vec(prop_oneof![4 => nasty, 1 => any::<char>()], 0..6).prop_map(|chars| chars.into_iter().collect())
}

pub fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![3 => prop::sample::select(vec![0, 1, 2, 254, 255]), 1 => any::<u8>()], 0..6)
}

fn enumeration() -> Kind {
    let variant = |name: &str, rank| Variant { name: name.to_owned(), rank };
    Kind::Enum(vec![variant("low", 1), variant("mid", 256), variant("high", Kind::RANK_MAX)])
}

/// Kinds that may stand in a key.
pub fn ordered_kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![
        Kind::Bool,
        Kind::Int,
        Kind::Float,
        Kind::Decimal { scale: 2 },
        Kind::Text,
        Kind::Text,
        Kind::Bytes,
        Kind::Bytes,
        Kind::Uuid,
        Kind::Uuid7,
        Kind::Date,
        Kind::Timestamp { micros: false },
        Kind::Timestamp { micros: true },
        Kind::Ip,
        enumeration(),
    ])
}

/// Any kind, nested up to three times.
pub fn kind() -> impl Strategy<Value = Kind> {
    let leaf = prop_oneof![8 => ordered_kind(), 1 => Just(Kind::Json), 1 => Just(Kind::Duration)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let member = (inner.clone(), any::<bool>());
        prop_oneof![
            inner.clone().prop_map(|kind| Kind::List(Box::new(kind))),
            inner.clone().prop_map(|kind| Kind::Set(Box::new(kind))),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| Kind::Map(Box::new(key), Box::new(value))),
            vec(member, 0..4).prop_map(|members| {
                let named = members.into_iter().enumerate();
                let named = named.map(|(at, (kind, optional))| Member { name: format!("m{at}"), kind, optional });
                Kind::Struct(named.collect())
            }),
            vec(inner, 1..4).prop_map(Kind::OneOf),
        ]
    })
}

/// A value of a kind.
pub fn value(kind: &Kind) -> BoxedStrategy<Owned> {
    let ints = || prop_oneof![any::<i64>(), -2i64..3, Just(i64::MIN), Just(i64::MAX)];
    match kind {
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Int => ints().prop_map(Value::Int).boxed(),
        Kind::Float => {
            let special = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, -5e-324, 5e-324];
            let numbers = any::<f64>().prop_filter("NaN is no value", |value| !value.is_nan());
            prop_oneof![numbers, prop::sample::select(special)].prop_map(Value::Float).boxed()
        }
        Kind::Decimal { .. } => {
            const MOST: i128 = 10i128.pow(38) - 1;
            prop_oneof![-MOST..=MOST, -2i128..3, Just(MOST), Just(-MOST)].prop_map(Value::Decimal).boxed()
        }
        Kind::Text => hostile_text().prop_map(Value::from).boxed(),
        Kind::Json => hostile_text().prop_map(|text| Value::Json(text.into())).boxed(),
        Kind::Bytes => hostile_bytes().prop_map(Value::from).boxed(),
        Kind::Uuid => any::<[u8; 16]>().prop_map(Value::Uuid).boxed(),
        Kind::Uuid7 => any::<[u8; 16]>()
            .prop_map(|mut bytes| {
                bytes[6] = bytes[6] & 0x0F | 0x70;
                Value::Uuid(bytes)
            })
            .boxed(),
        Kind::Date => prop_oneof![any::<i32>(), -2i32..3].prop_map(Value::Date).boxed(),
        Kind::Timestamp { .. } => ints().prop_map(Value::Timestamp).boxed(),
        Kind::Duration => (any::<i32>(), any::<i32>(), any::<i64>())
            .prop_map(|(months, days, micros)| Value::Duration(Duration { months, days, micros }))
            .boxed(),
        Kind::Ip => any::<IpAddr>().prop_map(Value::Ip).boxed(),
        Kind::Enum(variants) => prop::sample::select(variants.iter().map(|variant| variant.rank).collect::<Vec<_>>())
            .prop_map(Value::Enum)
            .boxed(),
        Kind::List(of) => vec(value(of), 0..4).prop_map(Value::List).boxed(),
        Kind::Set(of) => vec(value(of), 0..4).prop_map(Value::Set).boxed(),
        Kind::Map(key, of) => vec((value(key), value(of)), 0..4)
            .prop_map(|entries| {
                // One value for each key, whichever comes first.
                let mut kept: Vec<(Owned, Owned)> = Vec::new();
                for (key, of) in entries {
                    if kept.iter().all(|(known, _)| plain(known) != plain(&key)) {
                        kept.push((key, of));
                    }
                }
                Value::Map(kept)
            })
            .boxed(),
        Kind::Struct(members) => members
            .iter()
            .map(|member| {
                if member.optional {
                    prop_oneof![value(&member.kind), Just(Value::Null)].boxed()
                } else {
                    value(&member.kind)
                }
            })
            .collect::<Vec<_>>()
            .prop_map(Value::Struct)
            .boxed(),
        Kind::OneOf(kinds) => {
            let choices: Vec<_> = (0u8..)
                .zip(kinds)
                .map(|(which, kind)| value(kind).prop_map(move |value| Value::OneOf(which, Box::new(value))).boxed())
                .collect();
            prop::strategy::Union::new(choices).boxed()
        }
    }
}

/// A value as words that are equal exactly when two values of one kind are the same: said without any of the code under
/// test.
pub fn plain(value: &Value<'_>) -> String {
    let all = |values: &[Value<'_>]| values.iter().map(plain).collect::<Vec<_>>();
    match value {
        Value::Float(value) if *value == 0.0 => "zero".to_owned(),
        Value::List(values) | Value::Struct(values) => format!("[{}]", all(values).join(", ")),
        Value::Set(values) => {
            let mut words = all(values);
            words.sort();
            words.dedup();
            format!("{{{}}}", words.join(", "))
        }
        Value::Map(entries) => {
            let mut words: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}: {}", plain(key), plain(value))).collect();
            words.sort();
            format!("{{{}}}", words.join(", "))
        }
        Value::OneOf(which, value) => format!("{which} {}", plain(value)),
        value => format!("{value:?}"),
    }
}

/// The components of a key, in either direction.
pub fn parts() -> impl Strategy<Value = Vec<Part>> {
    vec((ordered_kind(), any::<bool>()).prop_map(|(kind, descending)| Part { kind, descending }), 1..4)
}

/// A key of these parts.
pub fn key_of(parts: &[Part]) -> impl Strategy<Value = Vec<Owned>> + use<> {
    parts.iter().map(|part| value(&part.kind)).collect::<Vec<_>>()
}

/// Parts and two keys that often share their beginning.
pub fn two_keys() -> impl Strategy<Value = (Vec<Part>, Vec<Owned>, Vec<Owned>)> {
    parts().prop_flat_map(|parts| {
        let length = parts.len();
        (Just(parts.clone()), key_of(&parts), key_of(&parts), 0..=length).prop_map(
            |(parts, first, mut second, shared)| {
                second[..shared].clone_from_slice(&first[..shared]);
                (parts, first, second)
            },
        )
    })
}
