//! Why each list is answered as it is: what would have been next best, what that costs more, and what would make it better.

use std::collections::BTreeMap;

use keyloom_model::Catalog;
use keyloom_model::layout::Table;
use keyloom_size::calls_in_month;

use super::branch;
use super::scale::{At, Scale, Score};
use super::{Choice, Found, Kind, Prepared, Terms};
use crate::design;

/// Why one list is answered as it is.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The list: `list_tasks:urgent`.
    pub list: String,
    /// The pattern that asks it; `None` for what the run time asks for itself.
    pub pattern: Option<String>,
    /// The table that answers it.
    pub table: String,
    /// What else could answer it, the best design of those that do; `None` where nothing else was thought of.
    pub next: Option<Next>,
}

/// The best design in which a list is answered otherwise.
#[derive(Debug, Clone)]
pub struct Next {
    /// The table that would answer it.
    pub table: Table,
    /// How it was thought of; `None` for one that is there anyway.
    pub kind: Option<Kind>,
    /// What the entities that are looked at together come to now, and would.
    pub now: Score,
    /// See above.
    pub then: Score,
    /// The call that would make both equal, if one can.
    pub flips: Option<Flip>,
}

/// How often a pattern would have to be called for two designs to cost the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flip {
    /// The pattern.
    pub pattern: String,
    /// How often it is called in a month.
    pub now: u128,
    /// How often it would have to be.
    pub then: u128,
}

/// The reasons of a layout that was searched for, in the order of its lists.
pub fn explain(catalog: &Catalog, found: &Found, terms: &Terms<'_>) -> Vec<Reason> {
    let plain = design(catalog, terms.engine, terms.abilities);
    let prepared = Prepared::of(catalog, &plain, terms);
    let mut reasons = Vec::new();
    for (component, outcome) in prepared.components.iter().zip(&found.parts) {
        let mut scale = prepared.scale(component, terms);
        let (_, names) = scale.tables(&outcome.assigned);
        for (at, table) in names.into_iter().enumerate() {
            let choice: &Choice = scale.choices[at];
            let (list, pattern) = (choice.name(), choice.pattern().map(str::to_owned));
            let next = next(&mut scale, catalog, at, &outcome.assigned, terms);
            reasons.push(Reason { list, pattern, table: table.unwrap_or_default(), next });
        }
    }
    reasons
}

/// The best design in which a choice is answered by another table than in this one.
fn next(scale: &mut Scale<'_>, catalog: &Catalog, choice: usize, design: &[At], terms: &Terms<'_>) -> Option<Next> {
    let all = scale.options[choice].clone();
    scale.options[choice] = all.iter().copied().filter(|at| *at != design[choice]).collect();
    let others = !scale.options[choice].is_empty();
    let outcome = others.then(|| branch::search(scale, &[], terms.is_over));
    scale.options[choice] = all;
    let outcome = outcome?;
    let (table, kind) = match outcome.assigned[choice] {
        At::Must(at) => (scale.must_table(at).clone(), None),
        At::Shape(at) => (scale.shapes[at].1.table.clone(), Some(scale.shapes[at].1.kind)),
    };
    let now = scale.weigh(design);
    let of_now = scale.by_pattern();
    let then = scale.weigh(&outcome.assigned);
    let of_then = scale.by_pattern();
    let flips = (now.broken == then.broken && then.weight > now.weight)
        .then(|| flip(catalog, (now.weight, &of_now), (then.weight, &of_then)))
        .flatten();
    Some(Next { table, kind, now, then, flips })
}

/// The pattern whose rate has to change least for two designs to cost the same. Cost is linear in every rate.
fn flip(
    catalog: &Catalog,
    (now, of_now): (u128, &BTreeMap<String, u128>),
    (then, of_then): (u128, &BTreeMap<String, u128>),
) -> Option<Flip> {
    let more = then - now;
    let mut best: Option<(u128, u128, Flip)> = None;
    for pattern in &catalog.patterns {
        let part = |of: &BTreeMap<String, u128>| of.get(&pattern.name).copied().unwrap_or(0);
        let (here, there) = (part(of_now), part(of_then));
        let calls = calls_in_month(pattern);
        // What one call is dearer here, against what all calls are dearer there.
        let then = match here > there {
            true => {
                let extra = share_up(calls, more, here - there);
                calls.checked_add(extra)
            }
            false if there - here > more => calls.checked_sub(share_up(calls, more, there - here)),
            false => None,
        };
        let Some(then) = then.filter(|then| *then > 0 && *then != calls) else { continue };
        let (high, low) = (then.max(calls), then.min(calls).max(1));
        let nearer = best
            .as_ref()
            .is_none_or(|(known_high, known_low, _)| high.saturating_mul(*known_low) < known_high.saturating_mul(low));
        if nearer {
            best = Some((high, low, Flip { pattern: pattern.name.clone(), now: calls, then }));
        }
    }
    best.map(|(_, _, flip)| flip)
}

/// `calls * parts / of`, rounded up, without losing digits of what is small.
fn share_up(calls: u128, parts: u128, of: u128) -> u128 {
    match calls.checked_mul(parts) {
        Some(product) => product.div_ceil(of),
        None => (parts / of).saturating_mul(calls).saturating_add(calls),
    }
}
