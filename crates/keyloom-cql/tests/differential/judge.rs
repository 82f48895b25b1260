//! Our own verdict.

use keyloom_cql::parse::parse;

/// What we say to a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Legal,
    NeedsFiltering(String),
    Illegal(String),
    Malformed(String),
}

/// The schema that statements are judged by.
pub struct Judge;

impl Judge {
    pub fn new(_ddl: &[String]) -> Self {
        Self
    }
    pub fn judge(&self, text: &str) -> Verdict {
        let s = parse(text);
        match s.faults.first() {
            Some(f) => Verdict::Malformed(f.message.clone()),
            None => Verdict::Legal,
        }
    }
}
