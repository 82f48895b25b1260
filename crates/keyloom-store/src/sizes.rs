//! How large the values of a row are, without the values: what every engine needs to say what a row takes.

use std::net::IpAddr;

use keyloom_value::{Kind, Member, Mismatch, Value};

use crate::schema::{Millis, Table};

/// How large a value is. It is read off a value, or stated for one that nobody has seen yet: a typical one, the largest.
///
/// Two things are left out, since only odd values have them: a text or bytes with zeros in a key takes a byte more for each
/// on some engines, and a float beyond 10^125 is stored otherwise on DynamoDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSize {
    /// Nothing is there.
    Absent,
    /// As large as its kind says: bool, uuid, duration.
    Fixed,
    /// A number: int, float, decimal, date, timestamp.
    Number(NumberSize),
    /// So many bytes of content: text, bytes and json, the name of an enum's value, the octets of an address.
    Bytes(u64),
    /// A list or a set: so many elements of each size.
    Elements(Vec<(u64, ValueSize)>),
    /// A map: so many entries of each size, key and value.
    Entries(Vec<(u64, ValueSize, ValueSize)>),
    /// A struct: one for each member.
    Members(Vec<ValueSize>),
    /// One of several kinds, by its position among them.
    Choice(u8, Box<ValueSize>),
}

/// How large a number is. Engines have fixed widths, or count decimal digits, or bytes in two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NumberSize {
    /// Digits before the point, without zeros at either end of the number: 1 for 1,200 and 12,000.
    pub whole: u8,
    /// Digits behind the point, without zeros at either end of the number: 2 for 0.0012 and 7.25.
    pub fraction: u8,
    /// Below zero.
    pub negative: bool,
    /// Bytes of the number, counted in units of its scale, in the shortest two's complement.
    pub bytes: u8,
}

impl NumberSize {
    /// The size of `units`, of which the last `scale` digits stand behind the point.
    pub fn of(units: i128, scale: u8) -> Self {
        let magnitude = if units < 0 { !units } else { units };
        let bits = 1 + magnitude.checked_ilog2().map_or(0, |top| top + 1);
        let size = Self { negative: units < 0, bytes: narrow(bits.div_ceil(8)), ..Self::default() };
        let (mut left, mut fraction) = (units.unsigned_abs(), u32::from(scale));
        if left == 0 {
            return size;
        }
        while left.is_multiple_of(10) {
            left /= 10;
            fraction = fraction.saturating_sub(1);
        }
        let digits = left.ilog10() + 1;
        // Zeros between the point and the first digit are at an end too.
        let fraction = fraction.min(digits);
        Self { whole: narrow(digits - fraction), fraction: narrow(fraction), ..size }
    }

    /// The size of a float, as its shortest decimal digits.
    pub fn of_float(value: f64) -> Self {
        let written = format!("{:e}", value.abs());
        let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
        let digits = if value == 0.0 || !value.is_finite() { 0 } else { i32::try_from(digits).unwrap_or(0) };
        let before = exponent.parse::<i32>().unwrap_or(0).saturating_add(1).clamp(0, digits);
        Self {
            whole: narrow(before.unsigned_abs()),
            fraction: narrow((digits - before).unsigned_abs()),
            negative: value < 0.0,
            bytes: 8,
        }
    }

    /// The size of a number that has so many digits before and behind the point, none of which is spared.
    pub fn of_digits(whole: u8, fraction: u8, negative: bool) -> Self {
        let largest = 10i128.saturating_pow(u32::from(whole) + u32::from(fraction)) - 1;
        Self { whole, fraction, negative, bytes: Self::of(largest, 0).bytes }
    }
}

/// Digits and bytes of a number are few.
fn narrow(count: u32) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

