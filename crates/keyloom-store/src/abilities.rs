use crate::{read::Freshness, schema::Table};

/// What an engine can do, as data. The planner reads it; nobody branches on an engine's name.
#[derive(Debug, Clone)]
pub struct Abilities {
    /// For messages only.
    pub engine: &'static str,
    /// What a decision may change besides its own row.
    pub atomic: Atomic,
    /// How many column groups a placed table may have.
    pub column_groups_max: u32,
    /// Engine-side indexes, where it has them.
    pub indexes: Option<Indexes>,
    /// What a request may hold.
    pub limits: Limits,
    /// What the engine's own language has against a read of a table, in words; [`no_objection`] where every bounded read of
    /// a partition is legal.
    pub objection: fn(&Table, ReadForm) -> Option<String>,
}

/// Of engines whose language refuses no bounded read of a partition.
pub fn no_objection(_: &Table, _: ReadForm) -> Option<String> {
    None
}

/// The form of a read: what it gives of the key, without the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadForm {
    /// The whole key.
    Get,
    /// A partition and some of its sort key.
    Slice {
        /// How many of the first sort columns are given.
        equal: usize,
        /// Whether the next one lies in a range.
        bounded: bool,
        /// Whether rows are read against the order in which they stand.
        backward: bool,
    },
}

/// What a decision may change besides its own row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atomic {
    /// Nothing.
    Row,
    /// Other rows, of any table.
    Rows {
        /// How many rows one decision touches at most, its own included.
        rows_max: u32,
        /// How many bytes all of them have at most.
        bytes_max: u64,
    },
}

/// Engine-side indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexes {
    /// How fresh a read of one can be at best.
    pub freshest: Freshness,
    /// How many a table may have.
    pub per_table_max: u32,
}

/// What a request may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a partition key, as the engine counts them.
    pub partition_key_bytes_max: u32,
    /// Bytes of a sort key, as the engine counts them.
    pub sort_key_bytes_max: u32,
    /// Bytes of a row, key and columns, as [`crate::Row::size`] counts them.
    pub row_bytes_max: u64,
    /// Cells of one partition, where that is documented.
    pub partition_cells_max: Option<u64>,
    /// Rows that can be placed together.
    pub together_rows_max: u32,
    /// Bytes that can be placed together.
    pub together_bytes_max: u64,
}
