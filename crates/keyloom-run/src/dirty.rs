//! The dirty log: which rows are to be looked at again.
//!
//! A writer notes a row here before it decides it, and notes that it is done when all companions are there. What stays
//! undone is settled by [`Run::settle`](crate::Run::settle). Rows lie together by lane and time and are never removed one
//! by one: they expire.

use std::sync::PoisonError;

use keyloom_store::{Fault, GroupImage, Millis, Placement, Placing, Row, Store};
use keyloom_value::{Malformed, Value, key};

use crate::{
    carry::Companion,
    digest::digest,
    idempotency::uuid7,
    problem::Problem,
    program::{DIRTY, EntityPlan},
    read::millis,
    reserve::Reserve,
    run::Run,
};

type Owned = Value<'static>;

/// For how long the log is kept: nobody may stop settling for longer.
pub(crate) const KEPT_MS: i64 = 3 * 86_400_000;
/// How many marks are owed at most. More are forgotten, which costs a touch for each.
const OWED_MAX: usize = 10_000;
/// Which column of the log says that a mark is done.
const DONE: usize = 3;
/// The column that says how far a walk has come; there where rows copy.
const REACHED: &str = "reached";
/// How many rows are placed by one call.
const PLACED_MAX: usize = 100;

/// Where a mark stands.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Lane, span of time, identity.
    pub(crate) key: [Owned; 3],
    pub(crate) version: u64,
    /// Whether it names unique values.
    pub(crate) names: bool,
}

/// What a mark says.
#[derive(Debug, Clone)]
pub(crate) struct Dirty {
    pub(crate) entity: String,
    /// The bytes of the source row's key.
    pub(crate) key: Vec<u8>,
    /// Unique values that were to be taken or set free: the name of the unique, and the bytes of the reservation's key.
    pub(crate) uniques: Vec<(String, Vec<u8>)>,
    /// How far a walk over the rows that copy from it has come.
    pub(crate) reached: Option<Vec<u8>>,
}

impl Dirty {
    /// What a row of the log says; nothing when it is done.
    pub(crate) fn read(row: &Row, shape: &keyloom_store::Shape) -> Result<Option<Self>, Malformed> {
        let cell = |column| row.value(shape, keyloom_store::ColumnAt::Cell { group: 0, column });
        if cell(DONE)? == Value::Bool(true) {
            return Ok(None);
        }
        let odd = Malformed::from_static("a mark can't be read");
        let (Value::Text(entity), Value::Bytes(key), Value::List(named)) = (cell(0)?, cell(1)?, cell(2)?) else {
            return Err(odd);
        };
        let mut uniques = Vec::new();
        for unique in &named {
            let Value::Struct(members) = unique else { return Err(odd) };
            let [Value::Text(unique), Value::Bytes(key)] = &members[..] else { return Err(odd) };
            uniques.push((unique.to_string(), key.to_vec()));
        }
        let reached = match shape.column(REACHED).map(|at| row.value(shape, at)).transpose()? {
            Some(Value::Bytes(reached)) => Some(reached.into_owned()),
            _ => None,
        };
        Ok(Some(Self { entity: entity.into_owned(), key: key.into_owned(), uniques, reached }))
    }

    /// What a row of the log says that is not done.
    fn values(&self) -> Vec<Owned> {
        let unique = |(unique, key): &(String, Vec<u8>)| {
            Value::Struct(vec![Value::from(unique.clone()), Value::from(key.clone())])
        };
        let uniques = Value::List(self.uniques.iter().map(unique).collect());
        let (entity, key) = (Value::from(self.entity.clone()), Value::from(self.key.clone()));
        vec![entity, key, uniques, Value::Bool(false), self.reached.clone().map_or(Value::Null, Value::from)]
    }
}

