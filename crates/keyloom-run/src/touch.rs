//! A touch: a row is decided once more without being changed.
//!
//! Every decision that is under way on the row fails then, wherever it is: it expects another version. That is how
//! somebody makes certain that what has not happened can't happen any more.

use keyloom_store::{Fault, Verdict};
use keyloom_value::Value;

use crate::{problem::Problem, program::EntityPlan, record::Record, run::Run};

type Owned = Value<'static>;

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
        let before = there.as_ref().map(|there| there.version);
        let record = touched(entity, key, there, now_us);
        match self.decide_source(entity, before, &record, &[], now_us).await {
            Ok(Verdict::Done) => Ok(Some(record)),
            Ok(Verdict::Lost { .. }) | Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }
}

/// What a row that was seen like this is once it was touched.
pub(crate) fn touched(entity: &EntityPlan, key: &[Owned], there: Option<Record>, now_us: i64) -> Record {
    let clock = u64::try_from(now_us).unwrap_or(0).max(2);
    if let Some(there) = there {
        return Record { version: clock.max(there.version + 2), ..there };
    }
    let mut values = vec![Value::Null; entity.fields.len()];
    for (field, value) in entity.source.key.iter().zip(key) {
        values[*field] = value.clone();
    }
    Record {
        version: clock,
        created_us: now_us,
        updated_us: now_us,
        floor_ms: 0,
        tokens: Vec::new(),
        stale: Vec::new(),
        gone: true,
        values,
        rest: Vec::new(),
    }
}
