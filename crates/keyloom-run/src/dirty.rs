//! The dirty log: which rows are to be looked at again.
//!
//! A writer notes a row here before it decides it, and notes that it is done when all companions are there. What stays
//! undone is settled by [`Run::settle`](crate::Run::settle). Rows lie together by lane and time and are never removed one
//! by one: they expire.

use std::sync::PoisonError;

use keyloom_plan::Companions;
use keyloom_store::{ColumnAt, Fault, GroupImage, Millis, Placement, Placing, Row, Store};
use keyloom_value::{Malformed, Value, key};

use crate::{
    carry::{Companion, Intent},
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
/// The column that says which version ends; there where something follows when rows end.
const ENDS: &str = "ends";
/// How many rows are placed by one call.
pub(crate) const PLACED_MAX: usize = 100;

/// Where a mark stands.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Lane, span of time, identity.
    pub(crate) key: [Owned; 3],
    pub(crate) version: u64,
    /// Whether it names unique values.
    pub(crate) names: bool,
}

impl Mark {
    /// When it was made.
    pub(crate) fn made_us(&self) -> i64 {
        i64::try_from(self.version).unwrap_or(i64::MAX)
    }
}

/// What a mark says.
#[derive(Debug, Clone)]
pub(crate) struct Dirty {
    pub(crate) entity: String,
    /// The bytes of the source row's key.
    pub(crate) key: Vec<u8>,
    /// What else is to be looked at. Unique values that were to be taken or set free: the name of the unique, and the bytes of
    /// the reservation's key. Where a row ends that was only added: values that it counted for, by table and the bytes of the key.
    pub(crate) named: Vec<(String, Vec<u8>)>,
    /// How far a walk over the rows that copy from it has come.
    pub(crate) reached: Option<Vec<u8>>,
    /// The version that the row was to get with the end where this mark stands; nothing where it stands for a change.
    pub(crate) ends: Option<u64>,
}

/// A mark that is to be placed.
pub(crate) struct NewMark {
    pub(crate) mark: Mark,
    values: Vec<Owned>,
    expires_at: Millis,
}

impl NewMark {
    /// As a row that is placed together with others.
    pub(crate) fn companion(&self) -> Companion {
        let (key, version) = (self.mark.key.to_vec(), self.mark.version);
        let (values, expires_at) = (Some(self.values.clone()), Some(self.expires_at));
        Companion { table: DIRTY, key, version, values, expires_at }
    }
}

impl Dirty {
    /// What a row of the log says; nothing when it is done.
    pub(crate) fn read(row: &Row, shape: &keyloom_store::Shape) -> Result<Option<Self>, Malformed> {
        let cell = |column| row.value(shape, ColumnAt::Cell { group: 0, column });
        if cell(DONE)? == Value::Bool(true) {
            return Ok(None);
        }
        let odd = Malformed::from_static("a mark can't be read");
        let (Value::Text(entity), Value::Bytes(key), Value::List(named)) = (cell(0)?, cell(1)?, cell(2)?) else {
            return Err(odd);
        };
        let listed = named;
        let mut named = Vec::new();
        for one in &listed {
            let Value::Struct(members) = one else { return Err(odd) };
            let [Value::Text(name), Value::Bytes(key)] = &members[..] else { return Err(odd) };
            named.push((name.to_string(), key.to_vec()));
        }
        let other = |name: &str| shape.column(name).map(|at| row.value(shape, at)).transpose();
        let reached = match other(REACHED)? {
            Some(Value::Bytes(reached)) => Some(reached.into_owned()),
            _ => None,
        };
        let ends = match other(ENDS)? {
            Some(Value::Int(version)) => u64::try_from(version).ok(),
            _ => None,
        };
        Ok(Some(Self { entity: entity.into_owned(), key: key.into_owned(), named, reached, ends }))
    }

    /// What a row of the log says that is not done: all columns that the log has.
    fn values(&self, shape: &keyloom_store::Shape) -> Vec<Owned> {
        let one =
            |(name, key): &(String, Vec<u8>)| Value::Struct(vec![Value::from(name.clone()), Value::from(key.clone())]);
        let named = Value::List(self.named.iter().map(one).collect());
        let (entity, key) = (Value::from(self.entity.clone()), Value::from(self.key.clone()));
        let mut values = vec![entity, key, named, Value::Bool(false)];
        values.resize(shape.table().groups.first().map_or(0, |group| group.columns.len()), Value::Null);
        let reached = self.reached.clone().map(Value::from);
        let ends = self.ends.and_then(|version| i64::try_from(version).ok()).map(Value::Int);
        for (name, value) in [(REACHED, reached), (ENDS, ends)] {
            if let (Some(ColumnAt::Cell { column, .. }), Some(value)) = (shape.column(name), value) {
                values[column] = value;
            }
        }
        values
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
        let new = self.change_mark(entity, key, reserves)?;
        self.place_in_time(&[&new]).await?;
        Ok(new.mark)
    }

