//! What should stand for a source row, in which tables, and what does.
//!
//! Nothing is derived a second way: rows of lists are those that a write would carry, unique values those that it would
//! reserve.

use std::collections::BTreeSet;

use keyloom_store::{ColumnAt, Discipline, Freshness, Get, Row, Shape, State, Store};
use keyloom_value::Value;

use crate::{
    carry::Companion,
    judge::{Checked, ends_at},
    problem::Problem,
    program::{EntityPlan, Reservation},
    read::millis,
    record::Record,
    reserve::held_by,
    run::Run,
};

type Owned = Value<'static>;

/// How many rows are asked for at once.
const AT_ONCE: usize = 100;
/// How often a row that changes while it is looked at is looked at again.
const LOOKS_MAX: usize = 4;

/// A row that follows from a source row.
pub(crate) enum Due {
    /// A row of a list.
    Row(Companion),
    /// The name of a bucket in which it stands, or a row of a list.
    Name(Companion),
    /// A unique value and who holds it.
    Held { table: usize, key: Vec<Owned>, owner: Vec<Owned> },
}

impl Due {
    pub(crate) fn table(&self) -> usize {
        match self {
            Self::Row(row) | Self::Name(row) => row.table,
            Self::Held { table, .. } => *table,
        }
    }

    pub(crate) fn key(&self) -> &[Owned] {
        match self {
            Self::Row(row) | Self::Name(row) => &row.key,
            Self::Held { key, .. } => key,
        }
    }
}

/// Where a row stands: a table, and the bytes of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) table: usize,
    pub(crate) key: Vec<u8>,
}

/// In which way what stands is not what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Differs {
    Missing,
    Extra,
    Stale,
}

/// What was seen of a source row and of what follows from it.
pub(crate) struct Sight {
    /// The version of the source row; none where there is no row.
    pub(crate) version: Option<u64>,
    /// It changed while it was looked at, each time.
    pub(crate) moving: bool,
    /// The rows that it copies from, each with the version that was seen.
    pub(crate) copied: Vec<Checked>,
    pub(crate) differences: Vec<(Differs, Place)>,
}

impl Run {
    /// Gives what follows from source rows what it holds of other rows; which they are. Each is of one of these records.
    pub(crate) async fn copy_into_due(
        &self,
        entity: &EntityPlan,
        due: &mut [(&Record, &mut Due)],
    ) -> Result<Vec<Checked>, Problem> {
        if !entity.copies() {
            return Ok(Vec::new());
        }
        let mut images: Vec<(&Record, &mut Companion)> = Vec::with_capacity(due.len());
        for (record, due) in due.iter_mut() {
            if let Due::Row(row) = &mut **due {
                images.push((record, row));
            }
        }
        self.copy_into(entity, &mut images).await
    }

    /// What follows from a source row at a moment, but for what it holds of other rows.
    pub(crate) fn due(&self, entity: &EntityPlan, record: &Record, now_us: i64) -> Result<Vec<Due>, Problem> {
        let held = entity.reservations.iter().filter_map(|reservation| {
            let key = held_by(entity, record, reservation)?;
            Some(Due::Held { table: reservation.table, key, owner: entity.identity(record) })
        });
        // One that has ended holds its values until somebody wants them.
        let ended = ends_at(entity, &record.values)?.is_some_and(|end| end <= millis(now_us).0);
        let rows = if ended { Vec::new() } else { self.standing(entity, record) };
        let mut due: Vec<Due> = held.collect();
        // Buckets are named for as long as their rows last, and some time more.
        if self.program.buckets.is_some() && !ended {
            let source = self.program.cuts[entity.source.table].map(|_| self.source_row(entity, record)).transpose()?;
            for row in rows.iter().chain(&source) {
                due.extend(self.name_of_bucket(row)?.map(Due::Name));
            }
        }
        due.extend(rows.into_iter().map(Due::Row));
        Ok(due)
    }

    /// How what stands differs from what is due, if it does. A lower version of the same values is no difference.
    pub(crate) fn differs(
        &self,
        entity: &EntityPlan,
        due: &Due,
        row: Option<&Row>,
    ) -> Result<Option<Differs>, Problem> {
        let Some(row) = row else { return Ok(Some(Differs::Missing)) };
        let same = match due {
            Due::Name(_) => true,
            Due::Row(due) => stands_as(due, row, self.table(due.table).1)?,
            Due::Held { table, key, owner } => {
                let reservation = reservation(entity, *table)?;
                match self.held_in(entity, reservation, key, row)?.owner {
                    Some(held) => held == *owner,
                    None => return Ok(Some(Differs::Missing)),
                }
            }
        };
        Ok((!same).then_some(Differs::Stale))
    }

