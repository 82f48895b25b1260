//! Values as attributes, so that a person reads what a person wrote.
//!
//! | kind | attribute |
//! |---|---|
//! | bool | BOOL |
//! | int, timestamp, date, decimal | N |
//! | float | N; B in key form where DynamoDB's numbers end |
//! | text, json, enum | S; an enum by its name |
//! | bytes, uuid | B |
//! | duration, ip | B: its canonical bytes |
//! | list, set | L; a set in its order, since DynamoDB's own are never empty |
//! | map | M when its keys are texts, else L of pairs |
//! | struct | M of the members that are there |
//! | oneof | M of one, named by its position |

use std::collections::HashMap;

use aws_sdk_dynamodb::{primitives::Blob, types::AttributeValue};
use keyloom_value::{Kind, Malformed, Mismatch, Value, canonical, key};

use crate::number;

const OTHER: Malformed = Malformed::from_static("an attribute is of another type than its column");

/// The magnitudes of DynamoDB's numbers, a little inside of their ends.
const NUMBERS: std::ops::Range<f64> = 1e-129..1e125;

/// The attribute of a value, which must be of that kind and not absent.
pub(crate) fn attribute(value: &Value<'_>, kind: &Kind) -> Result<AttributeValue, Mismatch> {
    let all = |values: &[Value<'_>], of: &Kind| -> Result<Vec<_>, Mismatch> {
        values.iter().map(|value| attribute(value, of)).collect()
    };
    Ok(match (value, kind) {
        (Value::Bool(value), Kind::Bool) => AttributeValue::Bool(*value),
        (Value::Float(value), Kind::Float) if *value == 0.0 => AttributeValue::N("0".to_owned()),
        (Value::Float(value), Kind::Float) if NUMBERS.contains(&value.abs()) => AttributeValue::N(format!("{value:e}")),
        (Value::Float(_), Kind::Float) => {
            let mut bytes = Vec::new();
            key::encode_part(value, &key::Part::ascending(Kind::Float), &mut bytes)?;
            AttributeValue::B(Blob::new(bytes))
        }
        (Value::Text(value), Kind::Text) | (Value::Json(value), Kind::Json) => {
            AttributeValue::S(value.clone().into_owned())
        }
        (Value::Bytes(value), Kind::Bytes) => AttributeValue::B(Blob::new(value.clone().into_owned())),
        (Value::Uuid(value), Kind::Uuid | Kind::Uuid7) => AttributeValue::B(Blob::new(value.to_vec())),
        (Value::Duration(_), Kind::Duration) | (Value::Ip(_), Kind::Ip) => {
            let mut bytes = Vec::new();
            canonical::encode(value, kind, &mut bytes)?;
            AttributeValue::B(Blob::new(bytes))
        }
        (Value::Enum(rank), Kind::Enum(variants)) => {
            let variant = variants.iter().find(|variant| variant.rank == *rank);
            let variant = variant.ok_or_else(|| Mismatch::new(format!("{rank} is no rank of this enum")))?;
            AttributeValue::S(variant.name.clone())
        }
        (Value::List(values), Kind::List(of)) => AttributeValue::L(all(values, of)?),
        (Value::Set(_), Kind::Set(of)) => match canonical_form(value, kind)? {
            Value::Set(values) => AttributeValue::L(all(&values, of)?),
            _ => return Err(mismatch(value, kind)),
        },
        (Value::Map(entries), Kind::Map(key, of)) if **key == Kind::Text => {
            let entry = |(key, value): &(Value<'_>, Value<'_>)| match key {
                Value::Text(key) => Ok((escaped(key), attribute(value, of)?)),
                _ => Err(mismatch(key, &Kind::Text)),
            };
            AttributeValue::M(entries.iter().map(entry).collect::<Result<_, _>>()?)
        }
        (Value::Map(_), Kind::Map(key, of)) => {
            let Value::Map(entries) = canonical_form(value, kind)? else { return Err(mismatch(value, kind)) };
            let pair = |(name, value): &(Value<'_>, Value<'_>)| {
                Ok(AttributeValue::L(vec![attribute(name, key)?, attribute(value, of)?]))
            };
            AttributeValue::L(entries.iter().map(pair).collect::<Result<_, Mismatch>>()?)
        }
        (Value::Struct(values), Kind::Struct(members)) => {
            let there = members.iter().zip(values).filter(|(_, value)| !value.is_null());
            let named = there.map(|(member, value)| Ok((member.name.clone(), attribute(value, &member.kind)?)));
            AttributeValue::M(named.collect::<Result<_, Mismatch>>()?)
        }
        (Value::OneOf(which, value), Kind::OneOf(kinds)) => {
            let kind = kinds.get(usize::from(*which)).ok_or_else(|| Mismatch::new("a position of no kind".into()))?;
            AttributeValue::M(HashMap::from([(which.to_string(), attribute(value, kind)?)]))
        }
        (value, kind) => match units(value, kind) {
            Some((units, scale)) => AttributeValue::N(number::text(units, scale)),
            None => return Err(mismatch(value, kind)),
        },
    })
}

