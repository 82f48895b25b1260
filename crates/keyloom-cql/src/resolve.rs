//! What the server would answer to a statement when it is prepared, and what the statement reads.
//!
//! The server is Cassandra 5.0. What ScyllaDB alone knows (`USING TIMEOUT`, `BYPASS CACHE`) is looked past, and so are the
//! server's own tables, which no schema holds.
//!
//! A hole where a value stands is taken for a value that fits, as a marker is. Any other hole makes the answer
//! [`Verdict::Maybe`] wherever it could change it: what is wrong whatever stands in the holes is still said.
//!
//! How it goes: `names` finds the table and makes a `Context` of it. For each relation of a WHERE `relations` says what it
//! restricts, `restrictions` puts those of one column together, `filter` those of a statement, and `decide` decides, with
//! `indexes` at hand. `terms` and `literals` say whether a value is one of a type, `fits` how it fits one, `functions` which
//! function a call means, `typed` whether one type fits another. `selectors`, `picked` and `selected` do the same for what is
//! selected. `select`, `modify` and `batch` add what their statements ask beyond the WHERE.

mod assign;
mod batch;
mod conditions;
mod context;
mod decide;
mod filter;
mod fits;
mod functions;
mod group;
mod hints;
mod indexes;
mod json;
mod literals;
mod made;
mod modify;
mod names;
mod order;
mod own;
mod picked;
mod relations;
mod restrictions;
mod select;
mod selected;
mod selectors;
mod signatures;
mod temporal;
mod terms;
mod typed;

use crate::Span;
use crate::ast::Statement;
use crate::schema::Schema;

/// What the server would answer to the statement. `keyspace` is the one in use, if one is.
pub fn resolve(schema: &Schema, statement: &Statement, keyspace: Option<&str>) -> Resolution {
    names::resolve(schema, statement, keyspace)
}

/// What is known about a statement once its names are looked up.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// What the server would answer.
    pub verdict: Verdict,
    /// What is read or written, as far as it is known; `None` for a statement that is no SELECT, UPDATE, DELETE or INSERT,
    /// or whose table is not known.
    pub access: Option<Access>,
}

/// What the server (Cassandra 5.0) would answer when the statement is prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is accepted.
    Legal,
    /// It is rejected as it stands and accepted with ALLOW FILTERING.
    NeedsFiltering(Fault),
    /// It is rejected.
    Illegal(Fault),
    /// A hole decides: it depends on what stands there.
    Maybe {
        /// The holes that decide, by name.
        holes: Vec<String>,
    },
}

/// Why a statement is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which kind.
    pub kind: FaultKind,
    /// The part of the statement that causes it.
    pub at: Span,
    /// In our own words, one sentence with the names in it.
    pub message: String,
}

/// The kinds of faults that rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The table or view is not in the schema.
    UnknownTable,
    /// The column is not in the table.
    UnknownColumn,
    /// The keyspace, type or function is not known.
    UnknownName,
    /// A part of the partition key is missing.
    PartitionKeyOpen,
    /// A clustering column is restricted though the one before it is not, or only by a range.
    ClusteringSkipped,
    /// A column outside of the key is restricted, without an index.
    NotIndexed,
    /// ORDER BY something else than the clustering order or its reverse.
    Order,
    /// A value does not fit the type.
    Type,
    /// Anything else.
    Other,
}

/// What a statement reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// How many partitions.
    pub partitions: Partitions,
    /// Which part of each.
    pub part: Part,
    /// The index that finds the rows, by name.
    pub index: Option<String>,
    /// Whether rows are read and then dropped by a filter.
    pub filters: bool,
    /// Whether rows are asked in the reverse of the clustering order.
    pub reversed: bool,
}

/// How many partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partitions {
    /// Exactly one.
    One,
    /// As many as values are written in its INs.
    AtMost(u64),
    /// As many as are bound to a marker (`IN ?`) or fill a hole.
    Bound,
    /// A range of tokens.
    TokenRange,
    /// All of them.
    All,
    /// All that an index finds, asked of every node.
    ByIndex,
}

/// Which part of each partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The whole.
    Whole,
    /// One row, or as many as the values of INs name.
    Rows(Option<u64>),
    /// A run of rows: `fixed` leading clustering columns are given by equality or IN, then perhaps a range.
    Slice {
        /// Leading clustering columns that are given.
        fixed: usize,
        /// Whether the next one is bounded from below or above, or both.
        range: Option<Bounds>,
    },
    /// Only static columns, or only the partition key.
    Statics,
}

/// The bounds of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum Bounds {
    From,
    To,
    Between,
}
