use std::ops::Bound;

use keyloom_value::Value;

use crate::{
    row::Row,
    schema::{Millis, TableId},
};

/// How much a read must have seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Whatever is nearest.
    Any,
    /// Every acknowledged write.
    Settled,
    /// Linearizable with the decisions on this row; of a row that nobody decides the same as settled.
    Fresh,
}

/// One row, by its whole key.
#[derive(Debug, Clone, Copy)]
pub struct Get<'a> {
    /// The table.
    pub table: TableId,
    /// Partition and sort components.
    pub key: &'a [Value<'a>],
    /// How much it must have seen.
    pub freshness: Freshness,
    /// A row that expires at or before this moment is not there.
    pub now: Millis,
}

/// What a [`Get`] answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    /// The row, if it is there.
    pub row: Option<Row>,
    /// What it took.
    pub cost: Cost,
}

/// Rows of one partition, in key order, from a value on, bounded in rows and bytes.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    /// The table, or an engine-side index.
    pub table: TableId,
    /// The whole partition key.
    pub partition: &'a [Value<'a>],
    /// Which rows of it.
    pub within: Range<'a>,
    /// A whole sort key: only rows behind it, in the direction of reading. By value, never an engine's token.
    pub after: Option<&'a [Value<'a>]>,
    /// Against the order of the table.
    pub reverse: bool,
    /// How many rows are looked at, as the engine counts them, and so returned, at most; at least 1.
    pub rows_max: u32,
    /// How many bytes are returned at most, though always one row.
    pub bytes_max: u32,
    /// How much it must have seen.
    pub freshness: Freshness,
    /// A row that expires at or before this moment is not there.
    pub now: Millis,
}

/// A part of a partition: equal first sort components, then one bounded component. Bounds are those of the value, whatever
/// the column's direction: `low` is always the smaller.
#[derive(Debug, Clone, Copy)]
pub struct Range<'a> {
    /// The first sort components.
    pub equal: &'a [Value<'a>],
    /// The smallest value of the next one.
    pub low: Bound<&'a Value<'a>>,
    /// The largest value of the next one.
    pub high: Bound<&'a Value<'a>>,
}

impl Range<'_> {
    /// The whole partition.
    pub const ALL: Self = Self { equal: &[], low: Bound::Unbounded, high: Bound::Unbounded };
}

/// What a [`Slice`] answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// In the direction of reading.
    pub rows: Vec<Row>,
    /// Why there are no more.
    pub end: End,
    /// What it took.
    pub cost: Cost,
}

/// Why a slice ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// Nothing is left in the range.
    Range,
    /// A bound of the request or of the engine was reached; perhaps nothing is left, engines do not always know. The sort key of the last row that was looked at is where to go on `after`: it
    /// may have been one that is not returned, because it has expired.
    Limit {
        /// A whole sort key.
        reached: Vec<Value<'static>>,
    },
}

/// What a read took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Rows looked at as the engine counts them, also those that are not returned.
    pub rows: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Rows whose root is not there though another group is: leftovers, which a repair removes.
    pub leftovers: u64,
    /// The engine's own units in thousandths; 0 where it has none.
    pub milliunits: u64,
}

impl Cost {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            bytes: self.bytes + other.bytes,
            leftovers: self.leftovers + other.leftovers,
            milliunits: self.milliunits + other.milliunits,
        }
    }
}
