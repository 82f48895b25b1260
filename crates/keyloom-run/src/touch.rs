//! A touch: a row is decided once more without being changed.
//!
//! Every decision that is under way on the row fails then, wherever it is: it expects another version. That is how
//! somebody makes certain that what has not happened can't happen any more.

use keyloom_plan::Companions;
use keyloom_store::{Fault, Freshness, Verdict};
use keyloom_value::Value;

use crate::{
    carry::{Intent, Tried},
    problem::Problem,
    program::EntityPlan,
    record::{NOT_DELETED, Record},
    run::Run,
};

type Owned = Value<'static>;

/// How often it is tried to decide a row once more that others change.
const TRIES_MAX: usize = 8;

impl Run {
    /// Touches a source row that was seen like this; where there is none, its absence is written down. `None` when it is
    /// not certain that this was done.
    pub(crate) async fn touch(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        there: Option<Record>,
    ) -> Result<Option<Record>, Problem> {
        let now_us = self.now_us();
        let record = touched(entity, key, there.clone(), now_us);
        if self.program.companions == Companions::Ride {
            return Ok(self.touch_along(entity, there.as_ref(), &record, false).await?.then_some(record));
        }
        let before = there.map(|there| there.version);
        match self.decide_source(entity, before, &record, &[], now_us).await {
            Ok(Verdict::Done) => Ok(Some(record)),
            Ok(Verdict::Lost { .. }) | Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Touches a row with what rides along, so that lists show its version; whether that is done. What it holds of other rows
    /// is perhaps looked up anew.
    pub(crate) async fn touch_along(
        &self,
        entity: &EntityPlan,
        before: Option<&Record>,
        record: &Record,
        anew: bool,
    ) -> Result<bool, Problem> {
        let intent = Intent {
            entity,
            before,
            record,
            reserves: &[],
            checks: &[],
            kept: &[],
            anew,
            forgotten: &[],
            now_us: self.now_us(),
        };
        match self.ride(&intent, &mut Vec::new()).await {
            Ok(tried) => Ok(matches!(tried, Tried::Done { .. })),
            Err(Problem::Busy { .. }) => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    /// Decides a row once more that is there and wanted so, and all that stands for it; whether that is done, or there is none
    /// any more.
    pub(crate) async fn decide_again(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        is_wanted: impl Fn(&Record) -> bool,
    ) -> Result<bool, Problem> {
        for _ in 0..TRIES_MAX {
            let now_us = self.now_us();
            let there = self.source(entity, key, Freshness::Fresh, now_us).await?;
            let there = self.alive(entity, there, now_us)?;
            let Some(there) = there.filter(&is_wanted) else { return Ok(true) };
            if !self.protocol.touches_copiers {
                return Ok(self.project(entity, &there, None).await);
            }
            match self.program.companions {
                Companions::Ride => {
                    let record = touched(entity, key, Some(there.clone()), now_us);
                    if self.touch_along(entity, Some(&there), &record, true).await? {
                        return Ok(true);
                    }
                }
                Companions::Follow => {
                    if let Some(record) = self.touch(entity, key, Some(there.clone())).await? {
                        return Ok(self.project(entity, &record, Some(&there)).await);
                    }
                }
            }
        }
        Ok(false)
    }
}

/// What a row that was seen like this is once it was touched.
pub(crate) fn touched(entity: &EntityPlan, key: &[Owned], there: Option<Record>, now_us: i64) -> Record {
    let clock = u64::try_from(now_us).unwrap_or(0).max(2);
    if let Some(there) = there {
        return Record { version: clock.max(there.version + 2), ..there };
    }
    let mut values = vec![Value::Null; entity.fields.len()];
    entity.source.fill(key, &mut values);
    Record {
        version: clock,
        created_us: NOT_DELETED,
        updated_us: now_us,
        floor_ms: 0,
        tokens: Vec::new(),
        stale: Vec::new(),
        gone: true,
        values,
        rest: Vec::new(),
    }
}
