//! What a small parser says when it can't go on.

use std::ops::Range;

/// A fault in a scalar's text: what is wrong with which bytes of it, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// What is wrong, as a sentence: "`m` could be minutes or months".
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Fault {
    /// A fault at these bytes.
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), help: None }
    }

    /// The same fault with a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
