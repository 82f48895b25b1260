//! From one statement to the next, also when there is a fault between them.

use crate::Span;
use crate::ast::{Statement, StatementKind};
use crate::lex::TokenKind;

use super::cursor::Parser;
use super::{Script, SyntaxFault};

impl Parser<'_> {
    /// Reads the next statement into the script; `false` at the end of the text.
    pub fn next_statement(&mut self, script: &mut Script) -> bool {
        while self.eat(TokenKind::Semicolon) {}
        if self.is(TokenKind::End) {
            return false;
        }
        self.begin();
        let first = self.at;
        match self.statement() {
            Ok(kind) if self.is_end_of_statement() || self.shell_command(first).is_some() => {
                script.statements.push(self.finished(kind, first));
            }
            Ok(kind) if self.is_first_of_line() && self.begins_statement() => {
                let statement = self.finished(kind, first);
                // A line of comment between two statements may be what their program divides them by.
                let between = &self.text[statement.span.bytes().end..self.span().bytes().start];
                if !between.lines().any(|line| line.trim_start().starts_with("--")) {
                    let message = "this statement is not closed with `;` before the next begins".to_owned();
                    let end = Span { start: statement.span.end, end: statement.span.end };
                    script.faults.push(SyntaxFault { span: end, statement: statement.span, message, help: None });
                }
                script.statements.push(statement);
            }
            Ok(_) => {
                let fault = self.unexpected("the end of the statement");
                self.give_up(*fault, first, script);
            }
            Err(fault) => self.give_up(*fault, first, script),
        }
        true
    }

    fn is_end_of_statement(&self) -> bool {
        matches!(self.kind(), TokenKind::Semicolon | TokenKind::End)
    }

    fn finished(&mut self, kind: StatementKind, first: usize) -> Statement {
        let span = self.tokens[first].span.to(self.last_span());
        Statement { kind, span, unknown: std::mem::take(&mut self.unknown) }
    }

    /// Goes on behind a statement that could not be read. If a hole stands before the fault, the hole may be its cause: then
    /// the statement is dynamic, and there is no fault.
    fn give_up(&mut self, mut fault: SyntaxFault, first: usize, script: &mut Script) {
        let read = self.at;
        self.skip_statement(first);
        let statement = self.tokens[first].span.to(self.last_span());
        let through = self.tokens[first..=read].iter();
        let holes: Vec<_> = through.filter(|token| token.kind == TokenKind::Hole).copied().collect();
        if holes.is_empty() {
            fault.statement = statement;
            script.faults.push(fault);
            return;
        }
        let word = |index: usize| &self.text[self.tokens[index].span.bytes()];
        let words = (first..read.min(first + 2)).map(word).collect::<Vec<_>>().join(" ").to_ascii_uppercase();
        let unknown =
            holes.into_iter().map(|token| super::cursor::word_name(self.text_of(token), token.span)).collect();
        script.statements.push(Statement { kind: StatementKind::Dynamic(words), span: statement, unknown });
    }

    /// Skips to the semicolon of the statement that began at `first`, or to where another one clearly begins: on a line of
    /// its own that is not further to the right.
    fn skip_statement(&mut self, first: usize) {
        let batch = self.is_batch(first);
        // Always at least one token, or nothing would end this.
        if self.at == first {
            self.step();
        }
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Semicolon if !batch => return,
                _ if batch && self.eat_words(&["apply", "batch"]).is_some() => return,
                _ if self.is_first_of_line()
                    && self.begins_statement()
                    && self.column(self.at) <= self.column(first) =>
                {
                    let batched = ["insert", "update", "delete"].iter().any(|word| self.is_word(word));
                    if !(batch && batched) {
                        return;
                    }
                    self.step();
                }
                _ => {
                    self.step();
                }
            }
        }
    }

    fn is_batch(&self, first: usize) -> bool {
        let is = |index: usize, word: &str| {
            let token = self.tokens[index.min(self.tokens.len() - 1)];
            token.kind == TokenKind::Word && self.text_of(token).eq_ignore_ascii_case(word)
        };
        is(first, "begin") && (is(first + 1, "batch") || is(first + 2, "batch"))
    }

    /// How many bytes stand before the token on its line; no more than a few hundred are looked at.
    fn column(&self, token: usize) -> usize {
        const WIDEST: usize = 200;
        let start = self.tokens[token].span.bytes().start;
        let before = self.text.as_bytes()[..start].iter().rev().take(WIDEST);
        before.take_while(|&&byte| byte != b'\n').count()
    }

    /// Whether the next token is the first of its line.
    pub fn is_first_of_line(&self) -> bool {
        let between = self.last_span().bytes().end..self.span().bytes().start;
        self.at == 0 || self.text.get(between).is_some_and(|between| between.contains('\n'))
    }

    /// Whether words are next that begin a statement and nothing else.
    pub fn begins_statement(&self) -> bool {
        const BEGINNINGS: [(&str, &[&str]); 8] = [
            ("insert", &["into"]),
            ("begin", &["batch", "unlogged", "counter"]),
            (
                "create",
                &[
                    "table",
                    "columnfamily",
                    "keyspace",
                    "schema",
                    "type",
                    "index",
                    "custom",
                    "materialized",
                    "function",
                    "aggregate",
                    "or",
                    "role",
                    "user",
                    "trigger",
                ],
            ),
            ("alter", &["table", "columnfamily", "keyspace", "schema", "type", "materialized", "role", "user"]),
            (
                "drop",
                &[
                    "table",
                    "columnfamily",
                    "keyspace",
                    "schema",
                    "type",
                    "index",
                    "materialized",
                    "function",
                    "aggregate",
                    "role",
                    "user",
                    "trigger",
                ],
            ),
            ("truncate", &[]),
            ("use", &[]),
            ("select", &[]),
        ];
        if self.is_word("update") || self.is_word("delete") {
            return true;
        }
        let beginning = BEGINNINGS.iter().find(|(word, _)| self.is_word(word));
        beginning.is_some_and(|(_, next)| next.is_empty() || next.iter().any(|word| self.is_word_ahead(1, word)))
    }
}
