//! The canonical form: the bytes of a value in a row. Two values of one kind are the same exactly when their bytes are.
//!
//! Numbers have a fixed width, sets and maps are sorted by the bytes of their keys, there is one zero and no NaN. Reading
//! borrows: a text is a slice of the row's buffer.

use std::{borrow::Cow, net::IpAddr};

use crate::{
    kind::Kind,
    value::{Duration, Malformed, Mismatch, Value},
};

/// Appends the canonical bytes of a value that is there; the row says itself which ones are absent.
///
/// # Errors
/// When the value is none of its kind.
pub fn encode(value: &Value<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Mismatch> {
    match (value, kind) {
        (Value::Bool(value), Kind::Bool) => out.push(u8::from(*value)),
        (Value::Int(value), Kind::Int) => out.extend(value.to_le_bytes()),
        (Value::Float(value), Kind::Float) => out.extend(one_zero(*value)?.to_le_bytes()),
        (Value::Decimal(value), Kind::Decimal { .. }) => out.extend(within_38_digits(*value)?.to_le_bytes()),
        (Value::Text(value), Kind::Text) | (Value::Json(value), Kind::Json) => out.extend(value.as_bytes()),
        (Value::Bytes(value), Kind::Bytes) => out.extend(&**value),
        (Value::Uuid(value), Kind::Uuid) => out.extend(value),
        (Value::Uuid(value), Kind::Uuid7) => out.extend(version_7(value)?),
        (Value::Date(value), Kind::Date) => out.extend(value.to_le_bytes()),
        (Value::Timestamp(value), Kind::Timestamp { .. }) => out.extend(value.to_le_bytes()),
        (Value::Duration(value), Kind::Duration) => {
            out.extend(value.months.to_le_bytes());
            out.extend(value.days.to_le_bytes());
            out.extend(value.micros.to_le_bytes());
        }
        (Value::Ip(IpAddr::V4(value)), Kind::Ip) => out.extend(value.octets()),
        (Value::Ip(IpAddr::V6(value)), Kind::Ip) => out.extend(value.octets()),
        (Value::Enum(rank), Kind::Enum(variants)) => {
            if !variants.iter().any(|variant| variant.rank == *rank) {
                return Err(Mismatch(format!("{rank} is no rank of this enum")));
            }
            out.extend(rank.to_le_bytes());
        }
        (Value::List(items), Kind::List(kind)) => {
            for item in items {
                part(item, kind, out)?;
            }
        }
        (Value::Set(items), Kind::Set(kind)) => {
            let mut parts = items.iter().map(|item| alone(item, kind)).collect::<Result<Vec<_>, _>>()?;
            parts.sort_unstable();
            parts.dedup();
            parts.iter().try_for_each(|bytes| sized(bytes, out))?;
        }
        (Value::Map(entries), Kind::Map(key_kind, value_kind)) => {
            let mut parts = entries
                .iter()
                .map(|(key, value)| Ok((alone(key, key_kind)?, alone(value, value_kind)?)))
                .collect::<Result<Vec<_>, Mismatch>>()?;
            parts.sort_unstable();
            if parts.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(Mismatch("a map has one value for each key".into()));
            }
            for (key, value) in parts {
                sized(&key, out)?;
                sized(&value, out)?;
            }
        }
        (Value::Struct(values), Kind::Struct(members)) => {
            if values.len() != members.len() {
                return Err(Mismatch(format!("{} members where {} are expected", values.len(), members.len())));
            }
            // Absent members at the end leave no trace: a value keeps its bytes when its struct is given another member.
            let written = values.iter().rposition(|value| !value.is_null()).map_or(0, |last| last + 1);
            if let Some(member) = members[written..].iter().find(|member| !member.optional) {
                return Err(Mismatch(format!("`{}` is absent", member.name)));
            }
            for (value, member) in values[..written].iter().zip(members) {
                match value {
                    Value::Null if member.optional => out.push(0),
                    Value::Null => return Err(Mismatch(format!("`{}` is absent", member.name))),
                    value => {
                        out.push(1);
                        part(value, &member.kind, out)?;
                    }
                }
            }
        }
        (Value::OneOf(which, value), Kind::OneOf(kinds)) => {
            let kind = kinds.get(usize::from(*which)).ok_or_else(|| Mismatch(format!("there is no kind {which}")))?;
            out.push(*which);
            encode(value, kind, out)?;
        }
        (value, kind) => return Err(Mismatch::between(value, kind)),
    }
    Ok(())
}

