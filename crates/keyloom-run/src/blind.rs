//! Rows that are put and deleted whole, without a look at them. Nothing is decided: what is placed is a function of the
//! request, its version is the birth of the request, and the newest wins.
//!
//! A row never moves in a list, so a removal knows all places of a row by its key. All of them come at once: there is no
//! row that would say what is still to be done.

use keyloom_store::Freshness;
use keyloom_value::Value;

use crate::{
    answer::Answer,
    append::{TRIES_MAX, is_open, version_of},
    carry::Companion,
    problem::Problem,
    program::{EntityPlan, Write},
    record::Record,
    run::{Call, Run},
    write::Request,
};

type Owned = Value<'static>;

/// In what names an outcome that is not known, the last digit of an even version says that it is a removal.
const REMOVAL: u64 = 1;

impl Run {
    pub(crate) async fn put_blind(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Answer, Problem> {
        let record = self.placed_record(plan, entity, call, request).await?;
        let version = record.version;
        let source = self.source_row(entity, &record)?;
        let rows: Vec<Companion> = std::iter::once(source).chain(self.standing(entity, &record)).collect();
        let unknown = || self.outcome_token(entity, &request.target, request, Some(version));
        if !self.come_at_once(entity, &rows).await? {
            return Ok(Answer::Unknown { token: unknown()? });
        }
        if self.protocol.looks_behind {
            // Whoever comes with an older request is told that what he puts does not stand. One whose time is over does not
            // stand either, and was put.
            let Ok(there) = self.source(entity, &request.target, Freshness::Settled, self.now_us()).await else {
                return Ok(Answer::Unknown { token: unknown()? });
            };
            let stands = there.is_some_and(|there| there.version == version && there.values == record.values);
            if !stands && self.alive(entity, Some(&record), self.now_us())?.is_some() {
                return Ok(superseded());
            }
        }
        let row = self.returned(plan, entity, None, &record, self.now_us()).await?;
        self.applied(entity, &record, version, row, true)
    }

    pub(crate) async fn delete_blind(&self, entity: &EntityPlan, request: &Request) -> Result<Answer, Problem> {
        let version = version_of(entity, &removed(entity, &request.target).values, request)?;
        match self.remove_blind(entity, &request.target, version).await? {
            Some(answer) => Ok(answer),
            None => {
                let token = self.outcome_token(entity, &request.target, request, Some(version | REMOVAL))?;
                Ok(Answer::Unknown { token })
            }
        }
    }

    /// What became of a row that was to be added, put or deleted: it stands, something newer stands, or nobody knows yet.
    /// Sending the request again is always right, and a removal is sent again here; that it was not applied is never
    /// certain, since it may still be under way.
    pub(crate) async fn placed_outcome(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        version: u64,
    ) -> Result<Option<Answer>, Problem> {
        if version & REMOVAL == REMOVAL {
            return self.remove_blind(entity, key, version & !REMOVAL).await;
        }
        let Some(there) = self.source(entity, key, Freshness::Settled, self.now_us()).await? else { return Ok(None) };
        match there.version {
            stands if stands < version => Ok(None),
            stands if stands > version && !self.is_append(entity) => Ok(Some(superseded())),
            stands => {
                let visible = self.derive_added(entity, &there).await?;
                self.applied(entity, &there, stands, None, visible).map(Some)
            }
        }
    }

    /// Removes a row wherever it stands; nothing is answered when it is not certain that all of it is gone.
    async fn remove_blind(&self, entity: &EntityPlan, key: &[Owned], version: u64) -> Result<Option<Answer>, Problem> {
        let record = Record { version, ..removed(entity, key) };
        let source =
            Companion { table: entity.source.table, key: key.to_vec(), version, values: None, expires_at: None };
        let lists = self.standing(entity, &record).into_iter().map(|row| Companion { values: None, ..row });
        let rows: Vec<Companion> = std::iter::once(source).chain(lists).collect();
        if !self.come_at_once(entity, &rows).await? {
            return Ok(None);
        }
        if self.protocol.looks_behind {
            // A put of the same version beats it.
            match self.source(entity, key, Freshness::Settled, self.now_us()).await {
                Err(_) => return Ok(None),
                Ok(Some(there)) if there.version >= version => return Ok(Some(superseded())),
                Ok(_) => {}
            }
        }
        self.applied(entity, &record, version, None, true).map(Some)
    }

    /// Places rows all or none; whether that is acknowledged.
    async fn come_at_once(&self, entity: &EntityPlan, rows: &[Companion]) -> Result<bool, Problem> {
        let rows: Vec<&Companion> = rows.iter().collect();
        if rows.len() > 1 && !self.fits_together(&rows) {
            let name = &entity.name;
            return Err(Problem::Input(format!(
                "a row of {name} and its lists are larger than the engine takes at once"
            )));
        }
        for _ in 0..TRIES_MAX {
            match self.place_together(&rows).await {
                Ok(()) => return Ok(true),
                Err(fault) => is_open(fault)?,
            }
        }
        Ok(false)
    }
}

/// A row of which nothing is known but its key, which says where it stands.
pub(crate) fn removed(entity: &EntityPlan, key: &[Owned]) -> Record {
    let mut values = vec![Value::Null; entity.fields.len()];
    entity.source.fill(key, &mut values);
    Record::placed(0, 0, values)
}

fn superseded() -> Answer {
    Answer::NotApplied { reason: "superseded".into() }
}
