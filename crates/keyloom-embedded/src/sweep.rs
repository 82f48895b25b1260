use fjall::Readable;
use keyloom_store::{Fault, Millis, Resume, Row, Segment, Shown, Swept, refuse};

use crate::{faults, range::KeyRange, shared::Shared, tables::OpenTable};

impl Shared {
    /// Cuts a table into ranges of keys, evenly between its first and its last.
    pub(crate) fn cut(&self, table: &OpenTable, parts: u32) -> Result<Vec<Segment>, Fault> {
        refuse::sweep(table.shape())?;
        let snapshot = self.engine.snapshot();
        let ends = faults::contained(|| {
            let ends = [snapshot.first_key_value(&table.keyspace), snapshot.last_key_value(&table.keyspace)];
            let keys = ends.into_iter().flatten().map(fjall::Guard::key);
            keys.collect::<Result<Vec<_>, _>>().map_err(|error| faults::of_read(&error))
        })?;
        let cuts = match ends.as_slice() {
            [first, last] => cuts(first, last, parts),
            _ => Vec::new(),
        };
        let starts = std::iter::once(Vec::new()).chain(cuts.iter().cloned());
        let stops = cuts.iter().cloned().map(Some).chain([None]);
        Ok(starts.zip(stops).map(|(from, below)| segment(&KeyRange { from, below })).collect())
    }

    pub(crate) fn sweep_rows(
        &self,
        table: &OpenTable,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        refuse::sweep(table.shape())?;
        let mut range = range(segment).ok_or(Fault::Refused("that is no segment of this store".into()))?;
        if let Some(Resume(reached)) = from {
            let behind = [reached.as_slice(), &[0]].concat();
            range.from = behind.max(range.from);
        }
        if range.is_empty() {
            return Ok(Swept { rows: Vec::new(), leftovers: Vec::new(), resume: None });
        }
        faults::contained(|| {
            let snapshot = self.engine.snapshot();
            let (mut rows, mut leftovers, mut left) = (Vec::new(), Vec::new(), rows_max.max(1));
            for guard in snapshot.range(&table.keyspace, range.into_bounds()) {
                let (key, body) = guard.into_inner().map_err(|error| faults::of_read(&error))?;
                let row = Row::new(key.into(), body.into());
                let reached = row.key_bytes().clone();
                match row.shown(table.shape().table().groups.len(), now)? {
                    Shown::There(row) => rows.push(row),
                    Shown::Leftover(row) => leftovers.push(row.as_of(now)?),
                    Shown::Not(_) => {}
                }
                left -= 1;
                if left == 0 {
                    return Ok(Swept { rows, leftovers, resume: Some(Resume(reached.to_vec())) });
                }
            }
            Ok(Swept { rows, leftovers, resume: None })
        })
    }
}

/// Keys that cut what lies between two into even parts, by the eight bytes behind what they have in common.
fn cuts(first: &[u8], last: &[u8], parts: u32) -> Vec<Vec<u8>> {
    let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let eight = |key: &[u8]| {
        let mut bytes = [0; 8];
        let rest = &key[common..key.len().min(common + 8)];
        bytes[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(bytes)
    };
    let (low, high) = (eight(first), eight(last));
    let step = high.saturating_sub(low) / u64::from(parts.max(1));
    if step == 0 {
        return Vec::new();
    }
    (1..u64::from(parts)).map(|part| [&first[..common], &(low + part * step).to_be_bytes()].concat()).collect()
}

/// A range as bytes: how long its start is, its start, and its end, empty when there is none.
fn segment(range: &KeyRange) -> Segment {
    let length = u32::try_from(range.from.len()).unwrap_or(u32::MAX);
    let below = range.below.as_deref().unwrap_or_default();
    Segment([&length.to_be_bytes(), range.from.as_slice(), below].concat())
}

fn range(Segment(bytes): &Segment) -> Option<KeyRange> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (from, below) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let below = Some(below.to_vec()).filter(|below| !below.is_empty());
    Some(KeyRange { from: from.to_vec(), below })
}
