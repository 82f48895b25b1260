//! What an engine stores and charges, as pure functions: nothing is asked, nothing is opened.

use crate::{abilities::Abilities, read::Freshness, schema::Table, sizes::RowSizes};

/// An engine as it is known without a connection: what it can do, what it stores for a row, what a call makes it do.
///
/// A store crate implements it from how its store really writes, without its driver; tests compare it with what the engine
/// itself counts.
pub trait Dialect: Send + Sync {
    /// What the store is able to.
    fn abilities(&self) -> Abilities;

    /// Bytes of one row as the engine counts them for its calls and limits. `indexes` are the indexes of the table: their
    /// keys may stand in the row.
    fn row_bytes(&self, table: &Table, indexes: &[&Table], sizes: &RowSizes) -> u64;

    /// Bytes of what an index holds of a row of its table; `None` when the row is not in it.
    fn index_row_bytes(&self, index: &Table, of: &Table, sizes: &RowSizes) -> Option<u64>;

    /// Bytes that are stored, and paid for, beside those of each row of a table or an index.
    fn beside_row_bytes(&self) -> u64;

    /// Bytes of a partition beside those of its rows. Of the sizes only those of the partition key are looked at.
    fn partition_bytes(&self, table: &Table, sizes: &RowSizes) -> u64;

    /// What a call makes the engine do.
    fn work(&self, call: &Call<'_>) -> Work;
}

/// A call, as far as its cost depends on it. Bytes are those of [`Dialect::row_bytes`] and, where an index is read,
/// [`Dialect::index_row_bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call<'a> {
    /// One row by its whole key. Several rows are several of these.
    Get {
        /// Of the row; 0 when it is not there.
        bytes: u64,
        /// `Fresh` only of decided rows; of others it is `Settled`.
        freshness: Freshness,
    },
    /// Rows of one partition.
    Slice {
        /// How many are looked at, also those that are not returned.
        rows: u64,
        /// All of them together.
        bytes: u64,
        /// As above.
        freshness: Freshness,
    },
    /// A decision: its own row first, then what rides along. A row that is only checked stays as it was.
    Decide {
        /// At least one.
        rows: &'a [RowChange<'a>],
    },
    /// Placements.
    Place {
        /// Each row once.
        rows: &'a [RowChange<'a>],
        /// All or none of them.
        together: bool,
    },
}

/// What becomes of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowChange<'a> {
    /// Bytes before; 0 when it was not there.
    pub old: u64,
    /// Bytes afterwards; 0 when it is gone. A removal of a placed row leaves a trace, whose bytes they are.
    pub new: u64,
    /// What the engine does in the indexes of its table.
    pub indexes: &'a [IndexChange],
}

/// What becomes of a row in one index. Left out where it is in the index neither before nor afterwards. There is no "stays
/// as it was": an index shows the version of a row, and every write raises it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexChange {
    /// It was not in it before.
    Enters {
        /// Afterwards.
        new: u64,
    },
    /// It is not in it any more.
    Leaves {
        /// Before.
        old: u64,
    },
    /// It has another key there.
    Moves {
        /// Before.
        old: u64,
        /// Afterwards.
        new: u64,
    },
    /// It has the same key there.
    Stays {
        /// Before.
        old: u64,
        /// Afterwards.
        new: u64,
    },
}

/// What calls make an engine do. An engine that meters fills the units; of the others it is counted what their nodes do, in
/// the terms in which `keyloom-facts` knows the cost: `read_nanos` for each of `reads`, and so on. Counted over all
/// replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Metered reads, in half units.
    pub read_half_units: u64,
    /// Metered writes, in units.
    pub write_units: u64,
    /// Reads, each one call and one partition.
    pub reads: u64,
    /// Rows that they look at.
    pub read_rows: u64,
    /// Bytes of these.
    pub read_bytes: u64,
    /// Rows that are written by themselves.
    pub writes: u64,
    /// Bytes of these.
    pub write_bytes: u64,
    /// Batches of rows that are written all or none.
    pub batches: u64,
    /// Rows of them.
    pub batch_rows: u64,
    /// Bytes of these.
    pub batch_bytes: u64,
    /// Decisions, each with the read of its row and its write.
    pub decisions: u64,
    /// Rounds in which replicas agree before a read that must be linearizable; those of a decision are part of it.
    pub agreements: u64,
}

impl Work {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    /// So many times.
    #[must_use]
    pub fn times(self, times: u64) -> Self {
        self.each(self, |one, _| one.saturating_mul(times))
    }

    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            read_half_units: of(self.read_half_units, other.read_half_units),
            write_units: of(self.write_units, other.write_units),
            reads: of(self.reads, other.reads),
            read_rows: of(self.read_rows, other.read_rows),
            read_bytes: of(self.read_bytes, other.read_bytes),
            writes: of(self.writes, other.writes),
            write_bytes: of(self.write_bytes, other.write_bytes),
            batches: of(self.batches, other.batches),
            batch_rows: of(self.batch_rows, other.batch_rows),
            batch_bytes: of(self.batch_bytes, other.batch_bytes),
            decisions: of(self.decisions, other.decisions),
            agreements: of(self.agreements, other.agreements),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_adds_up() {
        let one = Work { reads: 1, read_bytes: 100, write_units: 2, ..Work::default() };
        let other = Work { reads: 2, batch_rows: 3, ..Work::default() };
        let both = Work { reads: 3, read_bytes: 100, write_units: 2, batch_rows: 3, ..Work::default() };
        assert_eq!(one.plus(other), both);
        assert_eq!(other.times(3), Work { reads: 6, batch_rows: 9, ..Work::default() });
        assert_eq!(one.times(u64::MAX).plus(one).read_bytes, u64::MAX);
    }
}
