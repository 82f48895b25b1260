use super::{Compaction, Made, Type};
use crate::ast::{IndexTargetKind, OptionValue};

/// A table, as it stands after all statements; a materialized view has one too.
#[derive(Debug, Clone)]
pub struct Table {
    /// The keyspace; empty where nobody said which one.
    pub keyspace: String,
    /// Its name.
    pub name: String,
    /// The partition key's columns in their order, then the clustering columns in theirs, then all others as they were made.
    pub columns: Vec<Column>,
    /// Its indexes, as they were made.
    pub indexes: Vec<Index>,
    /// `default_time_to_live` in seconds; `None` inside where a hole stands. Zero means none.
    pub default_ttl: Option<(Option<u64>, Made)>,
    /// `gc_grace_seconds`; `None` inside where a hole stands.
    pub gc_grace: Option<(Option<u64>, Made)>,
    /// `compaction`
    pub compaction: Option<Compaction>,
    /// `WITH COMPACT STORAGE`
    pub compact_storage: bool,
    /// All other options, by name.
    pub options: Vec<(String, OptionValue, Made)>,
    /// Columns that are dropped by now, with the statement that dropped them.
    pub dropped: Vec<(String, Made)>,
    /// Its name, in the statement that made it.
    pub made: Made,
    /// The primary key, in the statement that made it.
    pub key_made: Made,
    /// Something about its shape is not known: a hole among its columns or in its key.
    pub unknown: bool,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// Where it stands in the key, or not.
    pub kind: ColumnKind,
    /// The statement that made it so.
    pub made: Made,
}

/// Where a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnKind {
    /// In the partition key.
    Partition,
    /// In the clustering key.
    Clustering {
        /// Whether rows are stored from the largest to the smallest.
        descending: bool,
    },
    /// Shared by all rows of a partition.
    Static,
    /// Any other.
    Regular,
}

impl Table {
    /// The columns of the partition key.
    pub fn partition_key(&self) -> impl Iterator<Item = &Column> + Clone {
        self.columns.iter().filter(|column| column.kind == ColumnKind::Partition)
    }

    /// The clustering columns.
    pub fn clustering(&self) -> impl Iterator<Item = &Column> + Clone {
        self.columns.iter().filter(|column| matches!(column.kind, ColumnKind::Clustering { .. }))
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The name with its keyspace, where there is one.
    pub fn full_name(&self) -> String {
        if self.keyspace.is_empty() { self.name.clone() } else { format!("{}.{}", self.keyspace, self.name) }
    }
}

/// An index of a table.
#[derive(Debug, Clone)]
pub struct Index {
    /// Its name; made up as the server does where none was given.
    pub name: String,
    /// How it works.
    pub kind: IndexKind,
    /// The column it is over.
    pub column: String,
    /// Which part of the column.
    pub target: IndexTargetKind,
    /// `WITH OPTIONS`
    pub options: Vec<(String, String)>,
    /// The statement that made it.
    pub made: Made,
}

/// How an index works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexKind {
    /// The one that is as old as CQL.
    Legacy,
    /// Storage-attached: `USING 'sai'`.
    StorageAttached,
    /// `SASIIndex`
    Sasi,
    /// ScyllaDB's local index, within one partition.
    Local,
    /// A class of somebody else's.
    Custom(String),
}

/// A materialized view.
#[derive(Debug, Clone)]
pub struct View {
    /// What it looks like to a reader.
    pub table: Table,
    /// The table it follows, by keyspace and name.
    pub base: (String, String),
    /// Whether it was made with `SELECT *`.
    pub all_columns: bool,
}

/// What a name leads to.
#[derive(Debug, Clone, Copy)]
pub enum Lookup<'a> {
    /// One table or view.
    One(&'a Table),
    /// Several keyspaces have one, and nothing says which is meant; this is the first.
    Several(&'a Table),
    /// None.
    None,
}
