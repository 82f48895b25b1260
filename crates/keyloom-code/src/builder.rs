//! Statements that a program puts together by calls.

use std::ops::Range;

use crate::value::Shared;

/// A statement under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Built {
    pub at: Range<u32>,
    pub clauses: Vec<Shared>,
}

impl Built {
    pub fn values(&self) -> impl Iterator<Item = &Shared> {
        self.clauses.iter()
    }
}
