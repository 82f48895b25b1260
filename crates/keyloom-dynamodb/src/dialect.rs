//! What DynamoDB stores and charges, known without a client.
//!
//! Sizes are those of "DynamoDB item sizes and formats", units those of "DynamoDB read and write operations" in the
//! developer guide; `tests/units.rs` compares both with what two servers count.

use std::{collections::BTreeMap, sync::Arc};

use keyloom_store::{
    Abilities, Call, Dialect, Discipline, Freshness, GroupSizes, IndexChange, Millis, NumberSize, RowChange, RowSizes,
    Shape, Table, ValueSize, Work,
};
use keyloom_value::Kind;

use crate::{
    define::control::{PROJECTED_MAX, shown},
    item::{forget_at, rank},
    key::KeyAttribute,
    layout::{FORGET, Layout, VERSION, end_name, rank_name},
    store::abilities,
};

/// DynamoDB as it is known without a client.
#[derive(Debug, Clone, Copy)]
pub struct DynamoDbDialect;

/// What a write unit covers.
const WRITE_UNIT_BYTES: u64 = 1 << 10;
/// What a read unit covers.
const READ_UNIT_BYTES: u64 = 4 << 10;

/// "All items in DynamoDB require 100 bytes of storage overhead for indexing", and of an index: "100 bytes of overhead per
/// index item".
const BESIDE_ITEM_BYTES: u64 = 100;

impl Dialect for DynamoDbDialect {
    fn abilities(&self) -> Abilities {
        abilities()
    }

    fn row_bytes(&self, table: &Table, indexes: &[&Table], sizes: &RowSizes) -> u64 {
        Layout::of_sound(table, indexes).map_or(0, |layout| bytes(&attributes(&layout, sizes)))
    }

    fn index_row_bytes(&self, index: &Table, of: &Table, sizes: &RowSizes) -> Option<u64> {
        let layout = Layout::of_sound(of, &[index])?;
        let index = layout.indexes.first()?;
        let mut item = attributes(&layout, sizes);
        if !index.key_attributes().all(|key| item.contains_key(&key.name)) {
            return None;
        }
        let shown = shown(index);
        if shown.len() <= PROJECTED_MAX {
            let keys = layout.key_attributes().chain(index.key_attributes());
            let keys: Vec<&String> = keys.map(|key| &key.name).collect();
            item.retain(|name, _| shown.contains(name) || keys.contains(&name));
        }
        Some(bytes(&item))
    }

    fn beside_row_bytes(&self) -> u64 {
        BESIDE_ITEM_BYTES
    }

    fn partition_bytes(&self, _: &Table, _: &RowSizes) -> u64 {
        0
    }

    fn work(&self, call: &Call<'_>) -> Work {
        let read = |bytes: u64, freshness| {
            let units = bytes.div_ceil(READ_UNIT_BYTES).max(1);
            let halves = if freshness == Freshness::Any { 1 } else { 2 };
            Work { read_half_units: units.saturating_mul(halves), ..Work::default() }
        };
        let write = |rows: &[RowChange<'_>], transaction: bool| {
            let units = rows.iter().map(|row| row_units(row, transaction)).fold(0, u64::saturating_add);
            Work { write_units: units, ..Work::default() }
        };
        match call {
            Call::Get { bytes, freshness } | Call::Slice { bytes, freshness, .. } => read(*bytes, *freshness),
            Call::Decide { rows } => write(rows, rows.len() > 1),
            Call::Place { rows, together } => write(rows, *together && rows.len() > 1),
        }
    }
}

/// The units of one row. A transaction prepares and commits each item, so it costs twice; what follows in the indexes does
/// not.
fn row_units(row: &RowChange<'_>, transaction: bool) -> u64 {
    let own = write_units(row.old.max(row.new)).saturating_mul(if transaction { 2 } else { 1 });
    row.indexes.iter().map(index_units).fold(own, u64::saturating_add)
}

fn index_units(change: &IndexChange) -> u64 {
    match *change {
        IndexChange::Enters { new } => write_units(new),
        IndexChange::Leaves { old } => write_units(old),
        // It is taken away in one place and put into another.
        IndexChange::Moves { old, new } => write_units(old).saturating_add(write_units(new)),
        IndexChange::Stays { old, new } => write_units(old.max(new)),
    }
}

fn write_units(bytes: u64) -> u64 {
    bytes.div_ceil(WRITE_UNIT_BYTES).max(1)
}

/// The attributes of an item by their names, with the bytes of their values.
type Attributes = BTreeMap<String, u64>;

fn bytes(item: &Attributes) -> u64 {
    item.iter().fold(0, |sum, (name, bytes)| sum.saturating_add(name.len() as u64).saturating_add(*bytes))
}

