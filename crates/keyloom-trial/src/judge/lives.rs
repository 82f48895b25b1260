//! The life of each row: the requests that were applied to it, in the order of its versions, and what it may have been
//! after each.

use std::{cell::Cell, collections::BTreeMap};

use keyloom_model::{Catalog, Entity, WriteVerb};

use super::{Contradiction, Fate, Request, Skew, wrong};
use crate::meaning::{Fields, Next, Owned, becomes, ends_ms, reference_key, shown};

/// Rows by entity and by who they are.
pub(crate) struct Lives<'a> {
    catalog: &'a Catalog,
    skew: Skew,
    all: BTreeMap<(String, String), Life>,
}

#[derive(PartialEq)]
pub(crate) struct Life {
    pub(crate) identity: Vec<Owned>,
    pub(crate) turns: Vec<Turn>,
    /// Rows that may have been made besides, where none was there.
    pub(crate) perhaps: Vec<Perhaps>,
}

/// What a request would have made of which nobody knows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Perhaps {
    /// Not before this moment.
    pub(crate) lower_us: i64,
    pub(crate) rows: Vec<Fields>,
}

/// One request that was applied, and the row after it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Turn {
    /// Which request.
    pub(crate) request: usize,
    pub(crate) step: usize,
    pub(crate) version: u64,
    /// It deleted the row.
    pub(crate) deletes: bool,
    /// It took effect between these moments.
    pub(crate) lower_us: i64,
    pub(crate) upper_us: i64,
    pub(crate) visible_us: i64,
    /// What the row may be then; `None` is gone.
    pub(crate) states: Vec<Option<Fields>>,
    /// From then on it may have gone with the row that it belongs to.
    pub(crate) may_go_us: i64,
    /// By then it has.
    pub(crate) goes_us: i64,
}

/// More states than these are not kept apart.
const STATES_MAX: usize = 64;

pub(super) fn word(identity: &[Owned]) -> String {
    format!("{identity:?}")
}

