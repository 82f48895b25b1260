//! What stands behind `WITH`.

use crate::Span;
use crate::ast::{ClusteringOrder, OptionValue, TableOption, Term, TermKind};
use crate::lex::TokenKind;

use super::cursor::{Parsed, Parser, word_name};

/// The options of a table or view, those apart that the grammar knows.
#[derive(Default)]
pub(super) struct TableOptions {
    pub clustering_order: Vec<ClusteringOrder>,
    pub compact_storage: Option<Span>,
    pub options: Vec<TableOption>,
}

impl Parser<'_> {
    /// `WITH ..`, if it is there.
    pub fn table_options(&mut self) -> Parsed<TableOptions> {
        let mut all = TableOptions::default();
        self.hole_options(&mut all.options);
        if !self.eat_word("with") {
            return Ok(all);
        }
        loop {
            if self.eat_words(&["clustering", "order", "by"]).is_some() {
                self.expect(TokenKind::OpenRound, "`(`")?;
                all.clustering_order.extend(self.list(Self::clustering_order)?);
                self.expect(TokenKind::CloseRound, "`,` or `)`")?;
            } else if let Some(span) = self.eat_words(&["compact", "storage"]) {
                all.compact_storage = Some(span);
            } else if !self.hole_options(&mut all.options) {
                all.options.push(self.option()?);
            }
            if !self.another_option(&mut all.options) {
                return Ok(all);
            }
        }
    }

    /// Options between ANDs, as keyspaces and indexes have them; the word `WITH` has been read.
    pub fn options(&mut self) -> Parsed<Vec<TableOption>> {
        let mut options = Vec::new();
        loop {
            if !self.hole_options(&mut options) {
                options.push(self.option()?);
            }
            if !self.another_option(&mut options) {
                return Ok(options);
            }
        }
    }

    fn another_option(&mut self, options: &mut Vec<TableOption>) -> bool {
        self.hole_options(options);
        self.eat_word("and")
    }

    /// Holes that stand for whole options.
    fn hole_options(&mut self, options: &mut Vec<TableOption>) -> bool {
        let before = self.at;
        while self.is(TokenKind::Hole) && self.token(1).kind != TokenKind::Equal {
            let name = self.hole();
            let span = name.span;
            let value = OptionValue::Term(Term { kind: TermKind::Hole(name.clone()), span });
            options.push(TableOption { name, value, span });
        }
        self.at > before
    }

    fn clustering_order(&mut self) -> Parsed<ClusteringOrder> {
        let column = self.name("a column")?;
        let descending = self.is_word("desc");
        if descending || self.is_word("asc") {
            self.step();
        } else if !column.unknown && !self.eat_holes() {
            return Err(self.unexpected("`ASC` or `DESC`"));
        }
        Ok(ClusteringOrder { column, descending })
    }

    fn option(&mut self) -> Parsed<TableOption> {
        let name = self.name("an option's name")?;
        self.expect(TokenKind::Equal, "`=`")?;
        let value = if self.is(TokenKind::OpenCurly) {
            OptionValue::Map(self.option_map()?)
        } else {
            OptionValue::Term(self.option_constant()?)
        };
        let span = name.span.to(self.last_span());
        Ok(TableOption { name, value, span })
    }

    /// A constant; or a word, which stands for itself.
    fn option_constant(&mut self) -> Parsed<Term> {
        let token = self.token(0);
        let kind = match token.kind {
            TokenKind::Question | TokenKind::Colon => return Err(self.unexpected("the option's value")),
            TokenKind::Word if self.is_name(0) => {
                self.step();
                // The server takes some words for values; which ones is nobody's concern here.
                let name = word_name(self.text_of(token), token.span);
                let literal = crate::ast::Literal {
                    kind: crate::ast::LiteralKind::String,
                    unknown: name.unknown,
                    text: name.text,
                };
                Some(TermKind::Literal(literal))
            }
            _ => self.constant_or_marker()?,
        };
        match kind {
            Some(kind) => Ok(Term { kind, span: token.span.to(self.last_span()) }),
            None => Err(self.unexpected("the option's value")),
        }
    }

    /// `{'class': 'x', 'n': 1}`
    pub fn option_map(&mut self) -> Parsed<Vec<(String, String)>> {
        self.expect(TokenKind::OpenCurly, "`{`")?;
        let mut entries = Vec::new();
        while !self.is(TokenKind::CloseCurly) {
            let key = self.option_text()?;
            if self.eat(TokenKind::Colon) {
                entries.push((key, self.option_text()?));
            } else if key.contains(crate::HOLE) {
                entries.push((key, String::new()));
            } else {
                return Err(self.unexpected("`:`"));
            }
            if self.is(TokenKind::Hole) {
                continue;
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.is(TokenKind::CloseCurly) {
                return Err(self.unexpected("a key"));
            }
        }
        self.expect(TokenKind::CloseCurly, "`,` or `}`")?;
        Ok(entries)
    }

    /// A key or value of an option map, as text without quotes. A list (racks, in ScyllaDB) stays as it is written.
    fn option_text(&mut self) -> Parsed<String> {
        if self.is(TokenKind::OpenSquare) {
            let list = self.term()?;
            return Ok(self.text[list.span.bytes()].to_owned());
        }
        if matches!(self.kind(), TokenKind::Question | TokenKind::Colon) {
            return Err(self.unexpected("a constant"));
        }
        match self.constant_or_marker()? {
            Some(TermKind::Literal(literal)) => Ok(literal.text),
            Some(TermKind::Hole(name)) => Ok(name.text),
            _ => Err(self.unexpected("a constant, such as a string")),
        }
    }
}
