//! What became of each request.

use std::cmp::Ordering;

use keyloom_model::{Action, Catalog, Class, Entity, Expiry, Pattern, Type, Write, WriteVerb};
use keyloom_run::{Answer, Problem};
use keyloom_value::{Kind, Value, compare, from_text, json::from_json};
use serde_json::Value as Json;

use super::{Contradiction, blind::is_blind, wrong};
use crate::{
    history::{Asked, History},
    meaning::{Fields, Owned, Scope, Sent, Wish, field_kind, identity_fields, tenant_field},
};

/// A write, with what became of it.
pub(crate) struct Request<'a> {
    pub(crate) asked: &'a Asked,
    /// Its place in the history.
    pub(crate) at: usize,
    pub(crate) pattern: &'a Pattern,
    pub(crate) write: &'a Write,
    pub(crate) entity: &'a Entity,
    pub(crate) sent: Sent,
    /// The row, as far as it is known.
    pub(crate) identity: Option<Vec<Owned>>,
    pub(crate) fate: Fate,
    /// Another one may have made the row that remembers it.
    is_shared: bool,
    /// No effect before this moment.
    pub(crate) sent_us: i64,
    /// Its effect, if it has one, is no later.
    pub(crate) concluded_us: i64,
    /// From then on every list shows it.
    pub(crate) visible_us: i64,
    pub(crate) moments: Vec<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Applied(u64),
    /// The row itself is the memory, and no other: it made this version, or found it there.
    Found(u64),
    /// Nobody was told, and nothing may remember it though it made a row: that has ended since, or was written by so many others
    /// that it forgot who made it.
    Perhaps,
    Nothing,
}

impl Request<'_> {
    pub(crate) fn wish<'a>(&'a self, catalog: &'a Catalog, identity: &'a [Owned]) -> Wish<'a> {
        let Self { pattern, write, entity, sent, .. } = self;
        Wish { catalog, pattern, write, entity, sent, identity }
    }

    /// Rows that are only added are the same whoever sends them again.
    pub(crate) fn is_append(&self, catalog: &Catalog) -> bool {
        self.entity.class(catalog).0 == Class::Append
    }

    /// The row itself remembers who made it.
    fn is_memory(&self) -> bool {
        self.write.verb == WriteVerb::Create && (self.entity.append_only || !self.pattern.once_per.is_empty())
    }

    /// Whether a row that it made may be forgotten by all.
    fn may_be_forgotten(&self, catalog: &Catalog) -> bool {
        let ends = matches!(self.entity.expires, Some(Expiry::At(_)));
        self.write.verb == WriteVerb::Create && if self.is_append(catalog) { ends } else { self.is_memory() }
    }

    /// Whether it may have made a row besides the version that is known of it: where the row itself is the memory, that is over when
    /// it is gone, and each attempt may make it again.
    pub(crate) fn may_have_made_more(&self, catalog: &Catalog) -> bool {
        let again = self.fate != Fate::Nothing && self.is_memory() && !self.is_append(catalog);
        let is_doubtful = matches!(self.fate, Fate::Found(_)) || self.asked.attempts.len() > 1 || self.is_shared;
        self.fate == Fate::Perhaps || again && is_doubtful
    }

    /// When it was born, in microseconds: its key says so, or what happens once.
    pub(crate) fn born_us(&self) -> i64 {
        let said = self.pattern.once_per.iter().find_map(|name| {
            let input = self.pattern.inputs.iter().find(|input| input.name == *name)?;
            match (self.sent.values.get(name)?, &input.ty) {
                (Value::Timestamp(moment), Type::Timestamp { micros: true }) => Some(*moment),
                (Value::Timestamp(moment), _) => Some(moment * 1_000),
                (Value::Uuid(uuid), Type::Uuid7) => {
                    Some(uuid[..6].iter().fold(0, |born, byte| born * 256 + i64::from(*byte)) * 1_000)
                }
                _ => None,
            }
        });
        let keyed = || self.asked.key.rsplit_once(';').and_then(|(_, born)| born.parse::<i64>().ok());
        said.or_else(|| keyed().map(|born| born * 1_000)).unwrap_or(self.sent_us)
    }

    /// Whether it names its row by the key, not by a value that may pass to another.
    pub(crate) fn is_by_key(&self) -> bool {
        self.write.by.is_empty() || self.write.by.iter().all(|item| self.entity.key.contains(&item.path.field))
    }

    /// Whether a row has the values by which it is looked for.
    pub(crate) fn is_meant(&self, catalog: &Catalog, row: &Fields) -> bool {
        let looked = std::cell::Cell::new(false);
        let (entity, sent) = (self.entity, &self.sent);
        let scope = Scope { catalog, entity, row, sent, item: None, now_us: 0, looked: &looked };
        let own = tenant_field(catalog, entity).is_none_or(|(field, kind)| {
            let tenant = from_text(sent.tenant.as_deref().unwrap_or_default(), &kind).ok();
            row.get(field) == tenant.as_ref()
        });
        own && self.write.by.iter().all(|item| {
            let Some(kind) = field_kind(catalog, entity, &item.path.field) else { return false };
            let (have, want) = (row.get(&item.path.field), scope.value(&item.value, &kind));
            have.is_some_and(|have| want.is_ok_and(|want| compare(have, &want) == Some(Ordering::Equal)))
        })
    }

    /// Whether both ask for the same, so that the second is a repeat of the first.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.pattern.name == other.pattern.name && self.sent == other.sent && !self.pattern.once_per.is_empty()
    }
}

