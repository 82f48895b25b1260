use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_model::Freshness;

use super::gathered;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "must-present-seen",
    level: Level::Note,
    summary: "a list shows what its caller wrote only if the caller presents what it has seen",
    page: include_str!("must_present_seen.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    // Where there can be no index, that is said.
    if context.program.abilities.indexes.is_none() {
        return;
    }
    let indexes = context.tables().filter(|table| keyloom_plan::is_index(table));
    let plans = indexes.flat_map(|table| context.served_by(&table.name));
    let asked = plans.filter(|plan| plan.asked.freshness == Some(Freshness::ReadYourWrites));
    let asked = asked.filter_map(|plan| {
        let pattern = context.pattern_of(&plan.asked.question)?;
        Some((pattern.name.clone(), context.question_place(&plan.asked.question)))
    });
    let mut places: Vec<(String, Option<Place>)> = asked.collect();
    places.sort_by(|(one, _), (other, _)| one.cmp(other));
    places.dedup_by(|(one, _), (other, _)| one == other);
    let message = |names: &str| format!("{names}: answered by an index, which shows a write some time later");
    let help = "send the header `Keyloom-Seen` of answers to writes with the list, and it shows them; or `keeper: carried`, \
                which shows them to everybody";
    findings.extend(gathered(&RULE, places, message).map(|finding| finding.help(help)));
}
