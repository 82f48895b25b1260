//! I2, I4, I10: what was answered is so.

use keyloom_model::{Fill, Returns, WriteVerb};
use keyloom_run::{Answer, Problem};
use serde_json::Value as Json;

use super::{Contradiction, Fate, Judge, Request, Tally, wrong};
use crate::{
    history::{Attempt, End},
    meaning::{Fields, Next, Owned, reference_key, reference_reason, shows},
};

impl Judge<'_> {
    pub(super) fn answers(&self) -> Result<Tally, Contradiction> {
        let mut tally = Tally::default();
        for request in self.requests {
            let asked = request.asked;
            tally.repeated += u64::from(asked.attempts.len() > 1);
            match request.fate {
                Fate::Applied(_) | Fate::Found(_) => tally.applied += 1,
                Fate::Perhaps | Fate::Nothing => tally.refused += u64::from(asked.answers().next().is_some()),
            }
            tally.uncertain += u64::from(!matches!(
                asked.attempts.last().map(|it| &it.end),
                Some(End::Answered(Ok(Answer::Applied { .. } | Answer::NotApplied { .. })))
            ));
            if let Fate::Applied(version) = request.fate {
                self.others_are_there(request, version)?;
            }
            for (attempt, answer) in asked.answers() {
                match answer {
                    Ok(Answer::NotApplied { reason }) => self.is_true(request, attempt, reason)?,
                    Err(Problem::Input(words)) => self.is_invalid(request, attempt, words)?,
                    Ok(Answer::Applied { row: Some(row), version, .. }) => {
                        self.returned(request, *version, &row.json())?;
                    }
                    _ => {}
                }
            }
        }
        Ok(tally)
    }

    /// What a request may have met between two moments, and what it may have made of it.
    fn met(&self, request: &Request<'_>, from_us: i64, to_us: i64) -> Vec<(Vec<Owned>, Option<Fields>, Next)> {
        let mut all = Vec::new();
        for identity in self.targets(request, from_us, to_us) {
            let own = |turn: &super::Turn| turn.request == request.at;
            let life = self.lives.get(request.entity, &identity);
            // A request does not meet what it has made itself, but an attempt of it may come after that.
            let mut states = self.lives.possible(request.entity, &identity, from_us, to_us);
            if let Some(life) = life
                && let Some(at) = life.turns.iter().position(own)
            {
                let before = if at == 0 { vec![None] } else { life.turns[at - 1].states.clone() };
                states.extend(before);
            }
            for state in states {
                // The version of a row is known for certain where no condition looks at it.
                for next in self.lives.nexts(request, &identity, state.as_ref(), 0..u64::MAX, from_us, to_us) {
                    all.push((identity.clone(), state.clone(), next));
                }
            }
        }
        all
    }

    /// The rows that a request may be about.
    fn targets(&self, request: &Request<'_>, from_us: i64, to_us: i64) -> Vec<Vec<Owned>> {
        if let Some(identity) = request.identity.as_ref().filter(|_| request.is_by_key()) {
            return vec![identity.clone()];
        }
        let mut all = Vec::new();
        let makes = matches!(request.write.verb, WriteVerb::Create | WriteVerb::Put);
        if makes || request.write.or_create {
            // One that nobody else can name.
            let mut unheard = request.asked.body.clone();
            for key in &request.entity.key {
                if unheard.get(key).is_none() {
                    unheard[key] = Json::from("ffffffff-ffff-7fff-bfff-ffffffffffff");
                }
            }
            let tenant = request.asked.caller.tenant.as_deref();
            all.extend(super::fate::identity(self.catalog, request.entity, tenant, &unheard));
        }
        if makes {
            return all;
        }
        for life in self.lives.of_entity(request.entity) {
            let states = self.lives.possible(request.entity, &life.identity, from_us, to_us);
            if states.iter().flatten().any(|row| request.is_meant(self.catalog, row)) {
                all.push(life.identity.clone());
            }
        }
        all
    }

    /// A reason was true at some moment between the call and its answer.
    fn is_true(&self, request: &Request<'_>, attempt: &Attempt, reason: &str) -> Result<(), Contradiction> {
        // Others were first, all the time: nobody can say that they were not.
        if reason == "conflict" {
            return Ok(());
        }
        // A refusal that was decided is repeated, and was true when an attempt before met it.
        let from_us = request.sent_us;
        let to_us = attempt.to_us;
        let met = self.met(request, from_us, to_us);
        let said = |next: &Next| matches!(next, Next::Refused(known) if known == reason);
        let nobody = reason == "absent" && !request.is_by_key();
        if !nobody && met.iter().any(|(_, _, next)| said(next)) {
            return Ok(());
        }
        if nobody {
            let held = self.lives.of_entity(request.entity).find(|life| {
                let certain = life.certain(from_us, to_us);
                certain.is_some_and(|turn| {
                    turn.states.iter().all(|row| {
                        row.as_ref().is_some_and(|row| {
                            request.is_meant(self.catalog, row) && self.lasts(request.entity, row, to_us)
                        })
                    })
                })
            });
            return match held {
                None => Ok(()),
                Some(life) => {
                    let steps: Vec<usize> = life.certain(from_us, to_us).map(|turn| turn.step).into_iter().collect();
                    wrong(
                        "a false answer: absent, but a row has these values all the time",
                        &[&[request.asked.step], &steps[..]].concat(),
                    )
                }
            };
        }
        let wanted = met.iter().filter_map(|(identity, _, next)| match next {
            Next::Stands(row) => Some((identity, row)),
            _ => None,
        });
        for (identity, row) in wanted {
            let unique = request.entity.unique.iter().find(|unique| unique.name == reason);
            if unique.is_some_and(|unique| self.is_taken(request.entity, unique, identity, row, from_us, to_us)) {
                return Ok(());
            }
            for field in &request.entity.fields {
                let names_it = reference_reason(field).as_deref() == Some(reason);
                if names_it && self.may_be_missing(request, field, row, from_us, to_us) {
                    return Ok(());
                }
            }
        }
        let mut nexts: Vec<String> = met.iter().map(|(_, _, next)| format!("{next:?}")).collect();
        nexts.sort();
        nexts.dedup();
        nexts.truncate(3);
        wrong(
            format!(
                "a false answer: not applied, {reason}; it was never so between call and answer, but {}",
                nexts.join(" or ")
            ),
            &[request.asked.step],
        )
    }

    fn may_be_missing(
        &self,
        request: &Request<'_>,
        field: &keyloom_model::Field,
        row: &Fields,
        from_us: i64,
        to_us: i64,
    ) -> bool {
        let other = field.reference.as_ref().and_then(|reference| self.catalog.entity(&reference.entity));
        let (Some(other), Some(key)) = (other, reference_key(self.catalog, request.entity, field, row)) else {
            return false;
        };
        self.lives.possible(other, &key, from_us, to_us).contains(&None)
    }

    /// What was applied refers to rows that may have been there.
    fn others_are_there(&self, request: &Request<'_>, version: u64) -> Result<(), Contradiction> {
        let Some(life) = request.identity.as_ref().and_then(|identity| self.lives.get(request.entity, identity)) else {
            return Ok(());
        };
        let Some(at) = life.turns.iter().position(|turn| turn.version == version) else { return Ok(()) };
        let turn = &life.turns[at];
        for field in request.entity.fields.iter().filter(|field| reference_reason(field).is_some()) {
            let Some(other) = field.reference.as_ref().and_then(|it| self.catalog.entity(&it.entity)) else { continue };
            let key = |row: &Fields| reference_key(self.catalog, request.entity, field, row);
            let before: Vec<Option<Vec<Owned>>> = match at {
                0 => Vec::new(),
                at => life.turns[at - 1].states.iter().map(|row| row.as_ref().and_then(key)).collect(),
            };
            let there = turn.states.iter().any(|row| match row.as_ref().and_then(key) {
                None => true,
                Some(key) => {
                    before.contains(&Some(key.clone()))
                        || self.lives.possible(other, &key, turn.lower_us, turn.upper_us).iter().any(Option::is_some)
                }
            });
            if !there {
                return wrong(format!("applied, though what `{}` refers to was not there", field.name), &[turn.step]);
            }
        }
        Ok(())
    }

    fn is_invalid(&self, request: &Request<'_>, attempt: &Attempt, words: &str) -> Result<(), Contradiction> {
        // Of a row that nobody holds the value of, and that is to be made, the key must be known.
        let is_unsaid = |key: &String| {
            let taken = request.entity.field(key).is_some_and(|field| field.fill == Fill::Taken);
            taken && request.asked.body.get(key).is_none()
        };
        if request.write.or_create && !request.is_by_key() && request.entity.key.iter().any(is_unsaid) {
            return Ok(());
        }
        let met = self.met(request, attempt.from_us, attempt.to_us);
        if met.iter().any(|(_, _, next)| *next == Next::Invalid) {
            return Ok(());
        }
        wrong(format!("refused as input ({words}), though it can be written"), &[request.asked.step])
    }

    /// The row that was answered is the row before or after.
    fn returned(&self, request: &Request<'_>, version: u64, row: &Json) -> Result<(), Contradiction> {
        let Some(life) = request.identity.as_ref().and_then(|identity| self.lives.get(request.entity, identity)) else {
            return Ok(());
        };
        let Some(at) = life.turns.iter().position(|turn| turn.version == version) else { return Ok(()) };
        let before = request.write.returns == Returns::Before || request.write.verb == WriteVerb::Delete;
        let states = match (before, at) {
            (true, 0) => return Ok(()),
            (true, at) => &life.turns[at - 1].states,
            (false, at) => &life.turns[at].states,
        };
        let shown = |state: &Fields| Json::Object(shows(self.catalog, &request.write.returns, request.entity, state));
        let own: Json = super::reads::own_fields(self.catalog, &request.write.returns, request.entity, row);
        if states.iter().flatten().any(|state| shown(state) == own) {
            return Ok(());
        }
        let states: Vec<String> = states.iter().flatten().take(2).map(|state| shown(state).to_string()).collect();
        wrong(format!("answered with the row {own}, but it was {}", states.join(" or ")), &[request.asked.step])
    }
}
