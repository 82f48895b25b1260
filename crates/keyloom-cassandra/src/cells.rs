//! Values on their way to Cassandra: the cells of one bound statement, written as the protocol has them.
//!
//! They are written once, before anything is sent: what is wrong with a value is known before the first row of a call has
//! left, and the sizes that Cassandra limits are at hand.

use std::net::IpAddr;

use keyloom_value::{Kind, Mismatch, Value, canonical, key};
use scylla::serialize::{
    SerializationError,
    row::{RowSerializationContext, SerializeRow},
    writers::RowWriter,
};

use crate::native::Form;

/// The cells of a bound statement, in the order of its markers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells {
    /// For each cell its length and its bytes; a length of -1 is an absent value, -2 one that is not written.
    bytes: Vec<u8>,
    count: usize,
}

/// What is written in place of the length of an absent value.
const ABSENT: [u8; 4] = (-1i32).to_be_bytes();

/// What is written in place of the length of a value that leaves its column as it is.
const UNSET: [u8; 4] = (-2i32).to_be_bytes();

/// How an absent value is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// As a null, which takes away what is there and leaves a tombstone.
    Null,
    /// Not at all, where nothing can be there.
    Unset,
}

impl Cells {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), count: 0 }
    }

    /// How many bytes all cells have, their lengths included.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The cells behind a length that [`Self::len`] had before they were written.
    pub(crate) fn since(&self, length: usize) -> &[u8] {
        &self.bytes[length..]
    }

    pub(crate) fn absent(&mut self, absent: Absent) {
        self.bytes.extend(if absent == Absent::Unset { UNSET } else { ABSENT });
        self.count += 1;
    }

    pub(crate) fn fixed<const N: usize>(&mut self, bytes: [u8; N]) {
        // The widest fixed value has 16 bytes.
        self.bytes.extend(i32::try_from(N).unwrap_or(0).to_be_bytes());
        self.bytes.extend(bytes);
        self.count += 1;
    }

    pub(crate) fn bigint(&mut self, value: i64) {
        self.fixed(value.to_be_bytes());
    }

    pub(crate) fn int(&mut self, value: i32) {
        self.fixed(value.to_be_bytes());
    }

    /// A value of a column that is there.
    pub(crate) fn column(&mut self, value: &Value<'_>, kind: &Kind) -> Result<(), Mismatch> {
        self.count += 1;
        part(value, kind, &mut self.bytes)
    }

    /// A component of a key; how many bytes it has.
    pub(crate) fn component(&mut self, value: &Value<'_>, kind: &Kind, form: Form) -> Result<usize, Mismatch> {
        let before = self.bytes.len();
        self.count += 1;
        sized(&mut self.bytes, |out| match (form, value) {
            (_, Value::Null) => Err(Mismatch::new("a key has no absent component".to_owned())),
            (Form::Native, value) => content(value, kind, out),
            (Form::Ordered | Form::Rank, value) => key::encode_part(value, &key::Part::ascending(kind.clone()), out),
            (Form::Padded, value) => {
                let start = out.len();
                content(value, kind, out)?;
                if out.get(start).is_none_or(|first| *first == 0) {
                    out.insert(start, 0);
                }
                Ok(())
            }
        })?;
        Ok(self.bytes.len() - before - 4)
    }
}

