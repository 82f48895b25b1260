//! I5, I7: what reads showed while others wrote.

use keyloom_model::{Action, Catalog, Entity, Freshness, Limit, Pattern, Read, ReadVerb, Returns, Root};
use serde_json::{Map, Value as Json};

use super::{Contradiction, Judge, Life, Tally, blind::is_blind, fate, lives::Turn, wrong};
use crate::{
    history::{Looked, Presented, Seen},
    meaning::{Fields, Sent, belongs, ends_ms, shown, shows},
};

/// What an answer holds of the row's own fields; the others may be newer or older than it.
pub(super) fn own_fields(catalog: &Catalog, returns: &Returns, entity: &Entity, row: &Json) -> Json {
    let kept = |name: &str| entity.field(name).is_some_and(|field| matches!(field.fill, keyloom_model::Fill::Kept(_)));
    let own = |name: &str| match returns {
        Returns::Paths(paths) => paths.iter().any(|path| path.root == Root::Own && path.field == name),
        _ => entity.field(name).is_some(),
    };
    let tenant = crate::meaning::tenant_field(catalog, entity).map(|(name, _)| name);
    let members = row.as_object().into_iter().flatten();
    let members = members.filter(|(name, _)| own(name) && !kept(name) && Some(name.as_str()) != tenant);
    Json::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
}

/// Everything about one read that does not depend on a row.
struct Look<'a> {
    looked: &'a Looked,
    pattern: &'a Pattern,
    read: &'a Read,
    entity: &'a Entity,
    sent: Sent,
}

