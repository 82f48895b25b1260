//! Unique values whose owner does not hold them any more, or never came to.
//!
//! A value becomes free only after something was decided on its owner: then no decision is under way by which he would
//! hold it. An owner whose time is over is decided gone, with all that he held.

use keyloom_plan::Companions;
use keyloom_store::{BoxFuture, Expect, Freshness};
use keyloom_value::Value;

use crate::{
    carry::{Intent, Tried},
    problem::Problem,
    program::{EntityPlan, Reservation},
    record::{NOT_DELETED, Record},
    reserve::{Held, Reserve, held_by},
    run::Run,
};

type Owned = Value<'static>;

/// For so many tries a value that somebody has and does not hold is left to him: he may be about to.
const PATIENCE: usize = 3;

impl Run {
    /// Whether the one who has a unique value also holds it. Where reservations are decided by themselves he may have died
    /// in between, or still be at it: he is given some time, then his value is set free.
    pub(crate) async fn is_held(
        &self,
        entity: &EntityPlan,
        reservation: &Reservation,
        key: &[Owned],
        held: Held,
        tries: usize,
    ) -> Result<bool, Problem> {
        let rides = self.program.companions == Companions::Ride;
        let Some(owner) = held.owner.filter(|_| !rides || entity.expires.is_some()) else { return Ok(true) };
        let expect = Expect::Version(held.version);
        let free = Reserve { reservation, key: key.to_vec(), expect, taken: false };
        let source = entity.source_key_of(&owner);
        let now_us = self.now_us();
        let there = self.source(entity, &source, Freshness::Fresh, now_us).await?;
        let holds = |record: &Record| held_by(entity, record, reservation).as_deref() == Some(key);
        if let Some(holder) = there.as_ref().filter(|there| holds(there)) {
            if self.alive(entity, Some(holder), now_us)?.is_some() {
                return Ok(true);
            }
            if self.protocol.ends_first {
                self.end(entity, holder, now_us).await?;
            } else {
                self.set_free(entity, &owner, &free).await;
            }
        } else if (rides || tries >= PATIENCE)
            && let Some(touched) = self.touch(entity, &source, there).await?
            && !holds(&touched)
        {
            self.set_free(entity, &owner, &free).await;
        }
        Ok(false)
    }

    /// Decides that a row is gone whose time is over, and that nothing is its own any more; whether that is done. Where it is
    /// not, somebody else has decided on it, or it is not known. Its parts stay: an end is not inherited.
    pub(crate) async fn end(&self, entity: &EntityPlan, ended: &Record, now_us: i64) -> Result<bool, Problem> {
        self.let_go(entity, ended, NOT_DELETED, now_us).await
    }

    /// The same of a part that goes with its whole. Its own parts go with it.
    pub(crate) async fn delete_along(&self, entity: &EntityPlan, part: &Record, now_us: i64) -> Result<bool, Problem> {
        self.let_go(entity, part, part.created_us, now_us).await
    }

    fn let_go<'a>(
        &'a self,
        entity: &'a EntityPlan,
        there: &'a Record,
        created_us: i64,
        now_us: i64,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            let mut values = vec![Value::Null; entity.fields.len()];
            for field in entity.source.fields() {
                values[field] = there.values[field].clone();
            }
            let clock = u64::try_from(now_us).unwrap_or(0).max(2);
            let version = clock.max(there.version + 2);
            let rest = vec![Value::Null; there.rest.len()];
            let record = Record { version, created_us, gone: true, values, rest, stale: Vec::new(), ..there.clone() };
            let mut reserves = Vec::new();
            for reservation in &entity.reservations {
                reserves.extend(self.to_free(entity, reservation, there).await?);
            }
            let at = self.program.entities.iter().position(|known| known.name == entity.name).unwrap_or_default();
            let kept = self.kept_changes(at, Some(there), &record, now_us).await?;
            let intent = Intent {
                entity,
                before: Some(there),
                record: &record,
                reserves: &reserves,
                checks: &[],
                kept: &kept,
                anew: false,
                forgotten: &[],
                now_us,
            };
            let tried = self.carry_out(&intent, &mut Vec::new()).await?;
            // Its own parts go after it; only when they are gone is all of it.
            Ok(matches!(tried, Tried::Done { visible } if visible || entity.parts.is_empty()))
        })
    }
}
