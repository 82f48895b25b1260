//! One statement, whichever it is.

use crate::ast::{QualifiedName, StatementKind};

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    /// The statement that is next.
    pub fn statement(&mut self) -> Parsed<StatementKind> {
        // What builds a statement up piece by piece often begins with an unknown one.
        self.eat_holes();
        if let Some(words) = self.begins_skipped() {
            return Ok(self.skipped(words));
        }
        if self.eat_word("select") {
            Ok(StatementKind::Select(self.select()?))
        } else if self.eat_word("insert") {
            Ok(StatementKind::Insert(self.insert()?))
        } else if self.eat_word("update") {
            Ok(StatementKind::Update(self.update()?))
        } else if self.eat_word("delete") {
            Ok(StatementKind::Delete(self.delete()?))
        } else if self.eat_word("begin") {
            Ok(StatementKind::Batch(self.batch()?))
        } else if self.eat_word("create") {
            self.create()
        } else if self.eat_word("alter") {
            self.alter()
        } else if self.eat_word("drop") {
            self.drop()
        } else if self.eat_word("use") {
            Ok(StatementKind::Use(self.name("a keyspace's name")?))
        } else if self.eat_word("truncate") {
            Ok(StatementKind::Truncate(self.truncated()?))
        } else {
            Err(self.unexpected("a statement"))
        }
    }

    fn truncated(&mut self) -> Parsed<QualifiedName> {
        if !self.eat_word("table") {
            self.eat_word("columnfamily");
        }
        let table = self.table_name()?;
        // A time-out, which ScyllaDB knows.
        self.using()?;
        Ok(table)
    }
}
