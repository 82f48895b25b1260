//! What the embedded store keeps and does, known without a folder.

use keyloom_store::{Abilities, Call, Dialect, GroupSizes, RowChange, RowSizes, Table, ValueSize, Work};

use crate::shared::abilities;

/// The embedded store as it is known without a folder.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedDialect;

/// From so many bytes of values on the ends of cells are wide.
const NARROW_MAX: u64 = 0x7FFF;

impl Dialect for EmbeddedDialect {
    fn abilities(&self) -> Abilities {
        abilities()
    }

    /// As [`keyloom_store::Row::size`] counts: key form, and a section for each column group.
    fn row_bytes(&self, table: &Table, _: &[&Table], sizes: &RowSizes) -> u64 {
        let kinds = table.partition.iter().map(|column| &column.kind);
        let kinds = kinds.chain(table.sort.iter().map(|column| &column.kind));
        let key: u64 = kinds.zip(&sizes.key).map(|(kind, size)| size.key_bytes(kind)).sum();
        let sections = (0..table.groups.len()).map(|group| section_bytes(table, group, sizes.groups.get(group)));
        sections.fold(key + 1, u64::saturating_add)
    }

    fn index_row_bytes(&self, _: &Table, _: &Table, _: &RowSizes) -> Option<u64> {
        None
    }

    /// A tree holds a prefix of equal keys once, and compresses: it takes no more than the bytes of its rows.
    fn beside_row_bytes(&self) -> u64 {
        0
    }

    fn partition_bytes(&self, _: &Table, _: &RowSizes) -> u64 {
        0
    }

    fn work(&self, call: &Call<'_>) -> Work {
        match call {
            Call::Get { bytes, .. } => Work { reads: 1, read_rows: 1, read_bytes: *bytes, ..Work::default() },
            Call::Slice { rows, bytes, .. } => {
                Work { reads: 1, read_rows: *rows, read_bytes: *bytes, ..Work::default() }
            }
            Call::Decide { rows } => {
                let along = rows.get(1..).unwrap_or_default();
                Work { decisions: 1, ..batch(along) }
            }
            Call::Place { rows, together: true } if rows.len() > 1 => batch(rows),
            Call::Place { rows, .. } => {
                Work { writes: rows.len() as u64, write_bytes: written(rows), ..Work::default() }
            }
        }
    }
}

/// Rows that are written all or none.
fn batch(rows: &[RowChange<'_>]) -> Work {
    let batches = u64::from(!rows.is_empty());
    Work { batches, batch_rows: rows.len() as u64, batch_bytes: written(rows), ..Work::default() }
}

fn written(rows: &[RowChange<'_>]) -> u64 {
    rows.iter().fold(0, |sum, row| sum.saturating_add(row.new))
}

fn section_bytes(table: &Table, group: usize, sizes: Option<&GroupSizes>) -> u64 {
    match sizes {
        None | Some(GroupSizes::Never) => 1,
        Some(GroupSizes::Removed { .. }) => 1 + 8 + 8 + 4,
        Some(GroupSizes::Put { expires_at, cells, .. }) => {
            let end = if expires_at.is_some() { 8 } else { 0 };
            (1 + 8 + end + 4u64).saturating_add(cells_bytes(table, group, cells))
        }
    }
}

fn cells_bytes(table: &Table, group: usize, cells: &[ValueSize]) -> u64 {
    let columns = &table.groups[group].columns;
    let values = columns.iter().zip(cells).map(|(column, size)| size.canonical_bytes(&column.kind));
    let values = values.fold(0, u64::saturating_add);
    let width = if values > NARROW_MAX { 4 } else { 2 };
    (2 + width * cells.len() as u64).saturating_add(values)
}
