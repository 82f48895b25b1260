//! Which calls a plan makes, by tables: what is priced, and what a test makes on a real server to see what is counted.

use std::collections::BTreeSet;

use keyloom_store::Freshness;

use crate::quantity::Between;

/// Always, in millionths.
pub(crate) const ALWAYS: u128 = 1_000_000;

/// A call of the store, on typical rows of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visit {
    /// One row by its key.
    Get {
        /// The table.
        table: String,
        /// How much it must have seen.
        freshness: Freshness,
    },
    /// Rows of one partition.
    Slice {
        /// The table, or an index.
        table: String,
        /// How many are looked at.
        rows: u64,
        /// How much it must have seen.
        freshness: Freshness,
    },
    /// Rows that are decided together, the one that it is about first.
    Decide {
        /// At least one.
        rows: Vec<RowVisit>,
    },
    /// A row that is placed.
    Place {
        /// It.
        row: RowVisit,
    },
}

/// What a call does with a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowVisit {
    /// Its table.
    pub table: String,
    /// What becomes of it.
    pub becomes: Becomes,
    /// What becomes of it in the indexes of its table, by their names. Those that it does not stand in are left out.
    pub indexes: Vec<(String, InIndex)>,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Becomes {
    /// It was not there.
    New,
    /// It was there, and is another.
    Changed,
    /// It was there, and is not any more.
    Gone,
    /// It is only looked at within a decision.
    Checked,
}

/// What becomes of a row in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InIndex {
    /// It was not in it.
    Enters,
    /// It has the same key there.
    Stays,
    /// It has another key there.
    Moves,
    /// It is not in it any more.
    Leaves,
}

impl RowVisit {
    pub(crate) fn of(table: &str, becomes: Becomes) -> Self {
        Self { table: table.to_owned(), becomes, indexes: Vec::new() }
    }
}

/// Something between two bounds: the least that it is and how often then, the most and how often then, in millionths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Often<T> {
    /// What it is at least.
    pub least: T,
    /// What it is at most.
    pub most: T,
    /// How often it comes with one call of its pattern.
    pub millionths: Between<u128>,
}

impl<T: Clone> Often<T> {
    pub(crate) fn exactly(what: T, millionths: Between<u128>) -> Self {
        Self { least: what.clone(), most: what, millionths }
    }

    pub(crate) fn once(what: T) -> Self {
        Self::exactly(what, Between::exactly(ALWAYS))
    }

    pub(crate) fn times(mut self, times: Between<u128>) -> Self {
        let of = |millionths: u128, times: u128| millionths.saturating_mul(times);
        self.millionths.low = of(self.millionths.low, times.low);
        self.millionths.high = of(self.millionths.high, times.high);
        self
    }
}

/// A call beside the decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// It.
    pub visit: Often<Visit>,
    /// The same in the largest group, and how often, where that is another.
    pub(crate) worst: Option<(Visit, u128)>,
    /// Its row is looked up: which one has nothing to do with how uneven the calls themselves are.
    pub(crate) looked_up: bool,
}

impl From<Often<Visit>> for Beside {
    fn from(visit: Often<Visit>) -> Self {
        Self { visit, worst: None, looked_up: false }
    }
}

/// The calls that a plan makes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visits {
    /// The rows of its decision, the one that it is about first: one call with all that come to it.
    pub decision: Vec<Often<RowVisit>>,
    /// Every other call.
    pub beside: Vec<Beside>,
    /// What is not known well enough to be a call.
    pub without: BTreeSet<String>,
}

impl Visits {
    pub(crate) fn visit(&mut self, visit: Visit, millionths: Between<u128>) {
        self.beside.push(Often::exactly(visit, millionths).into());
    }

    /// Both in one call of the pattern: their decisions are one.
    pub(crate) fn extend(&mut self, other: Self) {
        self.decision.extend(other.decision);
        self.beside.extend(other.beside);
        self.without.extend(other.without);
    }

    /// All of it so many times.
    pub(crate) fn times(mut self, times: Between<u128>) -> Self {
        self.decision = self.decision.into_iter().map(|row| row.times(times)).collect();
        for beside in &mut self.beside {
            beside.visit = beside.visit.clone().times(times);
        }
        self
    }
}
