use keyloom_facts::Facts;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Holds, Table, Way};
use keyloom_model::{Engine, Entity, Fill, Pattern, Share, Skew, Write, WriteVerb, count_text};
use keyloom_plan::{Does, Expects, WritePlan};

use super::hot_partition;
use crate::context::limit;
use crate::load::Load;
use crate::{Context, LayoutContext};

pub(crate) static RULE: Rule = Rule {
    name: "contended-decision",
    level: Level::Warning,
    summary: "one row takes more decisions a second than an engine makes",
    page: include_str!("contended_decision.md"),
};

const FEWER_CHANGES: &str = "record each change as a row of its own and keep the total in a rollup with a `freshness`; or split what one row holds";
const FINER_NUMBERS: &str =
    "count per something finer (`= next per queue`), or number by time instead: a uuid7 sorts and needs no decision";
const LET_IT_LAG: &str = "let it lag: a rollup with a `freshness` gathers many rows into one write";
const COUNT_SELDOM: &str =
    "let it lag: `way: recount` with `every: 10s`, or a rollup with a `freshness`, gathers many rows into one write";

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    // A layout says on which engine, and that is looked at instead.
    if context.laid {
        return;
    }
    let (fact, limit) = limit(Engine::Cassandra, "row_decisions_per_second");
    let mut report = |path: String, what: String, load: Load, help: &str| {
        if load.units > fact.value as f64 {
            let rate = count_text(load.units.round() as u64);
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
                load_of([(pattern, busiest)].into_iter()),
                FEWER_CHANGES,
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
            let load = load_of(creates.map(|pattern| (*pattern, busiest(context, pattern, entity, one_row))));
            let help = if matches!(field.fill, Fill::Next { .. }) { FINER_NUMBERS } else { LET_IT_LAG };
            report(
                format!("entities.{}.fields.{}", entity.name, field.name),
                format!("the busiest {}.{}", entity.name, field.name),
                load,
                help,
            );
        }
    }
}

fn load_of<'a>(calls: impl Iterator<Item = (&'a Pattern, Option<Share>)>) -> Load {
    calls.fold(Load::default(), |mut load, (pattern, busiest)| {
        load.add(pattern, busiest, 1);
        load
    })
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

/// Over a layout: what meets one row of a table, by what its engine decides. Whether a kept value is decided at all, and whether
/// a decision rides in a transaction, is in the plan.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    let facts = Facts::of(context.engine);
    let (name, what) = match facts.get("row_decisions_per_second") {
        Some(_) => ("row_decisions_per_second", "decisions"),
        None if facts.get("partition_write_units").is_some() => ("partition_write_units", "write units in decisions"),
        None => return,
    };
    let (fact, limit) = limit(context.engine, name);
    for table in context.tables() {
        let Some(entity) = context.entity_of(table) else { continue };
        let one_row = context.parts_beside_tenant(table, entity).is_empty();
        let mut load = Load::default();
        let mut first = None;
        for plan in &context.program.writes {
            let decides = plan.effects.iter().any(|effect| effect.table == table.name && waits(&effect.does, table));
            let Some(pattern) = context.catalog.pattern(&plan.pattern).filter(|_| decides) else { continue };
            let units = if what == "decisions" { 1 } else { units(context, table, plan) };
            load.add(pattern, busiest(context.base, pattern, entity, one_row), units);
            first = first.or(Some(plan));
        }
        let told = || hot_partition::broken(context, table).iter().any(|broken| broken.writes);
        let Some(plan) = first.filter(|_| load.units > fact.value as f64 && !told()) else { continue };
        let (path, help) = match &table.holds {
            Holds::Kept { entity, field, .. } => (format!("entities.{entity}.fields.{field}"), COUNT_SELDOM),
            Holds::Numbers { entity, field } => (format!("entities.{entity}.fields.{field}"), FINER_NUMBERS),
            _ => (format!("patterns.{}", plan.pattern), FEWER_CHANGES),
        };
        let row = if one_row { "the one row" } else { "the busiest row" };
        let rate = count_text(load.units.round() as u64);
        findings.push(
            Finding::new(
                &RULE,
                context.base.key(&path),
                format!("{row} of `{}` takes {rate} {what} a second", table.name),
            )
            .related(context.table_place(&table.name), "decided here")
            .derivation(format!("{} = {rate}/s", load.words.join(" + ")))
            .limit(limit.clone())
            .help(help),
        );
    }
}

/// Whether an effect decides a row that others decide as well, so that one waits for the other.
fn waits(does: &Does, table: &Table) -> bool {
    let seldom = match &table.holds {
        Holds::Source { upkeep, .. } | Holds::Kept { upkeep, .. } => upkeep.every.is_some(),
        _ => false,
    };
    match does {
        Does::Decides(Expects::Version | Expects::Any) | Does::Numbers => true,
        Does::Keeps(Way::Rider) => true,
        // Counted again now and then, or with every write.
        Does::Keeps(Way::Recount) => !seldom,
        _ => false,
    }
}

/// The write units of one decision: each begun kilobyte, twice where it rides in a transaction with others.
fn units(context: &LayoutContext<'_>, table: &Table, plan: &WritePlan) -> u64 {
    let kilobytes = context.row_size(table).typical.max(1).div_ceil(1_024);
    let along: u64 = plan.effects.iter().map(|effect| effect.does.rows_along()).sum();
    if along > 1 || plan.step.is_some() { kilobytes * 2 } else { kilobytes }
}