impl Judge<'_> {
    pub(super) fn reads(&self, tally: &mut Tally) -> Result<(), Contradiction> {
        for looked in &self.history.looked {
            let Some(pattern) = self.catalog.pattern(&looked.pattern) else { continue };
            let Action::Read(read) = &pattern.action else { continue };
            // Of rows that nobody looks at before it is known what stands in the end, not what stood for a moment.
            let selected = self.catalog.entity(&read.selection.entity);
            let Some(entity) = selected.filter(|entity| !is_blind(self.catalog, entity)) else { continue };
            let (tenant, subject) = (looked.caller.tenant.clone(), looked.caller.subject.clone());
            let sent = fate::sent(self.catalog, pattern, tenant, subject, &looked.body);
            let look = Look { looked, pattern, read, entity, sent };
            tally.looked += 1;
            match &looked.seen {
                Seen::Row(row) => self.row(&look, row.as_ref())?,
                Seen::Rows { rows, whole } => self.rows(&look, rows, *whole)?,
                Seen::Count { .. } | Seen::Nothing => {}
                Seen::Wrong(words) => return wrong(format!("a read failed: {words}"), &[looked.step]),
            }
        }
        Ok(())
    }

    /// Whether a state of a row is one that this read shows at the first and at the last moment that may have been `now`. That it
    /// ended is looked at elsewhere.
    fn fits(&self, look: &Look<'_>, row: &Fields) -> [bool; 2] {
        let moments = [look.looked.from_us - self.skew.behind_us, look.looked.to_us + self.skew.ahead_us];
        moments.map(|now_us| belongs(self.catalog, look.read, &look.sent, row, now_us))
    }

    /// Whether it may show it.
    fn may_fit(&self, look: &Look<'_>, row: &Fields) -> bool {
        self.fits(look, row).contains(&true)
    }

    fn own(&self, look: &Look<'_>, row: &Fields) -> Json {
        let shown = Json::Object(shows(self.catalog, &look.read.returns, look.entity, row));
        own_fields(self.catalog, &look.read.returns, look.entity, &shown)
    }

    fn row(&self, look: &Look<'_>, row: Option<&Json>) -> Result<(), Contradiction> {
        let strict = matches!(look.read.freshness, Some(Freshness::Latest | Freshness::ReadYourWrites));
        let (from_us, to_us) = (look.looked.from_us, look.looked.to_us);
        let Some(row) = row else {
            let there = self.lives.of_entity(look.entity).find(|life| self.must_show(look, life).is_some());
            return match there.filter(|_| strict).and_then(|life| life.certain(from_us, to_us)) {
                Some(turn) => wrong("no row, though it was there all the time", &[look.looked.step, turn.step]),
                None => Ok(()),
            };
        };
        let own = own_fields(self.catalog, &look.read.returns, look.entity, row);
        let from = if strict { from_us } else { i64::MIN };
        let known = self.lives.of_entity(look.entity).any(|life| {
            let states = self.lives.possible(look.entity, &life.identity, from, to_us);
            states.iter().flatten().any(|state| {
                self.may_fit(look, state) && self.own(look, state) == own && !self.is_over(look, state, from_us)
            })
        });
        if known { Ok(()) } else { wrong(format!("a row that was never so: {row}"), &[look.looked.step]) }
    }

    /// I7: it ended before the read began.
    fn is_over(&self, look: &Look<'_>, row: &Fields, from_us: i64) -> bool {
        ends_ms(self.catalog, look.entity, row).is_some_and(|ends| ends * 1_000 <= from_us - self.skew.behind_us)
    }

    /// Whether nobody may take it for ended until this moment.
    pub(super) fn lasts(&self, entity: &Entity, row: &Fields, to_us: i64) -> bool {
        ends_ms(self.catalog, entity, row).is_none_or(|ends| ends * 1_000 > to_us + self.skew.ahead_us)
    }

    /// How a row must be shown: it was settled before the read began and nothing touched it until its end.
    fn must_show(&self, look: &Look<'_>, life: &Life) -> Option<Vec<Json>> {
        let (from_us, to_us) = (look.looked.from_us, look.looked.to_us);
        let turn = life.certain(from_us, to_us).filter(|turn| turn.visible_us <= from_us)?;
        if !self.is_due(look, life, turn) {
            return None;
        }
        let rows: Vec<&Fields> = turn.states.iter().flatten().collect();
        let all = rows.len() == turn.states.len() && rows.iter().all(|row| self.fits(look, row) == [true, true]);
        let lives = |row: &&Fields| self.lasts(look.entity, row, to_us);
        (all && rows.iter().all(lives)).then(|| rows.iter().map(|row| self.own(look, row)).collect())
    }

    /// Whether a list must show what a request made of a row: always, or where the engine keeps it, if that was presented.
    fn is_due(&self, look: &Look<'_>, life: &Life, turn: &Turn) -> bool {
        let Some(presented) = look.looked.presented.as_ref().filter(|_| look.read.verb == ReadVerb::List) else {
            return true;
        };
        let tenant = look.looked.caller.tenant.as_deref();
        let is_it = |known: &Presented| {
            let identity = fate::identity(self.catalog, look.entity, tenant, &known.key);
            known.step == turn.step && known.entity == look.entity.name && identity.as_ref() == Some(&life.identity)
        };
        presented.iter().any(is_it)
    }

    /// Whether a row was presented of which nothing belongs into the list.
    fn must_hide(&self, look: &Look<'_>, life: &Life) -> Option<usize> {
        let (from_us, to_us) = (look.looked.from_us, look.looked.to_us);
        let turn = life.certain(from_us, to_us).filter(|turn| turn.visible_us <= from_us)?;
        let none = !turn.states.iter().flatten().any(|row| self.may_fit(look, row)) && life.perhaps.is_empty();
        (none && look.looked.presented.is_some() && self.is_due(look, life, turn)).then_some(turn.step)
    }

    fn rows(&self, look: &Look<'_>, rows: &[Json], whole: bool) -> Result<(), Contradiction> {
        if look.read.verb != ReadVerb::List {
            return Ok(());
        }
        let tenant = look.looked.caller.tenant.as_deref();
        let mut found = Vec::new();
        for row in rows {
            // A list that does not say which rows it shows is compared when it is quiet.
            let Some(identity) = fate::identity(self.catalog, look.entity, tenant, row) else { return Ok(()) };
            let own = own_fields(self.catalog, &look.read.returns, look.entity, row);
            let states = self.lives.possible(look.entity, &identity, i64::MIN, look.looked.to_us);
            let fits = |state: &&Fields| self.may_fit(look, state) && self.own(look, state) == own;
            let Some(state) = states.iter().flatten().find(fits) else {
                let word = format!("`{}` shows a row that was never so: {row}", look.pattern.name);
                return wrong(word, &[look.looked.step]);
            };
            if self.is_over(look, state, look.looked.from_us) {
                return wrong(format!("a row is shown that ended before: {row}"), &[look.looked.step]);
            }
            found.push((identity, own));
        }
        let first = matches!(look.read.limit, Some(Limit::First(_)));
        for life in self.lives.of_entity(look.entity).filter(|_| whole && !first) {
            if let Some(step) = self.must_hide(look, life)
                && found.iter().any(|(identity, _)| *identity == life.identity)
            {
                let word = format!("`{}` still shows a row that its caller has changed", look.pattern.name);
                return wrong(word, &[look.looked.step, step]);
            }
            let Some(expected) = self.must_show(look, life) else { continue };
            let shown_as: Vec<&Json> =
                found.iter().filter(|(identity, _)| *identity == life.identity).map(|(_, own)| own).collect();
            let steps =
                [look.looked.step, life.certain(look.looked.from_us, look.looked.to_us).map_or(0, |turn| turn.step)];
            match &shown_as[..] {
                [] => {
                    let row = life.turns.last().and_then(|turn| turn.states.first()).and_then(Option::as_ref);
                    let row = row.map(|row| shown(self.catalog, look.entity, row).to_string()).unwrap_or_default();
                    return wrong(
                        format!("`{}` does not show a row that was settled before: {row}", look.pattern.name),
                        &steps,
                    );
                }
                [one] if expected.contains(one) => {}
                [one] => return wrong(format!("`{}` shows {one}, which was no longer so", look.pattern.name), &steps),
                _ => return wrong(format!("`{}` shows a settled row more than once", look.pattern.name), &steps),
            }
        }
        Ok(())
    }
}