    /// Places marks. Later than in time, somebody may have looked at their span for the last time.
    async fn place_in_time(&self, new: &[&NewMark]) -> Result<(), Problem> {
        let Some(first) = new.first() else { return Ok(()) };
        let rows: Vec<Companion> = new.iter().map(|new| new.companion()).collect();
        let made_us = first.mark.made_us();
        self.place_once(&rows).await?;
        if self.protocol.marks_in_time && self.now_us() - made_us > self.protocol.settle_ms * 1_000 / 2 {
            return Err(Problem::Busy {
                after: std::time::Duration::from_millis(100),
                cause: "the store was too slow; nothing was done".into(),
            });
        }
        Ok(())
    }

    /// Marks the row of one try, if something comes after its decision; how many marks are of tries before. Nothing where the
    /// row must be looked at again first.
    pub(crate) async fn mark_try(
        &self,
        intent: &Intent<'_>,
        follows: bool,
        marks: &mut Vec<Mark>,
    ) -> Result<Option<usize>, Problem> {
        let marked_early = !self.protocol.reads_first && marks.pop().is_some();
        let before_this_try = marks.len();
        let marked = marked_early || !self.protocol.marks_again && !marks.is_empty();
        let own = if follows && self.protocol.marks && !marked {
            // What rides along needs no second look.
            let own = self.program.companions == Companions::Follow && self.protocol.marks_uniques;
            let named = if own { intent.reserves } else { &[] };
            Some(self.change_mark(intent.entity, &intent.entity.source_key(intent.record), named)?)
        } else {
            None
        };
        let end = self.end_mark(intent.entity, intent.before, intent.record, &[])?;
        self.place_in_time(&own.iter().chain(&end).collect::<Vec<_>>()).await?;
        if let Some(own) = own {
            marks.push(own.mark);
            if !self.protocol.reads_first {
                return Ok(None);
            }
        }
        Ok(Some(before_this_try))
    }

    /// Remembers that all is done that the marks of a try stand for, which is all that those of tries before stood for, but
    /// for unique values that this one has not seen to.
    pub(crate) fn owe_tried(&self, marks: &mut Vec<Mark>, before_this_try: usize) {
        let own = marks.split_off(before_this_try);
        self.owe(marks.drain(..).filter(|mark| !mark.names).chain(own).collect());
    }

    /// A mark of a row that changes, and of the reservations that it wants.
    pub(crate) fn change_mark(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        reserves: &[Reserve<'_>],
    ) -> Result<NewMark, Problem> {
        let key = self.key_bytes(entity.source.table, key)?;
        let named = reserves.iter().map(|reserve| {
            let bytes = self.key_bytes(reserve.reservation.table, &reserve.key)?;
            Ok((reserve.reservation.unique.clone(), bytes))
        });
        let named = named.collect::<Result<Vec<_>, Problem>>()?;
        let dirty = Dirty { entity: entity.name.clone(), key, named, reached: None, ends: None };
        Ok(self.new_mark(entity, dirty, i64::MIN))
    }

    /// A mark that stands in the span of a moment, or of this one if that is over.
    pub(crate) fn new_mark(&self, entity: &EntityPlan, dirty: Dirty, at_ms: i64) -> NewMark {
        let now_us = self.now_us();
        let mut random = [0; 10];
        self.environment.random(&mut random);
        let identity = Value::Uuid(uuid7(now_us.div_euclid(1_000), random));
        let at_ms = at_ms.max(now_us.div_euclid(1_000));
        let span = Value::Int(at_ms.div_euclid(self.protocol.span_ms));
        let version = u64::try_from(now_us).unwrap_or(0).max(2);
        let names = dirty.ends.is_none() && !dirty.named.is_empty();
        let mark = Mark { key: [Value::Int(self.lane(entity, &dirty.key)), span, identity], version, names };
        let (_, shape) = self.table(DIRTY);
        NewMark { mark, values: dirty.values(shape), expires_at: Millis(at_ms).plus(KEPT_MS) }
    }

    /// Notes in a mark how far a walk over rows that copy has come, so that nobody begins again.
    pub(crate) async fn note(&self, mark: &mut Mark, dirty: &Dirty) -> Result<(), Fault> {
        mark.version += 2;
        self.place_marks(&[(&*mark, &dirty.values(self.table(DIRTY).1))], millis(self.now_us())).await
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