impl SerializeRow for Cells {
    fn serialize(&self, _: &RowSerializationContext<'_>, writer: &mut RowWriter<'_>) -> Result<(), SerializationError> {
        let mut rest = &self.bytes[..];
        while let Some((length, after)) = rest.split_first_chunk() {
            let cell = writer.make_cell_writer();
            let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
                if *length == UNSET {
                    cell.set_unset()
                } else {
                    cell.set_null()
                };
                rest = after;
                continue;
            };
            let (value, after) = after.split_at(length.min(after.len()));
            cell.set_value(value).map_err(SerializationError::new)?;
            rest = after;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

fn sized(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<(), Mismatch>) -> Result<(), Mismatch> {
    let start = out.len();
    out.extend([0; 4]);
    write(out)?;
    let length = i32::try_from(out.len() - start - 4).map_err(|_| Mismatch::new("a value above 2 GB".to_owned()))?;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// Writes a value that is there as its native type has it.
fn content(value: &Value<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Mismatch> {
    match (value, kind) {
        (Value::Bool(value), Kind::Bool) => out.push(u8::from(*value)),
        (Value::Int(value), Kind::Int) | (Value::Timestamp(value), Kind::Timestamp { .. }) => {
            out.extend(value.to_be_bytes());
        }
        (Value::Text(value), Kind::Text) | (Value::Json(value), Kind::Json) => out.extend(value.as_bytes()),
        (Value::Bytes(value), Kind::Bytes) => out.extend(&**value),
        // A day that is 1970-01-01 is the middle of Cassandra's dates.
        (Value::Date(value), Kind::Date) => out.extend((value ^ i32::MIN).to_be_bytes()),
        (Value::Ip(IpAddr::V4(value)), Kind::Ip) => out.extend(value.octets()),
        (Value::Ip(IpAddr::V6(value)), Kind::Ip) => out.extend(value.octets()),
        (Value::Enum(rank), Kind::Enum(variants)) => {
            let variant = variants.iter().find(|variant| variant.rank == *rank);
            let variant = variant.ok_or_else(|| Mismatch::new(format!("{rank} is no rank of this enum")))?;
            out.extend(variant.name.as_bytes());
        }
        (Value::Float(_), Kind::Float) => turned(value, kind, out)?,
        (Value::Decimal(_), Kind::Decimal { scale }) => {
            out.extend(i32::from(*scale).to_be_bytes());
            let start = out.len();
            turned(value, kind, out)?;
            shorten(out, start);
        }
        (Value::List(items), Kind::List(kind)) => {
            collection(items.len(), out, |out| items.iter().try_for_each(|item| part(item, kind, out)))?;
        }
        (Value::Set(items), Kind::Set(of)) => {
            collection(items.len(), out, |out| items.iter().try_for_each(|item| part(item, of, out)))?;
        }
        (Value::Map(entries), Kind::Map(keys, values)) => {
            // A key that comes twice would be one entry in Cassandra, and nobody could say which.
            canonical::encode(value, kind, &mut Vec::new())?;
            collection(entries.len(), out, |out| {
                entries.iter().try_for_each(|(key, value)| {
                    part(key, keys, out)?;
                    part(value, values, out)
                })
            })?;
        }
        (Value::Struct(values), Kind::Struct(members)) => {
            if values.len() != members.len() {
                let (values, members) = (values.len(), members.len());
                return Err(Mismatch::new(format!("{values} members where {members} are expected")));
            }
            for (value, member) in values.iter().zip(members) {
                match value {
                    Value::Null if member.optional => out.extend(ABSENT),
                    Value::Null => return Err(Mismatch::new(format!("`{}` is absent", member.name))),
                    value => part(value, &member.kind, out)?,
                }
            }
        }
        (Value::OneOf(which, value), Kind::OneOf(kinds)) => {
            let which = usize::from(*which);
            let kind = kinds.get(which).ok_or_else(|| Mismatch::new(format!("there is no kind {which}")))?;
            (0..which).for_each(|_| out.extend(ABSENT));
            part(value, kind, out)?;
        }
        // What is left has no bytes of its own in Cassandra, or is no value of its kind, which is said there.
        (value, kind) => canonical::encode(value, kind, out)?,
    }
    Ok(())
}

/// Writes a value that is there: its length, then what stands in it.
fn part(value: &Value<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Mismatch> {
    sized(out, |out| content(value, kind, out))
}

/// The canonical bytes of a number, largest first.
fn turned(value: &Value<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Mismatch> {
    let start = out.len();
    canonical::encode(value, kind, out)?;
    out[start..].reverse();
    Ok(())
}

/// Takes away the leading bytes that a number in two's complement does not need: equal numbers have equal bytes.
fn shorten(out: &mut Vec<u8>, start: usize) {
    let spare = |pair: &[u8]| matches!((pair[0], pair[1] >> 7), (0x00, 0) | (0xFF, 1));
    let needless = out[start..].windows(2).take_while(|pair| spare(pair)).count();
    out.drain(start..start + needless);
}

fn collection(
    items: usize,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), Mismatch>,
) -> Result<(), Mismatch> {
    let items = i32::try_from(items).map_err(|_| Mismatch::new("a collection above 2 GB".to_owned()))?;
    out.extend(items.to_be_bytes());
    write(out)
}
