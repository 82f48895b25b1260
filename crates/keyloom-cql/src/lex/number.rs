//! Constants that begin with a digit, a minus or a letter: numbers, blobs, UUIDs, durations.

use super::{HOLE_LEAD, Lexer, TokenKind};

/// Each group of a UUID: how many hexadecimal digits stand before the next dash.
const UUID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

impl Lexer<'_> {
    /// A constant that begins with a digit.
    pub(super) fn number(&mut self) -> TokenKind {
        if let Some(kind) = self.uuid() {
            return kind;
        }
        if self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X') {
            self.at += 2;
            while self.peek(0).is_ascii_hexdigit() {
                self.at += 1;
            }
            return self.through_holes(TokenKind::Blob);
        }
        let start = self.at;
        self.digits();
        if let Some(length) = duration(&self.bytes[start..]) {
            self.at = start + length;
            return TokenKind::Duration;
        }
        if self.peek(0) == HOLE_LEAD {
            return self.through_holes(TokenKind::Integer);
        }
        self.fraction()
    }

    /// `-1`, `-1.5`, `-1h`, `-P1D`, `-NaN`, `-Infinity`: the server's lexer takes the minus into the constant.
    pub(super) fn negative_constant(&mut self) -> Option<TokenKind> {
        match self.peek(1) {
            b'0'..=b'9' => {
                self.at += 1;
                Some(self.number())
            }
            b'P' => self.iso_duration(1),
            b'n' | b'N' if self.is_word_at(1, "nan") => Some(self.take(4, TokenKind::Float)),
            b'i' | b'I' if self.is_word_at(1, "infinity") => Some(self.take(9, TokenKind::Float)),
            _ => None,
        }
    }

    /// A UUID that begins with a letter, or a duration of the form `P1D`.
    pub(super) fn constant_of_letters(&mut self) -> Option<TokenKind> {
        match self.peek(0) {
            b'a'..=b'f' | b'A'..=b'F' => self.uuid(),
            b'P' => self.iso_duration(0),
            _ => None,
        }
    }

    /// What follows the digits of a number, or nothing: a point and an exponent. `1..2` is a range between integers.
    fn fraction(&mut self) -> TokenKind {
        let mut kind = TokenKind::Integer;
        if self.peek(0) == b'.' && (self.peek(1) != b'.' || self.peek(2) == b'.') {
            kind = TokenKind::Float;
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                kind = TokenKind::Float;
                self.at += 1 + sign;
                self.digits();
            }
        }
        self.through_holes(kind)
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    /// `1<hole>` is a number of which part is not known, and so is all that follows without a blank.
    fn through_holes(&mut self, kind: TokenKind) -> TokenKind {
        while let Some(end) = self.hole_end() {
            self.at = end;
            while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'.' {
                self.at += 1;
            }
        }
        kind
    }

    fn uuid(&mut self) -> Option<TokenKind> {
        if self.peek(8) != b'-' {
            return None;
        }
        let mut length = 0;
        for (group, digits) in UUID_GROUPS.into_iter().enumerate() {
            if group > 0 {
                if self.peek(length) != b'-' {
                    return None;
                }
                length += 1;
            }
            if !(length..length + digits).all(|ahead| self.peek(ahead).is_ascii_hexdigit()) {
                return None;
            }
            length += digits;
        }
        Some(self.take(length, TokenKind::Uuid))
    }

    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        let start = self.at + ahead;
        let end = start + word.len();
        self.bytes.get(start..end).is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()))
            && !self.bytes.get(end).is_some_and(|&byte| is_word_byte(byte))
    }

    /// A duration as ISO 8601 writes it, all of the word or none of it.
    fn iso_duration(&mut self, sign: usize) -> Option<TokenKind> {
        let rest = &self.bytes[self.at + sign..];
        let length = iso_duration(rest)?;
        if rest.get(length).is_some_and(|&byte| is_word_byte(byte)) {
            return None;
        }
        Some(self.take(sign + length, TokenKind::Duration))
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == HOLE_LEAD
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The length of `1y2mo3d` and the like, when the whole word is one.
fn duration(bytes: &[u8]) -> Option<usize> {
    let mut length = 0;
    loop {
        let count = digits(&bytes[length..]);
        if count == 0 {
            let ends = !bytes.get(length).is_some_and(|&byte| is_word_byte(byte));
            return (length > 0 && ends).then_some(length);
        }
        length += count;
        length += unit(&bytes[length..])?;
    }
}

/// The length of the unit that stands here.
fn unit(bytes: &[u8]) -> Option<usize> {
    let at = |index: usize| bytes.get(index).map_or(0, u8::to_ascii_lowercase);
    match (at(0), at(1)) {
        (b'm', b'o' | b's') | (b'u' | b'n', b's') => Some(2),
        (0xc2, 0xb5) if at(2) == b's' => Some(3),
        (b'y' | b'w' | b'd' | b'h' | b'm' | b's', _) => Some(1),
        _ => None,
    }
}

/// The length of `P1Y2M3DT4H5M6S`, `P2W` or `P0001-02-03T04:05:06`, in upper case.
fn iso_duration(bytes: &[u8]) -> Option<usize> {
    const ALTERNATIVE: &[u8] = b"Pdddd-dd-ddTdd:dd:dd";
    let fits = |(&byte, &form): (&u8, &u8)| if form == b'd' { byte.is_ascii_digit() } else { byte == form };
    if bytes.len() >= ALTERNATIVE.len() && bytes.iter().zip(ALTERNATIVE).all(fits) {
        return Some(ALTERNATIVE.len());
    }
    let weeks = digits(bytes.get(1..)?);
    if weeks > 0 && bytes.get(1 + weeks) == Some(&b'W') {
        return Some(weeks + 2);
    }
    let mut length = 1 + parts(&bytes[1..], b"YMD");
    if bytes.get(length) == Some(&b'T') {
        let time = parts(&bytes[length + 1..], b"HMS");
        length += if time > 0 { time + 1 } else { 0 };
    }
    (length > 1).then_some(length)
}

/// The length of numbers each followed by one of the designators, in their order.
fn parts(bytes: &[u8], designators: &[u8]) -> usize {
    let mut length = 0;
    for designator in designators {
        let count = digits(&bytes[length..]);
        if count > 0 && bytes.get(length + count) == Some(designator) {
            length += count + 1;
        }
    }
    length
}
