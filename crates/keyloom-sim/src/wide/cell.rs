use std::{collections::BTreeMap, sync::Arc};

use keyloom_store::{Fault, Millis, Shape};

use crate::{
    guards::Guards,
    request::{At, What, Write},
    standing::Standing,
};

/// Which column of which group; 0 is the group's version, which stands for Cassandra's row marker.
type Column = (usize, usize);

const VERSION: usize = 0;

/// One column of one row: of all that was ever written there, the content with the highest timestamp stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell {
    timestamp: u64,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Live { value: Arc<[u8]>, end: Option<Millis>, at: Millis },
    Tombstone { at: Millis },
}

/// A row, or a part of one: on a replica, in a message, in an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cells {
    /// All cells up to this timestamp are gone.
    deleted: Option<(u64, Millis)>,
    cells: BTreeMap<Column, Cell>,
}

/// What one row is to be made of, on every replica at one moment of its own.
#[derive(Debug, Clone)]
pub(super) struct Mutation {
    pub(super) at: At,
    pub(super) cells: Cells,
    /// The grace of its table.
    pub(super) grace_ms: i64,
}

impl Cell {
    fn live(timestamp: u64, value: Arc<[u8]>, end: Option<Millis>, at: Millis) -> Self {
        Self { timestamp, content: Content::Live { value, end, at } }
    }

    fn tombstone(timestamp: u64, at: Millis) -> Self {
        Self { timestamp, content: Content::Tombstone { at } }
    }

    fn beats(&self, other: &Self, guards: Guards) -> bool {
        if self.timestamp != other.timestamp {
            return self.timestamp > other.timestamp;
        }
        match (&self.content, &other.content) {
            (Content::Tombstone { .. }, Content::Live { .. }) => guards.tombstones_win_ties,
            (Content::Live { .. }, Content::Tombstone { .. }) => !guards.tombstones_win_ties,
            (Content::Tombstone { at: mine }, Content::Tombstone { at: theirs }) => mine > theirs,
            (
                Content::Live { value: mine, end: my_end, at: my_at },
                Content::Live { value: theirs, end: their_end, at: their_at },
            ) => (mine, my_end, my_at) > (theirs, their_end, their_at),
        }
    }

    /// Whether it is dead and was written longer ago than `grace`: Cassandra dates an expired cell by when it was written.
    fn is_forgettable(&self, grace_ms: i64, clock: Millis) -> bool {
        match self.content {
            Content::Tombstone { at } => at.plus(grace_ms) <= clock,
            Content::Live { end, at, .. } => end.is_some_and(|end| end <= clock) && at.plus(grace_ms) <= clock,
        }
    }
}

impl Cells {
    /// Both together: commutative, associative, and the same however often.
    pub(super) fn merge(&mut self, other: &Self, guards: Guards) {
        self.deleted = self.deleted.max(other.deleted);
        for (column, cell) in &other.cells {
            match self.cells.get(column) {
                Some(there) if !cell.beats(there, guards) => {}
                _ => drop(self.cells.insert(*column, cell.clone())),
            }
        }
    }

    /// What is left of it when that is forgotten on which nothing depends any more.
    pub(super) fn compacted(&self, grace_ms: i64, clock: Millis, guards: Guards) -> Self {
        let visible = self.cells.iter().filter(|(column, _)| self.visible(**column, guards).is_some());
        let kept = visible.filter(|(_, cell)| !cell.is_forgettable(grace_ms, clock));
        Self {
            deleted: self.deleted.filter(|(_, at)| at.plus(grace_ms) > clock),
            cells: kept.map(|(column, cell)| (*column, cell.clone())).collect(),
        }
    }

    /// What stands in each group.
    pub(super) fn standings(&self, shape: &Shape, guards: Guards) -> Result<Vec<Standing>, Fault> {
        let groups = shape.table().groups.iter().enumerate();
        groups.map(|(group, columns)| self.standing(group, columns.columns.len(), guards)).collect()
    }

