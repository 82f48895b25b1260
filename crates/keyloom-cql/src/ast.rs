//! Statements as they are written: nothing is looked up here, names may name nothing, types may not fit.
//!
//! Each node that a finding may point at carries its [`Span`]. A hole (see [`crate::HOLE`]) is kept where it stands: as a
//! [`Name`] or a [`Term`] that is not known, or, where a whole clause is unknown, as one of [`Statement::unknown`].

mod ddl;
mod dml;
mod term;
mod types;

pub use ddl::{
    AlterTable, AlterTableChange, AlterType, AlterTypeChange, ClusteringOrder, ColumnDefinition, CreateFunction,
    CreateIndex, CreateKeyspace, CreateTable, CreateType, CreateView, Drop, DropKind, IndexTarget, IndexTargetKind,
    OptionValue, TableOption,
};
pub use dml::{
    Assignment, AssignmentKind, Batch, BatchKind, Condition, Conditions, Delete, DeleteTarget, Insert, InsertSource,
    Operator, Ordering, OrderingKind, Relation, RelationKind, Select, Selection, Selector, SelectorKind, Update, Using,
};
pub use term::{Arithmetic, Literal, LiteralKind, Term, TermKind};
pub use types::{CqlType, Native, TypeKind};

use crate::Span;

/// A name as the server sees it: in lower case unless it was quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name, without quotes. A hole within it is kept as it was written, between two [`crate::HOLE`] characters.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// Whether part of it is a hole, so that nobody knows which name it is.
    pub unknown: bool,
}

impl Name {
    /// The names of the holes in it, in the order written.
    pub fn holes(&self) -> impl Iterator<Item = &str> {
        holes(&self.text)
    }
}

/// The names of the holes in a text: every second piece between the marks, as long as a mark follows.
pub fn holes(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.matches(crate::HOLE).count();
    text.split(crate::HOLE).take(pieces).skip(1).step_by(2)
}

/// A name with its keyspace, if one is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualifiedName {
    /// The keyspace.
    pub keyspace: Option<Name>,
    /// The name within it.
    pub name: Name,
}

impl QualifiedName {
    /// From the keyspace to the name.
    pub fn span(&self) -> Span {
        self.keyspace.as_ref().map_or(self.name.span, |keyspace| keyspace.span.to(self.name.span))
    }
}

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// From its first token to its last, without the semicolon.
    pub span: Span,
    /// Holes that stand for whole clauses or parts of them, by name, where they were met: what is missing there is not
    /// known, so a verdict over this statement is "maybe" wherever it could matter.
    pub unknown: Vec<Name>,
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `SELECT`
    Select(Select),
    /// `INSERT`
    Insert(Insert),
    /// `UPDATE`
    Update(Update),
    /// `DELETE`
    Delete(Delete),
    /// `BEGIN BATCH` .. `APPLY BATCH`
    Batch(Batch),
    /// `TRUNCATE`
    Truncate(QualifiedName),
    /// `USE`
    Use(Name),
    /// `CREATE KEYSPACE`
    CreateKeyspace(CreateKeyspace),
    /// `CREATE TABLE` or `COLUMNFAMILY`
    CreateTable(CreateTable),
    /// `CREATE TYPE`
    CreateType(CreateType),
    /// `CREATE [CUSTOM] INDEX`
    CreateIndex(CreateIndex),
    /// `CREATE MATERIALIZED VIEW`
    CreateView(CreateView),
    /// `CREATE FUNCTION` or `AGGREGATE`
    CreateFunction(CreateFunction),
    /// `ALTER KEYSPACE`
    AlterKeyspace(CreateKeyspace),
    /// `ALTER TABLE`
    AlterTable(AlterTable),
    /// `ALTER TYPE`
    AlterType(AlterType),
    /// `ALTER MATERIALIZED VIEW`, which can only change options.
    AlterView {
        /// The view.
        name: QualifiedName,
        /// Its new options.
        options: Vec<TableOption>,
        /// Whether nothing happens when it is not there.
        if_exists: bool,
    },
    /// `DROP` of anything that a schema holds.
    Drop(Drop),
    /// A statement that concerns no schema and no row, skipped knowingly: roles, permissions, users, triggers, `DESCRIBE`,
    /// service levels, `CONSISTENCY`, and other commands of the shell. The words that begin it are kept.
    Skipped(String),
    /// A statement that can't be read because holes stand for parts of it that decide how the rest is read. The words
    /// that begin it are kept.
    Dynamic(String),
}

impl StatementKind {
    /// The table whose rows the statement reads or writes. A batch has several, DDL none.
    pub fn table(&self) -> Option<&QualifiedName> {
        match self {
            Self::Select(select) => Some(&select.table),
            Self::Insert(insert) => Some(&insert.table),
            Self::Update(update) => Some(&update.table),
            Self::Delete(delete) => Some(&delete.table),
            Self::Truncate(table) => Some(table),
            _ => None,
        }
    }
}
