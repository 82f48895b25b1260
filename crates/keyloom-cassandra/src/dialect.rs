//! What Cassandra stores and does, known without a driver.
//!
//! Rows are counted as its SSTables have them, before compression: `org.apache.cassandra.db.rows.UnfilteredSerializer` and
//! `Cell.Serializer`. `tests/bytes.rs` compares it with what a node has written.

use keyloom_store::{
    Abilities, Call, Dialect, Discipline, Freshness, GroupSizes, RowChange, RowSizes, Shape, Table, ValueSize, Work,
};
use keyloom_value::{Kind, key::Part};

use crate::{abilities, names, native::Form};

/// Cassandra as it is known without a connection.
#[derive(Debug, Clone, Copy)]
pub struct CassandraDialect {
    /// How many nodes of a data centre have each row.
    pub replicas: u32,
}

/// A timestamp, as what it is behind the smallest of its file: seven bytes for rows that were written over more than seven
/// weeks and less than 17 years, a byte less for younger files.
const TIMESTAMP: u64 = 7;

/// The second in which something is deleted, behind the smallest of its file: four bytes from 24 days to eight years.
const DELETION_SECOND: u64 = 4;

/// A time to live, behind the smallest of its file: the rows of a table live about equally long.
const TTL: u64 = 2;

/// The length of a key, when the partition was deleted as a whole, and the byte behind the last row.
const PARTITION: u64 = 2 + 12 + 1;

/// More columns than these are counted one by one where some are missing.
const BITMAP_MAX: usize = 64;

impl Dialect for CassandraDialect {
    fn abilities(&self) -> Abilities {
        abilities()
    }

    fn row_bytes(&self, table: &Table, _: &[&Table], sizes: &RowSizes) -> u64 {
        let Ok(shape) = Shape::of(table.clone()) else { return 0 };
        let first = table.partition.len();
        let forms = Form::of_key(shape.key_parts(), first);
        let parts = shape.key_parts().iter().zip(&forms).zip(&sizes.key).skip(first);
        let clustering = parts.map(|((part, form), size)| component_bytes(part, *form, size));
        // A byte in front says for 32 components each whether it is empty.
        let clustering = clustering.fold(table.sort.len().div_ceil(32) as u64, u64::saturating_add);
        let body = body_bytes(table, sizes);
        // The size of the row before, which is about that of this one.
        let before = vint(body + clustering);
        1 + clustering + vint(body + before) + before + body
    }

    fn index_row_bytes(&self, _: &Table, _: &Table, _: &RowSizes) -> Option<u64> {
        None
    }

    fn beside_row_bytes(&self) -> u64 {
        0
    }

    fn partition_bytes(&self, table: &Table, sizes: &RowSizes) -> u64 {
        let Ok(shape) = Shape::of(table.clone()) else { return 0 };
        let parts = shape.partition_parts();
        let forms = Form::of_key(shape.key_parts(), parts.len());
        // Several components are joined, each with its length and an end.
        let joined = if parts.len() > 1 { 3 } else { 0 };
        let bytes = parts.iter().zip(&forms).zip(&sizes.key);
        let bytes = bytes.map(|((part, form), size)| content_in(part, *form, size) + joined);
        bytes.fold(PARTITION, u64::saturating_add)
    }

