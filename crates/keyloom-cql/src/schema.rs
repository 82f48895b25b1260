//! A schema: what DDL statements have built, and where each part of it was made so.

mod alter_table;
mod apply;
mod create_table;
mod fault;
mod find;
mod functions;
mod index_options;
mod indexes;
mod options;
mod settings;
mod tables;
mod types;
mod typing;
mod user_types;
mod views;

pub use fault::{SchemaFault, SchemaFaultKind};
pub use options::{Compaction, Replication};
pub use tables::{Column, ColumnKind, Index, IndexKind, Lookup, Table, View};
pub use types::{Type, UserType};

use std::collections::BTreeMap;

use crate::Span;

/// Which statement made something so, and where in it. The number is the caller's own: it was given to [`Schema::apply`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Made {
    /// The statement.
    pub by: u32,
    /// The part of it.
    pub at: Span,
}

/// All keyspaces. Statements that name no keyspace, and follow no `USE`, build in the one named `""`.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// By name.
    pub keyspaces: BTreeMap<String, Keyspace>,
}

/// One keyspace.
#[derive(Debug, Clone, Default)]
pub struct Keyspace {
    /// Its name; empty where nobody said which one.
    pub name: String,
    /// `None` when it was never created here, only used.
    pub made: Option<Made>,
    /// Its replication, if it was said.
    pub replication: Option<Replication>,
    /// `false` when the commit log is switched off.
    pub durable_writes: Option<(bool, Made)>,
    /// Tables by name.
    pub tables: BTreeMap<String, Table>,
    /// Materialized views by name; each is also a table that can be read.
    pub views: BTreeMap<String, View>,
    /// The table of each index, by the index's name.
    pub indexes: BTreeMap<String, String>,
    /// User-defined types by name.
    pub types: BTreeMap<String, UserType>,
    /// Names of user-defined functions and aggregates.
    pub functions: BTreeMap<String, Vec<Function>>,
}

/// A user-defined function or aggregate, one of those that share a name.
#[derive(Debug, Clone)]
pub struct Function {
    /// Whether it is an aggregate.
    pub aggregate: bool,
    /// The types of its arguments.
    pub arguments: Vec<Type>,
    /// What it returns; `None` where that is not written (the last function of an aggregate decides).
    pub returns: Option<Type>,
    /// Where it was made.
    pub made: Made,
}
