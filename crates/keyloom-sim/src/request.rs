//! Calls as they travel: looked through, owned, in bytes.

use std::{ops::Bound, sync::Arc};

use keyloom_store::{
    Abilities, Along, Change, Decision, Expect, Fault, Get, Image, Millis, Placement, Placing, Shape, Slice, TableId,
    refuse,
};
use keyloom_value::{Value, key};

use crate::{
    standing::{Standing, cells, row},
    tables::Tables,
};

/// Where a row is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) table: TableId,
    pub(crate) partition: Vec<u8>,
    pub(crate) sort: Vec<u8>,
}

impl At {
    pub(crate) fn key(&self) -> Vec<u8> {
        [self.partition.as_slice(), &self.sort].concat()
    }
}

/// One row of a call that writes.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) at: At,
    pub(crate) shape: Arc<Shape>,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Decide {
        expect: Expect,
        becomes: Standing,
    },
    Check {
        expect: Expect,
    },
    Put {
        becomes: Standing,
    },
    Remove,
    /// Column groups that arrive, each at its position.
    Place {
        arriving: Vec<(usize, Standing)>,
    },
}

/// The calls of one store, looked through against its tables.
pub(crate) struct Reader<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) abilities: &'a Abilities,
}

impl Reader<'_> {
    pub(crate) fn get(&self, get: &Get<'_>) -> Result<(Arc<Shape>, At), Fault> {
        let shape = self.tables.shape(get.table)?;
        refuse::get(&shape, get)?;
        let at = self.at(get.table, &shape, get.key)?;
        Ok((shape, at))
    }

    pub(crate) fn slice(&self, of: &Slice<'_>) -> Result<(Arc<Shape>, Window), Fault> {
        let shape = self.tables.shape(of.table)?;
        refuse::slice(&shape, of, self.abilities)?;
        let window = Window::new(&shape, of)?;
        Ok((shape, window))
    }

    /// The rows of a decision, its own first.
    pub(crate) fn decision(&self, decision: &Decision<'_>) -> Result<Vec<Write>, Fault> {
        let first = Along::Decide(decision.change);
        let along = std::iter::once(&first).chain(decision.along);
        let writes = along.map(|along| self.along(along, decision.now)).collect::<Result<Vec<_>, _>>()?;
        once(&writes)?;
        refuse::along(writes.len(), bytes(&writes)?, self.abilities)?;
        Ok(writes)
    }

    pub(crate) fn placements(
        &self,
        placements: &[Placement<'_>],
        together: bool,
        now: Millis,
    ) -> Result<Vec<Write>, Fault> {
        let writes = placements.iter().map(|placement| self.placement(placement, now));
        let writes = writes.collect::<Result<Vec<_>, _>>()?;
        once(&writes)?;
        if together {
            refuse::together(writes.len(), bytes(&writes)?, self.abilities)?;
        }
        Ok(writes)
    }

    fn along(&self, along: &Along<'_>, now: Millis) -> Result<Write, Fault> {
        match along {
            Along::Decide(Change { table, key, expect, becomes }) => {
                let shape = self.tables.shape(*table)?;
                refuse::change(&shape, &Change { table: *table, key, expect: *expect, becomes: *becomes })?;
                let what = What::Decide { expect: *expect, becomes: image(&shape, becomes)? };
                self.write(*table, shape, key, what)
            }
            Along::Check { table, key, expect } => {
                let shape = self.tables.shape(*table)?;
                refuse::decided(&shape, key)?;
                self.write(*table, shape, key, What::Check { expect: *expect })
            }
            Along::Put { table, key, becomes } => {
                let shape = self.tables.shape(*table)?;
                refuse::carried(&shape, key)?;
                refuse::image(&shape, becomes)?;
                let what = What::Put { becomes: image(&shape, becomes)? };
                self.write(*table, shape, key, what)
            }
            Along::Remove { table, key } => {
                let shape = self.tables.shape(*table)?;
                refuse::carried(&shape, key)?;
                self.write(*table, shape, key, What::Remove)
            }
            Along::Place(placement) => self.placement(placement, now),
        }
    }

    fn placement(&self, placement: &Placement<'_>, now: Millis) -> Result<Write, Fault> {
        let shape = self.tables.shape(placement.table)?;
        refuse::placement(&shape, placement)?;
        let arriving = match placement.placing {
            Placing::Put { groups, expires_at } => groups
                .iter()
                .map(|image| {
                    let cells = cells(&shape.table().groups[image.group].columns, image.values)?;
                    Ok((image.group, Standing::Put { version: image.version, expires_at, cells }))
                })
                .collect::<Result<_, Fault>>()?,
            Placing::Remove { groups } => groups
                .iter()
                .map(|(group, version)| (*group, Standing::Removed { version: *version, at: now }))
                .collect(),
        };
        self.write(placement.table, shape, placement.key, What::Place { arriving })
    }

    fn write(&self, table: TableId, shape: Arc<Shape>, key: &[Value<'_>], what: What) -> Result<Write, Fault> {
        let write = Write { at: self.at(table, &shape, key)?, shape, what };
        refuse::row_size(&write.shape, write.size()?, self.abilities)?;
        Ok(write)
    }

    fn at(&self, table: TableId, shape: &Shape, key: &[Value<'_>]) -> Result<At, Fault> {
        let (partition, sort) = key.split_at(shape.table().partition.len());
        let partition = key::encode(partition, shape.partition_parts())?;
        let sort = key::encode(sort, shape.sort_parts())?;
        refuse::key_sizes(shape, partition.len(), sort.len(), self.abilities)?;
        Ok(At { table, partition, sort })
    }
}

impl Write {
    /// How many bytes a row of just this has.
    fn size(&self) -> Result<usize, Fault> {
        let mut standings = vec![Standing::Never; self.shape.table().groups.len()];
        match &self.what {
            What::Decide { becomes, .. } | What::Put { becomes } => standings[0] = becomes.clone(),
            What::Place { arriving } => {
                for (group, standing) in arriving {
                    standings[*group] = standing.clone();
                }
            }
            What::Check { .. } | What::Remove => {}
        }
        Ok(row(&self.shape, self.at.key(), &standings)?.size())
    }
}

fn image(shape: &Shape, image: &Image<'_>) -> Result<Standing, Fault> {
    let cells = cells(&shape.table().groups[0].columns, image.values)?;
    Ok(Standing::Put { version: image.version, expires_at: image.expires_at, cells })
}

fn bytes(writes: &[Write]) -> Result<u64, Fault> {
    writes.iter().try_fold(0, |sum, write| Ok(sum + write.size()? as u64))
}

fn once(writes: &[Write]) -> Result<(), Fault> {
    let mut named: Vec<&At> = writes.iter().map(|write| &write.at).collect();
    named.sort_unstable();
    if named.windows(2).any(|pair| pair[0] == pair[1]) { refuse::twice() } else { Ok(()) }
}

/// The part of a partition that a slice reads, in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) table: TableId,
    pub(crate) partition: Vec<u8>,
    pub(crate) reverse: bool,
    pub(crate) rows_max: u32,
    pub(crate) bytes_max: u32,
    pub(crate) now: Millis,
    equal: Vec<u8>,
    /// Where the bounded component begins and ends, in the order of the table.
    first: Bound<Vec<u8>>,
    last: Bound<Vec<u8>>,
    after: Option<Vec<u8>>,
}

impl Window {
    fn new(shape: &Shape, of: &Slice<'_>) -> Result<Self, Fault> {
        let parts = shape.sort_parts();
        let (mut first, mut last) = (Bound::Unbounded, Bound::Unbounded);
        if let Some(part) = parts.get(of.within.equal.len()) {
            let edge = |bound: Bound<&Value<'_>>| -> Result<Bound<Vec<u8>>, Fault> {
                let encode = |value| key::encode(std::slice::from_ref(value), std::slice::from_ref(part));
                Ok(match bound {
                    Bound::Included(value) => Bound::Included(encode(value)?),
                    Bound::Excluded(value) => Bound::Excluded(encode(value)?),
                    Bound::Unbounded => Bound::Unbounded,
                })
            };
            (first, last) = (edge(of.within.low)?, edge(of.within.high)?);
            if part.descending {
                std::mem::swap(&mut first, &mut last);
            }
        }
        Ok(Self {
            table: of.table,
            partition: key::encode(of.partition, shape.partition_parts())?,
            reverse: of.reverse,
            rows_max: of.rows_max,
            bytes_max: of.bytes_max,
            now: of.now,
            equal: key::encode(of.within.equal, parts)?,
            first,
            last,
            after: of.after.map(|after| key::encode(after, parts)).transpose()?,
        })
    }

    /// Whether the row of this sort key is in it. A component ends by itself, so bytes that start with a component's bytes
    /// have that value there.
    pub(crate) fn holds(&self, sort: &[u8]) -> bool {
        let Some(rest) = sort.strip_prefix(self.equal.as_slice()) else { return false };
        let begun = match &self.first {
            Bound::Included(edge) => rest >= edge.as_slice(),
            Bound::Excluded(edge) => rest > edge.as_slice() && !rest.starts_with(edge),
            Bound::Unbounded => true,
        };
        let not_ended = match &self.last {
            Bound::Included(edge) => rest < edge.as_slice() || rest.starts_with(edge),
            Bound::Excluded(edge) => rest < edge.as_slice(),
            Bound::Unbounded => true,
        };
        let behind = match &self.after {
            Some(after) if self.reverse => sort < after.as_slice(),
            Some(after) => sort > after.as_slice(),
            None => true,
        };
        begun && not_ended && behind
    }
}