/// Reads the canonical bytes of a value, all of them.
///
/// # Errors
/// When they are none of a value of this kind.
pub fn decode<'a>(bytes: &'a [u8], kind: &Kind) -> Result<Value<'a>, Malformed> {
    Ok(match kind {
        Kind::Bool => match bytes {
            [0] => Value::Bool(false),
            [1] => Value::Bool(true),
            _ => return Err(Malformed("a bool is neither true nor false")),
        },
        Kind::Int => Value::Int(i64::from_le_bytes(fixed(bytes)?)),
        Kind::Float => Value::Float(read_float(f64::from_le_bytes(fixed(bytes)?))?),
        Kind::Decimal { .. } => Value::Decimal(read_decimal(i128::from_le_bytes(fixed(bytes)?))?),
        Kind::Text => Value::Text(Cow::Borrowed(text(bytes)?)),
        Kind::Json => Value::Json(Cow::Borrowed(text(bytes)?)),
        Kind::Bytes => Value::Bytes(Cow::Borrowed(bytes)),
        Kind::Uuid => Value::Uuid(fixed(bytes)?),
        Kind::Uuid7 => Value::Uuid(read_uuid7(fixed(bytes)?)?),
        Kind::Date => Value::Date(i32::from_le_bytes(fixed(bytes)?)),
        Kind::Timestamp { .. } => Value::Timestamp(i64::from_le_bytes(fixed(bytes)?)),
        Kind::Duration => {
            let bytes: [u8; 16] = fixed(bytes)?;
            Value::Duration(Duration {
                months: i32::from_le_bytes(fixed(&bytes[..4])?),
                days: i32::from_le_bytes(fixed(&bytes[4..8])?),
                micros: i64::from_le_bytes(fixed(&bytes[8..])?),
            })
        }
        Kind::Ip if bytes.len() == 4 => Value::Ip(IpAddr::from(fixed::<4>(bytes)?)),
        Kind::Ip => Value::Ip(IpAddr::from(fixed::<16>(bytes)?)),
        Kind::Enum(_) => Value::Enum(u16::from_le_bytes(fixed(bytes)?)),
        Kind::List(kind) => Value::List(items(bytes, kind)?),
        Kind::Set(kind) => Value::Set(items(bytes, kind)?),
        Kind::Map(key_kind, value_kind) => {
            let (mut entries, mut rest) = (Vec::new(), bytes);
            while !rest.is_empty() {
                let key = decode(take(&mut rest)?, key_kind)?;
                entries.push((key, decode(take(&mut rest)?, value_kind)?));
            }
            Value::Map(entries)
        }
        Kind::Struct(members) => {
            let (mut values, mut rest) = (Vec::with_capacity(members.len()), bytes);
            for member in members {
                match rest.split_first() {
                    None => values.push(Value::Null),
                    Some((0, after)) => {
                        rest = after;
                        values.push(Value::Null);
                    }
                    Some((_, after)) => {
                        rest = after;
                        values.push(decode(take(&mut rest)?, &member.kind)?);
                    }
                }
            }
            // Left over would be a member that this kind does not know; to read on would be to lose it at the next write.
            if !rest.is_empty() {
                return Err(Malformed("a struct has more members than its kind"));
            }
            Value::Struct(values)
        }
        Kind::OneOf(kinds) => {
            let (which, rest) = bytes.split_first().ok_or(Malformed("a oneof is empty"))?;
            let kind = kinds.get(usize::from(*which)).ok_or(Malformed("a oneof has an unknown kind"))?;
            Value::OneOf(*which, Box::new(decode(rest, kind)?))
        }
    })
}

/// One zero, no NaN.
pub(crate) fn one_zero(value: f64) -> Result<f64, Mismatch> {
    match value {
        value if value.is_nan() => Err(Mismatch("NaN is no value".into())),
        0.0 => Ok(0.0),
        value => Ok(value),
    }
}

/// What every engine's decimal holds.
pub(crate) fn within_38_digits(value: i128) -> Result<i128, Mismatch> {
    const MAX: u128 = 10u128.pow(38);
    if value.unsigned_abs() < MAX { Ok(value) } else { Err(Mismatch("a decimal has at most 38 digits".into())) }
}

pub(crate) fn version_7(uuid: &[u8; 16]) -> Result<&[u8; 16], Mismatch> {
    if uuid[6] >> 4 == 7 { Ok(uuid) } else { Err(Mismatch("a uuid of another version than 7".into())) }
}

/// A float as it can have been written.
pub(crate) fn read_float(value: f64) -> Result<f64, Malformed> {
    if value.is_nan() || value.to_bits() == (-0.0f64).to_bits() {
        return Err(Malformed("a float is no number, or the other zero"));
    }
    Ok(value)
}

/// A decimal as it can have been written.
pub(crate) fn read_decimal(value: i128) -> Result<i128, Malformed> {
    within_38_digits(value).map_err(|_| Malformed("a decimal has more than 38 digits"))
}

/// A uuid of version 7 as it can have been written.
pub(crate) fn read_uuid7(uuid: [u8; 16]) -> Result<[u8; 16], Malformed> {
    version_7(&uuid).copied().map_err(|_| Malformed("a uuid is of another version than 7"))
}

fn alone(value: &Value<'_>, kind: &Kind) -> Result<Vec<u8>, Mismatch> {
    let mut bytes = Vec::new();
    encode(value, kind, &mut bytes)?;
    Ok(bytes)
}

fn part(value: &Value<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Mismatch> {
    let start = out.len();
    out.extend([0; 4]);
    encode(value, kind, out)?;
    let length = u32::try_from(out.len() - start - 4).map_err(|_| Mismatch("a value above 4 GB".into()))?;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

fn sized(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Mismatch> {
    let length = u32::try_from(bytes.len()).map_err(|_| Mismatch("a value above 4 GB".into()))?;
    out.extend(length.to_le_bytes());
    out.extend(bytes);
    Ok(())
}

fn items<'a>(mut rest: &'a [u8], kind: &Kind) -> Result<Vec<Value<'a>>, Malformed> {
    let mut items = Vec::new();
    while !rest.is_empty() {
        items.push(decode(take(&mut rest)?, kind)?);
    }
    Ok(items)
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let (length, after) = rest.split_at_checked(4).ok_or(Malformed("a value ends early"))?;
    let length = u32::from_le_bytes(fixed(length)?) as usize;
    let (value, after) = after.split_at_checked(length).ok_or(Malformed("a value ends early"))?;
    *rest = after;
    Ok(value)
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Malformed> {
    bytes.try_into().map_err(|_| Malformed("a value has another width than its kind"))
}

fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed("a text is not UTF-8"))
}
