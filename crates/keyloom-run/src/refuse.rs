//! Refusals that are decided.
//!
//! A request that is refused may have been sent before, and that attempt may still be under way: in a process that sleeps, in
//! the network, in the store. If the row changes meanwhile so that it would be let through, the caller was told a lie. So
//! the refused request becomes a token of the row: every other attempt then finds it there, or loses by the version.

use keyloom_store::Freshness;
use keyloom_value::Value;

use crate::{
    answer::Answer,
    carry::{Intent, Tried},
    follow::LOOKS_MAX,
    outcome::Asked,
    problem::Problem,
    program::EntityPlan,
    record::{Record, Token},
    run::Run,
    touch::touched,
    write::Request,
};

type Owned = Value<'static>;

impl Run {
    /// The answer to a request that is refused; `None` when the row must be looked at again. A first attempt costs nothing
    /// but the look.
    pub(crate) async fn refuse(
        &self,
        entity: &EntityPlan,
        there: Option<&Record>,
        request: &Request,
        reason: String,
    ) -> Result<Option<Answer>, Problem> {
        if request.repeated && self.protocol.decides_refusals {
            return self.refuse_for_good(entity, &request.target, there, &request.token, reason).await;
        }
        Ok(Some(Answer::NotApplied { reason }))
    }

    /// What became of a request: if it was not applied, it never will be. `None` when that can't be said.
    pub(crate) async fn conclude(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        token: &Token,
        asked: Asked,
    ) -> Result<Option<Answer>, Problem> {
        for _ in 0..LOOKS_MAX {
            let now_us = self.now_us();
            let there = self.source(entity, key, Freshness::Fresh, now_us).await?;
            if let Some(there) = &there
                && let Some(absorbed) = self.absorbed(entity, key, there, token, now_us).await?
            {
                return self.found(entity, there, absorbed).await.map(Some);
            }
            let alive = self.alive(entity, there.as_ref(), now_us)?;
            let reason = asked.unapplied(alive).to_owned();
            if let Some(answer) = self.refuse_for_good(entity, key, there.as_ref(), token, reason).await? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    async fn refuse_for_good(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        there: Option<&Record>,
        token: &Token,
        reason: String,
    ) -> Result<Option<Answer>, Problem> {
        let now_us = self.now_us();
        let mut record = touched(entity, key, there.cloned(), now_us);
        let refused = Some(reason.clone());
        record.tokens.push(Token { version: record.version, refused, ..token.clone() });
        let forgotten = self.forget(&mut record, now_us);
        let intent = Intent {
            entity,
            before: there,
            record: &record,
            reserves: &[],
            checks: &[],
            kept: &[],
            anew: false,
            forgotten: &forgotten,
            now_us,
        };
        match self.carry_out(&intent, &mut Vec::new()).await? {
            Tried::Done { .. } => Ok(Some(Answer::NotApplied { reason })),
            // If it was done after all, the next look finds it.
            Tried::Lost | Tried::Unknown => Ok(None),
        }
    }
}
