use keyloom_finding::{Finding, Level, Rule};

use super::gathered;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "missing-growth",
    level: Level::Note,
    summary: "an entity does not say how many rows it has or gets",
    page: include_str!("missing_growth.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let missing = context.catalog.entities.iter().filter(|entity| {
        let path = format!("entities.{}", entity.name);
        entity.is_declared()
            && !entity.key.is_empty()
            && entity.volume.is_none()
            && context.is_stated(&path)
            && !context.is_stated(&format!("{path}.volume"))
    });
    let places =
        missing.map(|entity| (entity.name.clone(), context.key(&format!("entities.{}", entity.name)))).collect();
    findings.extend(gathered(&RULE, places, |names| {
        format!("{names} without a volume: storage is not priced, and no date can be given at which a partition grows too large")
    }).map(|finding| finding.help("state `volume: { rows: 50M, growth: 120k/day }`; either number helps")));
}
