use keyloom_store::{Fault, Millis, Resume, Segment, Shape, Swept, refuse};
use keyloom_value::key;

use crate::{
    random::mix,
    request::At,
    standing::{Standing, row},
};

/// A part of a table as a sweep goes through it: partitions by their hash, from a key on.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    part: u8,
    parts: u8,
    from: Option<Vec<u8>>,
}

impl Part {
    /// About so many parts, together all of a table.
    pub(crate) fn all(shape: &Shape, parts: u32) -> Result<Vec<Segment>, Fault> {
        refuse::sweep(shape)?;
        let parts = u8::try_from(parts).unwrap_or(u8::MAX).max(1);
        Ok((0..parts).map(|part| Segment(vec![part, parts])).collect())
    }

    pub(crate) fn of(segment: &Segment, shape: &Shape, from: Option<&Resume>) -> Result<Self, Fault> {
        refuse::sweep(shape)?;
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

    /// The first of what was found, which is in the order of keys.
    pub(crate) fn swept(
        shape: &Shape,
        found: impl IntoIterator<Item = (At, Vec<Standing>)>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        let mut swept = Swept { rows: Vec::new(), leftovers: Vec::new(), resume: None };
        let mut last = None;
        for (at, standings) in found {
            if !standings.iter().any(|standing| standing.is_there(now)) {
                continue;
            }
            if swept.rows.len() + swept.leftovers.len() >= rows_max.max(1) as usize {
                swept.resume = last.map(Resume);
                break;
            }
            let row = row(shape, at.key(), &standings)?.as_of(now)?;
            if standings[0].is_there(now) {
                swept.rows.push(row);
            } else {
                swept.leftovers.push(row);
            }
            last = Some(at.key());
        }
        Ok(swept)
    }
}
