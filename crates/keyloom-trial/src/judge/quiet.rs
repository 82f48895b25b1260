//! I1, I7, I11: when it is quiet, what is there is what the requests made, and every read shows exactly that.

use std::cell::Cell;

use keyloom_model::{Action, Freshness, Read, ReadVerb};
use keyloom_value::json::from_json;
use serde_json::Value as Json;

use super::{Contradiction, Judge, Tally, blind::is_blind, fate, lives::word, wrong};
use crate::{
    history::{Looked, Quiet, Seen},
    meaning::{Expected, Fields, Library, Reader, answer, ends_ms, field_kind, identity_fields, shown},
};

impl Judge<'_> {
    pub(super) fn quiet(&self, tally: &mut Tally) -> Result<(), Contradiction> {
        for quiet in &self.history.quiet {
            let library = self.library(quiet)?;
            let ending = self.ending(quiet);
            for looked in quiet.looked.iter().filter(|_| !ending) {
                self.compare(&library, quiet, looked, tally)?;
            }
        }
        Ok(())
    }

    /// The rows that are there, each of which is what its requests made of it.
    fn library(&self, quiet: &Quiet) -> Result<Library, Contradiction> {
        let mut library = Library::new();
        let mut seen = Vec::new();
        for line in &quiet.rows {
            let Some(entity) = line["entity"].as_str().and_then(|name| self.catalog.entity(name)) else { continue };
            let fields = self.fields(entity, &line["row"]);
            let identity: Option<Vec<_>> =
                identity_fields(self.catalog, entity).into_iter().map(|name| fields.get(name).cloned()).collect();
            let Some(identity) = identity else { return wrong(format!("a row without its key: {line}"), &[]) };
            if is_blind(self.catalog, entity) {
                library.entry(entity.name.clone()).or_default().push(fields);
                continue;
            }
            let life = self.lives.get(entity, &identity);
            let turn = life.and_then(|life| life.turns.iter().rfind(|turn| turn.request < quiet.asked));
            let now = shown(self.catalog, entity, &fields);
            let same =
                |state: &Option<Fields>| state.as_ref().is_some_and(|row| shown(self.catalog, entity, row) == now);
            // Where none was, or has ended, a row may stand that somebody made and was not told of.
            let may_be_none =
                |state: &Option<Fields>| state.as_ref().is_none_or(|row| ends_ms(self.catalog, entity, row).is_some());
            let perhaps = life.filter(|_| turn.is_none_or(|turn| turn.states.iter().any(may_be_none)));
            let perhaps = perhaps.into_iter().flat_map(|life| &life.perhaps).flat_map(|made| &made.rows);
            match turn {
                Some(turn) if turn.goes_us <= quiet.at_us && life.is_some_and(|life| life.perhaps.is_empty()) => {
                    return wrong(format!("{} {now} has outlived what it belongs to", entity.name), &[turn.step]);
                }
                Some(turn) if turn.states.iter().any(same) => {}
                _ if perhaps.cloned().map(Some).any(|state| same(&state)) => {}
                Some(turn) => {
                    let states: Vec<String> = turn
                        .states
                        .iter()
                        .take(3)
                        .map(|state| match state {
                            Some(row) => shown(self.catalog, entity, row).to_string(),
                            None => "gone".to_owned(),
                        })
                        .collect();
                    return wrong(
                        format!("{} is {now}, but its requests made it {}", entity.name, states.join(" or ")),
                        &[turn.step],
                    );
                }
                None => return wrong(format!("extra: nobody made the {} {now}", entity.name), &[]),
            }
            seen.push((entity.name.clone(), word(&identity)));
            library.entry(entity.name.clone()).or_default().push(fields);
        }
        for entity in &self.catalog.entities {
            for life in self.lives.of_entity(entity) {
                let Some(turn) = life.turns.iter().rfind(|turn| turn.request < quiet.asked) else { continue };
                let stands = |state: &Option<Fields>| {
                    state.as_ref().is_some_and(|row| {
                        let ends = ends_ms(self.catalog, entity, row);
                        ends.is_none_or(|ends| ends * 1_000 > quiet.at_us + self.skew.ahead_us)
                    })
                };
                let name = (entity.name.clone(), word(&life.identity));
                // Of one request that was sent twice and answered once it is not known when it was carried out.
                let is_over = turn.upper_us <= quiet.at_us && turn.may_go_us > quiet.at_us;
                if is_over && turn.states.iter().all(stands) && !seen.contains(&name) {
                    return wrong(format!("lost: a {} that was made is not there", entity.name), &[turn.step]);
                }
            }
        }
        Ok(library)
    }

    /// Whether a row ends while others look, or has ended and what follows from that is on its way: then nobody can say what is
    /// right.
    fn ending(&self, quiet: &Quiet) -> bool {
        let around = quiet.followed_us..=quiet.at_us + self.skew.ahead_us;
        self.catalog.entities.iter().any(|entity| {
            let certain = self.lives.of_entity(entity).flat_map(|life| &life.turns).flat_map(|turn| &turn.states);
            let perhaps = self.lives.of_entity(entity).flat_map(|life| &life.perhaps).flat_map(|made| &made.rows);
            let rows = certain.flatten().chain(perhaps);
            let mut ends = rows.filter_map(|row| ends_ms(self.catalog, entity, row));
            ends.any(|ends| around.contains(&(ends * 1_000)))
        })
    }

    fn fields(&self, entity: &keyloom_model::Entity, row: &Json) -> Fields {
        let members = row.as_object().into_iter().flatten();
        let value = |(name, json): (&String, &Json)| {
            Some((name.clone(), from_json(json, &field_kind(self.catalog, entity, name)?).ok()?))
        };
        members.filter_map(value).collect()
    }

    fn compare(
        &self,
        library: &Library,
        quiet: &Quiet,
        looked: &Looked,
        tally: &mut Tally,
    ) -> Result<(), Contradiction> {
        let Some(pattern) = self.catalog.pattern(&looked.pattern) else { return Ok(()) };
        // Where an age is stated, a replica may answer that a message never reached.
        if let Action::Read(Read { verb: ReadVerb::Get, freshness: Some(Freshness::Within(_)), .. }) = &pattern.action {
            return Ok(());
        }
        let (tenant, subject) = (looked.caller.tenant.clone(), looked.caller.subject.clone());
        let sent = fate::sent(self.catalog, pattern, tenant, subject, &looked.body);
        let read = |now_us: i64, turned: bool| {
            let unsure = Cell::new(false);
            let reader = Reader { catalog: self.catalog, library, sent: &sent, now_us, turned, unsure };
            answer(&reader, pattern, looked.order.as_deref()).filter(|_| !reader.unsure.get())
        };
        let Some(expected) = read(looked.to_us, false) else { return Ok(()) };
        tally.compared += 1;
        if let Expected::Rows { rows } | Expected::Some { rows, .. } = &expected {
            tally.rows += rows.len() as u64;
        }
        let is_it = |expected: &Expected| match (expected, &looked.seen) {
            (Expected::Row(expected), Seen::Row(seen)) => expected == seen,
            (Expected::Count { count, at_least }, seen) => *seen == Seen::Count { count: *count, at_least: *at_least },
            (Expected::Rows { rows }, Seen::Rows { rows: seen, whole: true }) => rows == seen,
            (Expected::Some { rows, count }, Seen::Rows { rows: seen, whole: true }) => {
                let mut left = rows.clone();
                let among = |row: &Json| left.iter().position(|known| known == row).map(|at| left.swap_remove(at));
                seen.len() == *count && seen.iter().map(among).all(|row| row.is_some())
            }
            _ => false,
        };
        // Where the time is asked for, the clock that said it may be ahead.
        let ahead_us = looked.to_us + self.skew.ahead_us;
        let mut others = [(looked.to_us, true), (ahead_us, false), (ahead_us, true)].into_iter();
        if is_it(&expected) || others.any(|(now_us, turned)| read(now_us, turned).is_some_and(|other| is_it(&other))) {
            return Ok(());
        }
        let quiet = self.history.quiet.iter().position(|known| known.at_us == quiet.at_us).unwrap_or(0) + 1;
        let expected = match expected {
            Expected::Row(row) => row.map_or_else(|| "no row".to_owned(), |row| row.to_string()),
            Expected::Rows { rows } => Json::Array(rows).to_string(),
            Expected::Some { rows, count } => format!("{count} of {}", Json::Array(rows)),
            Expected::Count { count, at_least } => format!("{count}{}", if at_least { " at least" } else { "" }),
        };
        let seen = match &looked.seen {
            Seen::Row(None) => "no row".to_owned(),
            Seen::Row(Some(row)) => row.to_string(),
            Seen::Rows { rows, .. } => Json::Array(rows.clone()).to_string(),
            other => format!("{other:?}"),
        };
        let order = looked.order.as_deref().map(|order| format!(" in the order `{order}`")).unwrap_or_default();
        wrong(
            format!(
                "quiet {quiet}: `{}`{order} with {} by {:?} shows\n    {seen}\n  but the rows that are there make\n    {expected}",
                looked.pattern, looked.body, looked.caller
            ),
            &[],
        )
    }
}
