//! Values that have exactly a size, so that what was computed without a value can be compared with what is stored.

use std::net::{Ipv4Addr, Ipv6Addr};

use keyloom_store::ValueSize;
use keyloom_value::{Duration, Kind, Value};

use super::mixed;

type Owned = Value<'static>;

/// A value of a kind and a size; another number gives another value, wherever there is room for one.
pub fn value(kind: &Kind, size: &ValueSize, number: u64) -> Owned {
    match (kind, size) {
        (_, ValueSize::Absent) => Value::Null,
        (Kind::Bool, _) => Value::Bool(true),
        (Kind::Duration, _) => Value::Duration(Duration { months: 1, days: 2, micros: 3 }),
        (Kind::Uuid | Kind::Uuid7, _) => {
            let mut id = [0; 16];
            id[..8].copy_from_slice(&mixed(number).to_be_bytes());
            id[8..].copy_from_slice(&mixed(!number).to_be_bytes());
            (id[6], id[8]) = (0x70 | id[6] & 0x0F, 0x80 | id[8] & 0x3F);
            Value::Uuid(id)
        }
        (kind, ValueSize::Number(of)) => {
            assert!(!of.negative && (of.fraction == 0 || matches!(kind, Kind::Decimal { .. })), "{kind:?} {size:?}");
            let digits = 10i128.pow(u32::from(of.whole) + u32::from(of.fraction));
            // The last digit stays, since zeros at the end are not stored; so does the first.
            let units = digits - 1 - 10 * i128::from(number);
            assert!(units >= digits / 10, "{number} has no place in {kind:?} of {size:?}");
            match kind {
                Kind::Int => Value::Int(units as i64),
                Kind::Float => Value::Float(units as f64),
                Kind::Timestamp { .. } => Value::Timestamp(units as i64),
                Kind::Date => Value::Date(units as i32),
                _ => Value::Decimal(units),
            }
        }
        (Kind::Enum(variants), ValueSize::Bytes(bytes)) => {
            let found = variants.iter().find(|variant| variant.name.len() as u64 == *bytes);
            Value::Enum(found.unwrap_or_else(|| panic!("no variant of {bytes} bytes in {variants:?}")).rank)
        }
        (Kind::Text, ValueSize::Bytes(bytes)) => text(*bytes, number).into(),
        (Kind::Bytes, ValueSize::Bytes(bytes)) => Value::Bytes(text(*bytes, number).into_bytes().into()),
        (Kind::Json, ValueSize::Bytes(bytes)) => Value::Json(format!("\"{}\"", text(bytes - 2, number)).into()),
        (Kind::Ip, ValueSize::Bytes(4)) => Value::Ip(Ipv4Addr::from_bits(number as u32).into()),
        (Kind::Ip, ValueSize::Bytes(_)) => Value::Ip(Ipv6Addr::from_bits(number.into()).into()),
        (Kind::List(of), ValueSize::Elements(sizes)) => Value::List(elements(of, sizes, number)),
        (Kind::Set(of), ValueSize::Elements(sizes)) => Value::Set(elements(of, sizes, number)),
        (Kind::Map(key, of), ValueSize::Entries(sizes)) => {
            let each = sizes.iter().flat_map(|(count, name, size)| (0..*count).map(move |at| (at, name, size)));
            Value::Map(each.map(|(at, name, size)| (value(key, name, at), value(of, size, number))).collect())
        }
        (Kind::Struct(members), ValueSize::Members(sizes)) => {
            // What is not sized is absent: the reason of a request that was refused, which few are.
            let sizes = sizes.iter().chain(std::iter::repeat(&ValueSize::Absent));
            Value::Struct(members.iter().zip(sizes).map(|(member, size)| value(&member.kind, size, number)).collect())
        }
        (Kind::OneOf(kinds), ValueSize::Choice(which, size)) => {
            Value::OneOf(*which, Box::new(value(&kinds[usize::from(*which)], size, number)))
        }
        (kind, size) => panic!("{kind:?} has no {size:?}"),
    }
}

fn elements(of: &Kind, sizes: &[(u64, ValueSize)], number: u64) -> Vec<Owned> {
    let each = sizes.iter().flat_map(|(count, size)| (0..*count).map(move |at| (at, size)));
    // Values of a set are different ones.
    each.map(|(at, size)| value(of, size, number + at)).collect()
}

/// So many bytes, with the number at their end.
fn text(bytes: u64, number: u64) -> String {
    let bytes = bytes as usize;
    let text = format!("{number:x>bytes$}");
    text[text.len() - bytes..].to_owned()
}