impl ValueSize {
    /// The size of a value.
    ///
    /// # Errors
    /// When it is none of its kind.
    pub fn of(value: &Value<'_>, kind: &Kind) -> Result<Self, Mismatch> {
        let bytes = |length: usize| Self::Bytes(length as u64);
        Ok(match (value, kind) {
            (Value::Null, _) => Self::Absent,
            (Value::Bool(_), Kind::Bool)
            | (Value::Uuid(_), Kind::Uuid | Kind::Uuid7)
            | (Value::Duration(_), Kind::Duration) => Self::Fixed,
            (Value::Int(units), Kind::Int) | (Value::Timestamp(units), Kind::Timestamp { .. }) => {
                Self::Number(NumberSize::of((*units).into(), 0))
            }
            (Value::Date(days), Kind::Date) => Self::Number(NumberSize::of((*days).into(), 0)),
            (Value::Decimal(units), Kind::Decimal { scale }) => Self::Number(NumberSize::of(*units, *scale)),
            (Value::Float(value), Kind::Float) => Self::Number(NumberSize::of_float(*value)),
            (Value::Text(text), Kind::Text) | (Value::Json(text), Kind::Json) => bytes(text.len()),
            (Value::Bytes(value), Kind::Bytes) => bytes(value.len()),
            (Value::Ip(IpAddr::V4(_)), Kind::Ip) => Self::Bytes(4),
            (Value::Ip(IpAddr::V6(_)), Kind::Ip) => Self::Bytes(16),
            (Value::Enum(rank), Kind::Enum(variants)) => match variants.iter().find(|variant| variant.rank == *rank) {
                Some(variant) => bytes(variant.name.len()),
                None => return Err(Mismatch::new(format!("{rank} is no rank of this enum"))),
            },
            (Value::List(values), Kind::List(of)) => {
                let sizes = values.iter().map(|value| Ok((1, Self::of(value, of)?)));
                Self::Elements(sizes.collect::<Result<_, Mismatch>>()?)
            }
            // A value that is named twice is one.
            (Value::Set(_), Kind::Set(of)) => {
                let mut canonical = Vec::new();
                keyloom_value::canonical::encode(value, kind, &mut canonical)?;
                let set = keyloom_value::canonical::decode(&canonical, kind);
                let Ok(Value::Set(values)) = set else { return Err(other(value, kind)) };
                let sizes = values.iter().map(|value| Ok((1, Self::of(value, of)?)));
                Self::Elements(sizes.collect::<Result<_, Mismatch>>()?)
            }
            (Value::Map(entries), Kind::Map(key, of)) => {
                let sizes = entries.iter().map(|(name, value)| Ok((1, Self::of(name, key)?, Self::of(value, of)?)));
                Self::Entries(sizes.collect::<Result<_, Mismatch>>()?)
            }
            (Value::Struct(values), Kind::Struct(members)) if values.len() == members.len() => {
                let sizes = values.iter().zip(members).map(|(value, member)| Self::of(value, &member.kind));
                Self::Members(sizes.collect::<Result<_, Mismatch>>()?)
            }
            (Value::OneOf(which, value), Kind::OneOf(kinds)) => match kinds.get(usize::from(*which)) {
                Some(kind) => Self::Choice(*which, Box::new(Self::of(value, kind)?)),
                None => return Err(Mismatch::new(format!("there is no kind {which}"))),
            },
            (value, kind) => return Err(other(value, kind)),
        })
    }

    /// Bytes of the value in canonical form, as a row has it; 0 where it is absent.
    pub fn canonical_bytes(&self, kind: &Kind) -> u64 {
        match (self, kind) {
            (Self::Absent, _) => 0,
            (_, Kind::Bool) => 1,
            (_, Kind::Enum(_)) => 2,
            (_, Kind::Date) => 4,
            (_, Kind::Int | Kind::Float | Kind::Timestamp { .. }) => 8,
            (_, Kind::Uuid | Kind::Uuid7 | Kind::Duration | Kind::Decimal { .. }) => 16,
            (Self::Elements(sizes), Kind::List(of) | Kind::Set(of)) => {
                sum(sizes.iter().map(|(count, size)| (*count, 4 + size.canonical_bytes(of))))
            }
            (Self::Entries(sizes), Kind::Map(key, of)) => sum(sizes
                .iter()
                .map(|(count, name, size)| (*count, 8 + name.canonical_bytes(key) + size.canonical_bytes(of)))),
            (Self::Members(sizes), Kind::Struct(members)) => {
                let written = sizes.iter().rposition(|size| !size.is_absent()).map_or(0, |last| last + 1);
                let one = |(size, member): (&Self, &Member)| match size {
                    Self::Absent => 1,
                    size => 5 + size.canonical_bytes(&member.kind),
                };
                sizes[..written].iter().zip(members).map(one).sum()
            }
            (Self::Choice(which, size), Kind::OneOf(kinds)) => {
                1 + kinds.get(usize::from(*which)).map_or(0, |kind| size.canonical_bytes(kind))
            }
            (size, _) => size.bytes(),
        }
    }

