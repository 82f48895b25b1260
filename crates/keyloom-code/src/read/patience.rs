//! How much work a text may be to parse, and what a parser can't bear at all.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::Language;

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

/// Whether a text has what takes the parser of its language down: that of Ruby keeps the length of a here-document's word in
/// one byte, and ends the whole process when the word is longer.
pub(super) fn is_unbearable(language: Language, text: &str) -> bool {
    const WORD_MAX: usize = 255;
    let is_long = |(at, sign): (usize, &str)| {
        let rest = &text[at + sign.len()..];
        let rest = rest.strip_prefix(['-', '~']).unwrap_or(rest);
        let quote = rest.chars().next().filter(|letter| ['"', '\'', '`'].contains(letter));
        let word = rest.chars().skip(quote.map_or(0, |_| 1)).take(WORD_MAX + 1);
        let goes_on = |letter: &char| match quote {
            Some(quote) => *letter != quote,
            None => letter.is_alphanumeric() || *letter == '_',
        };
        word.take_while(goes_on).count() > WORD_MAX
    };
    language == Language::Ruby && text.match_indices("<<").any(is_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_here_documents_may_be_as_long_as_a_byte_says() {
        let word = |length: usize| "W".repeat(length);
        for (start, end) in [("<<", ""), ("<<~", ""), ("<<-\"", "\""), ("<<~'", "'")] {
            let text = |length: usize| format!("x = {start}{}{end}\n", word(length));
            assert!(!is_unbearable(Language::Ruby, &text(255)), "{start}");
            assert!(is_unbearable(Language::Ruby, &text(256)), "{start}");
        }
        let appended = format!("x << '{}'", word(300));
        assert!(!is_unbearable(Language::Ruby, &appended), "a blank behind it makes it an operator");
        assert!(!is_unbearable(Language::Go, &format!("<<{}", word(300))));
    }
}