impl Run {
    /// Notes that a row and the reservations it wants are to be looked at again.
    pub(crate) async fn mark(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        reserves: &[Reserve<'_>],
    ) -> Result<Mark, Problem> {
        let (mark, values, now_us) = self.made_mark(entity, key, reserves)?;
        self.place_marks(&[(&mark, &values)], millis(now_us)).await?;
        // Later than this, somebody may have looked at that span for the last time.
        let took_us = self.now_us() - now_us;
        if self.protocol.marks_in_time && took_us > self.protocol.settle_ms * 1_000 / 2 {
            return Err(Problem::Busy {
                after: std::time::Duration::from_millis(100),
                cause: "the store was too slow; nothing was done".into(),
            });
        }
        Ok(mark)
    }

    /// A mark for a row that is placed, to be placed together with it.
    pub(crate) fn new_mark(&self, entity: &EntityPlan, key: &[Owned]) -> Result<(Mark, Companion), Problem> {
        let (mark, values, now_us) = self.made_mark(entity, key, &[])?;
        let expires_at = Some(millis(now_us).plus(KEPT_MS));
        let (key, version) = (mark.key.to_vec(), mark.version);
        Ok((mark, Companion { table: DIRTY, key, version, values: Some(values), expires_at }))
    }

    /// A mark, what it says, and the moment at which it was made.
    fn made_mark(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        reserves: &[Reserve<'_>],
    ) -> Result<(Mark, Vec<Owned>, i64), Problem> {
        let source = self.key_bytes(entity.source.table, key)?;
        let uniques = reserves.iter().map(|reserve| {
            let bytes = self.key_bytes(reserve.reservation.table, &reserve.key)?;
            Ok((reserve.reservation.unique.clone(), bytes))
        });
        let uniques = uniques.collect::<Result<Vec<_>, Problem>>()?;
        let lane = self.lane(entity, &source);
        let names = !uniques.is_empty();
        let values = self.mark_values(&Dirty { entity: entity.name.clone(), key: source, uniques, reached: None });
        let now_us = self.now_us();
        let mut random = [0; 10];
        self.environment.random(&mut random);
        let identity = Value::Uuid(uuid7(now_us.div_euclid(1_000), random));
        let span = Value::Int(now_us.div_euclid(1_000).div_euclid(self.protocol.span_ms));
        let version = u64::try_from(now_us).unwrap_or(0).max(2);
        let mark = Mark { key: [Value::Int(lane), span, identity], version, names };
        Ok((mark, values, now_us))
    }

    /// The columns of a mark, as many as the log has.
    fn mark_values(&self, dirty: &Dirty) -> Vec<Owned> {
        let mut values = dirty.values();
        values.resize(self.columns(DIRTY), Value::Null);
        values
    }

    /// Notes in a mark how far a walk over rows that copy has come, so that nobody begins again.
    pub(crate) async fn note(&self, mark: &mut Mark, dirty: &Dirty) -> Result<(), Fault> {
        mark.version += 2;
        self.place_marks(&[(&*mark, &self.mark_values(dirty))], millis(self.now_us())).await
    }

    /// In which lane of the log the marks of a source row are, by the bytes of its key.
    pub(crate) fn lane(&self, entity: &EntityPlan, key: &[u8]) -> i64 {
        i64::from(digest("lane", &[entity.name.as_bytes(), key])[0]) % self.protocol.lanes
    }

    /// Remembers that marks are done. They are placed by the next pass of [`Run::settle`]: nobody waits for it, and one
    /// that is lost costs a touch.
    pub(crate) fn owe(&self, marks: Vec<Mark>) {
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        let room = OWED_MAX.saturating_sub(owed.len());
        owed.extend(marks.into_iter().take(room));
    }

    /// Notes that marks are done.
    pub(crate) async fn place_owed(&self) -> Result<(), Problem> {
        let owed = std::mem::take(&mut *self.owed.lock().unwrap_or_else(PoisonError::into_inner));
        let mut done = vec![Value::Null; self.columns(DIRTY)];
        done[DONE] = Value::Bool(true);
        for marks in owed.chunks(PLACED_MAX) {
            let marks: Vec<Mark> =
                marks.iter().map(|mark| Mark { version: mark.version + 2, ..mark.clone() }).collect();
            let rows: Vec<(&Mark, &[Owned])> = marks.iter().map(|mark| (mark, &done[..])).collect();
            self.place_marks(&rows, millis(self.now_us())).await?;
        }
        Ok(())
    }

    async fn place_marks(&self, rows: &[(&Mark, &[Owned])], now: Millis) -> Result<(), Fault> {
        let table = self.table(DIRTY).0;
        let groups: Vec<[GroupImage<'_>; 1]> =
            rows.iter().map(|(mark, values)| [GroupImage { group: 0, version: mark.version, values }]).collect();
        let rows = rows.iter().zip(&groups).map(|((mark, _), groups)| {
            let placing = Placing::Put { groups, expires_at: Some(now.plus(KEPT_MS)) };
            Placement { table, key: &mark.key, placing }
        });
        let rows: Vec<Placement<'_>> = rows.collect();
        self.store.place(&rows, false, now).await
    }

    pub(crate) fn key_bytes(&self, table: usize, values: &[Owned]) -> Result<Vec<u8>, Problem> {
        let (_, shape) = self.table(table);
        key::encode(values, shape.key_parts()).map_err(|mismatch| Problem::Broken(mismatch.to_string()))
    }

    pub(crate) fn key_values(&self, table: usize, bytes: &[u8]) -> Result<Vec<Owned>, Problem> {
        let (_, shape) = self.table(table);
        let values = key::decode(bytes, shape.key_parts())?;
        Ok(values.into_iter().map(Value::into_owned).collect())
    }
}
