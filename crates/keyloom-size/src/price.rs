//! What calls cost: each by the dialect of the engine, on typical rows.

use keyloom_store::{Call, IndexChange, RowChange, Work};

use crate::effort::{Cost, Effort, effort};
use crate::ground::Ground;
use crate::quantity::Between;
use crate::visits::{ALWAYS, Becomes, Beside, InIndex, Often, RowVisit, Visit, Visits};

impl Ground<'_> {
    /// What a call makes the engine do.
    pub fn work(&self, visit: &Visit) -> Work {
        match visit {
            Visit::Get { table, freshness } => {
                self.dialect.work(&Call::Get { bytes: self.bytes(table).typical, freshness: *freshness })
            }
            Visit::Slice { table, rows, freshness } => {
                let bytes = rows.saturating_mul(self.bytes(table).typical);
                self.dialect.work(&Call::Slice { rows: *rows, bytes, freshness: *freshness })
            }
            Visit::Decide { rows } => {
                let indexes: Vec<Vec<IndexChange>> = rows.iter().map(|row| self.index_changes(row)).collect();
                let rows: Vec<RowChange<'_>> =
                    rows.iter().zip(&indexes).map(|(row, indexes)| self.row_change(row, indexes)).collect();
                self.dialect.work(&Call::Decide { rows: &rows })
            }
            Visit::Place { row } => {
                let indexes = self.index_changes(row);
                let rows = [self.row_change(row, &indexes)];
                self.dialect.work(&Call::Place { rows: &rows, together: false })
            }
        }
    }

    /// The bytes of a row before and after a call.
    pub fn row_change<'b>(&self, row: &RowVisit, indexes: &'b [IndexChange]) -> RowChange<'b> {
        let bytes = self.bytes(&row.table);
        let (old, new) = match row.becomes {
            Becomes::New => (0, bytes.typical),
            Becomes::Changed | Becomes::Checked => (bytes.typical, bytes.typical),
            Becomes::Gone => (bytes.typical, bytes.trace),
        };
        RowChange { old, new, indexes }
    }

    /// The bytes of a row in the indexes of its table, before and after a call.
    pub fn index_changes(&self, row: &RowVisit) -> Vec<IndexChange> {
        let change = |(index, change): &(String, InIndex)| {
            let held = self.bytes(index).typical;
            match change {
                InIndex::Enters => IndexChange::Enters { new: held },
                InIndex::Stays => IndexChange::Stays { old: held, new: held },
                InIndex::Moves => IndexChange::Moves { old: held, new: held },
                InIndex::Leaves => IndexChange::Leaves { old: held },
            }
        };
        row.indexes.iter().map(change).collect()
    }

    /// What the calls of a plan cost.
    pub(crate) fn cost(&self, visits: &Visits) -> Cost {
        let mut cost = Cost { without: visits.without.clone(), ..Cost::default() };
        for (at, row) in visits.decision.iter().enumerate() {
            cost = cost.plus(self.decided(visits, at, row));
        }
        visits.beside.iter().fold(cost, |cost, beside| cost.plus(self.beside(beside)))
    }

    /// One row of a decision: what it costs depends on whether it has company.
    pub(crate) fn decided(&self, visits: &Visits, at: usize, row: &Often<RowVisit>) -> Cost {
        let mut others = visits.decision.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, row)| row);
        let surely = row.millionths.low > ALWAYS || others.clone().any(|other| other.millionths.low >= ALWAYS);
        let perhaps = row.millionths.high > ALWAYS || others.any(|other| other.millionths.high > 0);
        let least = self.decided_row(&row.least, surely).often(Between::exactly(row.millionths.low));
        least.or(self.decided_row(&row.most, perhaps).often(Between::exactly(row.millionths.high)))
    }

    pub(crate) fn decided_row(&self, row: &RowVisit, together: bool) -> Cost {
        let rows = vec![row.clone(); if together { 2 } else { 1 }];
        let effort = self.effort(&Visit::Decide { rows });
        // What a row costs in company: half of two equal ones.
        let effort = if together { effort.part(1, 2) } else { effort };
        Cost::on(&row.table, Effort { decisions: 1_000, ..written(effort, row) })
    }

    pub(crate) fn beside(&self, beside: &Beside) -> Cost {
        let Between { low, high } = beside.visit.millionths;
        let least = self.visited(&beside.visit.least).often(Between::exactly(low));
        let most = self.visited(&beside.visit.most).often(Between::exactly(high));
        let mut cost = least.or(most);
        if let Some((worst, millionths)) = &beside.worst {
            cost.tables = self.visited(worst).often(Between::exactly(*millionths)).tables;
        }
        if beside.looked_up { cost.into_looked_up() } else { cost }
    }

    fn visited(&self, visit: &Visit) -> Cost {
        match visit {
            Visit::Get { table, .. } | Visit::Slice { table, .. } => Cost::on(table, self.effort(visit)),
            Visit::Place { row } => Cost::on(&row.table, written(self.effort(visit), row)),
            Visit::Decide { rows } => {
                let together = rows.len() > 1;
                rows.iter().fold(Cost::default(), |cost, row| cost.plus(self.decided_row(row, together)))
            }
        }
    }

    fn effort(&self, visit: &Visit) -> Effort {
        effort(&self.work(visit), self.nanos.as_ref())
    }
}

/// A row that is only looked at within a decision is not written.
fn written(effort: Effort, row: &RowVisit) -> Effort {
    let one = |is: bool| if is { 1_000 } else { 0 };
    Effort { rows: one(row.becomes != Becomes::Checked), removed: one(row.becomes == Becomes::Gone), ..effort }
}