pub(super) fn requests<'a>(catalog: &'a Catalog, history: &'a History) -> Result<Vec<Request<'a>>, Contradiction> {
    let mut requests = Vec::new();
    for (at, asked) in history.asked.iter().enumerate() {
        let Some(pattern) = catalog.pattern(&asked.pattern) else { continue };
        let Action::Write(write) = &pattern.action else { continue };
        // Rows that nobody looks at have a judge of their own.
        let Some(entity) = catalog.entity(&write.entity).filter(|entity| !is_blind(catalog, entity)) else { continue };
        let sent = sent(catalog, pattern, asked.caller.tenant.clone(), asked.caller.subject.clone(), &asked.body);
        let mut request = Request {
            asked,
            at,
            pattern,
            write,
            entity,
            sent,
            identity: None,
            fate: Fate::Nothing,
            is_shared: false,
            sent_us: asked.sent_us(),
            concluded_us: i64::MAX,
            visible_us: i64::MAX,
            moments: asked.moments(),
        };
        request.fate = fate(catalog, &mut request)?;
        requests.push(request);
    }
    is_by_another(catalog, &requests)?;
    let shared: Vec<bool> = (0..requests.len()).map(|at| is_shared(catalog, &requests, at)).collect();
    for (request, is_shared) in requests.iter_mut().zip(shared) {
        request.is_shared = is_shared;
    }
    Ok(requests)
}