impl<'a> Lives<'a> {
    pub(super) fn of(catalog: &'a Catalog, requests: &[Request<'_>], skew: Skew) -> Result<Self, Contradiction> {
        let mut lives = Self { catalog, skew, all: BTreeMap::new() };
        let mut rows: BTreeMap<(String, String), Vec<&Request<'_>>> = BTreeMap::new();
        for request in requests {
            if let (Fate::Applied(_) | Fate::Found(_) | Fate::Perhaps, Some(identity)) =
                (request.fate, &request.identity)
            {
                rows.entry((request.entity.name.clone(), word(identity))).or_default().push(request);
            }
        }
        // A row may take values of another, also of its own entity, whose life has to be known before: what a row may be only
        // becomes more by what others may be, so all are gone through until nothing is new.
        let mut wrong = None;
        for _ in 0..=requests.len() {
            let mut is_new = false;
            wrong = None;
            for (name, row) in &rows {
                let (life, contradiction) = lives.life(row.clone())?;
                wrong = wrong.or(contradiction);
                if lives.all.get(name) != Some(&life) {
                    is_new = true;
                    lives.all.insert(name.clone(), life);
                }
            }
            if !is_new {
                break;
            }
        }
        wrong.map_or(Ok(lives), Err)
    }

    pub(crate) fn get(&self, entity: &Entity, identity: &[Owned]) -> Option<&Life> {
        self.all.get(&(entity.name.clone(), word(identity)))
    }

    pub(crate) fn of_entity(&self, entity: &Entity) -> impl Iterator<Item = &Life> {
        self.all.iter().filter(|((name, _), _)| *name == entity.name).map(|(_, life)| life)
    }

    /// The life of a row by what is known of others so far, and what contradicts that.
    fn life(&self, requests: Vec<&Request<'_>>) -> Result<(Life, Option<Contradiction>), Contradiction> {
        let identity = requests.first().and_then(|request| request.identity.clone()).unwrap_or_default();
        let doubtful = requests.iter().filter(|request| request.may_have_made_more(self.catalog));
        let perhaps: Vec<Perhaps> = doubtful.map(|request| self.perhaps(request, &identity)).collect();
        let mut requests: Vec<_> = requests.into_iter().filter(|request| request.fate != Fate::Perhaps).collect();
        let version = |request: &Request<'_>| match request.fate {
            Fate::Applied(version) | Fate::Found(version) => version,
            Fate::Perhaps | Fate::Nothing => 0,
        };
        let found = |request: &Request<'_>| matches!(request.fate, Fate::Found(_));
        requests.sort_by_key(|request| (version(request), found(request), request.sent_us));
        let mut turns: Vec<Turn> = Vec::new();
        // Of several who found one row, or asked for the same, any may have made it.
        let mut kept: Vec<Vec<&Request<'_>>> = Vec::new();
        for request in requests {
            let turn = Turn {
                request: request.at,
                step: request.asked.step,
                version: version(request),
                deletes: request.write.verb == WriteVerb::Delete,
                lower_us: request.sent_us,
                upper_us: request.concluded_us,
                visible_us: request.visible_us,
                states: Vec::new(),
                may_go_us: i64::MAX,
                goes_us: i64::MAX,
            };
            match turns.last_mut() {
                Some(last) if last.version == turn.version && found(request) => {
                    last.upper_us = last.upper_us.min(turn.upper_us);
                    kept.last_mut()
                        .filter(|makers| found(makers[0]))
                        .into_iter()
                        .for_each(|makers| makers.push(request));
                }
                Some(last) if last.version == turn.version => {
                    let same =
                        kept.last().is_some_and(|before| before[0].is_same(request) || request.is_append(self.catalog));
                    if !same {
                        return wrong("two requests made one version of one row", &[last.step, turn.step]);
                    }
                    // The same request, sent by two.
                    last.lower_us = last.lower_us.min(turn.lower_us);
                    last.upper_us = last.upper_us.min(turn.upper_us);
                    last.visible_us = last.visible_us.min(turn.visible_us);
                    kept.last_mut().into_iter().for_each(|makers| makers.push(request));
                }
                _ => {
                    turns.push(turn);
                    kept.push(vec![request]);
                }
            }
        }
        let decided = kept.first().is_some_and(|makers| !makers[0].is_append(self.catalog));
        if decided {
            in_time(&mut turns)?;
        }
        for at in 0..turns.len() {
            let mut before = if at == 0 { vec![None] } else { turns[at - 1].states.clone() };
            let made = perhaps.iter().filter(|made| before.contains(&None) && made.lower_us <= turns[at].upper_us);
            let made: Vec<Option<Fields>> = made.flat_map(|made| &made.rows).cloned().map(Some).collect();
            before.extend(made);
            if at > 0 && turns[at - 1].may_go_us <= turns[at].upper_us {
                before.push(None);
            }
            // What is only added is not looked at before: the newest stands.
            let before = if decided { before } else { vec![None] };
            let since = if at == 0 { 0 } else { turns[at - 1].version };
            let standing: Vec<Option<Fields>> = before.iter().filter(|row| row.is_some()).cloned().collect();
            let mut after = Vec::new();
            let mut contradiction = None;
            for maker in &kept[at] {
                match self.after(maker, &turns[at], before.clone(), since..turns[at].version) {
                    Ok(made) => after.extend(made),
                    Err(wrong) => contradiction = contradiction.or(Some(wrong)),
                }
            }
            // Who finds the row leaves it as it is.
            after.extend(standing.into_iter().filter(|_| found(kept[at][0])));
            if after.is_empty() {
                return Ok((Life { identity, turns, perhaps }, contradiction));
            }
            let turn = &mut turns[at];
            turn.may_go_us = self.may_go_us(kept[at][0].entity, &after, turn.lower_us);
            turn.goes_us = self.goes_us(kept[at][0].entity, &after, turn.upper_us);
            turn.states = after;
        }
        Ok((Life { identity, turns, perhaps }, None))
    }

    /// The life of the row that a part belongs to, and that takes it along when it is deleted.
    fn whole(&self, entity: &Entity, part: &Fields) -> Option<&Life> {
        let (reference, whole) = entity.felled_by(self.catalog)?;
        let key = reference_key(self.catalog, entity, reference, part)?;
        self.get(whole, &key)
    }

    /// From when on a row that may have stood since then may have gone with its whole.
    fn may_go_us(&self, entity: &Entity, states: &[Option<Fields>], since_us: i64) -> i64 {
        let may_go = |part: &Fields| {
            let Some(whole) = self.whole(entity, part) else { return i64::MAX };
            // Until it is visible that the whole is gone, parts are there and may be changed.
            let deleted = whole.turns.iter().filter(|turn| turn.deletes && turn.visible_us >= since_us);
            let deleted = deleted.map(|turn| turn.lower_us.max(since_us));
            // A whole may be a part itself.
            let along = whole.turns.iter().map(|turn| turn.may_go_us.max(since_us));
            deleted.chain(along).min().unwrap_or(i64::MAX)
        };
        states.iter().flatten().map(may_go).min().unwrap_or(i64::MAX)
    }

    /// By when a row that certainly stood then has gone with its whole.
    fn goes_us(&self, entity: &Entity, states: &[Option<Fields>], since_us: i64) -> i64 {
        let goes = |part: &Option<Fields>| {
            let Some(whole) = part.as_ref().and_then(|part| self.whole(entity, part)) else { return i64::MAX };
            let deleted = whole.turns.iter().filter(|turn| turn.deletes && turn.lower_us > since_us);
            let deleted = deleted.map(|turn| turn.upper_us);
            let along = whole.turns.last().filter(|turn| turn.may_go_us > since_us).map(|turn| turn.goes_us);
            deleted.chain(along).min().unwrap_or(i64::MAX)
        };
        states.iter().map(goes).max().unwrap_or(i64::MAX)
    }

    /// What a request would have made where no row was.
    fn perhaps(&self, request: &Request<'_>, identity: &[Owned]) -> Perhaps {
        let lower_us = request.sent_us;
        let born = 0..u64::try_from(request.born_us()).unwrap_or(0) + 1;
        let nexts = self.nexts(request, identity, None, born, lower_us, i64::MAX);
        let rows = nexts.into_iter().filter_map(|next| match next {
            Next::Stands(row) => Some(row),
            _ => None,
        });
        Perhaps { lower_us, rows: rows.collect() }
    }

    /// What a row may be after a request that was applied.
    fn after(
        &self,
        request: &Request<'_>,
        turn: &Turn,
        before: Vec<Option<Fields>>,
        versions: std::ops::Range<u64>,
    ) -> Result<Vec<Option<Fields>>, Contradiction> {
        let mut states: Vec<Option<Fields>> = Vec::new();
        let mut others: Vec<Next> = Vec::new();
        let identity = request.identity.clone().unwrap_or_default();
        for prior in &before {
            for next in self.nexts(request, &identity, prior.as_ref(), versions.clone(), turn.lower_us, turn.upper_us) {
                let state = match next {
                    Next::Stands(row) => Some(row),
                    Next::Gone => None,
                    other => {
                        others.push(other);
                        continue;
                    }
                };
                if states.len() < STATES_MAX && !states.contains(&state) {
                    states.push(state);
                }
            }
        }
        if states.is_empty() {
            others.dedup();
            let row = |row: &Option<Fields>| {
                row.as_ref()
                    .map_or_else(|| "no row".to_owned(), |row| shown(self.catalog, request.entity, row).to_string())
            };
            let before: Vec<String> = before.iter().take(2).map(row).collect();
            return wrong(
                format!(
                    "applied with version {}, but before it was {}, which allows only {others:?}",
                    turn.version,
                    before.join(" or ")
                ),
                &[turn.step],
            );
        }
        Ok(states)
    }

    /// Everything that a request may make of a row between two moments.
    pub(super) fn nexts(
        &self,
        request: &Request<'_>,
        identity: &[Owned],
        prior: Option<&Fields>,
        versions: std::ops::Range<u64>,
        from_us: i64,
        to_us: i64,
    ) -> Vec<Next> {
        // A value by which a row is looked for may have left it.
        if prior.is_some_and(|row| !request.is_by_key() && !request.is_meant(self.catalog, row)) {
            return vec![Next::Refused("absent".to_owned())];
        }
        let wish = request.wish(self.catalog, identity);
        let others = |entity: &Entity, key: &[Owned]| self.possible(entity, key, from_us, to_us);
        let looked = Cell::new(false);
        let mut all = Vec::new();
        // What is only added happens when it was born, which its key says.
        let born = request.is_append(self.catalog).then(|| versions.end.max(1) / 1_000 * 1_000);
        let born = born.and_then(|born| i64::try_from(born).ok());
        let moments: Vec<i64> = match born {
            Some(born) => vec![born],
            None if request.moments.is_empty() => vec![from_us],
            None => request.moments.clone(),
        };
        for now_us in moments {
            for next in becomes(&wish, prior, versions.clone(), now_us, &looked, &others) {
                if !all.contains(&next) {
                    all.push(next);
                }
            }
            if !looked.get() {
                break;
            }
        }
        all
    }

    /// What a row may be at some moment between two.
    pub(crate) fn possible(&self, entity: &Entity, key: &[Owned], from_us: i64, to_us: i64) -> Vec<Option<Fields>> {
        let Some(life) = self.get(entity, key) else { return vec![None] };
        let mut all: Vec<Option<Fields>> = Vec::new();
        let mut add = |state: Option<Fields>| {
            if !all.contains(&state) {
                all.push(state);
            }
        };
        if life.turns.first().is_none_or(|first| first.upper_us >= from_us) {
            add(None);
        }
        let mut may_be = |state: &Option<Fields>| {
            let ends = state.as_ref().and_then(|row| ends_ms(self.catalog, entity, row)).map(|ends| ends * 1_000);
            if ends.is_none_or(|ends| ends > from_us.saturating_sub(self.skew.behind_us)) {
                add(state.clone());
            }
            if ends.is_some_and(|ends| ends <= to_us.saturating_add(self.skew.ahead_us)) {
                add(None);
            }
        };
        for (at, turn) in life.turns.iter().enumerate() {
            let until = life.turns.get(at + 1).map_or(i64::MAX, |next| next.upper_us);
            if turn.lower_us <= to_us && until >= from_us {
                turn.states.iter().for_each(&mut may_be);
            }
            if turn.may_go_us <= to_us && until >= from_us {
                may_be(&None);
            }
        }
        for made in life.perhaps.iter().filter(|made| made.lower_us <= to_us) {
            made.rows.iter().cloned().map(Some).for_each(|state| may_be(&state));
        }
        all
    }
}

