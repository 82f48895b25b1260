//! Rows that come and never change. Nothing is decided: the row is a function of the request, so whoever sends the request
//! again places the same bytes, and whoever is asked about it looks whether they are there.
//!
//! Its version is the birth of the request, with a digest of the row as the last digits: of two rows that were sent under one
//! key the same one stands everywhere.

use keyloom_plan::Companions;
use keyloom_store::{Fault, Freshness, GroupImage, Placement, Placing, Store};
use keyloom_value::{Value, canonical};

use crate::{
    answer::Answer,
    carry::Companion,
    digest::digest,
    judge::Next,
    problem::Problem,
    program::{EntityPlan, Write},
    read::millis,
    record::Record,
    run::{Call, Run},
    write::Request,
};

type Owned = Value<'static>;

/// What an engine adds to each value and each row, seen generously.
const BESIDE: usize = 40;
/// How often placements are sent before the caller is told to.
const TRIES_MAX: usize = 3;

impl Run {
    pub(crate) async fn append(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Answer, Problem> {
        let values = match self.judge(plan, None, call, request).await? {
            Next::Stands(values) => values,
            Next::Gone | Next::Refused(_) => return Err(Problem::Broken("a row that is added was refused".into())),
        };
        let version = version(entity, &values, request)?;
        let record = Record::placed(version, request.now_us, values);
        let source = self.source_row(entity, &record)?;
        let lists = self.standing(entity, &record);
        let mut placed = Ok(());
        for _ in 0..TRIES_MAX {
            placed = self.place_all(entity, &source, &lists).await;
            if !matches!(placed, Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. })) {
                break;
            }
        }
        match placed {
            Ok(()) => {
                let row = self.returned(plan, entity, None, &record, self.now_us()).await?;
                self.applied(entity, &record, version, row, true)
            }
            Err(Fault::Refused(cause)) => Err(Problem::Input(cause.into_owned())),
            Err(Fault::Broken(cause)) => Err(Problem::Broken(cause.into_owned())),
            // Some of it may be there. The same request places the rest.
            Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => {
                Ok(Answer::Unknown { token: self.outcome_token(entity, &source.key, request, Some(version))? })
            }
        }
    }

    /// What became of a row that was to be added: it is there, or nobody knows yet. Sending the request again is always
    /// right; that it was not applied is never certain, since it may still be under way.
    pub(crate) async fn appended(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        version: u64,
    ) -> Result<Option<Answer>, Problem> {
        let there = self.source(entity, key, Freshness::Settled, self.now_us()).await?;
        let Some(there) = there.filter(|there| there.version >= version) else { return Ok(None) };
        let visible = self.place(&self.standing(entity, &there)).await.is_ok();
        self.applied(entity, &there, there.version, None, visible).map(Some)
    }

    /// Places the row and what follows from it: all together where the engine takes so much, else the row together with a
    /// mark, by which the rest is finished if this process does not come to it.
    async fn place_all(&self, entity: &EntityPlan, source: &Companion, lists: &[Companion]) -> Result<(), Fault> {
        let now = millis(self.now_us());
        let rows: Vec<&Companion> = std::iter::once(source).chain(lists).collect();
        if lists.is_empty() || self.fits_together(&rows) {
            return self.place_together(&rows, now).await;
        }
        if self.program.companions == Companions::Ride {
            return Err(Fault::refused(format!(
                "a row of {} and its lists are larger than the engine takes",
                entity.name
            )));
        }
        let (mark, row) = self.new_mark(entity, &source.key).map_err(|problem| Fault::refused(problem.to_string()))?;
        self.place_together(&[source, &row], now).await?;
        self.place(lists).await?;
        self.owe(vec![mark]);
        Ok(())
    }

    /// Whether an engine takes these rows all or none.
    fn fits_together(&self, rows: &[&Companion]) -> bool {
        let limits = &self.store.abilities().limits;
        let values = rows.iter().flat_map(|row| row.key.iter().chain(row.values.iter().flatten()));
        let bytes = rows.len() * BESIDE + values.map(bytes).sum::<usize>();
        rows.len() <= limits.together_rows_max as usize && bytes as u64 <= limits.together_bytes_max
    }

    async fn place_together(&self, rows: &[&Companion], now: keyloom_store::Millis) -> Result<(), Fault> {
        let groups: Vec<[GroupImage<'_>; 1]> = rows.iter().map(|row| row.group()).collect();
        let placements = rows.iter().zip(&groups).map(|(row, groups)| {
            let placing = Placing::Put { groups, expires_at: row.expires_at };
            Placement { table: self.table(row.table).0, key: &row.key, placing }
        });
        let placements: Vec<Placement<'_>> = placements.collect();
        self.store.place(&placements, rows.len() > 1, now).await
    }

    /// The row in the source table.
    fn source_row(&self, entity: &EntityPlan, record: &Record) -> Result<Companion, Problem> {
        let image = record.image(&entity.source);
        let values = image.into_iter().map(Value::into_owned);
        let columns = self.columns(entity.source.table);
        Ok(Companion {
            table: entity.source.table,
            key: entity.source_key(record),
            version: record.version,
            values: Some(values.chain(std::iter::repeat(Value::Null)).take(columns).collect()),
            expires_at: crate::judge::ends_at(entity, &record.values)?.map(keyloom_store::Millis),
        })
    }
}

/// How many bytes a value has in an engine, at most.
fn bytes(value: &Owned) -> usize {
    let of = match value {
        Value::Text(text) | Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) | Value::Set(items) | Value::Struct(items) => items.iter().map(bytes).sum(),
        Value::Map(entries) => entries.iter().map(|(key, value)| bytes(key) + bytes(value)).sum(),
        Value::OneOf(_, value) => bytes(value),
        _ => 16,
    };
    of + BESIDE
}

/// The version of a row that is added.
pub(crate) fn version(entity: &EntityPlan, values: &[Owned], request: &Request) -> Result<u64, Problem> {
    /// So many versions lie in a millisecond, two apart: a removal stands below each.
    const SLOTS: u64 = 499;
    let mut bytes = Vec::new();
    for (value, (_, kind)) in values.iter().zip(&entity.fields) {
        bytes.push(u8::from(value.is_null()));
        if !value.is_null() {
            canonical::encode(value, kind, &mut bytes).map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        }
    }
    let [a, b, c, d, ..] = digest("appended", &[&bytes]);
    let slot = u64::from(u32::from_be_bytes([a, b, c, d])) % SLOTS;
    Ok(u64::try_from(request.key.birth_ms).unwrap_or(0).max(1) * 1_000 + 2 * slot)
}