/// What was refused, and a row remembers all the same, was made by another one that asked for the same.
fn is_by_another(catalog: &Catalog, requests: &[Request<'_>]) -> Result<(), Contradiction> {
    let refused = |request: &&Request<'_>| request.fate == Fate::Nothing && !request.is_memory();
    for request in requests.iter().filter(refused).filter(|request| !request.is_append(catalog)) {
        let Some(remembered) = request.asked.remembered.first() else { continue };
        let made = Fate::Applied(remembered.version);
        if !requests.iter().any(|other| other.fate == made && request.is_same(other)) {
            let words = format!("a false answer: not applied, but it made version {}", remembered.version);
            return wrong(words, &[request.asked.step]);
        }
    }
    Ok(())
}

/// Whether the row that remembers a request may have been made by another one that asked for the same: what this one made may
/// have ended long before.
fn is_shared(catalog: &Catalog, requests: &[Request<'_>], at: usize) -> bool {
    let request = &requests[at];
    let same = |other: &Request<'_>| other.at != request.at && request.is_same(other);
    let untold = request.concluded_us == i64::MAX;
    untold && request.is_memory() && !request.is_append(catalog) && requests.iter().any(same)
}

/// What was sent, each of its kind.
pub(crate) fn sent(
    catalog: &Catalog,
    pattern: &Pattern,
    tenant: Option<String>,
    subject: Option<String>,
    body: &Json,
) -> Sent {
    let value = |input: &keyloom_model::Input| {
        let kind = Kind::of(&input.ty, catalog);
        let kind = if input.list_max.is_some() { Kind::List(Box::new(kind)) } else { kind };
        let json = body.get(&input.name).filter(|json| !json.is_null())?;
        Some((input.name.clone(), from_json(json, &kind).ok()?))
    };
    Sent { values: pattern.inputs.iter().filter_map(value).collect(), tenant, subject }
}

/// The identity of a row by its key as JSON.
pub(crate) fn identity(catalog: &Catalog, entity: &Entity, tenant: Option<&str>, key: &Json) -> Option<Vec<Owned>> {
    let own = tenant_field(catalog, entity);
    let part = |name: &str| match &own {
        Some((field, kind)) if *field == name => from_text(tenant?, kind).ok(),
        _ => from_json(key.get(name)?, &field_kind(catalog, entity, name)?).ok(),
    };
    identity_fields(catalog, entity).into_iter().map(part).collect()
}

fn fate(catalog: &Catalog, request: &mut Request<'_>) -> Result<Fate, Contradiction> {
    let asked = request.asked;
    let steps = [asked.step];
    let (mut version, mut last_word): (Option<u64>, Option<String>) = (None, None);
    for (attempt, answer) in asked.answers() {
        match answer {
            Ok(Answer::Applied { key, version: made, visible, .. }) => {
                request.concluded_us = request.concluded_us.min(attempt.to_us);
                if *visible {
                    request.visible_us = request.visible_us.min(attempt.to_us);
                }
                let row = identity(catalog, request.entity, asked.caller.tenant.as_deref(), key);
                if request.identity.is_some() && request.identity != row {
                    return wrong("one request was applied to two rows", &steps);
                }
                request.identity = row;
                let own = !request.is_append(catalog) && !request.is_memory();
                if let Some(before) = version.filter(|before| own && before != made) {
                    return wrong(format!("applied twice: it made version {before}, and version {made}"), &steps);
                }
                // Of a row that is the memory each answer tells the version that it has by then.
                version = Some(version.filter(|_| !own).map_or(*made, |before| before.min(*made)));
            }
            Ok(Answer::NotApplied { reason }) if !asked.is_under_way_at(attempt) => last_word = Some(reason.clone()),
            Err(Problem::Input(words)) if !asked.is_under_way_at(attempt) => last_word = Some(words.clone()),
            Ok(Answer::NotApplied { .. } | Answer::Unknown { .. }) | Err(Problem::Busy { .. } | Problem::Input(_)) => {}
            // A time among the fields that say so may be too old, or from the future.
            Err(Problem::KeyReused | Problem::KeyTime(_)) if !request.pattern.once_per.is_empty() => {}
            other => return wrong(format!("an answer that nobody may give: {other:?}"), &steps),
        }
    }
    if asked.remembered.len() > 1 && request.pattern.once_per.is_empty() {
        return wrong("one request was applied to two rows", &steps);
    }
    // Where the row is the memory, one that was made again when the first had ended remembers the same request.
    let is_again = request.is_memory() && !request.is_append(catalog);
    let is_first = |made: u64| !is_again || version.is_none_or(|version| made <= version);
    let remembered = asked.remembered.first().filter(|remembered| is_first(remembered.version));
    if let Some(made) = remembered.map(|it| it.version).or(version).filter(|_| request.is_memory()) {
        // Nor does an answer about another version say when this one was there.
        let told = |visible: bool| {
            let tells = |answer: &Result<Answer, Problem>| matches!(answer, Ok(Answer::Applied { version, visible: seen, .. }) if *version == made && *seen >= visible);
            asked.answers().filter(|(_, answer)| tells(answer)).map(|(attempt, _)| attempt.to_us).min()
        };
        request.concluded_us = told(false).unwrap_or(i64::MAX);
        request.visible_us = told(true).unwrap_or(i64::MAX);
    }
    if request.identity.is_none() {
        let tenant = asked.caller.tenant.as_deref();
        let made = asked.made.as_ref().unwrap_or(&asked.body);
        let named = remembered.map_or(made, |remembered| &remembered.key);
        request.identity = identity(catalog, request.entity, tenant, named);
    }
    // What happens once per some fields has one token, whoever asks for it.
    let is_own = request.pattern.once_per.is_empty();
    match (version, remembered, last_word) {
        (Some(_), Some(remembered), _) if request.is_append(catalog) => Ok(Fate::Applied(remembered.version)),
        // It may have ended before anybody looked.
        (Some(version), None, _) if request.is_append(catalog) => Ok(Fate::Applied(version)),
        (Some(version), None, _) if request.is_memory() => Ok(Fate::Found(version)),
        (Some(version), Some(remembered), _) if request.is_memory() || remembered.version == version => {
            Ok(Fate::Applied(remembered.version))
        }
        (Some(version), Some(remembered), _) => wrong(
            format!("applied twice: it was answered version {version}, and made version {}", remembered.version),
            &steps,
        ),
        (Some(version), None, _) => {
            wrong(format!("lost: it was applied with version {version}, and no row remembers it"), &steps)
        }
        (None, Some(_), Some(_)) if !is_own && !request.is_memory() => Ok(Fate::Nothing),
        (None, Some(remembered), Some(reason)) if !request.is_memory() && !request.is_append(catalog) => {
            wrong(format!("a false answer: not applied ({reason}), but it made version {}", remembered.version), &steps)
        }
        (None, Some(remembered), _) => Ok(Fate::Applied(remembered.version)),
        (None, None, None) if request.may_be_forgotten(catalog) => Ok(Fate::Perhaps),
        (None, None, _) => Ok(Fate::Nothing),
    }
}
