//! `CREATE` of all that a schema holds.

use crate::Span;
use crate::ast::{
    ColumnDefinition, CqlType, CreateFunction, CreateIndex, CreateKeyspace, CreateTable, CreateType, CreateView,
    IndexTarget, IndexTargetKind, Name, OptionValue, QualifiedName, StatementKind,
};
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser};

/// A primary key: the partition key's columns, then the clustering columns.
type Key = (Vec<Name>, Vec<Name>);

impl Parser<'_> {
    /// What follows the word `CREATE`.
    pub fn create(&mut self) -> Parsed<StatementKind> {
        let or_replace = self.eat_words(&["or", "replace"]).is_some();
        if self.eat_word("function") {
            return Ok(StatementKind::CreateFunction(self.create_function(or_replace)?));
        }
        if self.eat_word("aggregate") {
            return Ok(StatementKind::CreateFunction(self.create_aggregate(or_replace)?));
        }
        if or_replace {
            return Err(self.unexpected("`FUNCTION` or `AGGREGATE`"));
        }
        if self.eat_word("table") || self.eat_word("columnfamily") {
            return Ok(StatementKind::CreateTable(self.create_table()?));
        }
        if self.eat_word("keyspace") || self.eat_word("schema") {
            return Ok(StatementKind::CreateKeyspace(self.create_keyspace()?));
        }
        if self.eat_word("type") {
            return Ok(StatementKind::CreateType(self.create_type()?));
        }
        let custom = self.eat_word("custom");
        if self.eat_word("index") {
            return Ok(StatementKind::CreateIndex(self.create_index(custom)?));
        }
        if !custom && self.eat_words(&["materialized", "view"]).is_some() {
            return Ok(StatementKind::CreateView(self.create_view()?));
        }
        Err(self.unexpected("what to create, such as `TABLE`"))
    }

    fn create_keyspace(&mut self) -> Parsed<CreateKeyspace> {
        let if_not_exists = self.if_not_exists();
        let name = self.name("a keyspace's name")?;
        let options = self.options_of_keyspace()?;
        Ok(CreateKeyspace { name, if_not_exists, options })
    }

    /// `WITH` and options, which a keyspace must have. A hole before it may be the whole.
    pub fn options_of_keyspace(&mut self) -> Parsed<Vec<crate::ast::TableOption>> {
        if self.eat_holes() && !self.is_word("with") {
            return Ok(Vec::new());
        }
        self.expect_word("with")?;
        self.options()
    }

    fn create_table(&mut self) -> Parsed<CreateTable> {
        let if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        let mut table = CreateTable {
            name,
            if_not_exists,
            columns: Vec::new(),
            partition_key: Vec::new(),
            clustering: Vec::new(),
            primary_key: None,
            clustering_order: Vec::new(),
            compact_storage: None,
            options: Vec::new(),
            like: None,
        };
        if self.eat_word("like") {
            table.like = Some(self.table_name()?);
        } else if !self.eat_holes() || self.is(TokenKind::OpenRound) {
            self.expect(TokenKind::OpenRound, "`(` and the columns")?;
            self.table_parts(&mut table)?;
        }
        let options = self.table_options()?;
        table.clustering_order = options.clustering_order;
        table.compact_storage = options.compact_storage;
        table.options = options.options;
        Ok(table)
    }

    /// Columns and keys up to the closing parenthesis. Commas may stand before it and behind each other.
    fn table_parts(&mut self, table: &mut CreateTable) -> Parsed<()> {
        self.table_part(table)?;
        loop {
            let comma = self.eat(TokenKind::Comma);
            if self.eat(TokenKind::CloseRound) {
                return Ok(());
            }
            if self.is(TokenKind::Comma) && comma {
                continue;
            }
            if !comma && !self.is(TokenKind::Hole) && !self.last_was_hole() {
                return Err(self.unexpected("`,` or `)`"));
            }
            self.table_part(table)?;
        }
    }

    fn last_was_hole(&self) -> bool {
        self.tokens[self.at - 1].kind == TokenKind::Hole
    }

    fn table_part(&mut self, table: &mut CreateTable) -> Parsed<()> {
        if let Some(start) = self.eat_words(&["primary", "key"]) {
            self.only_key(table, start)?;
            if self.eat_holes() {
                table.primary_key = Some(start.to(self.last_span()));
                return Ok(());
            }
            (table.partition_key, table.clustering) = self.key()?;
            table.primary_key = Some(start.to(self.last_span()));
            return Ok(());
        }
        // A hole alone is one column or several.
        if self.is(TokenKind::Hole) && matches!(self.token(1).kind, TokenKind::Comma | TokenKind::CloseRound) {
            self.eat_holes();
            return Ok(());
        }
        // So is one that stands before the next part without a comma.
        if self.is(TokenKind::Hole) && self.is_word_ahead(1, "primary") && self.is_word_ahead(2, "key") {
            self.eat_holes();
            return Ok(());
        }
        let column = self.column_definition()?;
        if column.is_primary_key {
            self.only_key(table, column.span)?;
            table.partition_key = vec![column.name.clone()];
            table.primary_key = Some(column.span);
        }
        table.columns.push(column);
        Ok(())
    }

    fn only_key(&self, table: &CreateTable, another: Span) -> Parsed<()> {
        match table.primary_key {
            Some(_) => Err(self.fault(another, "a table has one primary key, and this is a second".to_owned(), None)),
            None => Ok(()),
        }
    }

    /// `name type [STATIC] [MASKED WITH ..] [PRIMARY KEY]`
    pub fn column_definition(&mut self) -> Parsed<ColumnDefinition> {
        let name = self.name("a column's name")?;
        let of = self.cql_type()?;
        let is_static = self.eat_word("static");
        self.mask()?;
        let is_primary_key = self.eat_words(&["primary", "key"]).is_some();
        let span = name.span.to(self.last_span());
        Ok(ColumnDefinition { name, of, is_static, is_primary_key, span })
    }

    /// `MASKED WITH ..`, which changes nothing about the shape.
    pub fn mask(&mut self) -> Parsed<bool> {
        if self.eat_words(&["masked", "with"]).is_none() {
            return Ok(false);
        }
        if !self.eat_word("default") {
            self.function_name()?;
            self.arguments()?;
        }
        Ok(true)
    }

    /// `(a, b)` or `((a, b), c)`
    fn key(&mut self) -> Parsed<Key> {
        self.expect(TokenKind::OpenRound, "`(`")?;
        let partition = if self.is(TokenKind::OpenRound) {
            self.names_in_parentheses("a column")?
        } else {
            vec![self.name("a column")?]
        };
        let mut clustering = Vec::new();
        while self.eat(TokenKind::Comma) || self.is(TokenKind::Hole) {
            clustering.push(self.name("a column")?);
        }
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok((partition, clustering))
    }

    fn create_type(&mut self) -> Parsed<CreateType> {
        let if_not_exists = self.if_not_exists();
        let name = self.type_name()?;
        self.expect(TokenKind::OpenRound, "`(` and the fields")?;
        let mut fields = Vec::new();
        loop {
            if self.is(TokenKind::Hole) && matches!(self.token(1).kind, TokenKind::Comma | TokenKind::CloseRound) {
                self.eat_holes();
            } else {
                fields.push(self.field_definition()?);
            }
            if !self.is(TokenKind::Comma) && !self.is(TokenKind::CloseRound) && !self.is(TokenKind::Hole) {
                return Err(self.unexpected("`,` or `)`"));
            }
            while self.eat(TokenKind::Comma) {}
            if self.eat(TokenKind::CloseRound) {
                return Ok(CreateType { name, if_not_exists, fields });
            }
        }
    }

    /// `field type`
    pub fn field_definition(&mut self) -> Parsed<(Name, CqlType)> {
        Ok((self.name("a field's name")?, self.cql_type()?))
    }

    fn create_index(&mut self, custom: bool) -> Parsed<CreateIndex> {
        let if_not_exists = self.if_not_exists();
        // An index lies in its table's keyspace: its name has none.
        let name = if self.is_word("on") { None } else { Some(self.name("`ON` or the index's name")?) };
        let name = name.map(|name| QualifiedName { keyspace: None, name });
        self.expect_word("on")?;
        let table = self.table_name()?;
        self.expect(TokenKind::OpenRound, "`(` and a column")?;
        let mut local = Vec::new();
        let mut targets = Vec::new();
        if self.is(TokenKind::OpenRound) {
            local = self.names_in_parentheses("a column")?;
            self.expect(TokenKind::Comma, "`,` and a column")?;
        }
        if !self.is(TokenKind::CloseRound) {
            targets = self.list(Self::index_target)?;
        }
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        let mut using = None;
        if self.eat_word("using") {
            using = Some(match self.kind() {
                TokenKind::String | TokenKind::Dollars => self.string_text(),
                TokenKind::Hole => self.hole().text,
                _ => return Err(self.unexpected("the index's class as a string")),
            });
        }
        self.eat_holes();
        let mut options = Vec::new();
        if self.eat_word("with") {
            for option in self.options()? {
                match option.value {
                    OptionValue::Map(entries) if option.name.text == "options" => options = entries,
                    // ScyllaDB's views behind indexes have the options of tables.
                    _ => {}
                }
            }
        }
        Ok(CreateIndex { name, if_not_exists, custom, table, targets, local, using, options })
    }

    fn index_target(&mut self) -> Parsed<IndexTarget> {
        const PARTS: [(&str, IndexTargetKind); 4] = [
            ("keys", IndexTargetKind::Keys),
            ("values", IndexTargetKind::Values),
            ("entries", IndexTargetKind::Entries),
            ("full", IndexTargetKind::Full),
        ];
        let part = PARTS.iter().find(|(word, _)| self.is_word(word));
        if let Some((_, kind)) = part
            && self.token(1).kind == TokenKind::OpenRound
        {
            self.at += 2;
            let column = self.name("a column")?;
            self.expect(TokenKind::CloseRound, "`)`")?;
            return Ok(IndexTarget { column, kind: *kind });
        }
        Ok(IndexTarget { column: self.name("a column")?, kind: IndexTargetKind::Plain })
    }

    fn create_view(&mut self) -> Parsed<CreateView> {
        let if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        self.expect_words(&["as", "select"])?;
        let selection = self.selection()?;
        self.expect_word("from")?;
        let base = self.table_name()?;
        self.eat_holes();
        let relations = if self.eat_word("where") { self.relations()? } else { Vec::new() };
        self.expect_words(&["primary", "key"])?;
        let (partition_key, clustering) = self.key()?;
        let options = self.table_options()?;
        if let Some(span) = options.compact_storage {
            return Err(self.fault(span, "a materialized view can't have compact storage".to_owned(), None));
        }
        Ok(CreateView {
            name,
            if_not_exists,
            selection,
            base,
            relations,
            partition_key,
            clustering,
            clustering_order: options.clustering_order,
            options: options.options,
        })
    }

    fn create_function(&mut self, or_replace: bool) -> Parsed<CreateFunction> {
        let if_not_exists = self.if_not_exists();
        let name = self.function_name()?;
        let arguments = self.types_in_parentheses(|parser| {
            parser.name("an argument's name")?;
            parser.cql_type()
        })?;
        if self.eat_words(&["returns", "null"]).is_none() {
            self.expect_word("called")?;
        }
        self.expect_words(&["on", "null", "input", "returns"])?;
        let returns = Some(self.cql_type()?);
        // DataStax' server knows two more words.
        self.eat_word("deterministic");
        self.eat_word("monotonic");
        self.expect_word("language")?;
        self.name("the language")?;
        self.expect_word("as")?;
        if !self.is(TokenKind::String) && !self.is(TokenKind::Dollars) && !self.is(TokenKind::Hole) {
            return Err(self.unexpected("the function's body as a string"));
        }
        self.step();
        Ok(CreateFunction { name, aggregate: false, or_replace, if_not_exists, arguments, returns })
    }

    fn create_aggregate(&mut self, or_replace: bool) -> Parsed<CreateFunction> {
        let if_not_exists = self.if_not_exists();
        let name = self.function_name()?;
        let arguments = self.types_in_parentheses(Self::cql_type)?;
        self.expect_word("sfunc")?;
        self.function_name()?;
        self.expect_word("stype")?;
        let returns = Some(self.cql_type()?);
        if self.eat_word("reducefunc") {
            self.function_name()?;
        }
        if self.eat_word("finalfunc") {
            self.function_name()?;
        }
        if self.eat_word("initcond") {
            self.term()?;
        }
        Ok(CreateFunction { name, aggregate: true, or_replace, if_not_exists, arguments, returns })
    }

    /// `(type, type)`, perhaps with nothing in it.
    pub fn types_in_parentheses(&mut self, one: impl FnMut(&mut Self) -> Parsed<CqlType>) -> Parsed<Vec<CqlType>> {
        self.expect(TokenKind::OpenRound, "`(`")?;
        if self.eat(TokenKind::CloseRound) {
            return Ok(Vec::new());
        }
        let types = self.list(one)?;
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok(types)
    }
}
