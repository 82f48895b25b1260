//! Finishing what others began: marks that stayed undone.

use std::collections::BTreeMap;

use keyloom_plan::Companions;
use keyloom_store::{Change, Decision, End, Expect, Fault, Freshness, Get, Image, Range, Row, Slice, Store, Verdict};
use keyloom_value::Value;

use crate::{
    copies::Walked,
    dirty::{Dirty, KEPT_MS, Mark},
    problem::Problem,
    program::{DIRTY, EntityPlan, Reservation, SYSTEM},
    read::millis,
    record::Record,
    reserve::{Held, Reserve, held_by},
    run::Run,
};

type Owned = Value<'static>;

/// The system row that says up to which span all marks are settled.
pub(crate) const SETTLED: &str = "settled";
/// How many marks are read at once.
const PIECE_ROWS: u32 = 1_000;
const PIECE_BYTES: u32 = 4 << 20;

/// What one pass of [`Run::settle`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Marks that it looked at, done ones too.
    pub seen: u64,
    /// Undone ones that it settled.
    pub settled: u64,
    /// Undone ones that it could not settle, and parts of the log that it could not read; the next pass tries again.
    pub left: u64,
    /// How old the oldest mark of an entity is that was left, in milliseconds: so far behind is what is derived from it.
    pub behind_ms: BTreeMap<String, i64>,
}

impl Run {
    /// One pass over the dirty log: finishes what writers left behind, and says what it did. To be called every few
    /// seconds, by one process or by several; without it, rows of lists and unique values that a writer did not come to
    /// stay as they were. Where everything rides along with its decision, all that is left are parts of rows that were deleted
    /// and rows that copy from others.
    ///
    /// # Errors
    /// When it can't be seen how far the log is settled. Call it again.
    pub async fn settle(&self) -> Result<Settled, Problem> {
        let mut pass = Settled::default();
        if !self.program.has_log() {
            return Ok(pass);
        }
        // One that is lost costs a touch.
        drop(self.place_owed().await);
        let now_ms = self.now_us().div_euclid(1_000);
        let span_of = |moment_ms: i64| moment_ms.div_euclid(self.protocol.span_ms);
        let (version, settled) = self.settled_until().await?;
        // The last span that ended so long ago that its marks are no longer left to their writers, and the last that gets no
        // more of them: a mark that comes with a row that is placed is as late as that.
        let last = span_of(now_ms - self.protocol.settle_ms) - 1;
        let last_whole =
            if self.program.places() { last.min(span_of(now_ms - self.protocol.late_ms) - 1) } else { last };
        let first = (settled + 1).max(span_of(now_ms - KEPT_MS));
        let mut until = settled;
        for span in first..=last {
            for lane in 0..self.protocol.lanes {
                // What can't be read now is left, and all that comes behind it will be looked at again.
                if self.settle_span(lane, span, true, &mut pass).await.is_err() {
                    pass.left += 1;
                }
            }
            if pass.left == 0 && span <= last_whole {
                until = span;
            }
        }
        drop(self.place_owed().await);
        if until > settled {
            self.set_settled_until(version, until).await?;
        }
        Ok(pass)
    }

    /// Settles all marks that there are, also those of writers that are at work: they try again. Whether none is left.
    pub(crate) async fn settle_all(&self) -> Result<bool, Problem> {
        // What is old is settled for good, so that a store that fails now and then is not asked for all of it again.
        self.settle().await?;
        let now_ms = self.now_us().div_euclid(1_000);
        let span_of = |moment_ms: i64| moment_ms.div_euclid(self.protocol.span_ms);
        let (_, settled) = self.settled_until().await?;
        let first = (settled + 1).max(span_of(now_ms - KEPT_MS));
        let mut pass = Settled::default();
        let last = span_of(now_ms - self.protocol.settle_ms) - 1;
        // A writer's clock may be ahead.
        for span in first..=span_of(now_ms) + 1 {
            for lane in 0..self.protocol.lanes {
                self.settle_span(lane, span, span <= last, &mut pass).await?;
            }
        }
        drop(self.place_owed().await);
        Ok(pass.left == 0)
    }

