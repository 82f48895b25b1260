//! Rows that come and never change. Nothing is decided: the row is a function of the request, so whoever sends the request
//! again places the same bytes, and whoever is asked about it looks whether they are there.
//!
//! Its version is the birth of the request, with a digest of the row as the last digits: of two rows that were sent under one
//! key the same one stands everywhere.

use keyloom_model::Class;
use keyloom_store::{Fault, GroupImage, Placement, Placing, Store};
use keyloom_value::{Value, canonical};

use crate::{
    answer::Answer,
    carry::Companion,
    digest::Parts,
    dirty::NewMark,
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
pub(crate) const TRIES_MAX: usize = 3;

impl Run {
    pub(crate) async fn append(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Answer, Problem> {
        let record = self.placed_record(plan, entity, call, request).await?;
        let source = self.source_row(entity, &record)?;
        let lists = self.added_with(entity, &record)?;
        for _ in 0..TRIES_MAX {
            match self.place_all(entity, &record, &source, &lists).await {
                Ok(visible) => {
                    let row = self.returned(plan, entity, None, &record, self.now_us()).await?;
                    return self.applied(entity, &record, record.version, row, visible);
                }
                Err(fault) => is_open(fault)?,
            }
        }
        // Some of it may be there. The same request places the rest.
        Ok(Answer::Unknown { token: self.outcome_token(entity, &source.key, request, Some(record.version))? })
    }

    /// The row that a request places, whatever stands there.
    pub(crate) async fn placed_record(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Record, Problem> {
        let values = match self.judge(plan, None, call, request).await? {
            Next::Stands(values) => values,
            Next::Gone | Next::Refused(_) => return Err(Problem::Broken("a row that is placed was refused".into())),
        };
        Ok(Record::placed(version_of(entity, &values, request)?, request.now_us, values))
    }

    /// Whether the rows of an entity only come, and never change.
    pub(crate) fn is_append(&self, entity: &EntityPlan) -> bool {
        let declared = self.program.catalog.entity(&entity.name);
        declared.is_some_and(|known| known.class(&self.program.catalog).0 == Class::Append)
    }

    /// Sees to it that a row that somebody found and all that follows from it is there; whether that is acknowledged. The
    /// row itself is placed again: one of which nobody knows whether enough replicas have it may be missed by a count.
    pub(crate) async fn derive_added(&self, entity: &EntityPlan, there: &Record) -> Result<bool, Problem> {
        let mut rows = vec![self.source_row(entity, there)?];
        rows.extend(self.added_with(entity, there)?);
        let groups = self.groups(entity, &rows.iter().collect::<Vec<_>>());
        Ok(self.place(&rows).await.is_ok() && self.recount(&groups).await)
    }

    /// What comes with a row that is added: where it stands in lists, and values that it may push further.
    fn added_with(&self, entity: &EntityPlan, record: &Record) -> Result<Vec<Companion>, Problem> {
        let mut rows = self.standing(entity, record);
        rows.extend(self.pushed(entity, record)?);
        Ok(rows)
    }

    /// Places the row and what follows from it; whether all of it can be seen. All comes together where the engine takes so
    /// much. Where it does not, and where something is counted behind the row, a mark comes with it, by which the rest is
    /// finished if this process does not come to it.
    async fn place_all(
        &self,
        entity: &EntityPlan,
        record: &Record,
        source: &Companion,
        lists: &[Companion],
    ) -> Result<bool, Fault> {
        let rows: Vec<&Companion> = std::iter::once(source).chain(lists).collect();
        let groups = self.groups(entity, &rows);
        if groups.is_empty() && (lists.is_empty() || self.fits_together(&rows)) {
            self.place_together(&rows).await?;
            return Ok(true);
        }
        if !self.program.has_log() {
            return Err(Fault::refused(format!(
                "a row of {} and its lists are larger than the engine takes",
                entity.name
            )));
        }
        let refused = |problem: Problem| Fault::refused(problem.to_string());
        let mark = self.change_mark(entity, &source.key, &[]).map_err(refused)?;
        let end = self.end_mark(entity, None, record, &groups).map_err(refused)?;
        let marks = Some(&mark).filter(|_| self.protocol.marks).into_iter().chain(&end);
        let marks: Vec<Companion> = marks.map(NewMark::companion).collect();
        let marked: Vec<&Companion> = rows.into_iter().chain(&marks).collect();
        if self.fits_together(&marked) {
            self.place_together(&marked).await?;
        } else {
            self.place_together(&std::iter::once(source).chain(&marks).collect::<Vec<_>>()).await?;
            self.place(lists).await?;
        }
        let counted = self.recount(&groups).await;
        if counted {
            self.owe(vec![mark.mark]);
        }
        Ok(counted)
    }

    /// Whether an engine takes these rows all or none.
    pub(crate) fn fits_together(&self, rows: &[&Companion]) -> bool {
        let limits = &self.store.abilities().limits;
        let values = rows.iter().flat_map(|row| row.key.iter().chain(row.values.iter().flatten()));
        let bytes = rows.len() * BESIDE + values.map(bytes).sum::<usize>();
        rows.len() <= limits.together_rows_max as usize && bytes as u64 <= limits.together_bytes_max
    }

    /// Places and removes rows: all of them or none.
    pub(crate) async fn place_together(&self, rows: &[&Companion]) -> Result<(), Fault> {
        let groups: Vec<[GroupImage<'_>; 1]> = rows.iter().map(|row| row.group()).collect();
        let removed: Vec<[(usize, u64); 1]> = rows.iter().map(|row| [(0, row.version)]).collect();
        let placements = rows.iter().zip(&groups).zip(&removed).map(|((row, groups), removed)| {
            let placing = match row.values {
                Some(_) => Placing::Put { groups, expires_at: row.expires_at },
                None => Placing::Remove { groups: removed },
            };
            Placement { table: self.table(row.table).0, key: &row.key, placing }
        });
        let placements: Vec<Placement<'_>> = placements.collect();
        self.name_buckets(rows.iter().copied()).await?;
        let together = rows.len() > 1 && self.protocol.places_together;
        self.store.place(&placements, together, millis(self.now_us())).await
    }

    /// The row in the source table.
    pub(crate) fn source_row(&self, entity: &EntityPlan, record: &Record) -> Result<Companion, Problem> {
        let values = self.source_image(entity, record).into_iter().map(Value::into_owned);
        Ok(Companion {
            table: entity.source.table,
            key: entity.source_key(record),
            version: record.version,
            values: Some(values.collect()),
            expires_at: crate::judge::ends_at(entity, &record.values)?.map(keyloom_store::Millis),
        })
    }
}

/// Whether placements that met this fault may be there or may be sent again; else there is no sense in that.
pub(crate) fn is_open(fault: Fault) -> Result<(), Problem> {
    match fault {
        Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. } => Ok(()),
        Fault::Refused(cause) => Err(Problem::Input(cause.into_owned())),
        Fault::Broken(cause) => Err(Problem::Broken(cause.into_owned())),
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

/// The version of a row that is placed: the birth of the request, and as the last digits what stands for its values, so that
/// of two that were born at once the same one wins everywhere.
pub(crate) fn version_of(entity: &EntityPlan, values: &[Owned], request: &Request) -> Result<u64, Problem> {
    /// So many versions lie in a millisecond, two apart: a removal stands below each.
    const SLOTS: u64 = 499;
    let mut parts = Parts::of("appended", &[]);
    let written = parts.write(|out| {
        for (value, (_, kind)) in values.iter().zip(&entity.fields) {
            out.push(u8::from(value.is_null()));
            if !value.is_null() {
                canonical::encode(value, kind, out)?;
            }
        }
        Ok(())
    });
    written.map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
    let [a, b, c, d, ..] = parts.digest();
    let slot = u64::from(u32::from_be_bytes([a, b, c, d])) % SLOTS;
    Ok(u64::try_from(request.key.birth_ms).unwrap_or(0).max(1) * 1_000 + 2 * slot)
}
