//! Rows that are put and deleted without a look at them: in whatever order the requests come, the newest stands.

use std::cell::Cell;

use keyloom_model::{Action, Catalog, Class, Entity, WriteVerb};
use keyloom_run::{Answer, Problem};
use serde_json::Value as Json;

use super::{Contradiction, Tally, fate, wrong};
use crate::{
    history::{Asked, End, History, Quiet},
    meaning::{Next, Owned, Wish, becomes, shown, tenant_field},
};

/// Whether the rows of an entity are put and deleted without a look at them.
pub(super) fn is_blind(catalog: &Catalog, entity: &Entity) -> bool {
    entity.class(catalog).0 == Class::Blind
}

/// A request that puts or deletes such a row.
struct Placed<'a> {
    asked: &'a Asked,
    at: usize,
    entity: &'a Entity,
    verb: WriteVerb,
    identity: Vec<Owned>,
    version: u64,
}

impl Placed<'_> {
    fn is_applied(&self) -> bool {
        self.asked.answers().any(|(_, answer)| matches!(answer, Ok(Answer::Applied { .. })))
    }

    fn is_about(&self, entity: &Entity, identity: &[Owned]) -> bool {
        self.entity.name == entity.name && self.identity == identity
    }
}

/// Looks for a contradiction among them.
pub(super) fn blind(catalog: &Catalog, history: &History, tally: &mut Tally) -> Result<(), Contradiction> {
    let all: Vec<Placed<'_>> =
        history.asked.iter().enumerate().filter_map(|(at, asked)| placed(catalog, at, asked)).collect();
    for one in &all {
        answered(one, &all)?;
        match one.asked.attempts.last().map(|last| &last.end) {
            Some(End::Answered(Ok(Answer::Applied { .. }))) => tally.applied += 1,
            Some(End::Answered(Ok(Answer::NotApplied { .. }))) => tally.refused += 1,
            _ => tally.uncertain += 1,
        }
        tally.repeated += u64::from(one.asked.attempts.len() > 1);
    }
    for quiet in &history.quiet {
        for one in all.iter().filter(|one| one.at < quiet.asked) {
            stands(catalog, quiet, one, &all)?;
        }
    }
    Ok(())
}

fn placed<'a>(catalog: &'a Catalog, at: usize, asked: &'a Asked) -> Option<Placed<'a>> {
    let Action::Write(write) = &catalog.pattern(&asked.pattern)?.action else { return None };
    let entity = catalog.entity(&write.entity).filter(|entity| is_blind(catalog, entity))?;
    let made = asked.remembered.first()?;
    let identity = fate::identity(catalog, entity, asked.caller.tenant.as_deref(), &made.key)?;
    Some(Placed { asked, at, entity, verb: write.verb, identity, version: made.version })
}

/// What was answered was so: nothing newer stood when it was sent, or something did when it was answered.
fn answered(one: &Placed<'_>, all: &[Placed<'_>]) -> Result<(), Contradiction> {
    let rivals = all.iter().filter(|other| other.at != one.at && other.is_about(one.entity, &one.identity));
    for (attempt, answer) in one.asked.answers() {
        match answer {
            Ok(Answer::Applied { version, .. }) if *version != one.version => {
                return wrong(format!("applied with version {version}, not {}", one.version), &[one.asked.step]);
            }
            Ok(Answer::Applied { .. }) => {
                let before = |other: &Placed<'_>| {
                    let told = |end: &Result<Answer, Problem>| matches!(end, Ok(Answer::Applied { .. }));
                    other.asked.answers().any(|(then, end)| then.to_us < attempt.from_us && told(end))
                };
                let newest = rivals.clone().filter(|other| before(other)).max_by_key(|other| other.version);
                // A removal is told that nothing stands, whoever removed it.
                let removed = |newest: &Placed<'_>| {
                    let mut later = rivals.clone().filter(|other| other.version >= newest.version);
                    one.verb == WriteVerb::Delete && later.any(|other| other.verb == WriteVerb::Delete)
                };
                let stood = |newest: &&Placed<'_>| !removed(newest);
                if let Some(newer) = newest.filter(|newest| newest.version > one.version).filter(stood) {
                    let steps = [one.asked.step, newer.asked.step];
                    return wrong("applied, though something newer stood before it was sent", &steps);
                }
            }
            Ok(Answer::NotApplied { reason }) => {
                let newer = |other: &Placed<'_>| other.version >= one.version && other.asked.sent_us() <= attempt.to_us;
                if reason != "superseded" || !rivals.clone().any(newer) {
                    return wrong(format!("not applied, {reason}, but nothing newer was sent"), &[one.asked.step]);
                }
            }
            Ok(Answer::Unknown { .. }) | Err(Problem::Busy { .. } | Problem::Input(_)) => {}
            other => return wrong(format!("an answer that nobody may give: {other:?}"), &[one.asked.step]),
        }
    }
    Ok(())
}

/// What stands of a row when it is quiet is what the newest of its requests left: of those that were applied, and of those
/// that may have been.
fn stands(catalog: &Catalog, quiet: &Quiet, one: &Placed<'_>, all: &[Placed<'_>]) -> Result<(), Contradiction> {
    let rivals = || all.iter().filter(|other| other.at < quiet.asked && other.is_about(one.entity, &one.identity));
    let is_it = |line: &&Json| {
        let tenant = tenant_field(catalog, one.entity).and_then(|(field, _)| line["row"][field].as_str());
        line["entity"] == one.entity.name.as_str()
            && fate::identity(catalog, one.entity, tenant, &line["row"]).as_ref() == Some(&one.identity)
    };
    let applied = rivals().filter(|rival| rival.is_applied()).max_by_key(|rival| rival.version);
    let Some(line) = quiet.rows.iter().find(is_it) else {
        let lost = applied
            .filter(|rival| rival.verb == WriteVerb::Put)
            .filter(|rival| !rivals().any(|other| other.verb == WriteVerb::Delete && other.version > rival.version));
        return match lost {
            Some(rival) => wrong(format!("lost: a {} that was put is not there", one.entity.name), &[rival.asked.step]),
            None => Ok(()),
        };
    };
    let version = line["version"].as_str().and_then(|version| version.parse::<u64>().ok()).unwrap_or(0);
    if let Some(newer) = applied.filter(|rival| rival.version > version) {
        return wrong(format!("{line} stands, though something newer was applied"), &[newer.asked.step]);
    }
    let made = rivals().any(|rival| {
        rival.verb == WriteVerb::Put && rival.version == version && image(catalog, rival).as_ref() == Some(&line["row"])
    });
    if made { Ok(()) } else { wrong(format!("nobody put {line}"), &[one.asked.step]) }
}

/// The row that a request puts.
fn image(catalog: &Catalog, one: &Placed<'_>) -> Option<Json> {
    let pattern = catalog.pattern(&one.asked.pattern)?;
    let Action::Write(write) = &pattern.action else { return None };
    let caller = &one.asked.caller;
    let sent = fate::sent(catalog, pattern, caller.tenant.clone(), caller.subject.clone(), &one.asked.body);
    let wish = Wish { catalog, pattern, write, entity: one.entity, sent: &sent, identity: &one.identity };
    let nexts = becomes(&wish, None, 0..u64::MAX, 0, &Cell::new(false), &|_, _| Vec::new());
    nexts.into_iter().find_map(|next| match next {
        Next::Stands(fields) => Some(shown(catalog, one.entity, &fields)),
        _ => None,
    })
}
