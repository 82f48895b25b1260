//! Values as they come from Cassandra, borrowed from the frame they arrived in.

use std::{borrow::Cow, net::IpAddr};

use keyloom_value::{Kind, Malformed, Value, canonical, key};

use crate::native::Form;

const EARLY: Malformed = Malformed::from_static("a value ends early");

/// A component of a key.
pub(crate) fn component<'a>(bytes: &'a [u8], kind: &Kind, form: Form) -> Result<Value<'a>, Malformed> {
    match form {
        Form::Native => value(bytes, kind),
        Form::Ordered | Form::Rank => {
            let mut rest = bytes;
            let value = key::decode_part(&mut rest, &key::Part::ascending(kind.clone()))?;
            if rest.is_empty() { Ok(value) } else { Err(Malformed::from_static("a key goes on behind its component")) }
        }
        Form::Padded => value(bytes.strip_prefix(&[0]).unwrap_or(bytes), kind),
    }
}

/// A value of a column that is there.
pub(crate) fn value<'a>(bytes: &'a [u8], kind: &Kind) -> Result<Value<'a>, Malformed> {
    Ok(match kind {
        Kind::Int => Value::Int(i64::from_be_bytes(fixed(bytes)?)),
        Kind::Timestamp { .. } => Value::Timestamp(i64::from_be_bytes(fixed(bytes)?)),
        Kind::Text => Value::Text(Cow::Borrowed(text(bytes)?)),
        Kind::Date => Value::Date(i32::from_be_bytes(fixed(bytes)?) ^ i32::MIN),
        // Who else writes into the table may write the other zero.
        Kind::Float => Value::Float(f64::from_be_bytes(fixed(bytes)?) + 0.0),
        Kind::Decimal { scale } => {
            let (found, digits) = bytes.split_first_chunk().ok_or(EARLY)?;
            if i32::from_be_bytes(*found) != i32::from(*scale) {
                return Err(Malformed::from_static("a decimal has another scale than its column"));
            }
            Value::Decimal(integer(digits)?)
        }
        Kind::Ip if bytes.len() == 4 => Value::Ip(IpAddr::from(fixed::<4>(bytes)?)),
        Kind::Ip => Value::Ip(IpAddr::from(fixed::<16>(bytes)?)),
        Kind::Enum(variants) => {
            let found = variants.iter().find(|variant| variant.name.as_bytes() == bytes);
            let unknown = Malformed::from_static("an enum has a value that its column does not know");
            Value::Enum(found.ok_or(unknown)?.rank)
        }
        Kind::List(of) => Value::List(items(bytes, |rest| value(taken(rest)?, of))?),
        Kind::Set(of) => Value::Set(items(bytes, |rest| value(taken(rest)?, of))?),
        Kind::Map(keys, values) => {
            Value::Map(items(bytes, |rest| Ok((value(taken(rest)?, keys)?, value(taken(rest)?, values)?)))?)
        }
        Kind::Struct(members) => {
            let mut rest = bytes;
            let mut values = Vec::with_capacity(members.len());
            for member in members {
                values.push(match optional(&mut rest)? {
                    Some(bytes) => value(bytes, &member.kind)?,
                    None => Value::Null,
                });
            }
            nothing_more(rest, "a struct has more members than its column knows")?;
            Value::Struct(values)
        }
        Kind::OneOf(kinds) => {
            let mut rest = bytes;
            let mut found = None;
            for (kind, which) in kinds.iter().zip(0u8..) {
                if let Some(bytes) = optional(&mut rest)? {
                    let twice = found.replace(Value::OneOf(which, Box::new(value(bytes, kind)?))).is_some();
                    if twice {
                        return Err(Malformed::from_static("a oneof has two values"));
                    }
                }
            }
            nothing_more(rest, "a oneof is of a kind that its column does not know")?;
            found.ok_or(Malformed::from_static("a oneof is empty"))?
        }
        Kind::Bool | Kind::Bytes | Kind::Json | Kind::Uuid | Kind::Uuid7 | Kind::Duration => {
            canonical::decode(bytes, kind)?
        }
    })
}

/// An integer in two's complement of any width.
fn integer(bytes: &[u8]) -> Result<i128, Malformed> {
    let first = bytes.first().ok_or(EARLY)?;
    if bytes.len() > 16 {
        return Err(Malformed::from_static("a decimal has more than 38 digits"));
    }
    let mut wide = [if first >> 7 == 1 { 0xFF } else { 0 }; 16];
    wide[16 - bytes.len()..].copy_from_slice(bytes);
    Ok(i128::from_be_bytes(wide))
}

fn items<'a, T>(
    bytes: &'a [u8],
    mut read: impl FnMut(&mut &'a [u8]) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let (count, mut rest) = bytes.split_first_chunk().ok_or(EARLY)?;
    let count = u32::from_be_bytes(*count) as usize;
    // Every item has a length at least, so that a hostile count asks for no memory.
    let mut items = Vec::with_capacity(count.min(rest.len() / 4));
    for _ in 0..count {
        items.push(read(&mut rest)?);
    }
    nothing_more(rest, "a collection goes on behind its last item")?;
    Ok(items)
}

/// The bytes of the next part; the value of an older user type ends before its new fields.
fn optional<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Malformed> {
    if rest.is_empty() {
        return Ok(None);
    }
    let (length, after) = rest.split_first_chunk().ok_or(EARLY)?;
    let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
        *rest = after;
        return Ok(None);
    };
    let (taken, after) = after.split_at_checked(length).ok_or(EARLY)?;
    *rest = after;
    Ok(Some(taken))
}

