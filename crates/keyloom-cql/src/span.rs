use std::ops::Range;

/// A stretch of bytes of the text that was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The span of these bytes. A text is limited to far less than 4 GiB before it gets here.
    pub fn new(bytes: Range<usize>) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(bytes.start), end: narrow(bytes.end) }
    }

    /// The bytes, for slicing the text.
    pub fn bytes(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the start of this span to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.end) }
    }
}