    /// Bytes of the value in key form, as [`keyloom_value::key`] writes it.
    pub fn key_bytes(&self, kind: &Kind) -> u64 {
        match kind {
            Kind::Text | Kind::Bytes => self.bytes() + 2,
            Kind::Ip => self.bytes() + 1,
            Kind::Uuid => 17,
            kind => self.canonical_bytes(kind),
        }
    }

    /// Whether nothing is there.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// Bytes of content; 0 where there are none to count.
    pub fn bytes(&self) -> u64 {
        if let Self::Bytes(bytes) = self { *bytes } else { 0 }
    }
}

/// So many of each, without an end: a stated size may be anything.
fn sum(sizes: impl Iterator<Item = (u64, u64)>) -> u64 {
    sizes.fold(0, |sum, (count, bytes)| sum.saturating_add(count.saturating_mul(bytes)))
}

fn other(value: &Value<'_>, kind: &Kind) -> Mismatch {
    Mismatch::new(format!("{} where {} is expected", value.word(), kind.word()))
}

/// How large the parts of a row are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSizes {
    /// Partition, then sort.
    pub key: Vec<ValueSize>,
    /// One for each column group; those behind the last were never there.
    pub groups: Vec<GroupSizes>,
}

/// How large a column group of a row is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupSizes {
    /// There was never anything.
    Never,
    /// It is there.
    Put {
        /// Any version of the magnitude that is usual: some engines store it as a number of as many digits as it has.
        version: u64,
        /// From when on it is not there; again the magnitude counts.
        expires_at: Option<Millis>,
        /// One for each column; those behind the last are absent.
        cells: Vec<ValueSize>,
    },
    /// It was removed, and what remembers that is still there.
    Removed {
        /// As above.
        version: u64,
        /// When.
        at: Millis,
    },
}

