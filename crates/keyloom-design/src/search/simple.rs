//! How simple a design is.

use super::scale::{At, Scale};

/// How simple a design is, the simplest first: how much of a layout that is in use it changes, and how many tables it has beside those
/// that must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Simplicity {
    changes: i64,
    tables: i64,
}

impl Simplicity {
    /// Of tables of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { changes: self.changes + other.changes, tables: self.tables + other.tables }
    }
}

impl Scale<'_> {
    /// Of a whole design.
    pub(crate) fn simplicity(&self, design: &[At]) -> Simplicity {
        let mut used: Vec<At> = design.to_vec();
        used.sort_unstable();
        used.dedup();
        used.into_iter().fold(self.simplicity_of_none(), |sum, at| sum.plus(self.simplicity_of(at)))
    }

    /// Of a design without tables: all that are in use are gone.
    pub(crate) fn simplicity_of_none(&self) -> Simplicity {
        Simplicity { changes: i64::try_from(self.standing_tables()).unwrap_or(i64::MAX), tables: 0 }
    }

    /// What one table adds: a table that is in use is one change less.
    pub(crate) fn simplicity_of(&self, at: At) -> Simplicity {
        match at {
            At::Must(_) => Simplicity::default(),
            At::Shape(at) if self.shapes[at].1.stands() => Simplicity { changes: -1, tables: 1 },
            At::Shape(_) => Simplicity { changes: i64::from(self.is_standing()), tables: 1 },
        }
    }
}