/// The item of a row, as `item::Draft` and `place::Arrival` put it together.
fn attributes(layout: &Layout, sizes: &RowSizes) -> Attributes {
    let table = layout.shape.table();
    let mut item = Attributes::new();
    add_key(&mut item, layout, &sizes.key);
    for (at, name, part) in layout.hidden() {
        let size = sizes.key.get(at).unwrap_or(&ValueSize::Absent);
        item.insert(name.to_owned(), value_bytes(size, &part.kind));
    }
    let mut forgotten = Some(i64::MIN);
    for (group, columns) in table.groups.iter().enumerate() {
        let end = match sizes.groups.get(group) {
            None | Some(GroupSizes::Never) => continue,
            Some(GroupSizes::Removed { version, at }) => {
                item.insert(rank_name(group).into_owned(), whole_bytes(rank(*version, false).into()));
                Some(*at)
            }
            Some(GroupSizes::Put { version, expires_at, cells }) => {
                let (name, number) = match table.discipline {
                    Discipline::Placed => (rank_name(group).into_owned(), rank(*version, true)),
                    _ => (VERSION.to_owned(), *version),
                };
                item.insert(name, whole_bytes(number.into()));
                if let Some(Millis(end)) = expires_at {
                    item.insert(end_name(group).into_owned(), whole_bytes((*end).into()));
                }
                let there = columns.columns.iter().zip(cells).filter(|(_, size)| !size.is_absent());
                item.extend(there.map(|(column, size)| (column.name.clone(), value_bytes(size, &column.kind))));
                *expires_at
            }
        };
        forgotten = forgotten.zip(end).map(|(latest, end)| latest.max(forget_at(end, table.grace_ms)));
    }
    if let Some(at) = forgotten.filter(|at| *at > i64::MIN) {
        item.insert(FORGET.to_owned(), whole_bytes(at.into()));
    }
    for index in &layout.indexes {
        let named = |name: &str| {
            let key = table.key_names().position(|key| key == name).and_then(|at| sizes.key.get(at));
            let column = || table.groups[0].columns.iter().position(|column| column.name == name);
            key.or_else(|| sizes.cells(0).get(column()?)).filter(|size| !size.is_absent()).cloned()
        };
        // A row without a value for the index's key is not in it.
        if let Some(key) = index.shape.table().key_names().map(named).collect::<Option<Vec<_>>>() {
            add_key(&mut item, index, &key);
        }
    }
    item
}

/// Adds the key attributes of a table or an index.
fn add_key(item: &mut Attributes, layout: &Layout, key: &[ValueSize]) {
    let (partition, sort) = key.split_at(layout.partition.parts.len().min(key.len()));
    for (attribute, sizes) in layout.key_attributes().zip([partition, sort]) {
        item.insert(attribute.name.clone(), key_bytes(attribute, sizes));
    }
}

fn key_bytes(attribute: &KeyAttribute, sizes: &[ValueSize]) -> u64 {
    match (attribute.native, sizes) {
        // No key is empty: an escape stands for nothing.
        (true, [one]) => value_bytes(one, &attribute.parts[0].kind).max(1),
        // The version of the grammar stands in front.
        _ => attribute.parts.iter().zip(sizes).map(|(part, size)| size.key_bytes(&part.kind)).sum::<u64>() + 1,
    }
}

/// Bytes of a value as an attribute.
fn value_bytes(size: &ValueSize, kind: &Kind) -> u64 {
    let each = |count: &u64, bytes: u64| count.saturating_mul(1 + bytes);
    match (size, kind) {
        (ValueSize::Absent, _) => 0,
        (_, Kind::Bool) => 1,
        (_, Kind::Uuid | Kind::Uuid7 | Kind::Duration) => 16,
        (ValueSize::Number(number), _) => number_bytes(*number),
        (ValueSize::Elements(sizes), Kind::List(of) | Kind::Set(of)) => {
            sizes.iter().fold(3, |sum, (count, size)| sum.saturating_add(each(count, value_bytes(size, of))))
        }
        (ValueSize::Entries(sizes), Kind::Map(key, of)) => sizes.iter().fold(3, |sum, (count, name, size)| {
            let (name, size) = (value_bytes(name, key), value_bytes(size, of));
            // Names of attributes are texts, and not empty; other keys make pairs, which are lists in the list.
            let entry = if **key == Kind::Text { name.max(1) + size } else { 3 + (1 + name) + (1 + size) };
            sum.saturating_add(each(count, entry))
        }),
        (ValueSize::Members(sizes), Kind::Struct(members)) => {
            let there = sizes.iter().zip(members).filter(|(size, _)| !size.is_absent());
            let bytes = there.map(|(size, member)| 1 + member.name.len() as u64 + value_bytes(size, &member.kind));
            bytes.fold(3, u64::saturating_add)
        }
        (ValueSize::Choice(which, size), Kind::OneOf(kinds)) => {
            let value = kinds.get(usize::from(*which)).map_or(0, |kind| value_bytes(size, kind));
            3 + 1 + which.to_string().len() as u64 + value
        }
        (size, _) => size.bytes(),
    }
}

fn whole_bytes(number: i128) -> u64 {
    number_bytes(NumberSize::of(number, 0))
}

/// "Leading and trailing zeroes are trimmed. The size of a number is approximately (number of UTF-8-encoded bytes of
/// attribute name) + (1 byte per two significant digits) + (1 byte)." Pairs are counted on each side of the point, and a
/// sign takes a byte.
fn number_bytes(number: NumberSize) -> u64 {
    let pairs = number.whole.div_ceil(2) + number.fraction.div_ceil(2);
    u64::from(pairs) + 1 + u64::from(number.negative)
}

impl Layout {
    /// How a table lies there with its indexes; `None` when one of them is not sound, which is refused elsewhere.
    fn of_sound(table: &Table, indexes: &[&Table]) -> Option<Self> {
        let shape = Arc::new(Shape::of(table.clone()).ok()?);
        let base = Self::of("", shape.clone(), Vec::new());
        let index = |index: &&Table| Some(Arc::new(Self::of_index(Arc::new(Shape::of((*index).clone()).ok()?), &base)));
        let indexes = indexes.iter().map(index).collect::<Option<Vec<_>>>()?;
        Some(Self::of("", shape, indexes))
    }
}