    /// Settles the marks of a span. Those of ends stay where somebody's clock may not have come to the end of the span.
    async fn settle_span(&self, lane: i64, span: i64, is_over: bool, pass: &mut Settled) -> Result<(), Problem> {
        let (table, shape) = self.table(DIRTY);
        let partition = [Value::Int(lane), Value::Int(span)];
        let mut after: Option<Vec<Owned>> = None;
        loop {
            let read = self.store.slice(Slice {
                table,
                partition: &partition,
                within: Range::ALL,
                after: after.as_deref(),
                reverse: false,
                rows_max: PIECE_ROWS,
                bytes_max: PIECE_BYTES,
                freshness: Freshness::Settled,
                now: millis(self.now_us()),
            });
            let read = read.await?;
            for row in &read.rows {
                pass.seen += 1;
                let dirty = match Dirty::read(row, shape) {
                    Ok(None) => continue,
                    dirty => dirty.ok().flatten(),
                };
                if !is_over && dirty.as_ref().is_some_and(|dirty| dirty.ends.is_some()) {
                    continue;
                }
                let mut mark = self.mark_of(row)?;
                let settled = match &dirty {
                    Some(dirty) => self.settle_mark(dirty, &mut mark).await.unwrap_or(false),
                    None => false,
                };
                if settled {
                    pass.settled += 1;
                    self.owe(vec![mark]);
                } else {
                    pass.left += 1;
                    pass.leaves(dirty, self.now_us() - i64::try_from(row.version()?).unwrap_or(i64::MAX));
                }
            }
            match read.end {
                End::Range => return Ok(()),
                End::Limit { reached } => after = Some(reached),
            }
        }
    }

    /// Settles a mark: after this, nothing can come of its writer any more, and what came of him is visible. Whether that
    /// is certain.
    async fn settle_mark(&self, dirty: &Dirty, mark: &mut Mark) -> Result<bool, Problem> {
        let unknown = || Problem::Broken(format!("a mark names `{}`, which the catalog does not have", dirty.entity));
        let entity = self.program.entities.iter().find(|entity| entity.name == dirty.entity).ok_or_else(unknown)?;
        let key = self.key_values(entity.source.table, &dirty.key)?;
        if let Some(version) = dirty.ends {
            return self.settle_end(entity, &key, version, dirty, mark).await;
        }
        if entity.source.hidden.is_none() {
            // It came together with its mark, so it is there or will be, unless it has ended since.
            let there = self.source(entity, &key, Freshness::Settled, self.now_us()).await?;
            let Some(there) = there else {
                let is_late = self.now_us() - mark.made_us() > self.protocol.late_ms * 1_000;
                return Ok(is_late && entity.expires.is_some());
            };
            return self.derive_added(entity, &there).await;
        }
        let own = entity.identity_of(&key);
        let mut claims = Vec::new();
        for (unique, bytes) in &dirty.named {
            let reservation = entity.reservations.iter().find(|known| known.unique == *unique).ok_or_else(unknown)?;
            let value = self.key_values(reservation.table, bytes)?;
            match self.touch_reservation(entity, &own, reservation, value).await? {
                Touched::Own(reserve) => claims.push(reserve),
                Touched::Other => {}
                Touched::No => return Ok(false),
            }
        }
        let there = self.source(entity, &key, Freshness::Fresh, self.now_us()).await?;
        let touched = if self.protocol.touches { self.touch(entity, &key, there).await? } else { there };
        let Some(record) = touched else { return Ok(!self.protocol.touches) };
        let rides = self.program.companions == Companions::Ride;
        let follows =
            rides || self.project(entity, &record, None).await && self.goes_with_whole(entity, &record).await?;
        let mut all = follows
            && self.fell(entity, &record, true).await?
            && self.finish_walk(entity, &record, dirty, mark).await?;
        for reserve in &claims {
            if held_by(entity, &record, reserve.reservation).as_ref() != Some(&reserve.key) {
                all &= self.set_free(entity, &own, reserve).await;
            }
        }
        Ok(all)
    }

