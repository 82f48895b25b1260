use keyloom_finding::{Finding, Level, Rule};
use keyloom_plan::WritePlan;

use crate::load::rows;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "write-amplification",
    level: Level::Warning,
    summary: "one write of the catalog is many writes of the engine",
    page: include_str!("write_amplification.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    const ROWS: u64 = 10;
    for pattern in &context.catalog.patterns {
        let plans: Vec<&WritePlan> = context.program.writes_of(&pattern.name).collect();
        let of = |plan: &&WritePlan| plan.effects.iter().map(|effect| rows(&effect.does)).sum::<u64>();
        let Some(plan) = plans.iter().max_by_key(|plan| of(plan)) else { continue };
        let all = of(plan);
        if all <= ROWS || pattern.rate.peak_per_second().is_none() {
            continue;
        }
        let mut tables: Vec<String> = plan
            .effects
            .iter()
            .filter(|effect| rows(&effect.does) > 0)
            .map(|effect| match rows(&effect.does) {
                1 => format!("`{}`", effect.table),
                more => format!("`{}` {more}", effect.table),
            })
            .collect();
        tables.dedup();
        let message = format!("one `{}` writes up to {all} rows", pattern.name);
        findings.push(
            Finding::new(&RULE, context.base.key(&format!("patterns.{}", pattern.name)), message)
                .derivation(format!("{} = {all}", tables.join(" + ")))
                .help("serve lists that are rarely read from a table that is there, by a filter or another order"),
        );
    }
}
