//! Rows that are there, as far as the load knows: what it asks for and refers to.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::chance::Chance;

/// How many rows of an entity are remembered; later ones take the place of others.
const REMEMBERED: usize = 20_000;

/// The fields of a row that are known, and its version.
pub(crate) type Row = Map<String, Json>;

/// The rows of one tenant.
#[derive(Debug, Default)]
pub(crate) struct Known {
    rows: BTreeMap<String, Vec<Row>>,
}

impl Known {
    pub(crate) fn of(&self, entity: &str) -> &[Row] {
        self.rows.get(entity).map_or(&[], Vec::as_slice)
    }

    /// A row was made. The first ones stay: they are those that uneven calls fall on.
    pub(crate) fn add(&mut self, entity: &str, row: Row, chance: &mut Chance) {
        let rows = self.rows.entry(entity.to_owned()).or_default();
        if rows.len() < REMEMBERED {
            rows.push(row);
        } else {
            let at = chance.between(REMEMBERED as u64 / 10, REMEMBERED as u64 - 1);
            rows[at as usize] = row;
        }
    }

    /// A row is gone.
    pub(crate) fn remove(&mut self, entity: &str, at: usize) {
        if let Some(rows) = self.rows.get_mut(entity).filter(|rows| at < rows.len() && rows.len() > 1) {
            rows.swap_remove(at);
        }
    }

    pub(crate) fn set(&mut self, entity: &str, at: usize, field: &str, value: Json) {
        if let Some(row) = self.rows.get_mut(entity).and_then(|rows| rows.get_mut(at)) {
            row.insert(field.to_owned(), value);
        }
    }
}