    /// Touches the rows that copy from a record, from where a walk over them was cut off; whether all have followed.
    async fn finish_walk(
        &self,
        entity: &EntityPlan,
        record: &Record,
        dirty: &Dirty,
        mark: &mut Mark,
    ) -> Result<bool, Problem> {
        let mut dirty = dirty.clone();
        loop {
            match self.touch_copiers(entity, record, dirty.reached.as_deref()).await? {
                Walked::All => return Ok(true),
                Walked::Until(until) if dirty.reached.as_ref() == Some(&until) => return Ok(false),
                Walked::Until(until) => {
                    dirty.reached = Some(until);
                    self.note(mark, &dirty).await?;
                }
            }
        }
    }

    /// Touches a reservation that a dead writer may still get, unless it is somebody else's.
    async fn touch_reservation<'a>(
        &self,
        entity: &EntityPlan,
        own: &[Owned],
        reservation: &'a Reservation,
        key: Vec<Owned>,
    ) -> Result<Touched<'a>, Problem> {
        let held = self.held(entity, reservation, &key, Freshness::Fresh).await?;
        let expect = held.as_ref().map_or(Expect::Absent, |held: &Held| Expect::Version(held.version));
        let owner = held.and_then(|held| held.owner);
        if owner.as_deref().is_some_and(|owner| owner != own) {
            return Ok(Touched::Other);
        }
        let reserve = Reserve { reservation, key, expect, taken: owner.is_some() };
        if !self.protocol.touches_reservations {
            return Ok(if reserve.taken { Touched::Own(Reserve { taken: false, ..reserve }) } else { Touched::Other });
        }
        let now_us = self.now_us();
        let version = reserve.version_above(now_us);
        match self.decide_reservation(entity, &reserve, owner, now_us).await {
            Ok(Verdict::Done) if reserve.taken => {
                Ok(Touched::Own(Reserve { expect: Expect::Version(version), taken: false, ..reserve }))
            }
            Ok(Verdict::Done) => Ok(Touched::Other),
            Ok(Verdict::Lost { .. }) | Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => {
                Ok(Touched::No)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Where a row of the log stands.
    fn mark_of(&self, row: &Row) -> Result<Mark, Problem> {
        let (_, shape) = self.table(DIRTY);
        let key: Vec<Owned> = row.key(shape)?.into_iter().map(Value::into_owned).collect();
        let key = key.try_into().map_err(|_| Problem::Broken("a mark has another key".into()))?;
        Ok(Mark { key, version: row.version()?, names: false })
    }

    /// Up to which span all marks are settled, and the version of the row that says so.
    pub(crate) async fn settled_until(&self) -> Result<(u64, i64), Problem> {
        let (table, shape) = self.table(SYSTEM);
        let key = [Value::from(SETTLED)];
        let get = Get { table, key: &key, freshness: Freshness::Fresh, now: millis(self.now_us()) };
        let odd = || Problem::Broken("the system row of the dirty log can't be read".into());
        let row = self.store.get(get).await?.row.ok_or_else(odd)?;
        let value = shape.column("value").map_or(Ok(Value::Null), |at| row.value(shape, at))?;
        let Value::Bytes(bytes) = value else { return Err(odd()) };
        let span = bytes.as_ref().try_into().map(i64::from_le_bytes).map_err(|_| odd())?;
        Ok((row.version()?, span))
    }

    /// Moves it on, unless another pass has.
    pub(crate) async fn set_settled_until(&self, version: u64, until: i64) -> Result<(), Problem> {
        let (key, values) = ([Value::from(SETTLED)], [Value::from(until.to_le_bytes().to_vec())]);
        let becomes = Image { version: version + 2, expires_at: None, values: &values };
        let change = Change { table: self.table(SYSTEM).0, key: &key, expect: Expect::Version(version), becomes };
        match self.store.decide(Decision { change, along: &[], now: millis(self.now_us()) }).await {
            // The next pass looks where this one began.
            Ok(_) | Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }
}

impl Settled {
    /// A mark of this age was left; the version of a mark is the moment at which it was made.
    fn leaves(&mut self, dirty: Option<Dirty>, age_us: i64) {
        let Some(dirty) = dirty else { return };
        let behind = self.behind_ms.entry(dirty.entity).or_default();
        *behind = (*behind).max(age_us / 1_000);
    }
}

/// What became of a reservation that was to be touched.
enum Touched<'a> {
    /// It is the row's, and is so since that version.
    Own(Reserve<'a>),
    /// It is somebody else's or free, and no late claim gets it.
    Other,
    /// That is not certain.
    No,
}
