//! Keys as bytes that compare as their values do.
//!
//! Each component ends by itself, so a key is a prefix of another only where its values are: no id, whatever it holds,
//! reaches into the next component or into another partition. A descending component is the complement of its ascending
//! bytes.
//!
//! | kind | bytes |
//! |---|---|
//! | bool | 0 or 1 |
//! | int, timestamp, date, decimal | big-endian, sign bit turned |
//! | float | big-endian bits; negative ones complemented, others with the sign bit set |
//! | text, bytes | as they are, a 0 followed by 255; then 0 and 1 |
//! | uuid | its version, then its 16 bytes; uuid7 the 16 bytes alone |
//! | ip | 4 or 6, then its bytes |
//! | enum | its rank, big-endian |

use std::{borrow::Cow, net::IpAddr};

use crate::{
    canonical::{one_zero, read_decimal, read_float, read_uuid7, version_7, within_38_digits},
    kind::Kind,
    value::{Malformed, Mismatch, Value},
};

const ESCAPED: u8 = 0xFF;
const END: u8 = 0x01;

/// One component of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What stands there.
    pub kind: Kind,
    /// Largest first.
    pub descending: bool,
}

impl Part {
    /// Smallest first.
    pub fn ascending(kind: Kind) -> Self {
        Self { kind, descending: false }
    }

    /// Largest first.
    pub fn descending(kind: Kind) -> Self {
        Self { kind, descending: true }
    }
}

/// The bytes of a key, or of its first components.
///
/// # Errors
/// When there are more values than parts, or a value is none of its kind, or absent.
pub fn encode(values: &[Value<'_>], parts: &[Part]) -> Result<Vec<u8>, Mismatch> {
    let mut out = Vec::with_capacity(16 * values.len());
    encode_into(values, parts, &mut out)?;
    Ok(out)
}

/// Appends the bytes of a key, or of its first components.
///
/// # Errors
/// As [`encode`].
pub fn encode_into(values: &[Value<'_>], parts: &[Part], out: &mut Vec<u8>) -> Result<(), Mismatch> {
    if values.len() > parts.len() {
        return Err(Mismatch(format!("{} values where the key has {}", values.len(), parts.len())));
    }
    values.iter().zip(parts).try_for_each(|(value, part)| encode_part(value, part, out))
}

/// Appends the bytes of one component.
///
/// # Errors
/// When the value is none of its kind, absent, or of a kind without an order.
pub fn encode_part(value: &Value<'_>, part: &Part, out: &mut Vec<u8>) -> Result<(), Mismatch> {
    let start = out.len();
    match (value, &part.kind) {
        (Value::Bool(value), Kind::Bool) => out.push(u8::from(*value)),
        (Value::Int(value), Kind::Int) | (Value::Timestamp(value), Kind::Timestamp { .. }) => {
            out.extend((value ^ i64::MIN).to_be_bytes());
        }
        (Value::Float(value), Kind::Float) => {
            let bits = one_zero(*value)?.to_bits();
            let turned = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            out.extend(turned.to_be_bytes());
        }
        (Value::Decimal(value), Kind::Decimal { .. }) => {
            out.extend((within_38_digits(*value)? ^ i128::MIN).to_be_bytes());
        }
        (Value::Date(value), Kind::Date) => out.extend((value ^ i32::MIN).to_be_bytes()),
        (Value::Text(value), Kind::Text) => escape(value.as_bytes(), out),
        (Value::Bytes(value), Kind::Bytes) => escape(value, out),
        (Value::Uuid(value), Kind::Uuid) => {
            out.push(value[6] >> 4);
            out.extend(value);
        }
        (Value::Uuid(value), Kind::Uuid7) => out.extend(version_7(value)?),
        (Value::Ip(IpAddr::V4(value)), Kind::Ip) => {
            out.push(4);
            out.extend(value.octets());
        }
        (Value::Ip(IpAddr::V6(value)), Kind::Ip) => {
            out.push(6);
            out.extend(value.octets());
        }
        (Value::Enum(rank), Kind::Enum(variants)) => {
            if !variants.iter().any(|variant| variant.rank == *rank) {
                return Err(Mismatch(format!("{rank} is no rank of this enum")));
            }
            out.extend(rank.to_be_bytes());
        }
        (Value::Null, _) => return Err(Mismatch("a key has no absent component".into())),
        (value, kind) if !kind.is_ordered() => {
            return Err(Mismatch(format!("{} in a key: {} has no order", value.word(), kind.word())));
        }
        (value, kind) => return Err(Mismatch::between(value, kind)),
    }
    if part.descending {
        out[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(())
}

/// Reads a whole key.
///
/// # Errors
/// When the bytes are none of a key with these parts.
pub fn decode<'a>(bytes: &'a [u8], parts: &[Part]) -> Result<Vec<Value<'a>>, Malformed> {
    let mut rest = bytes;
    let mut values = Vec::with_capacity(parts.len());
    for part in parts {
        values.push(decode_part(&mut rest, part)?);
    }
    if rest.is_empty() { Ok(values) } else { Err(Malformed("a key goes on behind its last component")) }
}

/// Reads one component and moves behind it.
///
/// # Errors
/// When the bytes do not start with one.
pub fn decode_part<'a>(rest: &mut &'a [u8], part: &Part) -> Result<Value<'a>, Malformed> {
    let turn = if part.descending { 0xFF } else { 0 };
    Ok(match &part.kind {
        Kind::Bool => match take::<1>(rest, turn)? {
            [0] => Value::Bool(false),
            [1] => Value::Bool(true),
            _ => return Err(Malformed("a bool is neither true nor false")),
        },
        Kind::Int => Value::Int(i64::from_be_bytes(take(rest, turn)?) ^ i64::MIN),
        Kind::Timestamp { .. } => Value::Timestamp(i64::from_be_bytes(take(rest, turn)?) ^ i64::MIN),
        Kind::Float => {
            let bits = u64::from_be_bytes(take(rest, turn)?);
            Value::Float(read_float(f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits }))?)
        }
        Kind::Decimal { .. } => Value::Decimal(read_decimal(i128::from_be_bytes(take(rest, turn)?) ^ i128::MIN)?),
        Kind::Date => Value::Date(i32::from_be_bytes(take(rest, turn)?) ^ i32::MIN),
        Kind::Text => Value::Text(match unescape(rest, turn)? {
            Cow::Borrowed(bytes) => {
                Cow::Borrowed(std::str::from_utf8(bytes).map_err(|_| Malformed("a text is not UTF-8"))?)
            }
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).map_err(|_| Malformed("a text is not UTF-8"))?),
        }),
        Kind::Bytes => Value::Bytes(unescape(rest, turn)?),
        Kind::Uuid => {
            let [version] = take::<1>(rest, turn)?;
            let uuid: [u8; 16] = take(rest, turn)?;
            if uuid[6] >> 4 != version {
                return Err(Malformed("a uuid stands under another version"));
            }
            Value::Uuid(uuid)
        }
        Kind::Uuid7 => Value::Uuid(read_uuid7(take(rest, turn)?)?),
        Kind::Ip => match take::<1>(rest, turn)? {
            [4] => Value::Ip(IpAddr::from(take::<4>(rest, turn)?)),
            [6] => Value::Ip(IpAddr::from(take::<16>(rest, turn)?)),
            _ => return Err(Malformed("an ip is neither of version 4 nor 6")),
        },
        Kind::Enum(_) => Value::Enum(u16::from_be_bytes(take(rest, turn)?)),
        Kind::Json
        | Kind::Duration
        | Kind::List(_)
        | Kind::Set(_)
        | Kind::Map(..)
        | Kind::Struct(_)
        | Kind::OneOf(_) => {
            return Err(Malformed("a kind without order stands in a key"));
        }
    })
}

fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(zero) = rest.iter().position(|byte| *byte == 0) {
        out.extend(&rest[..=zero]);
        out.push(ESCAPED);
        rest = &rest[zero + 1..];
    }
    out.extend(rest);
    out.extend([0, END]);
}

fn unescape<'a>(rest: &mut &'a [u8], turn: u8) -> Result<Cow<'a, [u8]>, Malformed> {
    const EARLY: Malformed = Malformed("a text in a key ends early");
    let bytes: &'a [u8] = rest;
    let mut found = Cow::Borrowed(&bytes[..0]);
    let mut start = 0;
    loop {
        let zero = start + bytes[start..].iter().position(|byte| byte ^ turn == 0).ok_or(EARLY)?;
        let piece = &bytes[start..zero];
        let mark = bytes.get(zero + 1).ok_or(EARLY)? ^ turn;
        match (&mut found, mark) {
            // The common case: nothing was escaped, nothing turned, nothing needs a copy.
            (Cow::Borrowed([]), END) if turn == 0 => found = Cow::Borrowed(piece),
            (found, END | ESCAPED) => {
                let owned = found.to_mut();
                owned.extend(piece.iter().map(|byte| byte ^ turn));
                if mark == ESCAPED {
                    owned.push(0);
                }
            }
            _ => return Err(Malformed("a text in a key is badly escaped")),
        }
        start = zero + 2;
        if mark == END {
            *rest = &bytes[start..];
            return Ok(found);
        }
    }
}

fn take<const N: usize>(rest: &mut &[u8], turn: u8) -> Result<[u8; N], Malformed> {
    let (taken, after) = rest.split_first_chunk::<N>().ok_or(Malformed("a key ends early"))?;
    *rest = after;
    let mut taken = *taken;
    taken.iter_mut().for_each(|byte| *byte ^= turn);
    Ok(taken)
}
