//! What only the team knows: asked where the answer goes, and in the order in which answers change a design.

use std::collections::{BTreeMap, BTreeSet};

use crate::entity::Entity;
use crate::pattern::{Action, Pattern, Read, ReadVerb, Value};

/// A number that nobody wrote down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Where the answer goes: `patterns.get_order.rate`.
    pub path: String,
    /// The question, one sentence.
    pub text: String,
}

/// The groups of each entity that lists and counts read, as `groups:` names them.
pub(crate) fn groups(entities: &[Entity], patterns: &[Pattern]) -> Vec<Vec<String>> {
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut groups = vec![Vec::new(); entities.len()];
    for pattern in patterns {
        let Action::Read(read) = &pattern.action else { continue };
        if read.verb == ReadVerb::Get {
            continue;
        }
        let name = group(&entities[pattern.entity], read);
        if seen.insert((pattern.entity, name.clone())) {
            groups[pattern.entity].push(name);
        }
    }
    groups
}

/// The fields of one group: `customer_id`.
fn group(entity: &Entity, read: &Read) -> String {
    let names: Vec<&str> = read.by.iter().map(|(field, _)| entity.fields[*field].name.as_str()).collect();
    names.join(", ")
}

/// How much depends on a pattern: reads of many callers first, then other reads, then writes.
fn weight(pattern: &Pattern) -> (usize, usize) {
    let kind = match &pattern.action {
        Action::Read(read) if read.verb != ReadVerb::Get => 3,
        Action::Read(_) => 2,
        Action::Insert(_) | Action::Atomic(_) => 1,
        Action::Update(_) | Action::Delete(_) => 0,
    };
    (kind, pattern.callers.len())
}

/// All questions, the most important first.
pub(crate) fn questions(entities: &[Entity], patterns: &[Pattern], titles: &[String]) -> Vec<Question> {
    let mut order: Vec<usize> = (0..patterns.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(weight(&patterns[*at])));
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    for pattern in patterns {
        *uses.entry(pattern.entity).or_default() += pattern.callers.len();
    }
    let mut used: Vec<usize> = (0..entities.len()).collect();
    used.sort_by_key(|at| std::cmp::Reverse(uses.get(at).copied().unwrap_or(0)));

    let rates = order.iter().map(|at| Question {
        path: format!("patterns.{}.rate", titles[*at]),
        text: format!("how often is {} called at its peak?", titles[*at]),
    });
    let groups = groups(entities, patterns);
    let sizes = used.iter().flat_map(|at| {
        groups[*at].iter().map(move |group| Question {
            path: format!("entities.{}.groups", entities[*at].name),
            text: format!("how many rows of {} have the same {group}: typical / p99 / worst?", entities[*at].name),
        })
    });
    let growth = used.iter().map(|at| Question {
        path: format!("entities.{}.volume", entities[*at].name),
        text: format!("how many rows has {}, and how many come each day?", entities[*at].name),
    });
    let kept = used.iter().filter(|at| entities[**at].expires.is_none()).map(|at| Question {
        path: format!("entities.{}.expires", entities[*at].name),
        text: format!("how long are rows of {} kept?", entities[*at].name),
    });
    let mut all: Vec<Question> = rates.collect();
    // Sizes decide whether a list can be served at all, so the first of them comes before the last rates.
    let core = all.len().min(CORE);
    let sizes: Vec<Question> = sizes.collect();
    all.splice(core..core, sizes);
    all.extend(growth);
    all.extend(kept);
    all.extend(tenant(entities));
    all
}

/// How many rates are asked for before the sizes of groups.
const CORE: usize = 5;

/// A tenant that most keys begin with.
fn tenant(entities: &[Entity]) -> Option<Question> {
    let name = ["tenant_id", "tenant"].into_iter().find(|name| {
        let begins = |entity: &&Entity| entity.key.first().is_some_and(|key| entity.fields[*key].name == *name);
        entities.iter().filter(begins).count() * 2 > entities.len()
    })?;
    Some(Question {
        path: "tenant".to_owned(),
        text: format!("is {name} the tenant of the whole catalog, how many are there, and what share has the busiest?"),
    })
}

/// The number that a list asks for beside its group: how wide its range over time is.
pub(crate) fn asks_span(entity: &Entity, read: &Read) -> bool {
    use crate::types::Kind;
    read.verb != ReadVerb::Get
        && read.tests.iter().any(|test| {
            let field = &entity.fields[test.field];
            test.comparison.bound().is_some()
                && matches!(field.kind, Kind::Timestamp | Kind::Date)
                && test.value == Value::Input
        })
}