fn taken<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    optional(rest)?.ok_or(EARLY)
}

/// Fields that are not known may be absent, and nothing else: to read on would be to lose them at the next write.
fn nothing_more(mut rest: &[u8], otherwise: &'static str) -> Result<(), Malformed> {
    while !rest.is_empty() {
        if optional(&mut rest)?.is_some() {
            return Err(Malformed::from_static(otherwise));
        }
    }
    Ok(())
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Malformed> {
    bytes.try_into().map_err(|_| Malformed::from_static("a value has another width than its kind"))
}

fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed::from_static("a text is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use keyloom_value::{Duration, Member, Variant};

    use super::*;
    use crate::cells::Cells;

    fn samples() -> Vec<(Kind, Value<'static>)> {
        let member = |name: &str, kind| Member { name: name.to_owned(), kind, optional: true };
        let address = Kind::Struct(vec![member("street", Kind::Text), member("number", Kind::Int)]);
        let variants =
            vec![Variant { name: "low".to_owned(), rank: 1 }, Variant { name: "high".to_owned(), rank: 300 }];
        let mut samples = vec![
            (Kind::Bool, Value::Bool(true)),
            (Kind::Int, Value::Int(i64::MIN)),
            (Kind::Float, Value::Float(-1.5)),
            (Kind::Text, Value::Text("é\0".into())),
            (Kind::Bytes, Value::Bytes(vec![].into())),
            (Kind::Json, Value::Json("{}".into())),
            (Kind::Uuid, Value::Uuid([9; 16])),
            (Kind::Date, Value::Date(i32::MIN)),
            (Kind::Timestamp { micros: true }, Value::Timestamp(-1)),
            (Kind::Duration, Value::Duration(Duration { months: -1, days: 2, micros: -3 })),
            (Kind::Ip, Value::Ip([10, 0, 0, 1].into())),
            (Kind::Enum(variants), Value::Enum(300)),
            (Kind::List(Box::new(Kind::Int)), Value::List(vec![Value::Int(1), Value::Int(-1)])),
            (Kind::Set(Box::new(Kind::Text)), Value::Set(vec!["".into(), "a".into()])),
            (
                Kind::Map(Box::new(Kind::Text), Box::new(address.clone())),
                Value::Map(vec![("a".into(), Value::Struct(vec![Value::Null, Value::Int(1)]))]),
            ),
            (
                Kind::OneOf(vec![Kind::Int, address]),
                Value::OneOf(1, Box::new(Value::Struct(vec!["b".into(), Value::Null]))),
            ),
        ];
        for digits in
            [0, 1, -1, 127, 128, -128, -129, 255, 256, i128::from(i64::MAX), 10i128.pow(38) - 1, 1 - 10i128.pow(38)]
        {
            samples.push((Kind::Decimal { scale: 2 }, Value::Decimal(digits)));
        }
        samples
    }

    fn written(kind: &Kind, value: &Value<'_>) -> Vec<u8> {
        let mut cells = Cells::default();
        cells.column(value, kind).unwrap();
        cells.since(4).to_vec()
    }

    #[test]
    fn what_is_written_is_read() {
        for (kind, sample) in samples() {
            assert_eq!(value(&written(&kind, &sample), &kind), Ok(sample));
        }
    }

    #[test]
    fn decimals_are_as_short_as_they_can_be() {
        // Equal numbers must be equal keys.
        let length = |digits| written(&Kind::Decimal { scale: 0 }, &Value::Decimal(digits)).len() - 4;
        assert_eq!([0, 127, 128, -128, -129, 32_767, 32_768].map(length), [1, 1, 2, 1, 2, 2, 3]);
    }

    #[test]
    fn bytes_that_others_wrote_are_an_error_and_no_panic() {
        for (kind, sample) in samples() {
            let bytes = written(&kind, &sample);
            for length in 0..bytes.len() {
                let _ = value(&bytes[..length], &kind);
            }
            for at in 0..bytes.len() {
                for changed in [0, 1, 0x7F, 0x80, 0xFF] {
                    let mut bytes = bytes.clone();
                    bytes[at] = changed;
                    let _ = value(&bytes, &kind);
                }
            }
        }
        let list = Kind::List(Box::new(Kind::Int));
        assert!(value(&[0x7F, 0xFF, 0xFF, 0xFF], &list).is_err(), "a list of two billion items that are not there");
        let unknown = written(&Kind::Text, &Value::from("unheard of"));
        assert!(value(&unknown, &Kind::Enum(Vec::new())).is_err());
        assert!(value(&written(&Kind::Decimal { scale: 1 }, &Value::Decimal(1)), &Kind::Decimal { scale: 2 }).is_err());
    }

    #[test]
    fn a_member_that_is_not_known_is_not_lost_in_silence() {
        let member = |name: &str| Member { name: name.to_owned(), kind: Kind::Int, optional: true };
        let (narrow, wide) = (Kind::Struct(vec![member("a")]), Kind::Struct(vec![member("a"), member("b")]));
        let (one, two) = (Value::Struct(vec![Value::Int(1)]), Value::Struct(vec![Value::Int(1), Value::Int(2)]));
        let half = Value::Struct(vec![Value::Int(1), Value::Null]);
        assert_eq!(value(&written(&narrow, &one), &wide), Ok(half.clone()), "an older row");
        assert_eq!(value(&written(&wide, &half), &narrow), Ok(one), "a newer row that says nothing new");
        assert!(value(&written(&wide, &two), &narrow).is_err());
    }
}
