//! A statement while it is put together: its text so far, where each part comes from, and what is not known.

use std::ops::Range;
use std::sync::Arc;

use keyloom_cql::HOLE;

use crate::snippet::{Hole, Origin, Piece};
use crate::value::Text;

/// Bytes beyond which a statement is not followed.
const BYTES_MAX: usize = 256 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub text: String,
    pub pieces: Vec<Piece>,
    pub holes: Vec<Hole>,
    pub dynamic: bool,
    pub rewritten: bool,
    pub origin: Option<Origin>,
    /// The answers to questions for which this is the text.
    pub answers: Vec<(Arc<str>, u32)>,
    /// How many of its optional parts are there.
    pub taken: u32,
    /// How many are not.
    pub left: u32,
}

impl Draft {
    pub fn of(text: &Text, unit: usize) -> Self {
        let piece = |part: &crate::value::Part| Piece {
            text: part.text.clone(),
            unit,
            at: part.at.clone(),
            verbatim: part.verbatim,
        };
        Self { text: text.text.clone(), pieces: text.parts.iter().map(piece).collect(), ..Self::default() }
    }

    pub fn hole(name: &str, unit: usize, at: Range<u32>, values: Vec<String>) -> Self {
        let text = format!("{HOLE}{name}{HOLE}");
        let range = 0..text.len() as u32;
        let hole = Hole { name: name.to_owned(), text: range.clone(), values };
        let piece = Piece { text: range, unit, at, verbatim: false };
        let pieces = if piece.at.is_empty() { Vec::new() } else { vec![piece] };
        Self { text, pieces, holes: vec![hole], ..Self::default() }
    }

    /// The same for one more answer; none if it contradicts the others.
    pub fn answered(mut self, answer: Option<(Arc<str>, u32)>) -> Option<Self> {
        let Some((question, branch)) = answer else { return Some(self) };
        match self.answers.iter().find(|(known, _)| *known == question) {
            Some((_, known)) if *known != branch => return None,
            Some(_) => {}
            None => self.answers.push((question, branch)),
        }
        Some(self)
    }

    /// The same as the one of several that are there or not, as a whole: what is optional within it depends on it.
    pub fn optional(mut self) -> Self {
        if !self.is_mixed() {
            (self.taken, self.left) = if self.text.is_empty() { (0, 1) } else { (1, 0) };
        }
        self
    }

    /// Whether some of several optional parts are there and others are not. Which of these combinations anybody asks for is
    /// not known.
    pub fn is_mixed(&self) -> bool {
        self.taken > 0 && self.left > 0
    }

    /// Whether both can be parts of one text: no question is answered in two ways.
    pub fn agrees(&self, other: &Self) -> bool {
        self.answers.iter().all(|(question, branch)| {
            let mut answers = other.answers.iter();
            answers.all(|(known, answer)| known != question || answer == branch)
        })
    }

    /// A text that is not followed any further.
    pub fn lost(unit: usize, at: Range<u32>) -> Self {
        Self { dynamic: true, ..Self::hole("too_long", unit, at, Vec::new()) }
    }

    pub fn append(&mut self, other: &Self) {
        if self.text.len() + other.text.len() > BYTES_MAX {
            self.dynamic = true;
            return;
        }
        let shift = self.text.len() as u32;
        let moved = |range: &Range<u32>| range.start + shift..range.end + shift;
        self.text.push_str(&other.text);
        self.pieces.extend(other.pieces.iter().map(|piece| Piece { text: moved(&piece.text), ..piece.clone() }));
        self.holes.extend(other.holes.iter().map(|hole| Hole { text: moved(&hole.text), ..hole.clone() }));
        self.dynamic |= other.dynamic;
        self.rewritten |= other.rewritten;
        self.origin = self.origin.max(other.origin);
        self.taken = self.taken.saturating_add(other.taken);
        self.left = self.left.saturating_add(other.left);
        for answer in &other.answers {
            if !self.answers.contains(answer) {
                self.answers.push(answer.clone());
            }
        }
    }

    /// A part of it.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let (start, end) = (range.start as u32, range.end as u32);
        let within = |inner: &Range<u32>| inner.start.max(start)..inner.end.min(end);
        let moved = |inner: &Range<u32>| inner.start - start..inner.end - start;
        let mut part = Self { text: self.text[range].to_owned(), ..self.clone_flags() };
        for piece in &self.pieces {
            let kept = within(&piece.text);
            if kept.is_empty() {
                continue;
            }
            let at = if piece.verbatim {
                piece.at.start + (kept.start - piece.text.start)..piece.at.end - (piece.text.end - kept.end)
            } else {
                piece.at.clone()
            };
            part.pieces.push(Piece { text: moved(&kept), at, ..piece.clone() });
        }
        for hole in &self.holes {
            if hole.text.start >= start && hole.text.end <= end {
                part.holes.push(Hole { text: moved(&hole.text), ..hole.clone() });
            }
        }
        part
    }

    fn clone_flags(&self) -> Self {
        Self {
            dynamic: self.dynamic,
            rewritten: self.rewritten,
            origin: self.origin,
            answers: self.answers.clone(),
            taken: self.taken,
            left: self.left,
            ..Self::default()
        }
    }

    /// The same with each of the ranges, which are in order, replaced.
    pub fn replaced(&self, parts: &[(Range<usize>, Self)]) -> Self {
        let mut whole = self.clone_flags();
        let mut from = 0;
        for (range, with) in parts {
            whole.append(&self.slice(from..range.start));
            whole.append(with);
            from = range.end;
        }
        whole.append(&self.slice(from..self.text.len()));
        whole
    }
}
