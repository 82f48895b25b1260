//! `INSERT`, `UPDATE`, `DELETE` and the batches of them.

use crate::Span;
use crate::ast::{
    Assignment, AssignmentKind, Batch, BatchKind, Conditions, Delete, DeleteTarget, Insert, InsertSource, Literal,
    LiteralKind, Name, Relation, Statement, StatementKind, Term, TermKind, Update, Using,
};
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    /// `USING TTL 1 AND TIMESTAMP 2`, if it is there.
    pub fn using(&mut self) -> Parsed<Vec<Using>> {
        let mut all = Vec::new();
        if !self.eat_word("using") {
            return Ok(all);
        }
        loop {
            if self.eat_holes() {
                if !self.eat_word("and") {
                    return Ok(all);
                }
                continue;
            }
            all.push(self.using_one()?);
            if !self.eat_word("and") && !self.is(TokenKind::Hole) {
                return Ok(all);
            }
        }
    }

    fn using_one(&mut self) -> Parsed<Using> {
        let timeout = self.is_word("timeout");
        if !timeout && !["ttl", "timestamp", "concurrency"].iter().any(|word| self.is_word(word)) {
            return Err(self.unexpected("`TTL` or `TIMESTAMP`"));
        }
        let name = self.name("a word")?;
        let start = self.span();
        if timeout && self.is(TokenKind::Duration) {
            let token = self.step();
            let text = self.text_of(token).to_owned();
            let literal = Literal { kind: LiteralKind::Duration, text, unknown: false };
            return Ok(Using { name, value: Term { kind: TermKind::Literal(literal), span: start } });
        }
        Ok(Using { name, value: self.integer_term("a number or a marker")? })
    }

    /// What follows the word `INSERT`.
    pub fn insert(&mut self) -> Parsed<Insert> {
        self.expect_word("into")?;
        let table = self.table_name()?;
        let source = self.insert_source()?;
        self.eat_holes();
        // The server wants IF before USING; programs that write it the other way are read as well.
        let mut if_not_exists = self.eat_words(&["if", "not", "exists"]);
        self.eat_holes();
        let using = self.using()?;
        if if_not_exists.is_none() {
            if_not_exists = self.eat_words(&["if", "not", "exists"]);
        }
        self.eat_holes();
        Ok(Insert { table, source, if_not_exists, using })
    }

    fn insert_source(&mut self) -> Parsed<InsertSource> {
        if self.is(TokenKind::Hole) {
            let hole = self.hole();
            if self.eat_word("values") {
                self.values()?;
            }
            return Ok(InsertSource::Hole(hole));
        }
        if self.eat_word("json") {
            let start = self.span();
            let document = match self.kind() {
                TokenKind::String | TokenKind::Dollars | TokenKind::Question | TokenKind::Colon | TokenKind::Hole => {
                    self.constant_or_marker()?
                }
                _ => None,
            };
            let Some(kind) = document else { return Err(self.unexpected("a string or a marker")) };
            let document = Term { kind, span: start.to(self.last_span()) };
            let default_unset = self.eat_words(&["default", "unset"]).is_some();
            self.eat_words(&["default", "null"]);
            return Ok(InsertSource::Json { document, default_unset });
        }
        let columns = self.names_in_parentheses("a column")?;
        self.expect_word("values")?;
        Ok(InsertSource::Values { columns, values: self.values()? })
    }

    /// What follows `VALUES`.
    fn values(&mut self) -> Parsed<Vec<Term>> {
        if self.is(TokenKind::Hole) {
            let hole = self.hole();
            let span = hole.span;
            return Ok(vec![Term { kind: TermKind::Hole(hole), span }]);
        }
        self.expect(TokenKind::OpenRound, "`(`")?;
        let values = self.list(Self::term)?;
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok(values)
    }

    /// What follows the word `UPDATE`.
    pub fn update(&mut self) -> Parsed<Update> {
        let table = self.table_name()?;
        self.eat_holes();
        let using = self.using()?;
        self.eat_holes();
        self.expect_word("set")?;
        let assignments = self.assignments()?;
        let (relations, conditions) = self.which_rows()?;
        Ok(Update { table, using, assignments, relations, conditions })
    }

    fn assignments(&mut self) -> Parsed<Vec<Assignment>> {
        let mut assignments = Vec::new();
        loop {
            let names_column = matches!(
                self.token(1).kind,
                TokenKind::Equal
                    | TokenKind::PlusEqual
                    | TokenKind::MinusEqual
                    | TokenKind::OpenSquare
                    | TokenKind::Dot
            );
            if self.is(TokenKind::Hole) && !names_column {
                self.eat_holes();
            } else {
                assignments.push(self.assignment()?);
            }
            if !self.eat(TokenKind::Comma) && !self.is(TokenKind::Hole) {
                return Ok(assignments);
            }
        }
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let column = self.name("a column")?;
        let kind = match self.step().kind {
            TokenKind::Equal => self.assigned(&column)?,
            TokenKind::PlusEqual => AssignmentKind::Add(self.term()?),
            TokenKind::MinusEqual => AssignmentKind::Subtract(self.term()?),
            TokenKind::OpenSquare => {
                let key = self.term()?;
                self.expect(TokenKind::CloseSquare, "`]`")?;
                self.expect(TokenKind::Equal, "`=`")?;
                AssignmentKind::Element(key, self.term()?)
            }
            TokenKind::Dot => {
                let field = self.name("a field's name")?;
                self.expect(TokenKind::Equal, "`=`")?;
                AssignmentKind::Field(field, self.term()?)
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected("`=`"));
            }
        };
        let span = column.span.to(self.last_span());
        Ok(Assignment { column, kind, span })
    }

    /// What follows `column =`.
    fn assigned(&mut self, column: &Name) -> Parsed<AssignmentKind> {
        let operand = self.token(1);
        let signed = matches!(operand.kind, TokenKind::Plus | TokenKind::Minus);
        // `c = c -1` is written by many: the minus belongs to the number then.
        let number = operand.kind == TokenKind::Integer;
        if !self.is_name(0) || !(signed || number) || self.is_call(0) {
            return self.assigned_term(column);
        }
        let is_hole = self.is(TokenKind::Hole);
        let before = self.at;
        let other = self.name("a column")?;
        if is_hole && other.text != column.text {
            self.at = before;
            return self.assigned_term(column);
        }
        let sign = self.kind();
        if signed {
            self.step();
        }
        let value = self.term()?;
        if other.text != column.text && !other.unknown && !column.unknown {
            return Ok(AssignmentKind::OtherColumn(other));
        }
        Ok(if sign == TokenKind::Minus { AssignmentKind::Subtract(value) } else { AssignmentKind::Add(value) })
    }

    /// `c = v`, or `c = v + c`.
    fn assigned_term(&mut self, column: &Name) -> Parsed<AssignmentKind> {
        let value = self.term()?;
        if !self.eat(TokenKind::Plus) {
            return Ok(AssignmentKind::Set(value));
        }
        let other = self.name("a column")?;
        if other.text == column.text || other.unknown || column.unknown {
            return Ok(AssignmentKind::Prepend(value));
        }
        Ok(AssignmentKind::OtherColumn(other))
    }

    /// `WHERE`, which updates and deletes must have, and `IF`.
    fn which_rows(&mut self) -> Parsed<(Vec<Relation>, Conditions)> {
        let unknown = self.eat_holes() || !self.unknown.is_empty();
        let relations = if self.eat_word("where") {
            self.relations()?
        } else if unknown {
            Vec::new()
        } else {
            return Err(self.unexpected("`WHERE`"));
        };
        let conditions = self.conditions()?;
        self.eat_holes();
        Ok((relations, conditions))
    }

    /// What follows the word `DELETE`.
    pub fn delete(&mut self) -> Parsed<Delete> {
        let targets = if self.is_word("from") { Vec::new() } else { self.delete_targets()? };
        self.expect_word("from")?;
        let table = self.table_name()?;
        self.eat_holes();
        let using = self.using()?;
        if let Some(ttl) = using.iter().find(|using| using.name.text == "ttl") {
            return Err(self.fault(ttl.name.span, "what is deleted can't have a TTL".to_owned(), None));
        }
        let (relations, conditions) = self.which_rows()?;
        Ok(Delete { table, targets, using, relations, conditions })
    }

    fn delete_targets(&mut self) -> Parsed<Vec<DeleteTarget>> {
        let mut targets = Vec::new();
        loop {
            if self.is(TokenKind::Hole) && !matches!(self.token(1).kind, TokenKind::OpenSquare | TokenKind::Dot) {
                self.eat_holes();
            } else {
                targets.push(self.delete_target()?);
            }
            if !self.eat(TokenKind::Comma) && !self.is(TokenKind::Hole) {
                return Ok(targets);
            }
        }
    }

    fn delete_target(&mut self) -> Parsed<DeleteTarget> {
        let column = self.name("`FROM` or a column")?;
        if self.eat(TokenKind::OpenSquare) {
            let key = self.term()?;
            self.expect(TokenKind::CloseSquare, "`]`")?;
            return Ok(DeleteTarget::Element(column, key));
        }
        if self.eat(TokenKind::Dot) {
            return Ok(DeleteTarget::Field(column, self.name("a field's name")?));
        }
        Ok(DeleteTarget::Column(column))
    }

    /// What follows the word `BEGIN`.
    pub fn batch(&mut self) -> Parsed<Batch> {
        let kind = if self.eat_word("unlogged") {
            BatchKind::Unlogged
        } else if self.eat_word("counter") {
            BatchKind::Counter
        } else {
            BatchKind::Logged
        };
        self.eat_holes();
        self.expect_word("batch")?;
        let using = self.using()?;
        let mut statements = Vec::new();
        let mut unknown = std::mem::take(&mut self.unknown);
        loop {
            self.begin();
            if self.eat_holes() {
                unknown.append(&mut self.unknown);
                self.eat(TokenKind::Semicolon);
                continue;
            }
            if self.eat_words(&["apply", "batch"]).is_some() {
                break;
            }
            statements.push(self.batched()?);
            self.eat(TokenKind::Semicolon);
        }
        self.unknown = unknown;
        Ok(Batch { kind, using, statements })
    }

    fn batched(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let kind = if self.eat_word("insert") {
            StatementKind::Insert(self.insert()?)
        } else if self.eat_word("update") {
            StatementKind::Update(self.update()?)
        } else if self.eat_word("delete") {
            StatementKind::Delete(self.delete()?)
        } else {
            return Err(self.unexpected("`INSERT`, `UPDATE`, `DELETE` or `APPLY BATCH`"));
        };
        let span: Span = start.to(self.last_span());
        Ok(Statement { kind, span, unknown: std::mem::take(&mut self.unknown) })
    }
}