    /// Every replica writes. Of the reads one suffices for `Any`, a quorum reads for `Settled`; before `Fresh` all are asked
    /// twice to agree.
    fn work(&self, call: &Call<'_>) -> Work {
        let replicas = u64::from(self.replicas.max(1));
        let read = |rows: u64, bytes: u64, freshness| {
            let readers = if freshness == Freshness::Any { 1 } else { replicas / 2 + 1 };
            let agreements = if freshness == Freshness::Fresh { 2 * replicas } else { 0 };
            let one = Work { reads: 1, read_rows: rows, read_bytes: bytes, ..Work::default() };
            Work { agreements, ..one.times(readers) }
        };
        let written = |rows: &[RowChange<'_>]| rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.new));
        match call {
            Call::Get { bytes, freshness } => read(1, *bytes, *freshness),
            Call::Slice { rows, bytes, freshness } => read(*rows, *bytes, *freshness),
            // Nothing rides along here.
            Call::Decide { .. } => Work { decisions: replicas, ..Work::default() },
            Call::Place { rows, together } => {
                let (count, bytes) = (rows.len() as u64, written(rows));
                if *together && count > 1 {
                    let rows = Work { batch_rows: count, batch_bytes: bytes, ..Work::default() };
                    return Work { batches: 1, ..rows.times(replicas) };
                }
                Work { writes: count, write_bytes: bytes, ..Work::default() }.times(replicas)
            }
        }
    }
}

/// What stands behind the head of a row: deletions, which columns there are, cells.
fn body_bytes(table: &Table, sizes: &RowSizes) -> u64 {
    let single = table.groups.len() == 1;
    let mut columns: Vec<(String, Option<u64>)> = Vec::new();
    let mut deleted = false;
    for (at, group) in table.groups.iter().enumerate() {
        let own = [names::version(at), names::end(at)];
        let names = group.columns.iter().map(|column| column.name.clone());
        match sizes.groups.get(at) {
            None | Some(GroupSizes::Never) => columns.extend(names.chain(own).map(|name| (name, None))),
            Some(GroupSizes::Removed { .. }) => {
                deleted |= single;
                let tombstone = (!single).then_some(1 + TIMESTAMP + DELETION_SECOND);
                columns.extend(names.chain(own).map(|name| (name, tombstone)));
            }
            Some(GroupSizes::Put { expires_at, cells, .. }) => {
                let head = 1 + TIMESTAMP + if expires_at.is_some() { DELETION_SECOND + TTL } else { 0 };
                let absent = ValueSize::Absent;
                let mut sparse = false;
                for (at, column) in group.columns.iter().enumerate() {
                    let cell = match cells.get(at).unwrap_or(&absent) {
                        ValueSize::Absent => {
                            sparse = true;
                            // Where no delete stands before the row, absence is written.
                            (!single).then_some(1 + TIMESTAMP + DELETION_SECOND)
                        }
                        size => Some(head.saturating_add(in_column(size, &column.kind))),
                    };
                    columns.push((column.name.clone(), cell));
                }
                deleted |= single && sparse && table.discipline == Discipline::Placed;
                columns.extend(own.map(|name| (name, Some(head + 8))));
            }
        }
    }
    let deletion = if deleted { TIMESTAMP + DELETION_SECOND } else { 0 };
    let cells = columns.iter().filter_map(|(_, cell)| *cell).fold(0, u64::saturating_add);
    (deletion + missing_bytes(columns)).saturating_add(cells)
}

/// Which columns are missing: nothing where none is.
fn missing_bytes(mut columns: Vec<(String, Option<u64>)>) -> u64 {
    let missing = columns.iter().filter(|(_, cell)| cell.is_none()).count();
    if missing == 0 {
        return 0;
    }
    if columns.len() >= BITMAP_MAX {
        let named = missing.min(columns.len() - missing) as u64;
        return vint(missing as u64) + named * vint(columns.len() as u64);
    }
    columns.sort_unstable();
    let bits = columns.iter().enumerate().filter(|(_, (_, cell))| cell.is_none());
    vint(bits.fold(0, |bits, (at, _)| bits | 1 << at))
}

/// A component of the clustering, with its length where its type has none.
fn component_bytes(part: &Part, form: Form, size: &ValueSize) -> u64 {
    let bytes = content_in(part, form, size);
    match form {
        Form::Native if is_fixed(&part.kind) => bytes,
        // An empty one is told by the byte in front.
        _ if bytes == 0 => 0,
        _ => vint(bytes).saturating_add(bytes),
    }
}

/// Bytes of a component in its form.
fn content_in(part: &Part, form: Form, size: &ValueSize) -> u64 {
    match form {
        Form::Native => content_bytes(size, &part.kind),
        Form::Rank | Form::Ordered => size.key_bytes(&part.kind),
        Form::Padded => content_bytes(size, &part.kind).max(1),
    }
}

/// A value in a cell, with its length where its type has none.
fn in_column(size: &ValueSize, kind: &Kind) -> u64 {
    let bytes = content_bytes(size, kind);
    if is_fixed(kind) { bytes } else { vint(bytes).saturating_add(bytes) }
}

/// Whether the type of a kind has one length. Cassandra's dates and small integers have, but are written as if they had not.
fn is_fixed(kind: &Kind) -> bool {
    matches!(kind, Kind::Bool | Kind::Int | Kind::Float | Kind::Timestamp { .. } | Kind::Uuid | Kind::Uuid7)
}

/// Bytes of a value as its native type has it; see `cells`.
fn content_bytes(size: &ValueSize, kind: &Kind) -> u64 {
    let each = |count: &u64, bytes: u64| count.saturating_mul(bytes);
    match (size, kind) {
        (ValueSize::Number(number), Kind::Decimal { .. }) => 4 + u64::from(number.bytes),
        // An enumeration is its name here.
        (size, Kind::Enum(_)) => size.bytes(),
        (ValueSize::Elements(sizes), Kind::List(of) | Kind::Set(of)) => {
            sizes.iter().fold(4, |sum, (count, size)| sum.saturating_add(each(count, 4 + content_bytes(size, of))))
        }
        (ValueSize::Entries(sizes), Kind::Map(key, of)) => sizes.iter().fold(4, |sum, (count, name, size)| {
            sum.saturating_add(each(count, 8 + content_bytes(name, key) + content_bytes(size, of)))
        }),
        (ValueSize::Members(sizes), Kind::Struct(members)) => {
            sizes.iter().zip(members).fold(0, |sum, (size, member)| sum + 4 + content_bytes(size, &member.kind))
        }
        (ValueSize::Choice(which, size), Kind::OneOf(kinds)) => {
            let value = kinds.get(usize::from(*which)).map_or(0, |kind| content_bytes(size, kind));
            4 * (u64::from(*which) + 1) + value
        }
        (size, kind) => size.canonical_bytes(kind),
    }
}

/// Bytes of a number as Cassandra writes lengths and differences: seven bits in each, up to nine.
fn vint(number: u64) -> u64 {
    u64::from((639 - (number | 1).leading_zeros() * 9) >> 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_a_byte_for_seven_bits() {
        let sizes = [0, 127, 128, (1 << 14) - 1, 1 << 14, (1 << 56) - 1, 1 << 56, u64::MAX].map(vint);
        assert_eq!(sizes, [1, 1, 2, 2, 3, 8, 9, 9]);
    }

    #[test]
    fn a_missing_column_is_told_by_a_bit() {
        let column = |name: &str, cell| (name.to_owned(), cell);
        assert_eq!(missing_bytes(vec![column("a", Some(1)), column("b", Some(1))]), 0);
        assert_eq!(missing_bytes(vec![column("a", None), column("b", Some(1))]), 1);
        let many =
            |missing: usize| (0..60).map(|at| column(&format!("c{at:02}"), (at != missing).then_some(1))).collect();
        assert_eq!([0, 6, 7, 59].map(|missing| missing_bytes(many(missing))), [1, 1, 2, 9]);
    }
}
