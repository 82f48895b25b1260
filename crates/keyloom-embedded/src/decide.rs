use bytes::Bytes;
use keyloom_store::{Along, Change, Current, Decision, Expect, Fault, Placement, Row, Verdict, refuse};

use crate::{
    place::Placed,
    shared::Shared,
    write::{Named, Outcome},
};

/// What is to happen to one row of a decision, with everything encoded that can be before its lock is taken.
enum Step {
    Decide { expect: Expect, body: Bytes },
    Check { expect: Expect },
    Put { body: Bytes },
    Remove,
    Place(Placed),
}

impl Shared {
    pub(crate) fn decide_now(&self, what: &Decision<'_>) -> Result<Verdict, Fault> {
        let first = Along::Decide(what.change);
        let rows = 1 + what.along.len();
        let mut named = Vec::with_capacity(rows);
        let mut steps = Vec::with_capacity(rows);
        let mut bytes = 0;
        for along in std::iter::once(&first).chain(what.along) {
            let (row, step, size) = self.step(along, what)?;
            bytes += size;
            named.push(row);
            steps.push(step);
        }
        refuse::along(rows, bytes, &self.abilities)?;
        self.admit(named.iter().map(|named| named.table), bytes)?;
        let locks = self.lock_rows(named.iter())?;
        let (mut outcomes, mut lost) = (Vec::with_capacity(rows), None);
        for (at, (Named { table, key, .. }, step)) in named.into_iter().zip(steps).enumerate() {
            let body = match step {
                Step::Put { body } => Some(body),
                Step::Remove => None,
                Step::Check { expect } => {
                    lost = lost.or(self.otherwise(self.stored(table, &key)?, expect, what, at)?);
                    continue;
                }
                Step::Decide { expect, body } => {
                    lost = lost.or(self.otherwise(self.stored(table, &key)?, expect, what, at)?);
                    Some(body)
                }
                Step::Place(placed) => match self.merged(table, &key, self.stored(table, &key)?, placed)? {
                    Some(body) => Some(body),
                    None => continue,
                },
            };
            outcomes.push(Outcome { table, key, body });
        }
        if let Some(lost) = lost {
            return Ok(lost);
        }
        self.commit(outcomes)?;
        drop(locks);
        Ok(Verdict::Done)
    }

    fn step(&self, along: &Along<'_>, what: &Decision<'_>) -> Result<(Named<'_>, Step, u64), Fault> {
        let (table, key) = match along {
            Along::Decide(Change { table, key, .. })
            | Along::Check { table, key, .. }
            | Along::Put { table, key, .. }
            | Along::Remove { table, key }
            | Along::Place(Placement { table, key, .. }) => (self.tables.get(*table)?, *key),
        };
        let shape = table.shape();
        match along {
            Along::Decide(change) => refuse::change(shape, change)?,
            Along::Check { .. } => refuse::decided(shape, key)?,
            Along::Put { becomes, .. } => {
                refuse::carried(shape, key)?;
                refuse::image(shape, becomes)?;
            }
            Along::Remove { .. } => refuse::carried(shape, key)?,
            Along::Place(placement) => refuse::placement(shape, placement)?,
        }
        let key = self.key(shape, key)?;
        let (step, size) = match along {
            Along::Decide(change) => {
                let body = self.body(shape, &key.bytes, &change.becomes)?;
                let size = body.len();
                (Step::Decide { expect: change.expect, body }, size)
            }
            Along::Check { expect, .. } => (Step::Check { expect: *expect }, 0),
            Along::Put { becomes, .. } => {
                let body = self.body(shape, &key.bytes, becomes)?;
                let size = body.len();
                (Step::Put { body }, size)
            }
            Along::Remove { .. } => (Step::Remove, 0),
            Along::Place(placement) => {
                let placed = self.placed(shape, &key.bytes, &placement.placing, what.now)?;
                let size = placed.size();
                (Step::Place(placed), size)
            }
        };
        let size = (key.bytes.len() + size) as u64;
        Ok((Named::new(table, key), step, size))
    }

    /// The verdict when a row is not as expected.
    fn otherwise(
        &self,
        stored: Option<Row>,
        expect: Expect,
        what: &Decision<'_>,
        at: usize,
    ) -> Result<Option<Verdict>, Fault> {
        let current = match stored {
            Some(row) if row.section(0)?.is_there(what.now) => Some(row),
            _ => None,
        };
        let current = match (current, expect) {
            (None, Expect::Absent) => return Ok(None),
            (Some(row), Expect::Version(version)) if row.version()? == version => return Ok(None),
            (None, Expect::Version(_)) => Current::Absent,
            (Some(row), _) => Current::Is(row),
        };
        Ok(Some(Verdict::Lost { at, current }))
    }
}
