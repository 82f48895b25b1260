use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::count_text;
use keyloom_plan::Does;

use super::peak_words;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "moving-key",
    level: Level::Warning,
    summary: "a frequent update moves rows from one place to another",
    page: include_str!("moving_key.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    const MOVES: f64 = 100.0;
    for plan in &context.program.writes {
        let Some(pattern) = context.catalog.pattern(&plan.pattern) else { continue };
        let moved: Vec<&str> = plan
            .effects
            .iter()
            .filter(|effect| matches!(effect.does, Does::Moves(_)))
            .map(|effect| effect.table.as_str())
            .collect();
        let Some(peak) = pattern.rate.peak_per_second().filter(|peak| *peak >= MOVES && !moved.is_empty()) else {
            continue;
        };
        let tables = moved.iter().map(|table| format!("`{table}`")).collect::<Vec<_>>().join(", ");
        let path = match plan.step {
            None => format!("patterns.{}.set", pattern.name),
            Some(step) => format!("patterns.{}.atomic.{step}.set", pattern.name),
        };
        let place = context.base.value(&path);
        let message = format!("each `{}` moves a row in {tables}: one is removed and one is put", pattern.name);
        findings.push(
            Finding::new(&RULE, place, message)
                .derivation(format!(
                    "{} x {} = {} moves/s",
                    peak_words(pattern.rate),
                    moved.len(),
                    count_text((peak * moved.len() as f64).round() as u64)
                ))
                .help("keep what changes often out of keys: order by what stays, or read the group and sort it"),
        );
    }
}
