//! Kept values that rows which never change only push further: the first and the last by a time. Such a value is placed, and
//! the time is its version, so whichever comes first or last wins, in whatever order they arrive. Of rows of one moment any
//! may win.

use keyloom_model::{Aggregate, layout::Way};
use keyloom_store::Millis;
use keyloom_value::Value;

use crate::{
    carry::Companion,
    judge::ends_at,
    problem::Problem,
    program::{EntityPlan, Kept},
    record::Record,
    run::Run,
};

/// Times lie between 1970 and this, which is in the year 2109.
const END_MS: i64 = 1 << 42;

impl Run {
    /// Values that a row which is added may push further.
    pub(crate) fn pushed(&self, entity: &EntityPlan, record: &Record) -> Result<Vec<Companion>, Problem> {
        let mut rows = Vec::new();
        // The row that comes last ends last.
        let expires_at = ends_at(entity, &record.values)?.map(Millis);
        let fed = |kept: &&Kept| kept.way == Way::Newest && self.entity(kept.feeder).name == entity.name;
        for kept in self.program.kept.iter().filter(fed) {
            let Some((key, _)) = self.share(kept, record) else { continue };
            let (Some(of), Some(by)) = (kept.of, kept.by) else { continue };
            let (value, order) = (&record.values[of], &record.values[by]);
            let (false, Value::Timestamp(moment)) = (value.is_null(), order) else { continue };
            if !(1..END_MS).contains(moment) {
                let name = &entity.fields[by].0;
                return Err(Problem::Input(format!(
                    "`{name}`: it must lie between 1970 and 2109, since what comes first or last by it is kept"
                )));
            }
            let further_ms = match kept.aggregate {
                Aggregate::First => END_MS - moment,
                _ => *moment,
            };
            let version = u64::try_from(further_ms).unwrap_or(1) * 1_000;
            let values = Some(vec![value.clone()]);
            rows.push(Companion { table: kept.table, key, version, values, expires_at });
        }
        Ok(rows)
    }
}
