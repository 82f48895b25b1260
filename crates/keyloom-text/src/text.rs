//! A scalar's text with the way back to its bytes in the file.

use std::ops::Range;

use keyloom_finding::{Place, Sources};

use crate::yaml::Node;

/// The text of a scalar. Small parsers work on `text` and speak in ranges of it; `place` turns a range into the bytes
/// of the file, also where the scalar is quoted, escaped or folded over several lines.
#[derive(Debug, Clone)]
pub struct Text {
    /// What is to be parsed.
    pub text: String,
    place: Place,
    /// For each byte of `text`, and one past its end: where it stands in the file. Empty when it simply begins at the
    /// start of `place`.
    offsets: Vec<u32>,
}

impl Text {
    /// A text that stands in the file exactly as it is, from the start of `place`.
    pub fn verbatim(text: impl Into<String>, place: Place) -> Self {
        Self { text: text.into(), place, offsets: Vec::new() }
    }

    /// The text of a scalar node; empty for other nodes.
    pub(crate) fn of(node: &Node, sources: &Sources) -> Self {
        let text = node.scalar().map_or("", |scalar| &scalar.text);
        let raw = sources.text(node.place);
        let offsets = if raw.starts_with(text) && raw.len() == text.len() {
            Vec::new()
        } else {
            align(raw, text, node.place.start)
        };
        Self { text: text.to_owned(), place: node.place, offsets }
    }

    /// The part of a text from a byte on.
    pub(crate) fn part(whole: &Self, from: usize) -> Self {
        let text = whole.text.get(from..).unwrap_or("").to_owned();
        let offsets = whole.offsets.get(from..).unwrap_or(&[]).to_vec();
        let start = if offsets.is_empty() { whole.place(from..from).start } else { whole.place.start };
        Self { text, place: Place { start, ..whole.place }, offsets }
    }

    /// The whole scalar, quotes included.
    pub fn whole(&self) -> Place {
        self.place
    }

    /// Where a range of the text stands in the file. An empty range is the point before its byte.
    pub fn place(&self, range: Range<usize>) -> Place {
        let at = |offset: usize| match self.offsets.get(offset).or(self.offsets.last()) {
            Some(&byte) => byte,
            None => self.place.start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX)),
        };
        let start = at(range.start).min(self.place.end);
        // The end is one past the last byte, so that a closing quote or a folded line is not taken in.
        let end = if range.end > range.start { at(range.end - 1).saturating_add(1) } else { start };
        Place { start, end: end.clamp(start, self.place.end.max(start)), ..self.place }
    }
}

/// Maps each byte of `text` to the byte of the file it came from, by walking both side by side.
fn align(raw: &str, text: &str, base: u32) -> Vec<u32> {
    let raw_bytes = raw.as_bytes();
    let double = raw_bytes.first() == Some(&b'"');
    let mut at = usize::from(matches!(raw_bytes.first(), Some(b'"' | b'\'')));
    let mut offsets = Vec::with_capacity(text.len() + 1);
    let narrow = |at: usize| base.saturating_add(u32::try_from(at.min(raw.len())).unwrap_or(u32::MAX));
    for character in text.chars() {
        // White space in the file that the text does not have is indentation or a folded line.
        let rest = raw.get(at..).unwrap_or("");
        if !rest.starts_with(character) {
            let skipped = rest.len() - rest.trim_start().len();
            let after = &rest[skipped..];
            if character.is_whitespace() && skipped > 0 {
                offsets.extend(std::iter::repeat_n(narrow(at), character.len_utf8()));
                at += skipped;
                continue;
            }
            if after.starts_with(character) {
                at += skipped;
            } else if double && after.starts_with('\\') {
                at += skipped;
                offsets.extend(std::iter::repeat_n(narrow(at), character.len_utf8()));
                at += escape_length(after);
                continue;
            }
        }
        let doubled_quote = character == '\'' && !double && raw.get(at..).is_some_and(|rest| rest.starts_with("''"));
        for byte in 0..character.len_utf8() {
            offsets.push(narrow(at + byte));
        }
        at += if doubled_quote { 2 } else { character.len_utf8() };
    }
    offsets.push(narrow(at));
    offsets
}

/// The length of an escape sequence of a double-quoted scalar, from its backslash on.
fn escape_length(raw: &str) -> usize {
    let hex_digits = match raw.as_bytes().get(1) {
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        _ => 0,
    };
    let named = raw.chars().nth(1).map_or(0, char::len_utf8);
    (1 + named + hex_digits).min(raw.len())
}