impl Life {
    /// The turn whose states are in force all the time between two moments.
    pub(crate) fn certain(&self, from_us: i64, to_us: i64) -> Option<&Turn> {
        let at = self.turns.iter().rposition(|turn| turn.upper_us <= from_us)?;
        let ends = self.turns.get(at + 1).map_or(i64::MAX, |next| next.lower_us);
        Some(&self.turns[at]).filter(|turn| ends.min(turn.may_go_us) > to_us)
    }
}

/// A request can't take effect before one that was applied before it was sent.
fn in_time(turns: &mut [Turn]) -> Result<(), Contradiction> {
    for at in 1..turns.len() {
        turns[at].lower_us = turns[at].lower_us.max(turns[at - 1].lower_us);
    }
    for at in (1..turns.len()).rev() {
        turns[at - 1].upper_us = turns[at - 1].upper_us.min(turns[at].upper_us);
    }
    for (at, turn) in turns.iter().enumerate() {
        if turn.lower_us > turn.upper_us {
            let later =
                turns[at..].iter().find(|other| other.upper_us == turn.upper_us).map_or(turn.step, |it| it.step);
            let earlier =
                turns[..=at].iter().find(|other| other.lower_us == turn.lower_us).map_or(turn.step, |it| it.step);
            return wrong(
                "versions run against time: one was answered before the other was sent, and has the larger one",
                &[later, earlier],
            );
        }
    }
    Ok(())
}