    fn standing(&self, group: usize, columns: usize, guards: Guards) -> Result<Standing, Fault> {
        let Some(Cell { timestamp, content }) = self.visible((group, VERSION), guards) else {
            return Ok(self.deleted.map_or(Standing::Never, |(version, at)| Standing::Removed { version, at }));
        };
        Ok(match content {
            Content::Tombstone { at } => Standing::Removed { version: *timestamp, at: *at },
            Content::Live { value, end, .. } => {
                let version = value.as_ref().try_into().map(u64::from_le_bytes);
                let version = version.map_err(|_| Fault::Broken("a version is no number".into()))?;
                let cells = (1..=columns).map(|column| match &self.visible((group, column), guards)?.content {
                    Content::Live { value, .. } => Some(value.clone()),
                    Content::Tombstone { .. } => None,
                });
                Standing::Put { version, expires_at: *end, cells: cells.collect() }
            }
        })
    }

    /// A cell that no deletion of the row hides.
    fn visible(&self, column: Column, guards: Guards) -> Option<&Cell> {
        let cell = self.cells.get(&column)?;
        let hidden = self
            .deleted
            .is_some_and(|(until, _)| cell.timestamp < until || cell.timestamp == until && guards.tombstones_win_ties);
        (!hidden).then_some(cell)
    }

    /// Every column of the group is written, absent ones as tombstones: so the last writer of a cell is the last writer of
    /// the group.
    fn put(&mut self, group: usize, standing: &Standing, timestamp: u64, now: Millis) {
        let Standing::Put { version, expires_at, cells } = standing else { return };
        let version = Cell::live(timestamp, Arc::from(version.to_le_bytes()), *expires_at, now);
        self.cells.insert((group, VERSION), version);
        for (column, value) in (1..).zip(cells) {
            let cell = match value {
                Some(value) => Cell::live(timestamp, value.clone(), *expires_at, now),
                None => Cell::tombstone(timestamp, now),
            };
            self.cells.insert((group, column), cell);
        }
    }
}

impl Mutation {
    /// What is placed: a put of version v at timestamp v + 1, a removal at v. At equal timestamps the tombstone wins, and
    /// that is the order of placements.
    pub(super) fn placed(write: &Write, now: Millis) -> Self {
        let mut cells = Cells::default();
        let arriving = if let What::Place { arriving } = &write.what { arriving.as_slice() } else { &[] };
        let groups = &write.shape.table().groups;
        for (group, standing) in arriving {
            let version = standing.rank().map_or(0, |(version, _)| version);
            match standing {
                Standing::Put { .. } => cells.put(*group, standing, version + 1, now),
                // A deletion of the row would hide the other groups, also what they hold from before, for ever.
                Standing::Removed { at, .. } if groups.len() > 1 => {
                    let columns = (0..=groups[*group].columns.len()).map(|column| (*group, column));
                    cells.cells.extend(columns.map(|column| (column, Cell::tombstone(version, *at))));
                }
                Standing::Removed { at, .. } => cells.deleted = Some((version, *at)),
                Standing::Never => {}
            }
        }
        Self { at: write.at.clone(), cells, grace_ms: write.shape.table().grace_ms }
    }

    /// What is decided, at the timestamp of its ballot.
    pub(super) fn decided(write: &Write, ballot: u64, now: Millis) -> Self {
        let mut cells = Cells::default();
        if let What::Decide { becomes, .. } = &write.what {
            cells.put(0, becomes, ballot, now);
        }
        Self { at: write.at.clone(), cells, grace_ms: write.shape.table().grace_ms }
    }

    /// The same with other timestamps: a proposal that is finished by another ballot than it was begun with.
    pub(super) fn stamped(&self, timestamp: u64) -> Self {
        let mut stamped = self.clone();
        stamped.cells.cells.values_mut().for_each(|cell| cell.timestamp = timestamp);
        stamped
    }
}
