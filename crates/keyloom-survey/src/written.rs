use std::sync::Arc;

use keyloom_cql::ast::Statement;
use keyloom_cql::{HOLE, Span};
use keyloom_finding::{FileId, Place};

/// A statement and where it is written.
#[derive(Debug, Clone)]
pub struct Written {
    /// The statement; its spans count bytes of `text`.
    pub statement: Statement,
    /// The text that was parsed, with holes. The statements of one file share it.
    pub text: Arc<str>,
    /// The keyspace that a `USE` before it chose.
    pub keyspace: Option<String>,
    /// Where the bytes of the text come from, in their order.
    pub pieces: Arc<[Piece]>,
    /// The whole statement, or the expression that builds it.
    pub whole: Place,
}

/// A run of bytes of a statement's text, and where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The bytes of the text.
    pub text: Span,
    /// The file.
    pub file: FileId,
    /// The first byte of it in the file.
    pub start: u32,
    /// The byte after the last. As long as the text where it is written word for word, else of another length.
    pub end: u32,
}

impl Written {
    /// Where a part of the statement is written: exact within one piece that is written word for word, else as much as the
    /// pieces around it say.
    pub fn place(&self, at: Span) -> Place {
        place(&self.pieces, at).unwrap_or(self.whole)
    }

    /// The statement's own text, with holes.
    pub fn statement_text(&self) -> &str {
        self.text.get(self.statement.span.bytes()).unwrap_or("")
    }

    /// What stands in its holes, each once and in its order.
    pub fn holes(&self) -> Vec<String> {
        let mut holes: Vec<String> = Vec::new();
        for name in self.statement_text().split(HOLE).skip(1).step_by(2) {
            if !holes.iter().any(|known| known == name) {
                holes.push(name.to_owned());
            }
        }
        holes
    }
}

/// Where a part of a text is written.
pub(crate) fn place(pieces: &[Piece], at: Span) -> Option<Place> {
    let end = at.end.max(at.start + 1);
    let from = pieces.partition_point(|piece| piece.text.end <= at.start);
    let to = from + pieces[from..].partition_point(|piece| piece.text.start < end);
    let (first, last) = (pieces.get(from)?, pieces[from..to].last()?);
    let (start, first_end) = first.bytes_of(at);
    let last_end = (last.file == first.file && last.end >= first.start).then(|| last.bytes_of(at).1);
    Some(Place { file: first.file, start, end: last_end.unwrap_or(first_end).max(start) })
}

impl Piece {
    /// The bytes of the file that the common part of this piece and `at` stands in.
    fn bytes_of(self, at: Span) -> (u32, u32) {
        if self.end - self.start != self.text.end - self.text.start {
            return (self.start, self.end);
        }
        let start = self.start + at.start.saturating_sub(self.text.start);
        let end = self.start + (at.end.min(self.text.end)).saturating_sub(self.text.start);
        (start, end)
    }
}
