//! How much work a text may be to parse.

use std::cell::Cell;
use std::ops::ControlFlow;

/// The bytes that the parser is handed at a time.
const CHUNK: usize = 4096;

/// How much work a text may be to parse. Counted, not timed: the same text is given up on everywhere or nowhere.
///
/// The parser asks for each chunk of the text about twice, or up to fifty times in a small file; a text that makes it lex
/// the rest again and again asks for thousands. And it reports progress every hundred operations: once for 50 to 250 bytes
/// of a program.
pub(super) struct Patience {
    chunks: Cell<usize>,
    steps: Cell<usize>,
    length: usize,
}

impl Patience {
    pub fn of(text: &str) -> Self {
        Self { chunks: Cell::new(0), steps: Cell::new(0), length: text.len() }
    }

    pub fn lasts(&self) -> bool {
        self.chunks.get() <= 2_000 + 64 * (self.length / CHUNK) && self.steps.get() <= 500 + self.length / 24
    }

    /// The next bytes; none when patience is at its end, as if the text were.
    pub fn chunk<'t>(&self, text: &'t [u8], at: usize) -> &'t [u8] {
        self.chunks.set(self.chunks.get() + 1);
        let end = text.len().min(at.saturating_add(CHUNK));
        if self.lasts() { text.get(at..end).unwrap_or_default() } else { &[] }
    }

    pub fn step(&self) -> ControlFlow<()> {
        self.steps.set(self.steps.get() + 1);
        if self.lasts() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
