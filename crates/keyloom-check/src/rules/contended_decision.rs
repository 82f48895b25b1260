use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Engine, Entity, Fill, Pattern, Share, Skew, Write, WriteVerb, count_text};

use super::peak_words;
use crate::Context;
use crate::context::limit;

pub(crate) static RULE: Rule = Rule {
    name: "contended-decision",
    level: Level::Warning,
    summary: "one row takes more decisions a second than an engine makes",
    page: include_str!("contended_decision.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (fact, limit) = limit(Engine::Cassandra, "row_decisions_per_second");
    let mut report = |path: String, what: String, load: Load, help: &str| {
        if load.per_second > fact.value as f64 {
            let rate = count_text(load.per_second.round() as u64);
            findings.push(
                Finding::new(&RULE, context.key(&path), format!("{what} takes {rate} decisions a second on one row"))
                    .derivation(format!("{} = {rate}/s", load.words.join(" + ")))
                    .limit(limit.clone())
                    .help(help),
            );
        }
    };
    for pattern in &context.catalog.patterns {
        for (path, write) in pattern.writes().into_iter().filter(|(_, write)| write.verb == WriteVerb::Update) {
            let Some(entity) = context.entity(&write.entity).filter(|entity| decides(write, entity)) else {
                continue;
            };
            let busiest = busiest(context, pattern, entity, entity.key.is_empty());
            report(
                path,
                if entity.key.is_empty() {
                    format!("the one {} of `{}`", write.entity, pattern.name)
                } else {
                    format!("the busiest {} of `{}`", write.entity, pattern.name)
                },
                Load::default().plus(pattern, busiest),
                "record each change as a row of its own and keep the total in a rollup with a `freshness`; or split what one row holds",
            );
        }
    }
    for entity in &context.catalog.entities {
        for field in &entity.fields {
            let (source, one_row) = match &field.fill {
                Fill::Kept(kept) => (kept.entity.as_str(), entity.key.is_empty()),
                Fill::Next { per } => (entity.name.as_str(), per.is_empty()),
                _ => continue,
            };
            let creates = context.writers(source).iter().filter(|pattern| {
                pattern.writes().iter().any(|(_, write)| write.verb == WriteVerb::Create && write.entity == source)
            });
            let load = creates
                .fold(Load::default(), |load, pattern| load.plus(pattern, busiest(context, pattern, entity, one_row)));
            let help = match &field.fill {
                Fill::Next { .. } => {
                    "count per something finer (`= next per queue`), or number by time instead: a uuid7 sorts and needs no decision"
                }
                _ => "let it lag: a rollup with a `freshness` gathers many rows into one write",
            };
            report(
                format!("entities.{}.fields.{}", entity.name, field.name),
                format!("the busiest {}.{}", entity.name, field.name),
                load,
                help,
            );
        }
    }
}

/// The decisions that meet one row.
#[derive(Default)]
struct Load {
    per_second: f64,
    words: Vec<String>,
}

impl Load {
    fn plus(mut self, pattern: &Pattern, busiest: Option<Share>) -> Self {
        if let (Some(peak), Some(busiest)) = (pattern.rate.peak_per_second(), busiest) {
            self.per_second += peak * busiest.factor();
            self.words.push(format!("`{}` {} x {busiest}", pattern.name, peak_words(pattern.rate)));
        }
        self
    }
}

/// The share of a pattern's calls that meets one row, where the author's numbers say so.
fn busiest(context: &Context<'_>, pattern: &Pattern, entity: &Entity, one_row: bool) -> Option<Share> {
    match (one_row, pattern.skew) {
        // One row for everybody, or one for each tenant.
        (true, _) if !entity.per_tenant => Some(Share::ALL),
        (true, _) => context.catalog.tenant.as_ref().and_then(|tenant| tenant.busiest),
        (false, Some(Skew::Busiest(share))) => Some(share),
        (false, _) => None,
    }
}

/// Whether an update looks at the row: nearly all do, for they answer `absent`. One that makes the row where there is
/// none, and sets what it was sent, does not.
fn decides(write: &Write, entity: &Entity) -> bool {
    let reads_row = write.assignments.iter().any(|assignment| !assignment.value.paths().is_empty());
    let states = write
        .assignments
        .iter()
        .any(|assignment| entity.states.iter().any(|states| states.field == assignment.path.field));
    !write.or_create || reads_row || states || !write.conditions.is_empty()
}
