//! The tokens with a position, and the small steps that all of the grammar is made of.

use crate::Span;
use crate::ast::{Name, QualifiedName};
use crate::lex::{Token, TokenKind};

use super::SyntaxFault;
use super::words::is_reserved;

/// A part of the grammar: what was read, or what is wrong. Boxed because nearly everything is right.
pub(super) type Parsed<T> = Result<T, Box<SyntaxFault>>;

/// How deep terms, types and selectors may be nested.
const DEEPEST: u32 = 64;
/// How many operators and accesses to fields and elements one statement may have: each makes the tree one deeper.
const MOST_OPERATORS: u32 = 256;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    /// The next token; never behind [`TokenKind::End`], which is the last.
    pub at: usize,
    /// Holes of the statement at hand that stand for whole clauses.
    pub unknown: Vec<Name>,
    depth: u32,
    operators: u32,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, at: 0, unknown: Vec::new(), depth: 0, operators: 0 }
    }

    /// Forgets what was counted for the statement before.
    pub fn begin(&mut self) {
        self.depth = 0;
        self.operators = 0;
        self.unknown.clear();
    }

    // Looking.

    pub fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub fn kind(&self) -> TokenKind {
        self.token(0).kind
    }

    pub fn span(&self) -> Span {
        self.token(0).span
    }

    /// The end of the token before the next.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.bytes()]
    }

    pub fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Whether the token that lies `ahead` is this word, which is given in lower case.
    pub fn is_word_ahead(&self, ahead: usize, word: &str) -> bool {
        let token = self.token(ahead);
        token.kind == TokenKind::Word && self.text_of(token).eq_ignore_ascii_case(word)
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.is_word_ahead(0, word)
    }

    pub fn are_words(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(ahead, word)| self.is_word_ahead(ahead, word))
    }

    /// Whether the token that lies `ahead` can be a name.
    pub fn is_name(&self, ahead: usize) -> bool {
        let token = self.token(ahead);
        match token.kind {
            TokenKind::Quoted | TokenKind::Hole => true,
            TokenKind::Word => !is_reserved(self.text_of(token)),
            _ => false,
        }
    }

    // Stepping.

    pub fn step(&mut self) -> Token {
        let token = self.token(0);
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub fn eat(&mut self, kind: TokenKind) -> bool {
        let here = self.is(kind);
        if here {
            self.step();
        }
        here
    }

    /// Takes the words if all of them are next.
    pub fn eat_words(&mut self, words: &[&str]) -> Option<Span> {
        if !self.are_words(words) {
            return None;
        }
        let start = self.span();
        self.at += words.len();
        Some(start.to(self.last_span()))
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        self.eat_words(&[word]).is_some()
    }

    pub fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<Span> {
        if self.is(kind) { Ok(self.step().span) } else { Err(self.unexpected(expected)) }
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        self.eat_words(&[word]).ok_or_else(|| self.unexpected(&format!("`{}`", word.to_ascii_uppercase())))
    }

    pub fn expect_words(&mut self, words: &[&str]) -> Parsed<Span> {
        let start = self.span();
        for word in words {
            self.expect_word(word)?;
        }
        Ok(start.to(self.last_span()))
    }

    /// Takes the holes that stand here for clauses nobody can read.
    pub fn eat_holes(&mut self) -> bool {
        let before = self.at;
        while self.is(TokenKind::Hole) {
            let hole = self.hole();
            self.unknown.push(hole);
        }
        self.at > before
    }

    // Names.

    /// The hole that is next.
    pub fn hole(&mut self) -> Name {
        let token = self.step();
        Name { text: self.text_of(token).to_owned(), span: token.span, unknown: true }
    }

    /// A name: quoted, or a word that is not reserved, or a hole.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.token(0);
        let written = self.text_of(token);
        match token.kind {
            TokenKind::Hole => Ok(self.hole()),
            TokenKind::Quoted => {
                self.step();
                let text = written[1..written.len() - 1].replace("\"\"", "\"");
                let unknown = text.contains(crate::HOLE);
                Ok(Name { text, span: token.span, unknown })
            }
            TokenKind::Word if !is_reserved(written) => {
                self.step();
                Ok(word_name(written, token.span))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// A name with or without its keyspace.
    pub fn qualified(&mut self, what: &str) -> Parsed<QualifiedName> {
        let name = self.name(what)?;
        if self.eat(TokenKind::Dot) {
            let within = self.name(what)?;
            return Ok(QualifiedName { keyspace: Some(name), name: within });
        }
        Ok(QualifiedName { keyspace: None, name })
    }

    /// Items between commas. A hole behind an item may be more of them: it is read as an item.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) || self.is(TokenKind::Hole) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Items between commas; a hole behind them is what follows in the statement.
    pub fn strict_list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `(a, b)`
    pub fn names_in_parentheses(&mut self, what: &str) -> Parsed<Vec<Name>> {
        self.expect(TokenKind::OpenRound, "`(`")?;
        let names = self.list(|parser| parser.name(what))?;
        self.expect(TokenKind::CloseRound, "`,` or `)`")?;
        Ok(names)
    }

    /// `IF NOT EXISTS`
    pub fn if_not_exists(&mut self) -> bool {
        self.eat_words(&["if", "not", "exists"]).is_some()
    }

    /// `IF EXISTS`
    pub fn if_exists(&mut self) -> bool {
        self.eat_words(&["if", "exists"]).is_some()
    }

    // Bounds.

    /// Reads a part of the tree that is one level deeper.
    pub fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return Err(self.fault(self.span(), format!("this is nested more than {DEEPEST} deep"), None));
        }
        self.depth += 1;
        let read = part(self);
        self.depth -= 1;
        read
    }

    /// Counts an operator, an element or a field.
    pub fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators <= MOST_OPERATORS {
            return Ok(());
        }
        Err(self.fault(self.span(), format!("one statement has more than {MOST_OPERATORS} operators"), None))
    }

    // Faults.

    pub fn fault(&self, span: Span, message: String, help: Option<&str>) -> Box<SyntaxFault> {
        Box::new(SyntaxFault { span, statement: span, message, help: help.map(str::to_owned) })
    }

    /// Something else stands here than what was expected.
    pub fn unexpected(&self, expected: &str) -> Box<SyntaxFault> {
        let token = self.token(0);
        let written = self.text_of(token);
        let (found, help) = match token.kind {
            TokenKind::End | TokenKind::Semicolon => ("the statement ends".to_owned(), None),
            TokenKind::Unclosed => {
                let what = match written.as_bytes().first() {
                    Some(b'"') => "this quoted name",
                    Some(b'/') => "this comment",
                    _ => "this string",
                };
                return self.fault(token.span, format!("{what} is never closed"), None);
            }
            TokenKind::Stray => (format!("found `{written}`, which begins nothing in CQL"), stray_help(written)),
            TokenKind::String | TokenKind::Dollars => (format!("found {}", shortened(written)), None),
            TokenKind::Word
                if is_reserved(written)
                    && !begins_clause(written)
                    && (expected.ends_with("name") || expected.ends_with("column")) =>
            {
                let help = "put it in double quotes to use it as a name";
                (format!("found the reserved word `{written}`"), Some(help))
            }
            TokenKind::Word if written.eq_ignore_ascii_case("or") => {
                (format!("found `{written}`"), Some("CQL has no OR: ask twice, or use IN"))
            }
            TokenKind::Quoted if expected == "a value" => {
                (format!("found the name {}", shortened(written)), Some("text stands in single quotes"))
            }
            TokenKind::Greater if self.tokens[self.at.saturating_sub(1)].kind == TokenKind::Less => {
                ("found `<>`".to_owned(), Some("CQL writes `!=`"))
            }
            TokenKind::Hole => ("found a part that is not known".to_owned(), None),
            _ => (format!("found `{}`", shortened(written)), None),
        };
        self.fault(token.span, format!("expected {expected}, {found}"), help)
    }
}

