//! Rows as they come from Cassandra.

use keyloom_store::{Cost, Fault, Millis, Page, Row, RowBuilder, Section};
use keyloom_value::{Malformed, Value, key};
use scylla::{
    deserialize::row::ColumnIterator,
    response::query_result::{QueryResult, QueryRowsResult},
};

use crate::{bind::NEVER, decode, ready::Ready};

/// What stands under one key at a moment.
pub(crate) enum Found {
    /// A row.
    Row(Row),
    /// A row whose root is not there though another group is.
    Leftover(Row),
    /// Nothing any more.
    Nothing,
}

/// The rows of an answer.
pub(crate) fn rows_of(answer: QueryResult) -> Result<QueryRowsResult, Fault> {
    answer.into_rows_result().map_err(|error| Fault::NotDone(format!("an answer without rows: {error}").into()))
}

/// The raw rows of an answer.
pub(crate) fn raw(
    rows: &QueryRowsResult,
) -> Result<impl Iterator<Item = Result<ColumnIterator<'_, '_>, Fault>>, Fault> {
    let rows = rows.rows::<ColumnIterator<'_, '_>>().map_err(|error| Fault::Broken(error.to_string().into()))?;
    Ok(rows.map(|row| row.map_err(|error| Fault::Broken(error.to_string().into()))))
}

/// What an answer with so many rows took.
pub(crate) fn cost(rows: &QueryRowsResult) -> Cost {
    Cost { rows: rows.rows_num() as u64, bytes: rows.rows_bytes_size() as u64, ..Cost::default() }
}

/// Reads the rows of one answer; what one of them needs on the way is there for all of them.
pub(crate) struct Reader<'t, 'frame> {
    table: &'t Ready,
    now: Millis,
    values: Vec<Value<'frame>>,
    body: RowBuilder,
    page: Page,
}

impl<'t, 'frame> Reader<'t, 'frame> {
    pub(crate) fn new(table: &'t Ready, answer: &QueryRowsResult, now: Millis) -> Self {
        // Rows have about as many bytes here as there, and a little more for each, and their keys.
        let bytes = 2 * answer.rows_bytes_size();
        Self { table, now, values: Vec::new(), body: RowBuilder::new(), page: Page::with_capacity(bytes) }
    }

    /// Reads components of the key, from one on to the last, and appends them to the key's bytes.
    pub(crate) fn key(
        &mut self,
        columns: &mut ColumnIterator<'frame, '_>,
        from: usize,
        key: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        for (part, form) in self.table.shape.key_parts().iter().zip(&self.table.forms).skip(from) {
            let bytes = next(columns)?.ok_or(Malformed::from_static("a component of a key is absent"))?;
            let value = decode::component(bytes, &part.kind, *form)?;
            key::encode_part(&value, part, key).map_err(|mismatch| Fault::Broken(mismatch.to_string().into()))?;
        }
        Ok(())
    }

    /// Reads the column groups of a row.
    pub(crate) fn row(&mut self, columns: &mut ColumnIterator<'frame, '_>, key: &[u8]) -> Result<Found, Fault> {
        self.body.clear();
        let (mut root, mut other) = (false, false);
        for (at, group) in self.table.shape.table().groups.iter().enumerate() {
            let (version, end) = (next_bigint(columns)?, next_bigint(columns)?);
            let there = version.zip(end).filter(|(_, end)| *end > self.now.0);
            let Some((version, end)) = there else {
                self.body.keep(&Section::NEVER);
                for _ in &group.columns {
                    next(columns)?;
                }
                continue;
            };
            self.values.clear();
            for column in &group.columns {
                self.values.push(match next(columns)? {
                    Some(bytes) => decode::value(bytes, &column.kind)?,
                    None => Value::Null,
                });
            }
            let expires_at = (end != NEVER).then_some(Millis(end));
            self.body
                .put(version.cast_unsigned(), expires_at, &group.columns, &self.values)
                .map_err(|mismatch| Fault::Broken(mismatch.to_string().into()))?;
            if at == 0 {
                root = true;
            } else {
                other = true;
            }
        }
        let mut row = || self.page.row(key, self.body.bytes());
        Ok(match (root, other) {
            (true, _) => Found::Row(row()),
            (false, true) => Found::Leftover(row()),
            (false, false) => Found::Nothing,
        })
    }
}

fn next<'frame>(columns: &mut ColumnIterator<'frame, '_>) -> Result<Option<&'frame [u8]>, Fault> {
    let column = columns.next().ok_or(Malformed::from_static("a row has too few columns"))?;
    let column = column.map_err(|error| Fault::Broken(error.to_string().into()))?;
    Ok(column.slice.map(|slice| slice.as_slice()))
}

fn next_bigint(columns: &mut ColumnIterator<'_, '_>) -> Result<Option<i64>, Fault> {
    let Some(bytes) = next(columns)? else { return Ok(None) };
    let bytes = bytes.try_into().map_err(|_| Malformed::from_static("a version or an end is no number"))?;
    Ok(Some(i64::from_be_bytes(bytes)))
}
