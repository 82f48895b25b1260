//! Keys and images as the cells of a statement, looked through before anything is sent.

use keyloom_store::{Abilities, Column, Fault, GroupImage, Millis, Row, RowBuilder, refuse};
use keyloom_value::{Value, key};

use crate::{
    cells::{Absent, Cells},
    ready::Ready,
};

/// From when on a group without an end is not there.
pub(crate) const NEVER: i64 = i64::MAX;

/// How many bytes a row has at least for each byte of its cells: sets, structs and decimals are shorter here than there.
const LONGER_AT_MOST: u64 = 4;

impl Ready {
    /// Writes the components of a whole key.
    pub(crate) fn bind_key(&self, key: &[Value<'_>], abilities: &Abilities, cells: &mut Cells) -> Result<(), Fault> {
        let (partition, sort) = key.split_at(self.shape.table().partition.len().min(key.len()));
        let partition = self.bind_partition(partition, cells)?;
        let first = self.shape.table().partition.len();
        let mut sorted = 0;
        for (at, value) in sort.iter().enumerate() {
            sorted += self.bind_component(first + at, value, cells)?;
        }
        refuse::key_sizes(&self.shape, partition, sorted, abilities)
    }

    /// Writes the components of a partition key; how many bytes it has as Cassandra counts them.
    pub(crate) fn bind_partition(&self, partition: &[Value<'_>], cells: &mut Cells) -> Result<usize, Fault> {
        let mut bytes = 0;
        for (at, value) in partition.iter().enumerate() {
            // Several components are joined, each with its length and an end.
            let joined = if partition.len() > 1 { 3 } else { 0 };
            bytes += self.bind_component(at, value, cells)? + joined;
        }
        Ok(bytes)
    }

    /// Writes one component of a key.
    pub(crate) fn bind_component(&self, at: usize, value: &Value<'_>, cells: &mut Cells) -> Result<usize, Fault> {
        Ok(cells.component(value, &self.shape.key_parts()[at].kind, self.forms[at])?)
    }

    /// Writes the version of a group, its end, and every column.
    pub(crate) fn bind_group(
        &self,
        image: GroupImage<'_>,
        expires_at: Option<Millis>,
        absent: Absent,
        cells: &mut Cells,
    ) -> Result<(), Fault> {
        let columns = &self.shape.table().groups[image.group].columns;
        cells.bigint(image.version.cast_signed());
        cells.bigint(expires_at.map_or(NEVER, |Millis(end)| end));
        for (column, value) in columns.iter().zip(image.values) {
            match value {
                Value::Null => cells.absent(absent),
                value => cells.column(value, &column.kind).map_err(|mismatch| in_column(column, &mismatch))?,
            }
        }
        (image.values.len()..columns.len()).for_each(|_| cells.absent(absent));
        Ok(())
    }

    /// Whether an image leaves a column of its group without a value.
    pub(crate) fn is_sparse(&self, image: GroupImage<'_>) -> bool {
        image.values.len() < self.shape.table().groups[image.group].columns.len()
            || image.values.iter().any(Value::is_null)
    }

    /// Refuses a row that is larger than Cassandra takes. Only one that may be is measured.
    pub(crate) fn look_at_size(
        &self,
        key: &[Value<'_>],
        image: GroupImage<'_>,
        cells: &Cells,
        abilities: &Abilities,
    ) -> Result<(), Fault> {
        if cells.len() as u64 * LONGER_AT_MOST <= abilities.limits.row_bytes_max {
            return Ok(());
        }
        let mut body = RowBuilder::new();
        body.put(1, None, &self.shape.table().groups[image.group].columns, image.values)?;
        let row = Row::new(key::encode(key, self.shape.key_parts())?.into(), body.finish());
        refuse::row_size(&self.shape, row.size(), abilities)
    }
}

fn in_column(column: &Column, mismatch: &keyloom_value::Mismatch) -> Fault {
    Fault::refused(format!("column `{}`: {mismatch}", column.name))
}

/// About how many bytes values take as cells.
pub(crate) fn about(values: &[Value<'_>]) -> usize {
    let one = |value: &Value<'_>| match value {
        Value::Text(text) | Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 16,
    };
    values.iter().map(|value| 4 + one(value)).sum()
}
