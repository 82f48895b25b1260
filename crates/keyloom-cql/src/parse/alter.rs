//! `ALTER` and `DROP`.

use crate::ast::{
    AlterTable, AlterTableChange, AlterType, AlterTypeChange, CreateKeyspace, Drop, DropKind, Name, QualifiedName,
    StatementKind,
};
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    /// What follows the word `ALTER`.
    pub fn alter(&mut self) -> Parsed<StatementKind> {
        if self.eat_word("table") || self.eat_word("columnfamily") {
            let if_exists = self.if_exists();
            let name = self.table_name()?;
            let change = self.table_change()?;
            return Ok(StatementKind::AlterTable(AlterTable { name, if_exists, change }));
        }
        if self.eat_word("keyspace") || self.eat_word("schema") {
            let if_not_exists = self.if_exists();
            let name = self.name("a keyspace's name")?;
            let options = self.options_of_keyspace()?;
            return Ok(StatementKind::AlterKeyspace(CreateKeyspace { name, if_not_exists, options }));
        }
        if self.eat_word("type") {
            let if_exists = self.if_exists();
            let name = self.type_name()?;
            let change = self.type_change()?;
            return Ok(StatementKind::AlterType(AlterType { name, if_exists, change }));
        }
        if self.eat_words(&["materialized", "view"]).is_some() {
            let if_exists = self.if_exists();
            let name = self.table_name()?;
            self.expect_word("with")?;
            return Ok(StatementKind::AlterView { name, options: self.options()?, if_exists });
        }
        Err(self.unexpected("what to alter, such as `TABLE`"))
    }

    fn table_change(&mut self) -> Parsed<AlterTableChange> {
        if self.eat_word("add") {
            return self.added_columns();
        }
        if self.eat_words(&["drop", "compact", "storage"]).is_some() {
            return Ok(AlterTableChange::DropCompactStorage);
        }
        if self.eat_word("drop") {
            return self.dropped_columns();
        }
        if self.eat_word("rename") {
            let if_exists = self.if_exists();
            return Ok(AlterTableChange::Rename { columns: self.renames("a column's name")?, if_exists });
        }
        if self.eat_word("alter") {
            let if_exists = self.if_exists();
            let column = self.name("a column's name")?;
            if !if_exists && self.eat_word("type") {
                return Ok(AlterTableChange::Retype(column, self.cql_type()?));
            }
            if self.eat_words(&["drop", "masked"]).is_some() || self.mask()? {
                return Ok(AlterTableChange::Other);
            }
            return Err(self.unexpected("`TYPE` or `MASKED`"));
        }
        if self.eat_word("with") {
            return Ok(AlterTableChange::Options(self.options()?));
        }
        if self.eat_holes() {
            return Ok(AlterTableChange::Other);
        }
        Err(self.unexpected("`ADD`, `DROP`, `RENAME`, `ALTER` or `WITH`"))
    }

    fn added_columns(&mut self) -> Parsed<AlterTableChange> {
        let if_not_exists = self.if_not_exists();
        // Several without parentheses is what some servers take.
        let parentheses = self.eat(TokenKind::OpenRound);
        let columns = self.list(Self::column_definition)?;
        if parentheses {
            self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        }
        if let Some(key) = columns.iter().find(|column| column.is_primary_key) {
            return Err(self.fault(key.span, "the primary key can't be changed".to_owned(), None));
        }
        Ok(AlterTableChange::Add { columns, if_not_exists })
    }

    fn dropped_columns(&mut self) -> Parsed<AlterTableChange> {
        let if_exists = self.if_exists();
        let columns = if self.is(TokenKind::OpenRound) {
            self.names_in_parentheses("a column's name")?
        } else {
            self.list(|parser| parser.name("a column's name"))?
        };
        if self.eat_words(&["using", "timestamp"]).is_some() {
            self.integer_term("a number")?;
        }
        Ok(AlterTableChange::Drop { columns, if_exists })
    }

    fn renames(&mut self, what: &str) -> Parsed<Vec<(Name, Name)>> {
        let mut renames = Vec::new();
        loop {
            let from = self.name(what)?;
            self.expect_word("to")?;
            renames.push((from, self.name(what)?));
            if !self.eat_word("and") {
                return Ok(renames);
            }
        }
    }

    fn type_change(&mut self) -> Parsed<AlterTypeChange> {
        if self.eat_word("add") {
            let if_not_exists = self.if_not_exists();
            return Ok(AlterTypeChange::Add { fields: self.list(Self::field_definition)?, if_not_exists });
        }
        if self.eat_word("rename") {
            let if_exists = self.if_exists();
            return Ok(AlterTypeChange::Rename { fields: self.renames("a field's name")?, if_exists });
        }
        if self.eat_word("alter") {
            let field = self.name("a field's name")?;
            self.expect_word("type")?;
            return Ok(AlterTypeChange::Retype(field, self.cql_type()?));
        }
        Err(self.unexpected("`ADD` or `RENAME`"))
    }

    /// What follows the word `DROP`.
    pub fn drop(&mut self) -> Parsed<StatementKind> {
        const KINDS: [(&[&str], DropKind); 9] = [
            (&["keyspace"], DropKind::Keyspace),
            (&["schema"], DropKind::Keyspace),
            (&["table"], DropKind::Table),
            (&["columnfamily"], DropKind::Table),
            (&["type"], DropKind::Type),
            (&["index"], DropKind::Index),
            (&["materialized", "view"], DropKind::View),
            (&["function"], DropKind::Function),
            (&["aggregate"], DropKind::Aggregate),
        ];
        let Some((words, kind)) = KINDS.iter().find(|(words, _)| self.are_words(words)) else {
            return Err(self.unexpected("what to drop, such as `TABLE`"));
        };
        self.at += words.len();
        let if_exists = self.if_exists();
        let name = match kind {
            DropKind::Keyspace => QualifiedName { keyspace: None, name: self.name("a keyspace's name")? },
            DropKind::Type => self.type_name()?,
            DropKind::Function | DropKind::Aggregate => self.function_name()?,
            DropKind::Table | DropKind::Index | DropKind::View => self.qualified("a name")?,
        };
        let mut arguments = None;
        if matches!(kind, DropKind::Function | DropKind::Aggregate) && self.is(TokenKind::OpenRound) {
            arguments = Some(self.types_in_parentheses(Self::cql_type)?);
        }
        Ok(StatementKind::Drop(Drop { kind: *kind, name, if_exists, arguments }))
    }
}
