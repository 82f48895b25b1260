use bytes::Bytes;
use fjall::{Readable, Snapshot, UserValue};
use keyloom_store::{Cost, End, Fault, Get, Got, Millis, Row, Rows, Shape, Slice, refuse};
use keyloom_value::{Value, key};

use crate::{embedded::Shared, faults, range::KeyRange, tables::OpenTable};

/// Rows that a slice makes room for at once.
const ROOM: u32 = 128;

impl Shared {
    /// One row. Of one row, one look at the newest is one snapshot.
    pub(crate) fn read_row(&self, at: &Get<'_>) -> Result<Got, Fault> {
        let table = self.tables.get(at.table)?;
        let shape = table.shape();
        refuse::get(shape, at)?;
        let key = self.key(shape, at.key)?;
        let stored = faults::contained(|| {
            let snapshot = self.engine.snapshot();
            snapshot.get(&table.keyspace, &key).map_err(|error| faults::of_read(&error))
        })?;
        got(shape, key, stored, at.now)
    }

    /// Several rows, of one moment.
    pub(crate) fn read_rows(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        let snapshot = self.engine.snapshot();
        at.iter().map(|at| self.read_row_of(&snapshot, at)).collect()
    }

    fn read_row_of(&self, snapshot: &Snapshot, at: &Get<'_>) -> Result<Got, Fault> {
        let table = self.tables.get(at.table)?;
        let shape = table.shape();
        refuse::get(shape, at)?;
        let key = self.key(shape, at.key)?;
        let stored =
            faults::contained(|| snapshot.get(&table.keyspace, &key).map_err(|error| faults::of_read(&error)))?;
        got(shape, key, stored, at.now)
    }

    /// Rows of one partition.
    pub(crate) fn read_slice(&self, of: &Slice<'_>) -> Result<Rows, Fault> {
        let table = self.tables.get(of.table)?;
        let shape = table.shape();
        refuse::slice(shape, of, &self.abilities)?;
        let range = KeyRange::of(of, shape)?;
        if range.is_empty() {
            return Ok(Rows { rows: Vec::new(), end: End::Range, cost: Cost::default() });
        }
        faults::contained(|| self.read_range(table, shape, of, range))
    }

    fn read_range(&self, table: &OpenTable, shape: &Shape, of: &Slice<'_>, range: KeyRange) -> Result<Rows, Fault> {
        let snapshot = self.engine.snapshot();
        let mut found = snapshot.range(&table.keyspace, range.into_bounds());
        let mut next = || if of.reverse { found.next_back() } else { found.next() };
        let (mut cost, mut returned, mut reached) = (Cost::default(), 0, None);
        let mut rows = Vec::with_capacity(of.rows_max.min(ROOM) as usize);
        while let Some(guard) = next() {
            let (key, body) = guard.into_inner().map_err(|error| faults::of_read(&error))?;
            let row = Row::new(key.into(), body.into());
            cost.rows += 1;
            cost.bytes += row.size() as u64;
            let key = row.key_bytes().clone();
            if row.section(0)?.is_there(of.now) {
                let row = seen(row, shape, of.now)?;
                returned += row.size() as u64;
                if returned > u64::from(of.bytes_max)
                    && !rows.is_empty()
                    && let Some(reached) = reached
                {
                    return Ok(Rows { rows, end: limit(&reached, shape)?, cost });
                }
                rows.push(row);
            } else {
                cost.leftovers += u64::from(is_leftover(&row, shape, of.now)?);
            }
            if cost.rows == u64::from(of.rows_max) {
                let end = if next().is_some() { limit(&key, shape)? } else { End::Range };
                return Ok(Rows { rows, end, cost });
            }
            reached = Some(key);
        }
        Ok(Rows { rows, end: End::Range, cost })
    }

    /// The bytes of a whole key.
    pub(crate) fn key(&self, shape: &Shape, values: &[Value<'_>]) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::with_capacity(24 * values.len());
        let (partition, sort) = values.split_at(shape.table().partition.len().min(values.len()));
        key::encode_into(partition, shape.partition_parts(), &mut bytes)?;
        let length = bytes.len();
        key::encode_into(sort, shape.sort_parts(), &mut bytes)?;
        refuse::key_sizes(shape, length, bytes.len() - length, &self.abilities)?;
        Ok(bytes)
    }
}

fn got(shape: &Shape, key: Vec<u8>, stored: Option<UserValue>, now: Millis) -> Result<Got, Fault> {
    let mut cost = Cost { rows: 1, ..Cost::default() };
    let Some(body) = stored else { return Ok(Got { row: None, cost }) };
    let row = Row::new(key.into(), body.into());
    cost.bytes = row.size() as u64;
    if row.section(0)?.is_there(now) {
        return Ok(Got { row: Some(seen(row, shape, now)?), cost });
    }
    cost.leftovers = u64::from(is_leftover(&row, shape, now)?);
    Ok(Got { row: None, cost })
}

/// A row that is there, as it is seen at a moment.
fn seen(row: Row, shape: &Shape, now: Millis) -> Result<Row, Fault> {
    // With one group there is nothing to hide, and the row goes out as it was read.
    if shape.table().groups.len() == 1 { Ok(row) } else { Ok(row.as_of(now)?) }
}

/// Whether a row without a root has another group.
fn is_leftover(row: &Row, shape: &Shape, now: Millis) -> Result<bool, Fault> {
    for group in 1..shape.table().groups.len() {
        if row.section(group)?.is_there(now) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A slice ends here, though more may follow.
fn limit(reached: &Bytes, shape: &Shape) -> Result<End, Fault> {
    let mut values = key::decode(reached, shape.key_parts())?;
    let sort = values.split_off(shape.table().partition.len());
    Ok(End::Limit { reached: sort.into_iter().map(Value::into_owned).collect() })
}
