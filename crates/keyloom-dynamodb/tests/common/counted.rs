//! Calls that were made, what the dialect says that they cost, and how servers count otherwise.

use std::collections::BTreeMap;

use keyloom_dynamodb::DynamoDbDialect;
use keyloom_store::{Call, Dialect, Freshness, IndexChange, RowChange};

/// A way in which a server counts otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// "The total provisioned throughput cost for a write consists of the sum of write capacity units consumed by writing to
    /// the base table and those consumed by updating the global secondary indexes." (Using global secondary indexes in
    /// DynamoDB.) Nothing excepts transactions.
    TransactionsLeaveIndexesOut,
    /// "If an item with the same primary key exists in the table, the operation replaces the item. For calculating
    /// provisioned throughput consumption, the item size that matters is the larger of the two." (Capacity unit consumption
    /// for write operations, PutItem.)
    TransactionsForgetWhatWas,
    /// "DynamoDB performs two underlying reads or writes of every item in the transaction: one to prepare the transaction and
    /// one to commit the transaction." (Capacity management for transactions.) Updates, deletes and checks are counted as
    /// if their items were empty.
    TransactionsSizePutsAlone,
    /// "The size of a number is approximately (number of UTF-8-encoded bytes of attribute name) + (1 byte per two significant
    /// digits) + (1 byte)." (DynamoDB item sizes and formats.) Whether a pair of digits may lie on both sides of the point
    /// is not said; Dynoxide, which was measured beside DynamoDB, does not let it, and neither do we.
    DigitsInOneRow,
}

/// How many bytes smaller a row can be where digits are counted in one row: one for each number with a point.
const POINTS_MAX: u64 = 6;

impl Difference {
    /// A call as this server sees it.
    pub fn seen(self, call: &Asked) -> Asked {
        let mut call = call.clone();
        for row in call.rows.iter_mut().filter(|_| call.what.is_transaction()) {
            match self {
                Self::TransactionsLeaveIndexesOut => row.indexes.clear(),
                Self::TransactionsForgetWhatWas => row.old = if row.action == Action::Put { 0 } else { row.old },
                Self::TransactionsSizePutsAlone if row.action != Action::Put => (row.old, row.new) = (0, 0),
                Self::TransactionsSizePutsAlone | Self::DigitsInOneRow => {}
            }
        }
        if self == Self::DigitsInOneRow {
            call.read_bytes = call.read_bytes.saturating_sub(POINTS_MAX * call.read_rows);
            for row in &mut call.rows {
                row.old = row.old.saturating_sub(POINTS_MAX);
                row.new = row.new.saturating_sub(POINTS_MAX);
            }
        }
        call
    }
}

/// What is written of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Put,
    Update,
    Delete,
    Check,
}

#[derive(Debug, Clone)]
pub struct Row {
    pub action: Action,
    pub old: u64,
    pub new: u64,
    pub indexes: Vec<IndexChange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Get,
    Slice,
    SliceOfIndex,
    Decision,
    Transaction,
    Placed,
    PlacedTogether,
    Removed,
}

impl What {
    pub fn is_transaction(self) -> bool {
        matches!(self, Self::Transaction | Self::PlacedTogether)
    }
}

/// A call that was made.
#[derive(Debug, Clone)]
pub struct Asked {
    pub what: What,
    pub rows: Vec<Row>,
    pub read_rows: u64,
    pub read_bytes: u64,
    pub freshness: Freshness,
}

impl Asked {
    pub fn read(what: What, read_rows: u64, read_bytes: u64, freshness: Freshness) -> Self {
        Self { what, rows: Vec::new(), read_rows, read_bytes, freshness }
    }

    pub fn written(what: What, rows: Vec<Row>) -> Self {
        Self { what, rows, read_rows: 0, read_bytes: 0, freshness: Freshness::Any }
    }

    /// What the dialect says about it, in thousandths of a unit.
    pub fn milliunits(&self) -> u64 {
        let rows: Vec<RowChange<'_>> =
            self.rows.iter().map(|row| RowChange { old: row.old, new: row.new, indexes: &row.indexes }).collect();
        let (bytes, freshness) = (self.read_bytes, self.freshness);
        let call = match self.what {
            What::Get => Call::Get { bytes, freshness },
            What::Slice | What::SliceOfIndex => Call::Slice { rows: self.read_rows, bytes, freshness },
            What::Decision | What::Transaction => Call::Decide { rows: &rows },
            What::Placed | What::Removed => Call::Place { rows: &rows, together: false },
            What::PlacedTogether => Call::Place { rows: &rows, together: true },
        };
        let work = DynamoDbDialect.work(&call);
        work.read_half_units * 500 + work.write_units * 1_000
    }
}

/// What came of calls on one server.
pub struct Tally {
    engine: String,
    differences: Vec<Difference>,
    /// How many were counted as predicted.
    pub equal: BTreeMap<What, u64>,
    /// How many each difference explains.
    pub otherwise: BTreeMap<Difference, u64>,
}

impl Tally {
    pub fn new(engine: &str, differences: &[Difference]) -> Self {
        assert!(differences.len() <= 6);
        let (engine, differences) = (engine.to_owned(), differences.to_vec());
        Self { engine, differences, equal: BTreeMap::new(), otherwise: BTreeMap::new() }
    }

    /// Compares what is predicted for a call with what was counted; a difference that has no name is a failure.
    pub fn judge(&mut self, asked: &Asked, counted: u64, of: &str) {
        let predicted = asked.milliunits();
        if predicted == counted {
            *self.equal.entry(asked.what).or_default() += 1;
            return;
        }
        let (exact, loose): (Vec<&Difference>, Vec<_>) =
            self.differences.iter().partition(|difference| **difference != Difference::DigitsInOneRow);
        let seen = exact.iter().fold(asked.clone(), |asked, difference| difference.seen(&asked));
        let at_least = loose.iter().fold(seen.clone(), |asked, difference| difference.seen(&asked));
        let explained = (at_least.milliunits()..=seen.milliunits()).contains(&counted);
        assert!(explained, "{}: {of}: {predicted} predicted, {counted} counted, {asked:?}", self.engine);
        for difference in exact.into_iter().filter(|difference| difference.seen(asked).milliunits() != predicted) {
            *self.otherwise.entry(*difference).or_default() += 1;
        }
        if seen.milliunits() != counted {
            *self.otherwise.entry(Difference::DigitsInOneRow).or_default() += 1;
        }
    }

    /// A difference that is gone is to be taken out of the list.
    pub fn all_differences_are_there(&self) {
        for difference in &self.differences {
            let there = self.otherwise.contains_key(difference);
            assert!(there, "{} does not differ any more: {difference:?}", self.engine);
        }
    }
}
