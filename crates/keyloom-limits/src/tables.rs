//! The tables that are there, as callers see them.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use keyloom_store::{Abilities, Discipline, Fault, Shape, Table, TableId, refuse};
use keyloom_value::{Value, key, to_text};

use crate::names;

/// A table with its indexes.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) id: TableId,
    pub(crate) shape: Arc<Shape>,
    /// Those that stand on it.
    pub(crate) indexes: Vec<(TableId, Arc<Shape>)>,
    /// The table that it is an index of.
    pub(crate) of: Option<(TableId, Arc<Shape>)>,
}

/// The bytes of a whole key, and how many of them are the partition's.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) bytes: Vec<u8>,
    pub(crate) partition_bytes: usize,
}

impl Key {
    pub(crate) fn partition(&self) -> &[u8] {
        &self.bytes[..self.partition_bytes]
    }
}

impl Held {
    pub(crate) fn table(&self) -> &Table {
        self.shape.table()
    }

    pub(crate) fn groups(&self) -> usize {
        self.table().groups.len()
    }

    pub(crate) fn index_tables(&self) -> Vec<&Table> {
        self.indexes.iter().map(|(_, shape)| shape.table()).collect()
    }

    /// The bytes of a whole key, after a look at its sizes.
    pub(crate) fn key(&self, values: &[Value<'_>], abilities: &Abilities) -> Result<Key, Fault> {
        let mut bytes = Vec::new();
        let (partition, sort) = values.split_at(self.table().partition.len().min(values.len()));
        key::encode_into(partition, self.shape.partition_parts(), &mut bytes)?;
        let partition_bytes = bytes.len();
        key::encode_into(sort, self.shape.sort_parts(), &mut bytes)?;
        refuse::key_sizes(&self.shape, partition_bytes, bytes.len() - partition_bytes, abilities)?;
        Ok(Key { bytes, partition_bytes })
    }
}

/// A partition in words: `user_id=7, day=2026-11-18`.
pub(crate) fn partition_words(shape: &Shape, partition: &[u8]) -> String {
    let columns = &shape.table().partition;
    let Ok(values) = key::decode(partition, shape.partition_parts()) else { return "?".to_owned() };
    let one = |(column, value): (&keyloom_store::Column, &Value<'_>)| {
        format!("{}={}", column.name, to_text(value, &column.kind).unwrap_or_else(|_| "?".to_owned()))
    };
    columns.iter().zip(&values).map(one).collect::<Vec<_>>().join(", ")
}

/// All tables by their handles.
#[derive(Debug, Default)]
pub(crate) struct Tables(RwLock<BTreeMap<TableId, Arc<Held>>>);

impl Tables {
    pub(crate) fn get(&self, id: TableId) -> Result<Arc<Held>, Fault> {
        let tables = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tables.get(&id).cloned().ok_or(Fault::Refused("there is no such table".into()))
    }

    pub(crate) fn all(&self) -> Vec<Arc<Held>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Takes over what the store below has.
    pub(crate) fn set(&self, below: Vec<(TableId, Arc<Shape>)>) -> Result<(), Fault> {
        let mut seen = Vec::with_capacity(below.len());
        for (id, shape) in below {
            if names::marked(&shape.table().name).is_none() {
                seen.push((id, Arc::new(Shape::of(names::seen(shape.table()))?)));
            }
        }
        let is_index = |index: &Shape, of: &Shape| matches!(&index.table().discipline, Discipline::Indexed { of: name } if *name == of.table().name);
        let held = |(id, shape): &(TableId, Arc<Shape>)| {
            let indexes = seen.iter().filter(|(_, other)| is_index(other, shape)).cloned().collect();
            let of = seen.iter().find(|(_, other)| is_index(shape, other)).cloned();
            (*id, Arc::new(Held { id: *id, shape: Arc::clone(shape), indexes, of }))
        };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = seen.iter().map(held).collect();
        Ok(())
    }
}
