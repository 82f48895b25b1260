//! `SELECT`, and what it selects.

use crate::Span;
use crate::ast::{
    Arithmetic, Name, Ordering, OrderingKind, QualifiedName, Select, Selection, Selector, SelectorKind, Term, TermKind,
};
use crate::lex::TokenKind;

use super::arithmetic::Operand;
use super::cursor::{Parsed, Parser};
use super::term::word_constant;
use super::words::is_reserved;

impl Operand for Selector {
    fn signed(parser: &mut Parser<'_>) -> Parsed<Self> {
        let start = parser.span();
        if parser.eat(TokenKind::Minus) {
            let of = parser.deeper(Self::signed)?;
            let span = start.to(of.span);
            return Ok(plain(SelectorKind::Negative(Box::new(of)), span));
        }
        let selector = parser.simple_selector()?;
        parser.modifiers(selector)
    }

    fn is_summed(_: &Parser<'_>) -> bool {
        true
    }

    fn joined(operator: Arithmetic, left: Self, right: Self) -> Self {
        let span = left.span.to(right.span);
        plain(SelectorKind::Arithmetic(operator, Box::new(left), Box::new(right)), span)
    }
}

impl Parser<'_> {
    /// What follows the word `SELECT`.
    pub fn select(&mut self) -> Parsed<Select> {
        let json = self.is_modifier("json");
        if json {
            self.step();
        }
        let distinct = self.is_modifier("distinct").then(|| self.step().span);
        let selection = self.selection()?;
        self.expect_word("from")?;
        let table = self.qualified("a table's name")?;
        let mut select = Select {
            json,
            distinct,
            selection,
            table,
            relations: Vec::new(),
            group_by: Vec::new(),
            order_by: Vec::new(),
            per_partition_limit: None,
            limit: None,
            allow_filtering: None,
            using: Vec::new(),
            bypass_cache: false,
        };
        self.eat_holes();
        if self.eat_word("where") {
            select.relations = self.relations()?;
        }
        self.eat_holes();
        if self.eat_words(&["group", "by"]).is_some() {
            select.group_by = self.strict_list(Self::selector)?;
        }
        self.eat_holes();
        if self.eat_words(&["order", "by"]).is_some() {
            select.order_by = self.strict_list(Self::ordering)?;
        }
        self.eat_holes();
        if self.eat_words(&["per", "partition", "limit"]).is_some() {
            select.per_partition_limit = Some(self.integer_term("a number or a marker")?);
        }
        self.eat_holes();
        if self.eat_word("limit") {
            select.limit = Some(self.integer_term("a number or a marker")?);
        }
        self.eat_holes();
        select.allow_filtering = self.eat_words(&["allow", "filtering"]);
        self.eat_holes();
        select.bypass_cache = self.eat_words(&["bypass", "cache"]).is_some();
        select.using = self.using()?;
        self.eat_holes();
        Ok(select)
    }

    /// Whether the word is next and modifies what follows, rather than being a column of that name.
    fn is_modifier(&self, word: &str) -> bool {
        self.is_word(word)
            && match self.token(1).kind {
                TokenKind::Word => {
                    let next = self.text_of(self.token(1));
                    !is_reserved(next) || self.is_call(1) || word_constant(next).is_some()
                }
                TokenKind::Comma | TokenKind::Dot | TokenKind::Plus | TokenKind::Slash | TokenKind::Percent => false,
                TokenKind::CloseRound | TokenKind::CloseSquare | TokenKind::Semicolon | TokenKind::End => false,
                _ => true,
            }
    }

    /// `*`, or selectors between commas.
    pub fn selection(&mut self) -> Parsed<Selection> {
        if self.eat(TokenKind::Star) {
            return Ok(Selection::All);
        }
        Ok(Selection::Of(self.list(|parser| {
            let mut selector = parser.selector()?;
            if parser.eat_word("as") {
                selector.alias = Some(parser.name("a name")?);
            }
            Ok(selector)
        })?))
    }

    fn ordering(&mut self) -> Parsed<Ordering> {
        let start = self.span();
        let column = self.name("a column")?;
        let kind = if self.eat_words(&["ann", "of"]).is_some() {
            OrderingKind::Nearest(column, self.term()?)
        } else if self.tokens[self.at - 1].kind == TokenKind::Hole {
            OrderingKind::Hole(column)
        } else {
            OrderingKind::Column(column)
        };
        let descending = self.is_word("desc");
        if descending || self.is_word("asc") {
            self.step();
        }
        Ok(Ordering { kind, descending, span: start.to(self.last_span()) })
    }

    /// A selector.
    fn selector(&mut self) -> Parsed<Selector> {
        self.sum()
    }

    /// The fields and elements behind a selector.
    fn modifiers(&mut self, mut selector: Selector) -> Parsed<Selector> {
        loop {
            let start = selector.span;
            let kind = if self.eat(TokenKind::Dot) {
                SelectorKind::Field(Box::new(selector), self.name("a field's name")?)
            } else if self.eat(TokenKind::OpenSquare) {
                let kind = self.element(selector)?;
                self.expect(TokenKind::CloseSquare, "`]`")?;
                kind
            } else {
                return Ok(selector);
            };
            self.count_operator()?;
            selector = plain(kind, start.to(self.last_span()));
        }
    }

    fn element(&mut self, of: Selector) -> Parsed<SelectorKind> {
        let of = Box::new(of);
        if self.eat(TokenKind::Range) {
            return Ok(SelectorKind::Slice(of, None, Some(self.term()?)));
        }
        let first = self.term()?;
        if !self.eat(TokenKind::Range) {
            return Ok(SelectorKind::Element(of, first));
        }
        let to = if self.is(TokenKind::CloseSquare) { None } else { Some(self.term()?) };
        Ok(SelectorKind::Slice(of, Some(first), to))
    }

    fn simple_selector(&mut self) -> Parsed<Selector> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::OpenSquare => {
                self.step();
                SelectorKind::List(self.selectors_until(TokenKind::CloseSquare, "`,` or `]`")?)
            }
            TokenKind::OpenCurly => self.selector_set_or_map()?,
            TokenKind::OpenRound => self.selector_hint_or_tuple()?,
            TokenKind::Word if self.is_cast(0) => {
                self.at += 2;
                let of = self.selector()?;
                self.expect_word("as")?;
                let to = self.native_type()?;
                self.expect(TokenKind::CloseRound, "`)`")?;
                SelectorKind::Cast(Box::new(of), to)
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::Hole if self.is_call(0) => self.selector_call()?,
            TokenKind::Hole => SelectorKind::Hole(self.hole()),
            _ if self.is_name(0) => SelectorKind::Column(self.name("a column")?),
            _ => match self.constant_or_marker()? {
                Some(kind) => SelectorKind::Term(Term { kind, span: start.to(self.last_span()) }),
                None => return Err(self.unexpected("a column")),
            },
        };
        Ok(plain(kind, start.to(self.last_span())))
    }

    fn selectors_until(&mut self, close: TokenKind, expected: &str) -> Parsed<Vec<Selector>> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let selectors = self.list(Self::selector)?;
        self.expect(close, expected)?;
        Ok(selectors)
    }

    /// `COUNT(*)` and `COUNT(1)` count rows; all else is a call.
    fn selector_call(&mut self) -> Parsed<SelectorKind> {
        let name = self.function_name()?;
        self.expect(TokenKind::OpenRound, "`(`")?;
        let counts = name.keyspace.is_none() && name.name.text == "count";
        if counts && self.is(TokenKind::Star) {
            self.step();
            self.expect(TokenKind::CloseRound, "`)`")?;
            return Ok(SelectorKind::CountRows);
        }
        let arguments = self.selectors_until(TokenKind::CloseRound, "`,` or `)`")?;
        if counts
            && let [Selector { kind: SelectorKind::Term(Term { kind: TermKind::Literal(_), .. }), .. }] = &arguments[..]
        {
            return Ok(SelectorKind::CountRows);
        }
        Ok(SelectorKind::Call(name, arguments))
    }

    fn selector_hint_or_tuple(&mut self) -> Parsed<SelectorKind> {
        if let Some(of) = self.hint(Self::begins_simple_selector) {
            return Ok(SelectorKind::Hint(of, Box::new(self.deeper(Self::simple_selector)?)));
        }
        self.step();
        let items = self.list(Self::selector)?;
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok(SelectorKind::Tuple(items))
    }

    /// Whether something follows that a type before it can be a hint for. `AS` and a name are an alias.
    fn begins_simple_selector(&self) -> bool {
        match self.kind() {
            TokenKind::Word => self.is_modifiable(),
            TokenKind::Quoted
            | TokenKind::String
            | TokenKind::Dollars
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::Uuid
            | TokenKind::Blob
            | TokenKind::Duration
            | TokenKind::Question
            | TokenKind::Colon
            | TokenKind::OpenRound
            | TokenKind::OpenSquare
            | TokenKind::OpenCurly => true,
            _ => false,
        }
    }

    fn is_modifiable(&self) -> bool {
        let word = self.text_of(self.token(0));
        !self.is_word("as") && (!is_reserved(word) || self.is_call(0) || word_constant(word).is_some())
    }

    fn selector_set_or_map(&mut self) -> Parsed<SelectorKind> {
        self.step();
        if self.eat(TokenKind::CloseCurly) {
            return Ok(SelectorKind::Set(Vec::new()));
        }
        let kind = if self.is_field_of_literal() {
            SelectorKind::Udt(self.list(Self::selector_field)?)
        } else {
            let first = self.selector()?;
            if self.eat(TokenKind::Colon) {
                let mut entries = vec![(first, self.selector()?)];
                while self.eat(TokenKind::Comma) {
                    let key = self.selector()?;
                    self.expect(TokenKind::Colon, "`:`")?;
                    entries.push((key, self.selector()?));
                }
                SelectorKind::Map(entries)
            } else {
                let mut items = vec![first];
                while self.eat(TokenKind::Comma) {
                    items.push(self.selector()?);
                }
                SelectorKind::Set(items)
            }
        };
        self.expect(TokenKind::CloseCurly, "`,` or `}`")?;
        Ok(kind)
    }

    fn selector_field(&mut self) -> Parsed<(Name, Selector)> {
        let field = self.name("a field's name")?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok((field, self.selector()?))
    }

    /// A table that is named where a statement needs nothing but its name.
    pub fn table_name(&mut self) -> Parsed<QualifiedName> {
        self.qualified("a table's name")
    }
}

fn plain(kind: SelectorKind, span: Span) -> Selector {
    Selector { kind, alias: None, span }
}
