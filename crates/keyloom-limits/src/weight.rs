//! How large rows are, as the engine counts them.

use keyloom_store::{ColumnAt, Dialect, Fault, GroupSizes, Millis, Placing, Row, RowSizes, Shape, State};
use keyloom_value::Value;

use crate::tables::Held;

/// The sizes of a row as it is stored.
pub(crate) fn stored(shape: &Shape, row: &Row) -> Result<RowSizes, Fault> {
    let table = shape.table();
    let key = row.key(shape)?;
    let mut groups = Vec::with_capacity(table.groups.len());
    for (group, columns) in table.groups.iter().enumerate() {
        let section = row.section(group)?;
        groups.push(match section.state {
            State::Never => GroupSizes::Never,
            State::Removed { at } => GroupSizes::Removed { version: section.version, at },
            State::Put { expires_at } => {
                let cells = (0..columns.columns.len()).map(|column| row.value(shape, ColumnAt::Cell { group, column }));
                let cells = cells.collect::<Result<Vec<Value<'_>>, _>>()?;
                GroupSizes::of(table, group, section.version, expires_at, &cells)?
            }
        });
    }
    Ok(RowSizes::of_groups(table, &key, groups)?)
}

/// The sizes of a row that is placed, over what stood there.
pub(crate) fn placed(
    shape: &Shape,
    key: &[Value<'_>],
    placing: &Placing<'_>,
    old: Option<&RowSizes>,
    now: Millis,
) -> Result<RowSizes, Fault> {
    let table = shape.table();
    let mut groups = vec![GroupSizes::Never; table.groups.len()];
    if let Some(old) = old {
        groups.clone_from_slice(&old.groups);
    }
    match placing {
        Placing::Put { groups: images, expires_at } => {
            for image in *images {
                groups[image.group] = GroupSizes::of(table, image.group, image.version, *expires_at, image.values)?;
            }
        }
        Placing::Remove { groups: removed } => {
            for (group, version) in *removed {
                groups[*group] = GroupSizes::Removed { version: *version, at: now };
            }
        }
    }
    Ok(RowSizes::of_groups(table, key, groups)?)
}

/// The bytes of a row of a table.
pub(crate) fn bytes(dialect: &dyn Dialect, held: &Held, sizes: &RowSizes) -> u64 {
    dialect.row_bytes(held.table(), &held.index_tables(), sizes)
}

/// Tombstones that a row is which has ended: one for each of its cells, and for those in which the engine keeps its version
/// and its end.
pub(crate) fn ended_cells(sizes: &RowSizes) -> u64 {
    let cells = |group: &GroupSizes| match group {
        GroupSizes::Put { cells, .. } => cells.iter().filter(|size| !size.is_absent()).count() as u64 + 2,
        GroupSizes::Never | GroupSizes::Removed { .. } => 0,
    };
    sizes.groups.iter().map(cells).sum()
}
