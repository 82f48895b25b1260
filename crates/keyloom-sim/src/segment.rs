use keyloom_store::{Fault, Resume, Row, Segment, Shape, Swept};
use keyloom_value::key;

use crate::{random::mix, request::At};

/// A part of a table as a sweep goes through it: partitions by their hash, from a key on.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    part: u8,
    parts: u8,
    from: Option<Vec<u8>>,
}

impl Part {
    /// About so many parts, together all of a table.
    pub(crate) fn all(parts: u32) -> Vec<Segment> {
        let parts = u8::try_from(parts).unwrap_or(u8::MAX).max(1);
        (0..parts).map(|part| Segment(vec![part, parts])).collect()
    }

    pub(crate) fn of(segment: &Segment, shape: &Shape, from: Option<&Resume>) -> Result<Self, Fault> {
        let &[part, parts @ 1..=u8::MAX] = segment.0.as_slice() else {
            return Err(Fault::refused("a segment of another store"));
        };
        let from = from.map(|Resume(key)| key.clone());
        if from.as_ref().is_some_and(|from| key::decode(from, shape.key_parts()).is_err()) {
            return Err(Fault::refused("a sweep goes on where none ended"));
        }
        Ok(Self { part, parts, from })
    }

    pub(crate) fn holds(&self, at: &At) -> bool {
        let hash = at.partition.iter().fold(0, |hash, byte| mix(hash ^ u64::from(*byte)));
        hash % u64::from(self.parts) == u64::from(self.part) && self.from.as_ref().is_none_or(|from| at.key() > *from)
    }

    /// The first of the rows that were found, in the order of keys.
    pub(crate) fn swept(&self, mut rows: Vec<Row>, rows_max: u32) -> Swept {
        let rows_max = rows_max.max(1) as usize;
        let more = rows.len() > rows_max;
        rows.truncate(rows_max);
        let resume = rows.last().filter(|_| more).map(|row| Resume(row.key_bytes().to_vec()));
        Swept { rows, resume }
    }
}
