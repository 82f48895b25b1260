//! Text to tokens. Everything becomes a token, also what no statement can hold: the parser says what is wrong with it,
//! where it knows what was expected.

mod number;

use crate::{HOLE, Span};

/// One token: what it is and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// The kinds of tokens. Words are not told apart here: most of them are names in one place and keywords in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword without quotes; it may have holes in it.
    Word,
    /// `"name"`
    Quoted,
    /// `'text'`
    String,
    /// `$$text$$`
    Dollars,
    Integer,
    Float,
    Uuid,
    Blob,
    Duration,
    /// One hole, or several without a character between them.
    Hole,
    Question,
    Colon,
    Semicolon,
    Comma,
    Dot,
    /// `..`
    Range,
    OpenRound,
    CloseRound,
    OpenSquare,
    CloseSquare,
    OpenCurly,
    CloseCurly,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    /// `+=`
    PlusEqual,
    /// `-=`
    MinusEqual,
    /// What never ends: a string, a quoted name or a comment.
    Unclosed,
    /// A character that begins nothing.
    Stray,
    /// The end of the text.
    End,
}

/// The tokens of a text, the last one [`TokenKind::End`]. Blanks and comments are left out.
pub(crate) fn lex(text: &str) -> Vec<Token> {
    // About one token for five bytes is what schemas have.
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0 };
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.next();
        tokens.push(Token { kind, span: Span::new(start..lexer.at) });
        if kind == TokenKind::End {
            return tokens;
        }
    }
}

/// The byte that begins [`HOLE`] in UTF-8.
const HOLE_LEAD: u8 = 0xef;
const BYTE_ORDER_MARK: &str = "\u{feff}";

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and closed comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'-' if self.peek(1) == b'-' => self.skip_line(),
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'/' if self.peek(1) == b'*' => match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => return,
                },
                HOLE_LEAD if self.text[self.at..].starts_with(BYTE_ORDER_MARK) => self.at += BYTE_ORDER_MARK.len(),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    }

    fn next(&mut self) -> TokenKind {
        let Some(&first) = self.bytes.get(self.at) else { return TokenKind::End };
        match first {
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'-' => self.minus(),
            b'\'' => self.quoted(b'\'', TokenKind::String),
            b'"' => self.quoted(b'"', TokenKind::Quoted),
            b'$' if self.peek(1) == b'$' => self.dollars(),
            b'/' if self.peek(1) == b'*' => self.swallow_rest(),
            HOLE_LEAD if self.hole_end().is_some() => self.word(),
            b'.' if self.peek(1) == b'.' => self.take(2, TokenKind::Range),
            b'!' if self.peek(1) == b'=' => self.take(2, TokenKind::NotEqual),
            b'<' if self.peek(1) == b'=' => self.take(2, TokenKind::LessOrEqual),
            b'>' if self.peek(1) == b'=' => self.take(2, TokenKind::GreaterOrEqual),
            b'+' if self.peek(1) == b'=' => self.take(2, TokenKind::PlusEqual),
            b'?' => self.take(1, TokenKind::Question),
            b':' => self.take(1, TokenKind::Colon),
            b';' => self.take(1, TokenKind::Semicolon),
            b',' => self.take(1, TokenKind::Comma),
            b'.' => self.take(1, TokenKind::Dot),
            b'(' => self.take(1, TokenKind::OpenRound),
            b')' => self.take(1, TokenKind::CloseRound),
            b'[' => self.take(1, TokenKind::OpenSquare),
            b']' => self.take(1, TokenKind::CloseSquare),
            b'{' => self.take(1, TokenKind::OpenCurly),
            b'}' => self.take(1, TokenKind::CloseCurly),
            b'=' => self.take(1, TokenKind::Equal),
            b'<' => self.take(1, TokenKind::Less),
            b'>' => self.take(1, TokenKind::Greater),
            b'+' => self.take(1, TokenKind::Plus),
            b'*' => self.take(1, TokenKind::Star),
            b'/' => self.take(1, TokenKind::Slash),
            b'%' => self.take(1, TokenKind::Percent),
            _ => {
                let length = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
                self.take(length, TokenKind::Stray)
            }
        }
    }

    fn take(&mut self, length: usize, kind: TokenKind) -> TokenKind {
        self.at += length;
        kind
    }

    fn swallow_rest(&mut self) -> TokenKind {
        self.at = self.bytes.len();
        TokenKind::Unclosed
    }

    /// Where the hole ends that begins here: after the second mark. A mark without a second one is a stray character.
    fn hole_end(&self) -> Option<usize> {
        let rest = self.text[self.at..].strip_prefix(HOLE)?;
        Some(self.at + HOLE.len_utf8() + rest.find(HOLE)? + HOLE.len_utf8())
    }

    /// Letters, digits, underscores and holes.
    fn word(&mut self) -> TokenKind {
        if let Some(kind) = self.constant_of_letters() {
            return kind;
        }
        let mut only_holes = true;
        loop {
            match self.peek(0) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {
                    self.at += 1;
                    only_holes = false;
                }
                HOLE_LEAD => match self.hole_end() {
                    Some(end) => self.at = end,
                    None => break,
                },
                _ => break,
            }
        }
        if only_holes { TokenKind::Hole } else { TokenKind::Word }
    }

    /// A string or a quoted name: to the quote that is not doubled. Quotes within a hole's name do not count.
    fn quoted(&mut self, quote: u8, kind: TokenKind) -> TokenKind {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => return TokenKind::Unclosed,
                Some(&byte) if byte == quote => {
                    self.at += 1;
                    if self.peek(0) != quote {
                        return kind;
                    }
                    self.at += 1;
                }
                Some(&HOLE_LEAD) => self.at = self.hole_end().unwrap_or(self.at + 1),
                Some(_) => self.at += 1,
            }
            // A byte within a character may have been stepped over, never onto the middle of one that begins a hole.
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
    }

    fn dollars(&mut self) -> TokenKind {
        match self.text[self.at + 2..].find("$$") {
            Some(length) => self.take(length + 4, TokenKind::Dollars),
            None => self.swallow_rest(),
        }
    }

    fn minus(&mut self) -> TokenKind {
        if let Some(kind) = self.negative_constant() {
            return kind;
        }
        match self.peek(1) {
            b'=' => self.take(2, TokenKind::MinusEqual),
            _ => self.take(1, TokenKind::Minus),
        }
    }
}

#[cfg(test)]
mod tests;
