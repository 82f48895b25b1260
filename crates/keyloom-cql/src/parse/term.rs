//! Values: constants, markers, collections, calls, arithmetic.

use crate::ast::{Arithmetic, CqlType, Literal, LiteralKind, Name, QualifiedName, Term, TermKind};
use crate::lex::TokenKind;

use super::arithmetic::Operand;
use super::cursor::{Parsed, Parser, word_name};

impl Operand for Term {
    fn signed(parser: &mut Parser<'_>) -> Parsed<Self> {
        let start = parser.span();
        if parser.eat(TokenKind::Minus) {
            let term = parser.simple_term()?;
            let span = start.to(term.span);
            return Ok(Term { kind: TermKind::Negative(Box::new(term)), span });
        }
        parser.simple_term()
    }

    /// `v + c` in an assignment is no sum when `c` is a column: the caller takes it.
    fn is_summed(parser: &Parser<'_>) -> bool {
        !parser.is_name(1) || parser.token(1).kind == TokenKind::Hole || parser.is_call(1) || parser.is_cast(1)
    }

    fn joined(operator: Arithmetic, left: Self, right: Self) -> Self {
        let span = left.span.to(right.span);
        Term { kind: TermKind::Arithmetic(operator, Box::new(left), Box::new(right)), span }
    }
}

