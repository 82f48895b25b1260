use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::Action;

use super::gathered;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "missing-rate",
    level: Level::Note,
    summary: "a pattern does not say how often it is called",
    page: include_str!("missing_rate.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let missing = context.catalog.patterns.iter().filter(|pattern| {
        let served_here = !matches!(pattern.action, Action::Outside(_));
        served_here && !context.is_stated(&format!("patterns.{}.rate", pattern.name))
    });
    let places =
        missing.map(|pattern| (pattern.name.clone(), context.key(&format!("patterns.{}", pattern.name)))).collect();
    findings.extend(gathered(&RULE, places, |names| {
        format!("{names} without a rate: designed and bounded, but not priced")
    }).map(|finding| finding.help("state `rate: 20/s` (the peak), `{ mean: 100k/day, peak: 20/s }`, `rare`, or `unknown` if nobody knows")));
}
