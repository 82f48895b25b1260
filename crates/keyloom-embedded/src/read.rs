use bytes::Bytes;
use fjall::{Readable, Snapshot, UserValue};
use keyloom_store::{Cost, End, Fault, Get, Got, Millis, Row, Rows, Shape, Shown, Slice, refuse};
use keyloom_value::{Value, key};

use crate::{faults, range::KeyRange, shared::Shared, tables::OpenTable};

/// Rows that a slice makes room for at once.
const ROOM: u32 = 128;

/// The bytes of a whole key, and how many of them are the partition's.
pub(crate) struct Key {
    pub(crate) bytes: Vec<u8>,
    pub(crate) partition_bytes: usize,
}

impl Shared {
    /// One row.
    pub(crate) fn read_row(&self, at: &Get<'_>) -> Result<Got, Fault> {
        self.read_row_of(&self.engine.snapshot(), at)
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
        let key = self.key(shape, at.key)?.bytes;
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
        let (mut cost, mut returned) = (Cost::default(), 0);
        let mut rows: Vec<Row> = Vec::with_capacity(of.rows_max.min(ROOM) as usize);
        // The key of the last row that was looked at and is not returned: it may be where to go on.
        let mut hidden: Option<Bytes> = None;
        while let Some(guard) = next() {
            let (key, body) = guard.into_inner().map_err(|error| faults::of_read(&error))?;
            let stored = Row::new(key.into(), body.into());
            let size = stored.size() as u64;
            let row = stored.shown(shape.table().groups.len(), of.now)?;
            let too_many = cost.rows == u64::from(of.rows_max);
            let too_large = |row: &Row| !rows.is_empty() && returned + row.size() > of.bytes_max as usize;
            if too_many || matches!(&row, Shown::There(row) if too_large(row)) {
                let reached = hidden.as_ref().or(rows.last().map(Row::key_bytes));
                let end = reached.map_or(Ok(End::Range), |reached| limit(reached, shape))?;
                return Ok(Rows { rows, end, cost });
            }
            cost.rows += 1;
            cost.bytes += size;
            match row {
                Shown::There(row) => {
                    returned += row.size();
                    hidden = None;
                    rows.push(row);
                }
                Shown::Leftover(row) => {
                    cost.leftovers += 1;
                    hidden = Some(row.key_bytes().clone());
                }
                Shown::Not(row) => hidden = Some(row.key_bytes().clone()),
            }
        }
        Ok(Rows { rows, end: End::Range, cost })
    }

    /// The bytes of a whole key.
    pub(crate) fn key(&self, shape: &Shape, values: &[Value<'_>]) -> Result<Key, Fault> {
        let mut bytes = Vec::with_capacity(24 * values.len());
        let (partition, sort) = values.split_at(shape.table().partition.len().min(values.len()));
        key::encode_into(partition, shape.partition_parts(), &mut bytes)?;
        let length = bytes.len();
        key::encode_into(sort, shape.sort_parts(), &mut bytes)?;
        refuse::key_sizes(shape, length, bytes.len() - length, &self.abilities)?;
        Ok(Key { bytes, partition_bytes: length })
    }
}

fn got(shape: &Shape, key: Vec<u8>, stored: Option<UserValue>, now: Millis) -> Result<Got, Fault> {
    let mut cost = Cost { rows: 1, ..Cost::default() };
    let Some(body) = stored else { return Ok(Got { row: None, cost }) };
    let stored = Row::new(key.into(), body.into());
    cost.bytes = stored.size() as u64;
    match stored.shown(shape.table().groups.len(), now)? {
        Shown::There(row) => Ok(Got { row: Some(row), cost }),
        Shown::Leftover(_) => Ok(Got { row: None, cost: Cost { leftovers: 1, ..cost } }),
        Shown::Not(_) => Ok(Got { row: None, cost }),
    }
}

/// A slice ends here, though more may follow.
fn limit(reached: &Bytes, shape: &Shape) -> Result<End, Fault> {
    let mut values = key::decode(reached, shape.key_parts())?;
    let sort = values.split_off(shape.table().partition.len());
    Ok(End::Limit { reached: sort.into_iter().map(Value::into_owned).collect() })
}
