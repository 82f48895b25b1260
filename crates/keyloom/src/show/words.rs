//! Sentences in which tables and patterns can be told from other words: a page makes links of them, a terminal does not.

use std::fmt;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Table(String),
    Pattern(String),
}

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Words(pub Vec<Piece>);

impl Words {
    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    pub(crate) fn table(mut self, name: impl Into<String>) -> Self {
        self.0.push(Piece::Table(name.into()));
        self
    }

    pub(crate) fn pattern(mut self, name: impl Into<String>) -> Self {
        self.0.push(Piece::Pattern(name.into()));
        self
    }

    /// This sentence and others, with something between them.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for words in all {
            if !joined.0.is_empty() {
                joined = joined.text(between);
            }
            joined.0.extend(words.0);
        }
        joined
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self::default().text(text)
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) | Piece::Table(text) | Piece::Pattern(text) => f.write_str(text),
        })
    }
}
