//! Why each list is answered as it is: what would have been next best, what that costs more, and what would make it better.

use std::collections::BTreeMap;

use keyloom_model::Catalog;
use keyloom_model::layout::Table;
use keyloom_plan::Program;
use keyloom_size::{Break, Unknown, Weighed, calls_in_month};

use super::branch;
use super::component;
use super::crossing::nearest;
use super::scale::{At, PARTITIONS_MAX, Scale, Score, is_size};
use super::{Choice, Found, Kind, Prepared, Reference, Terms, plain};

/// Why one list is answered as it is.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The list: `list_tasks:urgent`.
    pub list: String,
    /// The pattern that asks it; `None` for what the run time asks for itself.
    pub pattern: Option<String>,
    /// The table that answers it.
    pub table: String,
    /// What else could answer it, the best design first; empty where nothing else was thought of.
    pub others: Vec<Other>,
}

/// The best design in which a list is answered by another table.
#[derive(Debug, Clone)]
pub struct Other {
    /// The table that would answer it.
    pub table: Table,
    /// How it was thought of; `None` for one that is there anyway.
    pub kind: Option<Kind>,
    /// What the entities that are looked at together come to now, and would.
    pub now: Score,
    /// See above.
    pub then: Score,
    /// What is broken then and not now.
    pub broken: Broken,
    /// The call that would make both equal, if one can.
    pub flips: Option<Flip>,
}

/// Why fields of other rows are copied, or looked up.
#[derive(Debug, Clone)]
pub struct CopyReason {
    /// The reference whose fields are shown.
    pub reference: Reference,
    /// Whether they are copied.
    pub is_copied: bool,
    /// What the entities that are looked at together come to now, and would the other way.
    pub now: Score,
    /// See above.
    pub then: Score,
    /// What is broken then and not now.
    pub broken: Broken,
    /// The call that would make both equal, if one can.
    pub flips: Option<Flip>,
}

/// What stands against a design, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Broken {
    /// Limits that are crossed.
    pub limits: Vec<Break>,
    /// Sizes of which nobody can tell.
    pub unknown: Vec<Unknown>,
    /// A call reads so many partitions.
    pub partitions: Option<u64>,
    /// What can't be held at all.
    pub refused: Vec<String>,
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

/// The reasons of a layout that was searched for, in the order of its lists: each with what is next best, or those of one pattern with
/// everything else that could answer.
pub fn explain(catalog: &Catalog, found: &Found, terms: &Terms<'_>, only: Option<&str>) -> Vec<Reason> {
    let plain = plain(catalog, terms);
    let prepared = Prepared::of(catalog, &plain, terms, found.copied.clone());
    let mut reasons = Vec::new();
    for (component, outcome) in prepared.components.iter().zip(&found.parts) {
        let mut scale = prepared.scale(component, terms);
        let (_, names) = scale.tables(&outcome.assigned);
        for (at, table) in names.into_iter().enumerate() {
            let choice: &Choice = scale.choices[at];
            let (list, pattern) = (choice.name(), choice.pattern().map(str::to_owned));
            if only.is_some() && only != pattern.as_deref() {
                continue;
            }
            let rest: Vec<At> =
                scale.options[at].iter().copied().filter(|option| *option != outcome.assigned[at]).collect();
            let sets: Vec<Vec<At>> = match only {
                Some(_) => rest.into_iter().map(|option| vec![option]).collect(),
                None => vec![rest],
            };
            let sets = sets.into_iter().filter(|set| !set.is_empty());
            let mut others: Vec<Other> =
                sets.map(|set| other(&mut scale, catalog, at, set, &outcome.assigned, terms)).collect();
            others.sort_by_key(|other| other.then);
            reasons.push(Reason { list, pattern, table: table.unwrap_or_default(), others });
        }
    }
    reasons
}

/// The reasons of copies and look-ups, reference by reference: the best design of either.
pub fn explain_copies(catalog: &Catalog, found: &Found, terms: &Terms<'_>) -> Vec<CopyReason> {
    let plain = plain(catalog, terms);
    let all: Vec<Reference> = found.copied.iter().chain(&found.looked_up).cloned().collect();
    let families = component::components(catalog, &all);
    let reason = |reference: &Reference| {
        let family = families.iter().find(|family| family.has(&reference.entity))?;
        let is_copied = found.copied.contains(reference);
        let mut otherwise: Vec<Reference> = found.copied.iter().filter(|known| *known != reference).cloned().collect();
        otherwise.extend((!is_copied).then(|| reference.clone()));
        let best = |copied: Vec<Reference>| {
            let prepared = Prepared::of(catalog, &plain, terms, copied);
            best_of(&prepared, |entity| family.has(entity), terms)
        };
        let (now, then) = (best(found.copied.clone()), best(otherwise));
        let flips = (now.score.broken == then.score.broken && then.score.weight > now.score.weight)
            .then(|| flip(catalog, (now.score.weight, &now.by_pattern), (then.score.weight, &then.by_pattern)))
            .flatten();
        Some(CopyReason {
            reference: reference.clone(),
            is_copied,
            now: now.score,
            then: then.score,
            broken: then.broken.beyond(now.broken),
            flips,
        })
    };
    all.iter().filter_map(reason).collect()
}

