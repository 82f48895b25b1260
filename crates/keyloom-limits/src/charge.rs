//! What a call takes of which partition, by the dialect alone.

use keyloom_store::{Call, Dialect, IndexChange, RowChange, TableId, Work};

/// What one partition has to give for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) table: TableId,
    pub(crate) partition: Vec<u8>,
    pub(crate) read_half_units: u64,
    pub(crate) write_units: u64,
}

impl Charge {
    pub(crate) fn new(table: TableId, partition: &[u8], work: Work) -> Self {
        Self {
            table,
            partition: partition.to_vec(),
            read_half_units: work.read_half_units,
            write_units: work.write_units,
        }
    }
}

/// What a row takes of its own partition: half of two equal ones where it has company.
pub(crate) fn row(dialect: &dyn Dialect, old: u64, new: u64, company: bool) -> Work {
    let row = RowChange { old, new, indexes: &[] };
    if !company {
        return dialect.work(&Call::Place { rows: &[row], together: false });
    }
    let two = dialect.work(&Call::Decide { rows: &[row, row] });
    Work { write_units: two.write_units / 2, ..Work::default() }
}

/// What a change takes of a partition of an index: what a row costs with it, less what it costs without.
pub(crate) fn entry(dialect: &dyn Dialect, change: IndexChange) -> Work {
    let with = RowChange { old: 0, new: 0, indexes: &[change] };
    let with = dialect.work(&Call::Place { rows: &[with], together: false }).write_units;
    let without = dialect.work(&Call::Place { rows: &[RowChange::default()], together: false }).write_units;
    Work { write_units: with - without, ..Work::default() }
}
