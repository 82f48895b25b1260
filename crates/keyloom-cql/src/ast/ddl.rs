use super::{CqlType, Name, QualifiedName, Relation, Selection, Term};
use crate::Span;

/// `CREATE KEYSPACE`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateKeyspace {
    /// Its name.
    pub name: Name,
    /// `IF NOT EXISTS`, or `IF EXISTS` of an `ALTER`.
    pub if_not_exists: bool,
    /// `replication`, `durable_writes`, `tablets`.
    pub options: Vec<TableOption>,
}

/// `CREATE TABLE`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// Its name.
    pub name: QualifiedName,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The columns, in the order written.
    pub columns: Vec<ColumnDefinition>,
    /// The columns of the partition key.
    pub partition_key: Vec<Name>,
    /// The clustering columns.
    pub clustering: Vec<Name>,
    /// The whole `PRIMARY KEY`, where one is written.
    pub primary_key: Option<Span>,
    /// `CLUSTERING ORDER BY`
    pub clustering_order: Vec<ClusteringOrder>,
    /// `COMPACT STORAGE`
    pub compact_storage: Option<Span>,
    /// The other options.
    pub options: Vec<TableOption>,
    /// `CREATE TABLE a LIKE b`: the columns are those of another.
    pub like: Option<QualifiedName>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDefinition {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub of: CqlType,
    /// Whether all rows of a partition share it.
    pub is_static: bool,
    /// `PRIMARY KEY` behind the type.
    pub is_primary_key: bool,
    /// From its name to its last word.
    pub span: Span,
}

/// `CLUSTERING ORDER BY (a DESC)`
#[derive(Debug, Clone, PartialEq)]
pub struct ClusteringOrder {
    /// The column.
    pub column: Name,
    /// Whether it is descending.
    pub descending: bool,
}

/// An option of a table, view or keyspace, as it is written. A hole that stands for whole options is one whose name and
/// value are that hole.
#[derive(Debug, Clone, PartialEq)]
pub struct TableOption {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: OptionValue,
    /// From its name to the end of its value.
    pub span: Span,
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// A constant, `true`, a name, or a hole.
    Term(Term),
    /// `{'class': 'x', 'n': 1}`, key by key, both without quotes. A hole is kept between two [`crate::HOLE`] characters.
    Map(Vec<(String, String)>),
}

/// `CREATE TYPE`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateType {
    /// Its name.
    pub name: QualifiedName,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its fields.
    pub fields: Vec<(Name, CqlType)>,
}

/// `CREATE INDEX`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndex {
    /// Its name, if one is given.
    pub name: Option<QualifiedName>,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// `CUSTOM`
    pub custom: bool,
    /// The table.
    pub table: QualifiedName,
    /// What is indexed. ScyllaDB's local indexes, `((pk), c)`, list the partition key in `local`.
    pub targets: Vec<IndexTarget>,
    /// The partition key columns of a local index, which ScyllaDB knows.
    pub local: Vec<Name>,
    /// `USING 'class'`
    pub using: Option<String>,
    /// `WITH OPTIONS = {..}`
    pub options: Vec<(String, String)>,
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexTarget {
    /// The column.
    pub column: Name,
    /// Which part of it.
    pub kind: IndexTargetKind,
}

/// Which part of a column an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum IndexTargetKind {
    Plain,
    Keys,
    Values,
    Entries,
    Full,
}

/// `CREATE MATERIALIZED VIEW`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    /// Its name.
    pub name: QualifiedName,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Which columns it holds.
    pub selection: Selection,
    /// The table it follows.
    pub base: QualifiedName,
    /// `WHERE`
    pub relations: Vec<Relation>,
    /// The columns of the partition key.
    pub partition_key: Vec<Name>,
    /// The clustering columns.
    pub clustering: Vec<Name>,
    /// `CLUSTERING ORDER BY`
    pub clustering_order: Vec<ClusteringOrder>,
    /// The other options.
    pub options: Vec<TableOption>,
}

/// `CREATE FUNCTION`, `CREATE AGGREGATE`: kept by name and shape; their bodies are not read.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateFunction {
    /// Its name.
    pub name: QualifiedName,
    /// Whether it is an aggregate.
    pub aggregate: bool,
    /// `OR REPLACE`
    pub or_replace: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The types of its arguments.
    pub arguments: Vec<CqlType>,
    /// `RETURNS`; for an aggregate, the type of its state.
    pub returns: Option<CqlType>,
}

/// `ALTER TABLE`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// What changes.
    pub change: AlterTableChange,
}

/// What an `ALTER TABLE` changes.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterTableChange {
    /// `ADD a int, b text`
    Add {
        /// The new columns.
        columns: Vec<ColumnDefinition>,
        /// `IF NOT EXISTS`
        if_not_exists: bool,
    },
    /// `DROP a, b`
    Drop {
        /// The columns.
        columns: Vec<Name>,
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `RENAME a TO b`
    Rename {
        /// Each old name with its new one.
        columns: Vec<(Name, Name)>,
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `ALTER a TYPE t`
    Retype(Name, CqlType),
    /// `WITH ..`
    Options(Vec<TableOption>),
    /// `DROP COMPACT STORAGE`
    DropCompactStorage,
    /// `ALTER a MASKED ..` and the like: it changes no shape.
    Other,
}

/// `ALTER TYPE`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterType {
    /// The type.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// What changes.
    pub change: AlterTypeChange,
}

/// What an `ALTER TYPE` changes.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterTypeChange {
    /// `ADD field type`
    Add {
        /// The new fields.
        fields: Vec<(Name, CqlType)>,
        /// `IF NOT EXISTS`
        if_not_exists: bool,
    },
    /// `RENAME a TO b`
    Rename {
        /// Each old name with its new one.
        fields: Vec<(Name, Name)>,
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `ALTER a TYPE t`
    Retype(Name, CqlType),
}

/// `DROP`
#[derive(Debug, Clone, PartialEq)]
pub struct Drop {
    /// Which kind of thing.
    pub kind: DropKind,
    /// Its name; a keyspace stands in `name.name`.
    pub name: QualifiedName,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// The types of the arguments, where a function or aggregate is told apart by them.
    pub arguments: Option<Vec<CqlType>>,
}

/// What can be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum DropKind {
    Keyspace,
    Table,
    Type,
    Index,
    View,
    Function,
    Aggregate,
}
