//! Which bytes a slice reads.

use std::ops::Bound;

use keyloom_store::{Fault, Shape, Slice};
use keyloom_value::{Value, key};

/// Longer than any key that is stored, and short enough for the engine.
const BOUND_BYTES_MAX: usize = 60_001;

/// Keys from one on and below another.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    pub(crate) from: Vec<u8>,
    pub(crate) below: Option<Vec<u8>>,
}

impl KeyRange {
    /// The keys of a slice that was looked through.
    pub(crate) fn of(slice: &Slice<'_>, shape: &Shape) -> Result<Self, Fault> {
        let partition = key::encode(slice.partition, shape.partition_parts())?;
        let mut prefix = partition.clone();
        key::encode_into(slice.within.equal, shape.sort_parts(), &mut prefix)?;
        let mut range = Self { below: behind(&prefix), from: prefix.clone() };
        if let Some(part) = shape.sort_parts().get(slice.within.equal.len()) {
            let (first, last) = match part.descending {
                false => (slice.within.low, slice.within.high),
                true => (slice.within.high, slice.within.low),
            };
            let encoded = |value: &Value<'_>| -> Result<Vec<u8>, Fault> {
                let mut bytes = prefix.clone();
                key::encode_part(value, part, &mut bytes)?;
                Ok(bytes)
            };
            match first {
                Bound::Included(value) => range.start(Some(encoded(value)?)),
                Bound::Excluded(value) => range.start(behind(&encoded(value)?)),
                Bound::Unbounded => {}
            }
            match last {
                Bound::Included(value) => range.stop(behind(&encoded(value)?)),
                Bound::Excluded(value) => range.stop(Some(encoded(value)?)),
                Bound::Unbounded => {}
            }
        }
        if let Some(after) = slice.after {
            let mut reached = partition;
            key::encode_into(after, shape.sort_parts(), &mut reached)?;
            if slice.reverse {
                range.stop(Some(reached));
            } else {
                reached.push(0);
                range.start(Some(reached));
            }
        }
        Ok(range)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.below.as_ref().is_some_and(|below| *below <= self.from)
    }

    /// As the engine wants it. A bound that is longer than any key means the same when it is cut.
    pub(crate) fn into_bounds(mut self) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
        self.from.truncate(BOUND_BYTES_MAX);
        let below = self.below.map_or(Bound::Unbounded, |mut below| {
            below.truncate(BOUND_BYTES_MAX);
            Bound::Excluded(below)
        });
        (Bound::Included(self.from), below)
    }

    /// Starts no earlier; `None`: behind all keys.
    fn start(&mut self, from: Option<Vec<u8>>) {
        match from {
            Some(from) if from > self.from => self.from = from,
            Some(_) => {}
            None => self.below = Some(Vec::new()),
        }
    }

    /// Stops no later; `None`: behind all keys.
    fn stop(&mut self, below: Option<Vec<u8>>) {
        if let Some(new) = below
            && self.below.as_ref().is_none_or(|old| new < *old)
        {
            self.below = Some(new);
        }
    }
}

/// The first bytes behind everything that starts with these; `None` when there are none.
fn behind(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xFF)?;
    let mut bytes = prefix[..=last].to_vec();
    bytes[last] += 1;
    Some(bytes)
}
