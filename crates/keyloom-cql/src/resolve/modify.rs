//! INSERT, UPDATE and DELETE.

use std::collections::HashSet;

use super::conditions::Looked;
use super::context::{Context, Outcome};
use super::filter::{Filter, Purpose, Surroundings};
use super::json;
use super::restrictions::{Restriction, RestrictionKind};
use super::{Access, FaultKind, Part};
use crate::Span;
use crate::ast::{Delete, Insert, InsertSource, Name, Native, Relation, Term, TermKind, Update, Using};
use crate::schema::{Column, ColumnKind, Type};

/// What a statement that writes is to the batch around it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    /// Whether it has an IF.
    pub(super) conditional: bool,
    /// Whether it counts.
    pub(super) counts: bool,
    /// Whether it sets its own time of writing.
    pub(super) timestamp: bool,
}

/// Which kinds of columns are written.
#[derive(Debug, Clone, Copy, Default)]
struct Touched {
    statics: bool,
    rows: bool,
}

impl Touched {
    fn touch(&mut self, column: &Column) {
        if column.kind == ColumnKind::Static {
            self.statics = true;
        } else {
            self.rows = true;
        }
    }

    /// Whether only static columns are written and looked at.
    fn only_statics(self, looked: Looked) -> bool {
        !self.rows && !looked.rows && (self.statics || looked.statics)
    }
}

impl<'s> Context<'s> {
    /// Whether the table holds counters.
    pub(super) fn counts(&self) -> bool {
        self.table.columns.iter().any(|column| column.of == Type::Native(Native::Counter))
    }

