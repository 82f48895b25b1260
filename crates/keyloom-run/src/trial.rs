//! What a trial may see and change that nobody else does: rules that are switched off, what a process forgets when it dies,
//! which requests the rows remember. Only there with the feature `trial`, which `keyloom-trial` alone asks for.

use std::sync::PoisonError;

use keyloom_model::WriteVerb;
use keyloom_store::{Freshness, Sweep};
use keyloom_value::Value;
use serde_json::{Map, Value as Json};

use crate::{
    append::version_of,
    blind::removed,
    inputs::Inputs,
    judge::Next,
    problem::Problem,
    program::{EntityPlan, Plan, Target, Write},
    read::{Asking, millis},
    receipts::Absorbed,
    record::Record,
    run::{Call, Run, put},
    write::Request,
};

pub use crate::protocol::Protocol;

/// A request that a row remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The key of the row.
    pub key: Json,
    /// The version that the request made.
    pub version: u64,
}

impl Run {
    /// Runs by these rules from now on.
    pub fn obey(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// What was in memory alone is gone, as when the process dies.
    pub fn forget_all(&self) {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.named.clear();
    }

    /// Whether something follows when rows end.
    pub fn follows_ends(&self) -> bool {
        self.program.entities.iter().any(|entity| entity.end_is_followed)
    }

    /// The log of a store that is opened begins some time before; here it may begin at once.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle_from_here(&self) -> Result<(), Problem> {
        if !self.program.has_log() {
            return Ok(());
        }
        // The clock of whoever marks next may be behind, and a mark that comes with a row that is placed is later than that.
        let behind_ms = if self.program.places() { self.protocol.late_ms } else { self.protocol.settle_ms };
        let from_ms = self.now_us().div_euclid(1_000) - behind_ms.max(self.protocol.settle_ms);
        let span = from_ms.div_euclid(self.protocol.span_ms) - 1;
        let (version, _) = self.settled_until().await?;
        self.set_settled_until(version, span).await
    }

    /// Touches every decided row that is there, so that what is still under way is finished now or never will be.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn touch_all(&self, store: &impl Sweep) -> Result<(), Problem> {
        if self.program.companions == keyloom_plan::Companions::Ride {
            return Ok(());
        }
        for entity in self.program.entities.iter().filter(|entity| entity.source.hidden.is_some()) {
            for record in self.swept(store, entity).await? {
                self.touch_until_done(entity, &entity.source_key(&record)).await?;
            }
        }
        Ok(())
    }

    /// Touches the row that a request names by its key, whether or not it is there.
    ///
    /// # Errors
    /// When the store fails, or there is no such request.
    pub async fn touch_named(
        &self,
        pattern: &str,
        inputs: &Inputs,
        key: Option<&str>,
        number: u32,
    ) -> Result<(), Problem> {
        let Some(Plan::Write(plan)) = self.plan(pattern) else { return Ok(()) };
        let entity = self.entity(plan.entity);
        if self.program.companions == keyloom_plan::Companions::Ride || entity.source.hidden.is_none() {
            return Ok(());
        }
        let call = Call { pattern, inputs: inputs.clone(), key, order: None, limit: None, cursor: None };
        let request = self.request(plan, &call, number)?;
        match self.own_row(plan, entity, &call, &request)? {
            Some(key) => self.touch_until_done(entity, &key).await,
            None => Ok(()),
        }
    }

    async fn touch_until_done(&self, entity: &EntityPlan, key: &[Value<'static>]) -> Result<(), Problem> {
        loop {
            let there = self.source(entity, key, Freshness::Fresh, self.now_us()).await?;
            // One that is finished now is in the way of a touch.
            if self.touch(entity, key, there).await?.is_some() {
                return Ok(());
            }
        }
    }

    /// The rows that remember this request, of which there is one at most; of several equal items of a batch, the one of this
    /// number.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn remembers(
        &self,
        store: &impl Sweep,
        pattern: &str,
        inputs: &Inputs,
        key: Option<&str>,
        number: u32,
    ) -> Result<Vec<Remembered>, Problem> {
        let Some(Plan::Write(plan)) = self.plan(pattern) else { return Ok(Vec::new()) };
        let entity = self.entity(plan.entity);
        let call = Call { pattern, inputs: inputs.clone(), key, order: None, limit: None, cursor: None };
        let mut request = self.request(plan, &call, number)?;
        // A row that is added is a function of the request: what it would be is compared with what is there.
        let added = match entity.source.hidden {
            Some(_) => None,
            None => {
                request.now_us = request.key.birth_ms.saturating_mul(1_000);
                if plan.verb == WriteVerb::Delete {
                    return Ok(self.removes(plan, entity, &call, &request)?.into_iter().collect());
                }
                match self.judge(plan, None, &call, &request).await? {
                    Next::Stands(values) => {
                        let key = entity.source_key_in(&values);
                        let version = version_of(entity, &values, &request)?;
                        // What is put without a look is not remembered for long.
                        if plan.verb == WriteVerb::Put {
                            let key = self.own_key(entity, &Record::placed(version, 0, values))?;
                            return Ok(vec![Remembered { key, version }]);
                        }
                        Some((key, version))
                    }
                    Next::Gone | Next::Refused(_) => return Ok(Vec::new()),
                }
            }
        };
        let mut all = Vec::new();
        for record in self.swept(store, entity).await? {
            let key = entity.source_key(&record);
            let made = match &added {
                Some((own, version)) => (key == *own && record.version >= *version).then_some(*version),
                None => match self.absorbed(entity, &key, &record, &request.token, request.now_us).await {
                    Ok(Some(Absorbed::Applied(version))) => Some(version),
                    Ok(None | Some(Absorbed::Refused(_))) | Err(Problem::KeyReused) => None,
                    Err(problem) => return Err(problem),
                },
            };
            if let Some(version) = made {
                all.push(Remembered { key: self.own_key(entity, &record)?, version });
            }
        }
        Ok(all)
    }

    /// What a removal without a look is about.
    fn removes(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Option<Remembered>, Problem> {
        let Target::Key(key) = &plan.target else { return Ok(None) };
        let asking = Asking { inputs: &call.inputs, item: None, now_us: request.now_us };
        let Some(key) = self.key(entity, key, &asking)? else { return Ok(None) };
        let record = removed(entity, &key);
        let version = version_of(entity, &record.values, request)?;
        Ok(Some(Remembered { key: self.own_key(entity, &record)?, version }))
    }

    fn own_key(&self, entity: &EntityPlan, record: &Record) -> Result<Json, Problem> {
        let mut key = Map::new();
        for field in entity.own_key() {
            let (name, kind) = &entity.fields[*field];
            put(&mut key, name, &record.values[*field], kind)?;
        }
        Ok(Json::Object(key))
    }

    /// The rows of a source, those that are gone too.
    async fn swept(&self, store: &impl Sweep, entity: &EntityPlan) -> Result<Vec<Record>, Problem> {
        let (table, shape) = self.table(entity.source.table);
        let mut records = Vec::new();
        for segment in store.segments(table, 1).await? {
            let mut resume = None;
            loop {
                let swept = store.sweep(table, &segment, resume.as_ref(), 1_000, millis(self.now_us())).await?;
                for row in &swept.rows {
                    records.push(Record::read(row, shape, &entity.source)?);
                }
                resume = swept.resume;
                if resume.is_none() {
                    break;
                }
            }
        }
        Ok(records)
    }
}