impl RowSizes {
    /// The sizes of a row that has one column group.
    ///
    /// # Errors
    /// When a value is none of its column's kind.
    pub fn of(
        table: &Table,
        key: &[Value<'_>],
        version: u64,
        expires_at: Option<Millis>,
        values: &[Value<'_>],
    ) -> Result<Self, Mismatch> {
        let group = GroupSizes::of(table, 0, version, expires_at, values)?;
        Ok(Self { key: key_sizes(table, key)?, groups: vec![group] })
    }

    /// The sizes of a placed row, group by group.
    ///
    /// # Errors
    /// When a value of the key is none of its column's kind.
    pub fn of_groups(table: &Table, key: &[Value<'_>], groups: Vec<GroupSizes>) -> Result<Self, Mismatch> {
        Ok(Self { key: key_sizes(table, key)?, groups })
    }

    /// What stands in the cells of a group; nothing where it is not there.
    pub fn cells(&self, group: usize) -> &[ValueSize] {
        match self.groups.get(group) {
            Some(GroupSizes::Put { cells, .. }) => cells,
            _ => &[],
        }
    }
}

impl GroupSizes {
    /// The sizes of a group that is there.
    ///
    /// # Errors
    /// When a value is none of its column's kind.
    pub fn of(
        table: &Table,
        group: usize,
        version: u64,
        expires_at: Option<Millis>,
        values: &[Value<'_>],
    ) -> Result<Self, Mismatch> {
        let columns = table.groups.get(group).map_or(&[][..], |group| &group.columns);
        let cells = columns.iter().zip(values).map(|(column, value)| ValueSize::of(value, &column.kind));
        Ok(Self::Put { version, expires_at, cells: cells.collect::<Result<_, _>>()? })
    }
}

fn key_sizes(table: &Table, key: &[Value<'_>]) -> Result<Vec<ValueSize>, Mismatch> {
    let kinds = table.partition.iter().map(|column| &column.kind).chain(table.sort.iter().map(|column| &column.kind));
    kinds.zip(key).map(|(kind, value)| ValueSize::of(value, kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(whole: u8, fraction: u8, negative: bool, bytes: u8) -> NumberSize {
        NumberSize { whole, fraction, negative, bytes }
    }

    #[test]
    fn zeros_at_either_end_of_a_number_are_not_digits() {
        assert_eq!(NumberSize::of(0, 0), size(0, 0, false, 1));
        assert_eq!(NumberSize::of(0, 2), size(0, 0, false, 1));
        assert_eq!(NumberSize::of(1_200, 0), size(2, 0, false, 2));
        assert_eq!(NumberSize::of(-1_250, 2), size(2, 1, true, 2), "-12.5");
        assert_eq!(NumberSize::of(12, 4), size(0, 2, false, 1), "0.0012");
        assert_eq!(NumberSize::of(120_000, 4), size(2, 0, false, 3), "12");
        assert_eq!(NumberSize::of(1_000_000, 4), size(1, 0, false, 3), "100");
        assert_eq!(NumberSize::of(1_000_001, 4), size(3, 4, false, 3), "100.0001");
        assert_eq!(NumberSize::of(i64::MIN.into(), 0), size(19, 0, true, 8));
        assert_eq!(NumberSize::of(10i128.pow(38) - 1, 38), size(0, 38, false, 16));
    }

    #[test]
    fn the_shortest_twos_complement_is_counted() {
        let lengths = [0, 127, 128, -128, -129, 32_767, 32_768].map(|units| NumberSize::of(units, 0).bytes);
        assert_eq!(lengths, [1, 1, 2, 1, 2, 2, 3]);
    }

    #[test]
    fn floats_have_the_digits_of_their_shortest_form() {
        assert_eq!(NumberSize::of_float(0.0), size(0, 0, false, 8));
        assert_eq!(NumberSize::of_float(-12.5), size(2, 1, true, 8));
        assert_eq!(NumberSize::of_float(1e20), size(1, 0, false, 8));
        assert_eq!(NumberSize::of_float(0.00125), size(0, 3, false, 8));
        assert_eq!(NumberSize::of_float(f64::INFINITY), size(0, 0, false, 8));
    }

    #[test]
    fn stated_digits_are_those_of_the_largest_number() {
        assert_eq!(NumberSize::of_digits(3, 0, false), NumberSize::of(999, 0));
        assert_eq!(NumberSize::of_digits(2, 2, false), size(2, 2, false, 2));
        assert_eq!(NumberSize::of_digits(255, 255, true).bytes, 16);
    }

    #[test]
    fn a_set_counts_each_value_once() {
        let (kind, twice) = (Kind::Set(Box::new(Kind::Int)), Value::Set(vec![Value::Int(7), Value::Int(7)]));
        let one = ValueSize::Number(NumberSize::of(7, 0));
        assert_eq!(ValueSize::of(&twice, &kind), Ok(ValueSize::Elements(vec![(1, one)])));
    }

    #[test]
    fn a_value_of_another_kind_has_no_size() {
        assert!(ValueSize::of(&Value::Int(1), &Kind::Text).is_err());
        assert!(ValueSize::of(&Value::Enum(9), &Kind::Enum(Vec::new())).is_err());
        assert!(ValueSize::of(&Value::Struct(vec![Value::Null]), &Kind::Struct(Vec::new())).is_err());
        assert!(ValueSize::of(&Value::OneOf(3, Box::new(Value::Null)), &Kind::OneOf(Vec::new())).is_err());
    }
}