/// The name that a word without quotes is: in lower case, holes apart.
pub(super) fn word_name(written: &str, span: Span) -> Name {
    let unknown = written.contains(crate::HOLE);
    let text = if unknown {
        let pieces = written.split(crate::HOLE).enumerate();
        let cased =
            pieces.map(|(index, piece)| if index % 2 == 0 { piece.to_ascii_lowercase() } else { piece.to_owned() });
        cased.collect::<Vec<_>>().join(&crate::HOLE.to_string())
    } else {
        written.to_ascii_lowercase()
    };
    Name { text, span, unknown }
}

/// As much of a token as a message can hold.
fn shortened(written: &str) -> String {
    const LONGEST: usize = 30;
    let line = written.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None if line.len() < written.len() => format!("{line}.."),
        None => line.to_owned(),
    }
}

/// Reserved words that nobody takes for a name: something is missing before them.
fn begins_clause(word: &str) -> bool {
    ["from", "where", "into", "and", "not", "if", "using", "with", "on"]
        .iter()
        .any(|clause| word.eq_ignore_ascii_case(clause))
}

fn stray_help(written: &str) -> Option<&'static str> {
    match written {
        "_" => Some("a name that begins with an underscore has to stand in double quotes"),
        "“" | "”" | "‘" | "’" | "`" => Some("CQL has straight quotes: ' around text, \" around names"),
        "#" => Some("a comment begins with -- or //"),
        _ => None,
    }
}
