use keyloom_facts::Facts;
use keyloom_finding::Limit;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Holds, Keeper, Table};
use keyloom_model::{Freshness, count_text};
use keyloom_plan::ReadPlan;

use crate::context::limit;
use crate::load::{Load, reads_one_row};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "hot-partition",
    level: Level::Warning,
    summary: "the busiest key takes more than the engine gives one partition",
    page: include_str!("hot_partition.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, _) in context.row_tables() {
        // An index of the engine has its own rule.
        if matches!(table.holds, Holds::Projection { keeper: Keeper::Index, .. }) {
            continue;
        }
        for broken in broken(context, table) {
            let message = format!("the busiest partition of `{}` takes {} a second", table.name, broken.units);
            findings.push(
                Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                    .level(broken.level)
                    .derivation(broken.derivation)
                    .limit(broken.limit)
                    .help(broken.help),
            );
        }
    }
}

/// More than an engine gives one partition.
pub(crate) struct Broken {
    /// An error for one item, whose traffic nothing can divide, by peaks that the author states.
    pub level: Level,
    /// `4,500 read units`.
    pub units: String,
    /// They are written, not read.
    pub writes: bool,
    /// How that is known.
    pub derivation: String,
    /// The limit.
    pub limit: Limit,
    /// The way out.
    pub help: &'static str,
}

/// What the busiest partition takes too much of.
pub(crate) fn broken(context: &LayoutContext<'_>, table: &Table) -> Vec<Broken> {
    const READ: u64 = 4_096;
    const WRITTEN: u64 = 1_024;
    let bytes = context.row_size(table).typical.max(1);
    // Half a unit is what a read costs that may be late; the whole is counted where it may not.
    let read = |plan: &ReadPlan| {
        let rows = if reads_one_row(plan) { 1 } else { plan.at_most.map_or(1, |most| most.rows) };
        let whole = rows.saturating_mul(bytes).div_ceil(READ);
        let fresh = matches!(plan.asked.freshness, Some(Freshness::Latest | Freshness::ReadYourWrites));
        if fresh { whole } else { whole.div_ceil(2) }
    };
    let one_item = table.sort.is_empty();
    let parts = table.spread.map_or(1, |spread| spread.at_most.max(1));
    let each = |load: Load, name: &str, what: &str, help: &'static str| {
        let (fact, limit) = Facts::of(context.engine).get(name).map(|_| limit(context.engine, name))?;
        let per_part = load.units / parts as f64;
        let level = if one_item && load.stated { Level::Error } else { Level::Warning };
        let units = format!("{} {what}", count_text(load.units.round() as u64));
        let derivation = format!("{} = {units}/s", load.words.join(" + "));
        let writes = name == "partition_write_units";
        (per_part > fact.value as f64).then_some(Broken { level, units, writes, derivation, limit, help })
    };
    let reads = each(
        context.reads_of_busiest(table, read),
        "partition_read_units",
        "read units",
        "keep the answer for a moment where it is asked for, or ask for less: fewer fields, smaller pages",
    );
    let writes = each(
        context.writes_of_busiest(table, bytes.div_ceil(WRITTEN)),
        "partition_write_units",
        "write units",
        "add a field to the partition, or record each change as a row of its own and sum them up later",
    );
    // One partition is one finding: the harder one.
    let both = [reads, writes].into_iter().flatten().max_by_key(|broken| broken.level);
    both.into_iter().collect()
}