    /// What stands at these places, in their order.
    pub(crate) async fn rows_at(&self, places: &[(usize, &[Owned])]) -> Result<Vec<Option<Row>>, Problem> {
        let now = millis(self.now_us());
        let mut rows = Vec::with_capacity(places.len());
        for places in places.chunks(AT_ONCE) {
            let gets = places.iter().map(|(table, key)| {
                let (id, shape) = self.table(*table);
                let decided = shape.table().discipline == Discipline::Decided;
                let freshness = if decided { Freshness::Fresh } else { Freshness::Settled };
                Get { table: id, key, freshness, now }
            });
            for got in self.store.get_many(&gets.collect::<Vec<_>>()).await {
                rows.push(got?.row);
            }
        }
        Ok(rows)
    }

    pub(crate) fn place_of(&self, due: &Due) -> Result<Place, Problem> {
        Ok(Place { table: due.table(), key: self.key_bytes(due.table(), due.key())? })
    }

    /// Looks at a source row, at what follows from it, and at places where something stands that may not: twice at the
    /// source, so that what is seen is of one version.
    pub(crate) async fn look(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        suspects: &BTreeSet<Place>,
    ) -> Result<Sight, Problem> {
        let mut looks = 0;
        loop {
            let there = self.source(entity, key, Freshness::Fresh, self.now_us()).await?;
            let version = there.as_ref().map(|there| there.version);
            let (copied, differences) = self.differences(entity, key, there.as_ref(), suspects).await?;
            if differences.is_empty() {
                return Ok(Sight { version, moving: false, copied, differences });
            }
            let still = self.source(entity, key, Freshness::Fresh, self.now_us()).await?;
            let moving = still.map(|still| still.version) != version;
            looks += 1;
            if !moving || looks == LOOKS_MAX {
                return Ok(Sight { version, moving, copied, differences });
            }
        }
    }

    async fn differences(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        there: Option<&Record>,
        suspects: &BTreeSet<Place>,
    ) -> Result<(Vec<Checked>, Vec<(Differs, Place)>), Problem> {
        let mut due = there.map_or(Ok(Vec::new()), |there| self.due(entity, there, self.now_us()))?;
        let mut copied = Vec::new();
        if let Some(there) = there {
            let mut of_row: Vec<(&Record, &mut Due)> = due.iter_mut().map(|due| (there, due)).collect();
            copied = self.copy_into_due(entity, &mut of_row).await?;
        }
        let own = due.iter().map(|due| self.place_of(due)).collect::<Result<Vec<_>, _>>()?;
        let suspects: Vec<&Place> = suspects.iter().filter(|place| !own.contains(place)).collect();
        let keys = suspects.iter().map(|place| self.key_values(place.table, &place.key));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let places = due.iter().map(|due| (due.table(), due.key()));
        let places = places.chain(suspects.iter().zip(&keys).map(|(place, key)| (place.table, key.as_slice())));
        let mut rows = self.rows_at(&places.collect::<Vec<_>>()).await?.into_iter();
        let mut differences = Vec::new();
        for (due, place) in due.iter().zip(own) {
            let row = rows.next().flatten();
            differences.extend(self.differs(entity, due, row.as_ref())?.map(|differs| (differs, place)));
        }
        let identity = entity.identity_of(key);
        for ((place, key), row) in suspects.into_iter().zip(&keys).zip(rows) {
            let Some(row) = row else { continue };
            // A value that somebody else has by now is his.
            let is_own = match entity.reservations.iter().find(|reservation| reservation.table == place.table) {
                Some(reservation) => {
                    self.held_in(entity, reservation, key, &row)?.owner.as_deref() == Some(&identity[..])
                }
                None => true,
            };
            if is_own {
                differences.push((Differs::Extra, place.clone()));
            }
        }
        Ok((copied, differences))
    }
}

pub(crate) fn reservation(entity: &EntityPlan, table: usize) -> Result<&Reservation, Problem> {
    let found = entity.reservations.iter().find(|reservation| reservation.table == table);
    found.ok_or_else(|| Problem::Broken("a table of unique values is nobody's".into()))
}

/// Whether a row has the values and the end that it should have.
fn stands_as(due: &Companion, row: &Row, shape: &Shape) -> Result<bool, Problem> {
    if !matches!(row.section(0)?.state, State::Put { expires_at } if expires_at == due.expires_at) {
        return Ok(false);
    }
    for (column, value) in due.values.iter().flatten().enumerate() {
        if row.value(shape, ColumnAt::Cell { group: 0, column })? != *value {
            return Ok(false);
        }
    }
    Ok(true)
}
