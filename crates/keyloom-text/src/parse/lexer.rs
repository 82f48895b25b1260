//! Words, numbers, quotes and symbols of a scalar, each with its bytes; shared by all small parsers.

use std::ops::Range;

use crate::fault::Fault;

/// How deep parentheses, `not`, `-` and types may stand inside each other: far more than anybody can read, far less
/// than a stack holds.
pub(super) const NESTING_MAX: u32 = 64;

/// What a token is. The lexer takes every text; a parser that meets a token it can't use says so in its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits and `_`, not beginning with a digit.
    Word,
    /// `5`, `1.50`
    Number,
    /// `'it''s'`
    Quoted,
    /// `"text"`, which the language does not have.
    DoubleQuoted,
    /// A quote that is never closed, up to the end of the text.
    OpenQuote,
    /// One of [`SYMBOLS`], or any single other character.
    Symbol,
    /// Behind the last token.
    End,
}

/// A piece of the text.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// The symbols of more than one character, among them those of other languages that get an answer of their own.
const SYMBOLS: [&str; 12] = ["..", "->", "==", "!=", "<=", ">=", "<>", "=>", "=<", "&&", "||", "**"];

/// The tokens of a text and how far they have been read.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    end: Token,
    at: usize,
    depth: u32,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        let tokens = tokens(text);
        let end = tokens.last().map_or(0, |token| token.range.end);
        Self { text, tokens, end: Token { kind: Kind::End, range: end..end }, at: 0, depth: 0 }
    }

    /// The next token.
    pub fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// The token that many behind the next one.
    pub fn peek_at(&self, ahead: usize) -> &Token {
        self.tokens.get(self.at + ahead).unwrap_or(&self.end)
    }

    /// Takes the next token; at the end this is the end again.
    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len());
        token
    }

    /// The bytes of a range of the text.
    pub fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// The text of the next token.
    pub fn ahead(&self) -> &'a str {
        self.ahead_at(0)
    }

    /// The text of the token that many behind the next one.
    pub fn ahead_at(&self, ahead: usize) -> &'a str {
        self.slice(self.peek_at(ahead).range.clone())
    }

    /// Whether the next token is this word or symbol.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.peek().kind, Kind::Word | Kind::Symbol) && self.ahead() == text
    }

    /// Whether the next tokens are these words or symbols.
    pub fn are(&self, texts: &[&str]) -> bool {
        texts
            .iter()
            .enumerate()
            .all(|(at, text)| matches!(self.peek_at(at).kind, Kind::Word | Kind::Symbol) && self.ahead_at(at) == *text)
    }

    /// Takes the next token if it is this word or symbol.
    pub fn take(&mut self, text: &str) -> Option<Range<usize>> {
        self.is(text).then(|| self.next().range)
    }

    /// Takes the next token if it is of this kind.
    pub fn take_kind(&mut self, kind: Kind) -> Option<Token> {
        (self.peek().kind == kind).then(|| self.next())
    }

    /// Where the last taken token ended.
    pub fn taken_to(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.range.end)
    }

    /// Whether the next token stands directly behind the last one, without a blank.
    pub fn glued(&self) -> bool {
        self.at > 0 && self.peek().kind != Kind::End && self.peek().range.start == self.taken_to()
    }

    /// Whether everything has been read.
    pub fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Everything not read yet.
    pub fn rest(&self) -> Range<usize> {
        self.peek().range.start..self.end.range.end
    }

    /// Goes one level deeper, or says that this is deep enough. [`Cursor::leave`] comes back.
    pub fn enter(&mut self, range: Range<usize>) -> Result<(), Fault> {
        if self.depth == NESTING_MAX {
            return Err(Fault::new(range, format!("this is nested more than {NESTING_MAX} levels deep"))
                .help("write it with fewer parentheses, or in several parts"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from one level.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// How deep the reading is; [`Cursor::leave_to`] comes back to it.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Comes back to a level noted before.
    pub fn leave_to(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// Nothing may follow; `what` has been read.
    pub fn finish(&self, what: &str) -> Result<(), Fault> {
        if self.at_end() {
            return Ok(());
        }
        match self.peek().kind {
            Kind::OpenQuote => Err(self.open_quote()),
            _ => {
                let rest = self.rest();
                Err(Fault::new(rest.clone(), format!("{} is left over after the {what}", shown(self.slice(rest))))
                    .help("remove it"))
            }
        }
    }

    /// The next token is the wrong one: `wanted` should stand here.
    pub fn wanted(&self, wanted: &str, help: impl Into<String>) -> Fault {
        let token = self.peek();
        match token.kind {
            Kind::OpenQuote => self.open_quote(),
            Kind::End if self.at == 0 => Fault::new(token.range.clone(), format!("{wanted} is missing")).help(help),
            Kind::End => Fault::new(token.range.clone(), format!("{wanted} is missing at the end")).help(help),
            _ => Fault::new(
                token.range.clone(),
                format!("{} stands where {wanted} is expected", shown(self.slice(token.range.clone()))),
            )
            .help(help),
        }
    }

    /// The fault of a quote that is never closed; it points at the opening one.
    pub fn open_quote(&self) -> Fault {
        let start = self.peek().range.start;
        Fault::new(start..start + 1, "this quote is never closed").help("text stands between two quotes: `'abc'`")
    }

    /// Takes the parenthesis that closes the one at `open`.
    pub fn close(&mut self, open: Range<usize>) -> Result<Range<usize>, Fault> {
        if let Some(range) = self.take(")") {
            return Ok(range);
        }
        if self.at_end() {
            return Err(Fault::new(open, "this parenthesis is never closed").help("add a `)`"));
        }
        Err(self.wanted("`)`", "close the parenthesis before it"))
    }
}

/// A piece of the user's text in a message: short, in backticks.
pub(super) fn shown(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

/// The nearest of some names, if one is near enough to be meant.
pub(super) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const BYTES_MAX: usize = 64;
    if name.len() > BYTES_MAX {
        return None;
    }
    let lower = name.to_lowercase();
    let distance_max = match lower.chars().count() {
        0..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    names
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, candidate), candidate))
        // A name of which nothing is left is not near.
        .filter(|(distance, candidate)| *distance <= distance_max && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = token(first, rest);
        tokens.push(Token { kind, range: at..at + length });
        at += length;
    }
    tokens
}

/// The kind and length of the token at the start of `rest`, whose first character is `first`.
fn token(first: char, rest: &str) -> (Kind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let run = |text: &str, holds: fn(char) -> bool| text.find(|c| !holds(c)).unwrap_or(text.len());
    if first.is_ascii_digit() {
        let whole = run(rest, |c| c.is_ascii_digit());
        // `1..5` is a range: a point belongs to the number only with a digit behind it.
        let fraction = rest[whole..].strip_prefix('.').map_or(0, |fraction| run(fraction, |c| c.is_ascii_digit()));
        return (Kind::Number, if fraction > 0 { whole + 1 + fraction } else { whole });
    }
    if first.is_alphabetic() || first == '_' {
        return (Kind::Word, run(rest, is_word));
    }
    match first {
        '\'' => quoted(rest).map_or((Kind::OpenQuote, rest.len()), |length| (Kind::Quoted, length)),
        '"' => rest[1..].find('"').map_or((Kind::OpenQuote, rest.len()), |at| (Kind::DoubleQuoted, at + 2)),
        _ => {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            (Kind::Symbol, symbol.map_or(first.len_utf8(), |symbol| symbol.len()))
        }
    }
}

/// The length of a text in single quotes, in which a quote is written twice; `None` when it is not closed.
fn quoted(rest: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += rest[at..].find('\'')? + 1;
        if !rest[at..].starts_with('\'') {
            return Some(at);
        }
        at += 1;
    }
}