/// The value of an attribute.
pub(crate) fn value<'a>(attribute: &'a AttributeValue, kind: &Kind) -> Result<Value<'a>, Malformed> {
    let all = |values: &'a [AttributeValue], of: &Kind| -> Result<Vec<_>, Malformed> {
        values.iter().map(|one| value(one, of)).collect()
    };
    Ok(match (attribute, kind) {
        (AttributeValue::Bool(value), Kind::Bool) => Value::Bool(*value),
        (AttributeValue::N(text), Kind::Float) => Value::Float(text.parse().map_err(|_| OTHER)?),
        (AttributeValue::B(bytes), Kind::Float) => {
            return key::decode_part(&mut bytes.as_ref(), &key::Part::ascending(Kind::Float));
        }
        (AttributeValue::N(text), Kind::Int) => Value::Int(number::whole(text)?),
        (AttributeValue::N(text), Kind::Timestamp { .. }) => Value::Timestamp(number::whole(text)?),
        (AttributeValue::N(text), Kind::Date) => Value::Date(number::whole(text)?),
        (AttributeValue::N(text), Kind::Decimal { scale }) => Value::Decimal(number::units(text, *scale)?),
        (AttributeValue::S(text), Kind::Text) => Value::Text(text.as_str().into()),
        (AttributeValue::S(text), Kind::Json) => Value::Json(text.as_str().into()),
        (AttributeValue::S(name), Kind::Enum(variants)) => {
            let variant = variants.iter().find(|variant| variant.name == *name);
            Value::Enum(variant.ok_or(Malformed::from_static("an attribute is no value of its enum"))?.rank)
        }
        (AttributeValue::B(bytes), Kind::Bytes) => Value::Bytes(bytes.as_ref().into()),
        (AttributeValue::B(bytes), Kind::Uuid | Kind::Uuid7) => {
            Value::Uuid(bytes.as_ref().try_into().map_err(|_| OTHER)?)
        }
        (AttributeValue::B(bytes), Kind::Duration | Kind::Ip) => canonical::decode(bytes.as_ref(), kind)?,
        (AttributeValue::L(values), Kind::List(of)) => Value::List(all(values, of)?),
        (AttributeValue::L(values), Kind::Set(of)) => Value::Set(all(values, of)?),
        (AttributeValue::M(entries), Kind::Map(key, of)) if **key == Kind::Text => {
            let entry = |(name, one): (&'a String, &'a AttributeValue)| {
                Ok((Value::Text(unescaped(name).into()), value(one, of)?))
            };
            Value::Map(entries.iter().map(entry).collect::<Result<_, Malformed>>()?)
        }
        (AttributeValue::L(pairs), Kind::Map(key, of)) => {
            let pair = |pair: &'a AttributeValue| match pair {
                AttributeValue::L(pair) if pair.len() == 2 => Ok((value(&pair[0], key)?, value(&pair[1], of)?)),
                _ => Err(OTHER),
            };
            Value::Map(pairs.iter().map(pair).collect::<Result<_, _>>()?)
        }
        (AttributeValue::M(named), Kind::Struct(members)) => {
            let member = |member: &keyloom_value::Member| match named.get(&member.name) {
                Some(one) => value(one, &member.kind),
                None => Ok(Value::Null),
            };
            Value::Struct(members.iter().map(member).collect::<Result<_, _>>()?)
        }
        (AttributeValue::M(named), Kind::OneOf(kinds)) => {
            let (position, one) = named.iter().next().filter(|_| named.len() == 1).ok_or(OTHER)?;
            let position: u8 = position.parse().map_err(|_| OTHER)?;
            let kind = kinds.get(usize::from(position)).ok_or(OTHER)?;
            Value::OneOf(position, Box::new(value(one, kind)?))
        }
        _ => return Err(OTHER),
    })
}

/// A value that is a number here, in units of its scale.
pub(crate) fn units(value: &Value<'_>, kind: &Kind) -> Option<(i128, u8)> {
    Some(match (value, kind) {
        (Value::Int(value), Kind::Int) | (Value::Timestamp(value), Kind::Timestamp { .. }) => ((*value).into(), 0),
        (Value::Date(value), Kind::Date) => ((*value).into(), 0),
        (Value::Decimal(value), Kind::Decimal { scale }) => (*value, *scale),
        _ => return None,
    })
}

/// The same value with sets and maps in their order, each entry once.
fn canonical_form(value: &Value<'_>, kind: &Kind) -> Result<Value<'static>, Mismatch> {
    let mut bytes = Vec::new();
    canonical::encode(value, kind, &mut bytes)?;
    let ordered = canonical::decode(&bytes, kind).map(Value::into_owned);
    ordered.map_err(|malformed| Mismatch::new(malformed.to_string()))
}

fn mismatch(value: &Value<'_>, kind: &Kind) -> Mismatch {
    Mismatch::new(format!("{} where {} is expected", value.word(), kind.word()))
}

/// A text that may not be empty: the empty one, and every one that begins with a zero, gets a zero in front. No two
/// become one, and their order stays.
pub(crate) fn escaped(text: &str) -> String {
    if text.is_empty() || text.starts_with('\0') { format!("\0{text}") } else { text.to_owned() }
}

/// The text that was escaped.
pub(crate) fn unescaped(text: &str) -> &str {
    text.strip_prefix('\0').unwrap_or(text)
}

/// How many bytes an attribute's value has as DynamoDB counts them.
pub(crate) fn size(attribute: &AttributeValue) -> usize {
    match attribute {
        AttributeValue::S(text) => text.len(),
        // About a byte for two digits, and one; never less than DynamoDB counts.
        AttributeValue::N(text) => text.len() / 2 + 2,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::L(values) => 3 + values.iter().map(|one| 1 + size(one)).sum::<usize>(),
        AttributeValue::M(named) => 3 + named.iter().map(|(name, one)| 1 + name.len() + size(one)).sum::<usize>(),
        _ => 1,
    }
}