impl Parser<'_> {
    /// A term.
    pub fn term(&mut self) -> Parsed<Term> {
        self.sum()
    }

    fn simple_term(&mut self) -> Parsed<Term> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::OpenSquare => self.list_term()?,
            TokenKind::OpenCurly => self.set_or_map()?,
            TokenKind::OpenRound => self.hint_or_tuple()?,
            TokenKind::Word if self.is_cast(0) => self.cast()?,
            TokenKind::Word | TokenKind::Quoted | TokenKind::Hole if self.is_call(0) => {
                TermKind::Call(self.function_name()?, self.arguments()?)
            }
            _ => match self.constant_or_marker()? {
                Some(kind) => kind,
                None => return Err(self.unexpected("a value")),
            },
        };
        Ok(Term { kind, span: start.to(self.last_span()) })
    }

    /// A constant, a marker or a hole, if one is next.
    pub fn constant_or_marker(&mut self) -> Parsed<Option<TermKind>> {
        let token = self.token(0);
        let written = self.text_of(token);
        let literal = |kind: LiteralKind| {
            let unknown = written.contains(crate::HOLE);
            TermKind::Literal(Literal { kind, text: written.to_owned(), unknown })
        };
        let kind = match token.kind {
            TokenKind::Question => TermKind::Marker(None),
            TokenKind::Colon => {
                self.step();
                return Ok(Some(TermKind::Marker(Some(self.name("the marker's name")?))));
            }
            TokenKind::Hole => return Ok(Some(TermKind::Hole(self.hole()))),
            TokenKind::String | TokenKind::Dollars => {
                let text = self.string_text();
                let unknown = text.contains(crate::HOLE);
                return Ok(Some(TermKind::Literal(Literal { kind: LiteralKind::String, text, unknown })));
            }
            TokenKind::Integer => literal(LiteralKind::Integer),
            TokenKind::Float => literal(LiteralKind::Float),
            TokenKind::Uuid => literal(LiteralKind::Uuid),
            TokenKind::Blob => literal(LiteralKind::Blob),
            TokenKind::Duration => literal(LiteralKind::Duration),
            TokenKind::Word => match word_constant(written) {
                Some(kind) => literal(kind),
                // Part of it is a hole: it may be a value, and nothing else may stand here.
                None if written.contains(crate::HOLE) => TermKind::Hole(word_name(written, token.span)),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.step();
        Ok(Some(kind))
    }

    /// The text of the string that is next, without quotes.
    pub fn string_text(&mut self) -> String {
        let token = self.step();
        let written = self.text_of(token);
        if token.kind == TokenKind::Dollars {
            return written[2..written.len() - 2].to_owned();
        }
        written[1..written.len() - 1].replace("''", "'")
    }

    /// A number, a marker or a hole: what LIMIT and TTL take.
    pub fn integer_term(&mut self, what: &str) -> Parsed<Term> {
        let token = self.token(0);
        let fits = matches!(token.kind, TokenKind::Integer | TokenKind::Question | TokenKind::Colon | TokenKind::Hole)
            || (token.kind == TokenKind::Word && self.text_of(token).contains(crate::HOLE));
        match if fits { self.constant_or_marker()? } else { None } {
            Some(kind) => Ok(Term { kind, span: token.span.to(self.last_span()) }),
            None => Err(self.unexpected(what)),
        }
    }

    fn list_term(&mut self) -> Parsed<TermKind> {
        self.step();
        if self.eat(TokenKind::CloseSquare) {
            return Ok(TermKind::List(Vec::new()));
        }
        let items = self.list(Self::term)?;
        self.expect(TokenKind::CloseSquare, "`,` or `]`")?;
        Ok(TermKind::List(items))
    }

    fn set_or_map(&mut self) -> Parsed<TermKind> {
        self.step();
        if self.eat(TokenKind::CloseCurly) {
            return Ok(TermKind::Set(Vec::new()));
        }
        let kind = if self.is_field_of_literal() {
            TermKind::Udt(self.list(Self::field_value)?)
        } else {
            let first = self.term()?;
            if self.eat(TokenKind::Colon) {
                let mut entries = vec![(first, self.term()?)];
                while self.eat(TokenKind::Comma) {
                    entries.push(self.entry()?);
                }
                TermKind::Map(entries)
            } else {
                let mut items = vec![first];
                while self.eat(TokenKind::Comma) || self.is(TokenKind::Hole) {
                    items.push(self.term()?);
                }
                TermKind::Set(items)
            }
        };
        self.expect(TokenKind::CloseCurly, "`,` or `}`")?;
        Ok(kind)
    }

    /// Whether `name :` is next, as in the literal of a user-defined type. A hole before a colon is the key of a map.
    pub fn is_field_of_literal(&self) -> bool {
        self.is_name(0) && !self.is(TokenKind::Hole) && self.token(1).kind == TokenKind::Colon
    }

    fn field_value(&mut self) -> Parsed<(Name, Term)> {
        let field = self.name("a field's name")?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok((field, self.term()?))
    }

    fn entry(&mut self) -> Parsed<(Term, Term)> {
        let key = self.term()?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok((key, self.term()?))
    }

    /// `(type) term` or `(a, b)`.
    fn hint_or_tuple(&mut self) -> Parsed<TermKind> {
        if let Some(of) = self.hint(Self::begins_term) {
            return Ok(TermKind::Hint(of, Box::new(self.deeper(Self::simple_term)?)));
        }
        self.step();
        let items = self.list(Self::term)?;
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok(TermKind::Tuple(items))
    }

    /// `(type)`, when what follows can be hinted. A type holds no parentheses, so that trying one costs no more than its
    /// own tokens.
    pub fn hint(&mut self, begins: impl FnOnce(&Self) -> bool) -> Option<CqlType> {
        let start = self.at;
        if matches!(self.token(1).kind, TokenKind::Word | TokenKind::Quoted | TokenKind::String) {
            self.step();
            if let Ok(of) = self.cql_type()
                && self.eat(TokenKind::CloseRound)
                && begins(self)
            {
                return Some(of);
            }
        }
        self.at = start;
        None
    }

    fn begins_term(&self) -> bool {
        let token = self.token(0);
        match token.kind {
            TokenKind::Word => self.is_call(0) || self.is_cast(0) || word_constant(self.text_of(token)).is_some(),
            TokenKind::Quoted => self.is_call(0),
            TokenKind::String
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

    /// Whether `f(` or `ks.f(` is next.
    pub fn is_call(&self, ahead: usize) -> bool {
        let named = |ahead| self.is_name(ahead) || self.is_word_ahead(ahead, "token");
        let kind = |ahead: usize| self.token(ahead).kind;
        named(ahead)
            && (kind(ahead + 1) == TokenKind::OpenRound
                || (kind(ahead + 1) == TokenKind::Dot && named(ahead + 2) && kind(ahead + 3) == TokenKind::OpenRound))
    }

    pub fn is_cast(&self, ahead: usize) -> bool {
        self.is_word_ahead(ahead, "cast") && self.token(ahead + 1).kind == TokenKind::OpenRound
    }

    /// The name of a function; `token` is one though it is reserved.
    pub fn function_name(&mut self) -> Parsed<QualifiedName> {
        let first = self.function_word()?;
        if self.eat(TokenKind::Dot) {
            let name = self.function_word()?;
            return Ok(QualifiedName { keyspace: Some(first), name });
        }
        Ok(QualifiedName { keyspace: None, name: first })
    }

    fn function_word(&mut self) -> Parsed<Name> {
        if self.is_word("token") {
            let token = self.step();
            return Ok(word_name(self.text_of(token), token.span));
        }
        self.name("a function's name")
    }

    pub fn arguments(&mut self) -> Parsed<Vec<Term>> {
        self.expect(TokenKind::OpenRound, "`(`")?;
        if self.eat(TokenKind::CloseRound) {
            return Ok(Vec::new());
        }
        let arguments = self.list(Self::term)?;
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok(arguments)
    }

    /// `CAST(x AS int)`
    fn cast(&mut self) -> Parsed<TermKind> {
        self.at += 2;
        let term = self.deeper(Self::simple_term)?;
        self.expect_word("as")?;
        let of = self.native_type()?;
        self.expect(TokenKind::CloseRound, "`)`")?;
        Ok(TermKind::Cast(Box::new(term), of))
    }
}

/// The constants that are words.
pub(super) fn word_constant(word: &str) -> Option<LiteralKind> {
    let is = |constant: &str| word.eq_ignore_ascii_case(constant);
    match word.len() {
        3 if is("nan") => Some(LiteralKind::Float),
        4 if is("null") => Some(LiteralKind::Null),
        4 if is("true") => Some(LiteralKind::Boolean),
        5 if is("false") => Some(LiteralKind::Boolean),
        8 if is("infinity") => Some(LiteralKind::Float),
        _ => None,
    }
}
