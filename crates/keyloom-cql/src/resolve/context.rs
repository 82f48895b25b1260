//! What every check looks at: the schema, the table, and which holes were met so far.

use std::cell::RefCell;
use std::collections::HashMap;

use super::typed::{Fit, Typed, is_native_name};
use super::{Fault, FaultKind};
use crate::Span;
use crate::ast::{Name, Native, holes};
use crate::schema::{Column, ColumnKind, Keyspace, Schema, Table};

/// The table that a statement is about, and the holes met while it is looked at.
pub(super) struct Context<'s> {
    /// The whole schema.
    pub(super) schema: &'s Schema,
    /// The keyspace of the table; `None` when it is not known.
    pub(super) keyspace: Option<&'s Keyspace>,
    /// The table.
    pub(super) table: &'s Table,
    /// The table that a materialized view follows, if this is one.
    pub(super) base: Option<&'s Table>,
    /// The names of the holes that could change the answer, as they were met.
    holes: RefCell<Vec<String>>,
    /// How a call, by its address, fits a native type; see [`Context::fit_term`].
    pub(super) fits: RefCell<HashMap<(usize, Native), Fit>>,
    /// What a call, by its address, returns where nothing is asked.
    pub(super) types: RefCell<HashMap<usize, Option<Typed<'static>>>>,
}

/// Why a statement is refused, and whether it is so whatever stands in its holes.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The fault.
    pub(super) fault: Fault,
    /// Whether no filling of the holes could heal it.
    pub(super) certain: bool,
}

/// What a check answers.
pub(super) type Outcome<T = ()> = Result<T, Refusal>;

impl<'s> Context<'s> {
    /// A context in which no hole was met yet.
    pub(super) fn new(
        schema: &'s Schema,
        keyspace: Option<&'s Keyspace>,
        table: &'s Table,
        base: Option<&'s Table>,
    ) -> Self {
        Self {
            schema,
            keyspace,
            table,
            base,
            holes: RefCell::default(),
            fits: RefCell::default(),
            types: RefCell::default(),
        }
    }

    /// Notes what could change the answer from here on: the holes in a text, or what it names if there are none in it.
    pub(super) fn meet(&self, text: &str) {
        let mut met = self.holes.borrow_mut();
        let names: Vec<&str> = if text.contains(crate::HOLE) { holes(text).collect() } else { vec![text] };
        for name in names {
            if !met.iter().any(|known| known == name) {
                met.push(name.to_owned());
            }
        }
    }

    /// Whether a hole was met.
    pub(super) fn is_unsure(&self) -> bool {
        !self.holes.borrow().is_empty()
    }

    /// The holes met, in the order in which they were.
    pub(super) fn into_holes(self) -> Vec<String> {
        self.holes.into_inner()
    }

    /// Refuses for what stands here, whatever else the statement holds.
    pub(super) fn refuse<T>(&self, kind: FaultKind, at: Span, message: impl Into<String>) -> Outcome<T> {
        Err(Refusal { fault: Fault { kind, at, message: message.into() }, certain: true })
    }

    /// Refuses for what is missing: a hole that was met could have held it.
    pub(super) fn miss<T>(&self, kind: FaultKind, at: Span, message: impl Into<String>) -> Outcome<T> {
        Err(Refusal { fault: Fault { kind, at, message: message.into() }, certain: !self.is_unsure() })
    }

    /// The column of that name; `None` when nobody knows which one is meant, or whether it is there.
    pub(super) fn column(&self, name: &Name) -> Outcome<Option<&'s Column>> {
        if name.unknown {
            self.meet(&name.text);
            return Ok(None);
        }
        if let Some(column) = self.table.column(&name.text) {
            return Ok(Some(column));
        }
        if self.table.unknown {
            self.meet(&self.table.name);
            return Ok(None);
        }
        if self.is_unsure() && is_native_name(&name.text) {
            // The name of a type in parentheses reads as a column when a hole follows it.
            return Ok(None);
        }
        self.refuse(
            FaultKind::UnknownColumn,
            name.span,
            format!("table {} has no column {}", self.table.full_name(), name.text),
        )
    }

    /// The type of a column as it stands in its table. A view takes the descending columns of its table as they are, also
    /// into its partition key.
    pub(super) fn typed<'c>(&self, column: &'c Column) -> Typed<'c> {
        let mut of = Typed::new(&column.of);
        of.reversed = match column.kind {
            ColumnKind::Clustering { descending } => descending,
            ColumnKind::Partition => self
                .base
                .and_then(|base| base.column(&column.name))
                .is_some_and(|column| column.kind == ColumnKind::Clustering { descending: true }),
            _ => false,
        };
        of
    }

    /// Where a clustering column stands among the clustering columns.
    pub(super) fn position(&self, column: &Column) -> usize {
        self.table.clustering().position(|other| other.name == column.name).unwrap_or(0)
    }
}
