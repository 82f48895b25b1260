use keyloom_cql::Span;
use keyloom_cql::ast::Statement;
use keyloom_finding::{FileId, Place};

/// A statement and where it is written.
#[derive(Debug, Clone)]
pub struct Written {
    /// The statement; its spans count bytes of `text`.
    pub statement: Statement,
    /// The text that was parsed, with holes.
    pub text: String,
    /// The keyspace that a `USE` before it chose.
    pub keyspace: Option<String>,
    /// Where the bytes of the text come from, in their order.
    pub pieces: Vec<Piece>,
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
        let touched = |piece: &&Piece| piece.text.start < at.end.max(at.start + 1) && at.start < piece.text.end;
        let mut pieces = self.pieces.iter().filter(touched);
        let Some(first) = pieces.next() else { return self.whole };
        let last = pieces.next_back().filter(|last| last.file == first.file && last.end >= first.start);
        let (start, first_end) = first.bytes_of(at);
        let end = last.map_or(first_end, |last| last.bytes_of(at).1);
        Place { file: first.file, start, end: end.max(start) }
    }
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