    /// Checks an INSERT.
    pub(super) fn insert<'a>(&self, insert: &'a Insert, at: Span, access: &mut Option<Access>) -> Outcome<Written>
    where
        's: 'a,
    {
        let written = self.using(&insert.using, insert.if_not_exists.is_some())?;
        if self.counts() {
            return self.refuse(FaultKind::Other, at, "a counter can't be inserted, only counted by an UPDATE");
        }
        let mut filter = Filter::default();
        let mut touched = Touched::default();
        let mut has_clustering = false;
        let mut around =
            Surroundings { purpose: Purpose::Insert, only_statics: false, filtering: false, nearest: None, at };
        match &insert.source {
            InsertSource::Hole(name) => {
                self.meet(&name.text);
                return Ok(written);
            }
            InsertSource::Values { columns, values } => {
                self.hold_columns(columns, values, at)?;
                for (name, value) in columns.iter().zip(values) {
                    let Some(column) = self.column(name)? else { continue };
                    has_clustering |= matches!(column.kind, ColumnKind::Clustering { .. });
                    self.prepare(value, &self.typed(column))?;
                    if is_key(column) {
                        self.add(&mut filter, equality(column, value.span), &around)?;
                    } else {
                        touched.touch(column);
                    }
                }
            }
            InsertSource::Json { document, .. } => {
                self.hold_document(document)?;
                has_clustering = self.table.clustering().next().is_some();
                for column in &self.table.columns {
                    if is_key(column) {
                        self.add(&mut filter, equality(column, document.span), &around)?;
                    } else {
                        touched.touch(column);
                    }
                }
            }
        }
        around.only_statics = !has_clustering && touched.only_statics(Looked::default());
        let decided = self.decide(&mut filter, &around);
        *access = Some(self.write(&filter, around.only_statics));
        decided?;
        Ok(written)
    }

    fn hold_columns(&self, columns: &[Name], values: &[Term], at: Span) -> Outcome {
        let holes = values.iter().any(|value| matches!(value.kind, TermKind::Hole(_)));
        if columns.len() != values.len() {
            if let Some(Term { kind: TermKind::Hole(name), .. }) =
                values.iter().find(|value| matches!(value.kind, TermKind::Hole(_)))
                && holes
            {
                self.meet(&name.text);
                return Ok(());
            }
            if let Some(hole) = columns.iter().find(|name| name.unknown) {
                self.meet(&hole.text);
                return Ok(());
            }
            return self.refuse(
                FaultKind::Other,
                at,
                format!("{} columns are given {} values", columns.len(), values.len()),
            );
        }
        let mut seen = HashSet::new();
        if let Some(name) = columns.iter().find(|name| !name.unknown && !seen.insert(&name.text)) {
            return self.refuse(FaultKind::Other, name.span, format!("{} is given twice", name.text));
        }
        Ok(())
    }

    fn hold_document(&self, document: &Term) -> Outcome {
        let TermKind::Literal(literal) = &document.kind else { return Ok(()) };
        if literal.unknown || self.table.unknown {
            return Ok(());
        }
        match json::check(self, &literal.text) {
            Ok(()) => Ok(()),
            Err(message) => self.refuse(FaultKind::Type, document.span, message),
        }
    }

    /// Checks an UPDATE.
    pub(super) fn update<'a>(&self, update: &'a Update, at: Span, access: &mut Option<Access>) -> Outcome<Written>
    where
        's: 'a,
    {
        let written = self.using(&update.using, update.conditions.is_conditional())?;
        let looked = self.conditions(&update.conditions)?;
        let mut touched = Touched::default();
        self.hold_compatible(&update.assignments)?;
        for assignment in &update.assignments {
            let Some(column) = self.column(&assignment.column)? else { continue };
            if is_key(column) {
                return self.refuse(
                    FaultKind::Other,
                    assignment.span,
                    format!("{} is part of the key, which can't be changed", column.name),
                );
            }
            self.assign(assignment, column, looked.conditional)?;
            touched.touch(column);
        }
        let only_statics = touched.only_statics(looked);
        self.choose(&update.relations, Purpose::Update, only_statics, at, access)?;
        Ok(written)
    }

    /// Checks a DELETE.
    pub(super) fn delete<'a>(&self, delete: &'a Delete, at: Span, access: &mut Option<Access>) -> Outcome<Written>
    where
        's: 'a,
    {
        if let Some(using) = delete.using.iter().find(|using| using.name.text == "ttl") {
            return self.refuse(FaultKind::Other, using.value.span, "what is deleted has no TTL");
        }
        let written = self.using(&delete.using, delete.conditions.is_conditional())?;
        let looked = self.conditions(&delete.conditions)?;
        let mut touched = Touched::default();
        for target in &delete.targets {
            if let Some(column) = self.remove(target)? {
                touched.touch(column);
            }
        }
        let whole_rows = !touched.statics;
        touched.rows |= whole_rows;
        let filter = self.choose(&delete.relations, Purpose::Delete, touched.only_statics(looked), at, access)?;
        if looked.conditional && !filter.is_whole_key(self) {
            if touched.rows {
                return self.miss(
                    FaultKind::Other,
                    at,
                    "with an IF, rows are deleted by their whole key, each column by equality",
                );
            }
            if looked.rows {
                return self.miss(
                    FaultKind::Other,
                    at,
                    "an IF looks at a row by its whole key, each column by equality",
                );
            }
        }
        Ok(written)
    }

    /// The WHERE of an UPDATE or DELETE.
    fn choose<'a>(
        &self,
        relations: &'a [Relation],
        purpose: Purpose,
        only_statics: bool,
        at: Span,
        access: &mut Option<Access>,
    ) -> Outcome<Filter<'a>>
    where
        's: 'a,
    {
        let around = Surroundings { purpose, only_statics, filtering: false, nearest: None, at };
        let mut filter = self.gather(relations, &around)?;
        let decided = self.decide(&mut filter, &around);
        *access = Some(self.write(&filter, only_statics));
        decided?;
        Ok(filter)
    }

    fn write(&self, filter: &Filter<'_>, only_statics: bool) -> Access {
        Access {
            partitions: filter.partitions(self),
            part: if only_statics { Part::Statics } else { filter.part(self) },
            index: None,
            filters: false,
            reversed: false,
        }
    }

    /// What stands behind USING, and what the table says to it.
    fn using(&self, using: &[Using], conditional: bool) -> Outcome<Written> {
        let counts = self.counts();
        let mut written = Written { conditional, counts, timestamp: false };
        for using in using {
            match using.name.text.as_str() {
                "timestamp" => {
                    self.prepare_number(&using.value, Native::Bigint)?;
                    written.timestamp = true;
                    if conditional {
                        return self.refuse(
                            FaultKind::Other,
                            using.value.span,
                            "with an IF, the server sets the time of writing",
                        );
                    }
                    if counts {
                        return self.refuse(
                            FaultKind::Other,
                            using.value.span,
                            "a counter has no time of writing to be set",
                        );
                    }
                }
                "ttl" => {
                    self.prepare_number(&using.value, Native::Int)?;
                    if counts {
                        return self.refuse(FaultKind::Other, using.value.span, "a counter can't expire");
                    }
                }
                // ScyllaDB's own, such as TIMEOUT, says nothing about the data.
                _ => {}
            }
        }
        if conditional && counts {
            let at = using.first().map_or(Span::default(), |using| using.value.span);
            return self.refuse(FaultKind::Other, at, "counters can't be written with an IF");
        }
        if self.base.is_some() {
            return self.refuse(
                FaultKind::Other,
                Span::default(),
                format!("{} is a materialized view, which only its table can change", self.table.full_name()),
            );
        }
        Ok(written)
    }
}

pub(super) fn is_key(column: &Column) -> bool {
    matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. })
}

fn equality(column: &Column, at: Span) -> Restriction<'_> {
    Restriction { columns: vec![column], kind: RestrictionKind::Equal, multi: false, at }
}