/// The best designs of some components, taken together.
#[derive(Default)]
struct Best {
    score: Score,
    by_pattern: BTreeMap<String, u128>,
    broken: Broken,
}

fn best_of(prepared: &Prepared<'_>, has: impl Fn(&str) -> bool, terms: &Terms<'_>) -> Best {
    let mut best = Best::default();
    let own = prepared.components.iter().filter(|component| component.entities.iter().any(|entity| has(entity)));
    for component in own {
        let mut scale = prepared.scale(component, terms);
        let outcome = branch::search(&mut scale, &[], terms.is_over);
        let score = scale.weigh(&outcome.assigned);
        best.score.broken = best.score.broken.saturating_add(score.broken);
        best.score.weight = best.score.weight.saturating_add(score.weight);
        for (pattern, weight) in scale.by_pattern() {
            *best.by_pattern.entry(pattern).or_default() += weight;
        }
        let Broken { limits, unknown, partitions, refused } = scale.broken();
        best.broken.limits.extend(limits);
        best.broken.unknown.extend(unknown);
        best.broken.partitions = best.broken.partitions.max(partitions);
        best.broken.refused.extend(refused);
    }
    best
}

/// The best design in which a choice is answered by one of these.
fn other(
    scale: &mut Scale<'_>,
    catalog: &Catalog,
    choice: usize,
    set: Vec<At>,
    design: &[At],
    terms: &Terms<'_>,
) -> Other {
    let all = std::mem::replace(&mut scale.options[choice], set);
    let outcome = branch::search(scale, &[], terms.is_over);
    scale.options[choice] = all;
    let (table, kind) = match outcome.assigned[choice] {
        At::Must(at) => (scale.must_table(at).clone(), None),
        At::Shape(at) => (scale.shapes[at].1.table.clone(), Some(scale.shapes[at].1.kind)),
    };
    let now = scale.weigh(design);
    let (of_now, broken_now) = (scale.by_pattern(), scale.broken());
    let then = scale.weigh(&outcome.assigned);
    let (of_then, broken_then) = (scale.by_pattern(), scale.broken());
    let flips = (now.broken == then.broken && then.weight > now.weight)
        .then(|| flip(catalog, (now.weight, &of_now), (then.weight, &of_then)))
        .flatten();
    Other { table, kind, now, then, broken: broken_then.beyond(broken_now), flips }
}

impl Broken {
    /// What a program breaks, in these of its tables.
    pub(crate) fn of(program: &Program, weighed: Weighed, is_own: impl Fn(&str) -> bool) -> Self {
        let partitions = program.reads.iter().filter_map(|plan| plan.at_most).map(|reads| reads.partitions);
        Self {
            limits: weighed.breaks.into_iter().filter(|found| is_own(&found.table)).collect(),
            unknown: weighed.unknown.into_iter().filter(|found| is_own(&found.table) && is_size(found)).collect(),
            partitions: partitions.max().filter(|partitions| *partitions > PARTITIONS_MAX),
            refused: program.refusals.iter().map(ToString::to_string).collect(),
        }
    }

    /// What is broken here and not there.
    pub(crate) fn beyond(self, other: Self) -> Self {
        let same = |one: &Break, known: &Break| {
            (one.what, one.limit.value, one.value) == (known.what, known.limit.value, known.value)
        };
        let new = |one: &Break| !other.limits.iter().any(|known| same(one, known));
        let same_open = |one: &Unknown, known: &Unknown| (one.what, &one.without) == (known.what, &known.without);
        let newly_open = |one: &Unknown| !other.unknown.iter().any(|known| same_open(one, known));
        Self {
            limits: self.limits.into_iter().filter(new).collect(),
            unknown: self.unknown.into_iter().filter(newly_open).collect(),
            partitions: self.partitions.filter(|wide| other.partitions.is_none_or(|known| *wide > known)),
            refused: self.refused.into_iter().filter(|said| !other.refused.contains(said)).collect(),
        }
    }
}

/// The pattern whose rate has to change least for two designs to cost the same. Cost is linear in every rate.
fn flip(
    catalog: &Catalog,
    (now, of_now): (u128, &BTreeMap<String, u128>),
    (then, of_then): (u128, &BTreeMap<String, u128>),
) -> Option<Flip> {
    let rates = catalog.patterns.iter().map(|pattern| {
        let part = |of: &BTreeMap<String, u128>| of.get(&pattern.name).copied().unwrap_or(0);
        (pattern.name.as_str(), calls_in_month(pattern), part(of_now), part(of_then))
    });
    nearest(then - now, rates)
}
