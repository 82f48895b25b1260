use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::ReadVerb;

use super::gathered;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "missing-freshness",
    level: Level::Note,
    summary: "a list that is served from a copy does not say how old it may be",
    page: include_str!("missing_freshness.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let missing = context.catalog.patterns.iter().filter(|pattern| {
        let Some(read) = pattern.read() else { return false };
        let Some(entity) = context.entity(&read.selection.entity) else { return false };
        // Rows that are found by the key, or by the front part of it, are read from the source itself.
        let by = read.selection.by.own_fields();
        let from_source = entity.key.len() >= by.len()
            && entity.key[..by.len()].iter().all(|key| by.contains(&key.as_str()))
            && !by.is_empty();
        let joins = read
            .with
            .iter()
            .any(|with| !context.is_stated(&format!("patterns.{}.with.{}.freshness", pattern.name, with.name)));
        let copied = (read.verb != ReadVerb::Get && !from_source && entity.is_declared()) || joins;
        copied && read.freshness.is_none() && !context.is_stated(&format!("patterns.{}.freshness", pattern.name))
    });
    let places =
        missing.map(|pattern| (pattern.name.clone(), context.key(&format!("patterns.{}", pattern.name)))).collect();
    findings.extend(gathered(&RULE, places, |names| format!("{names} without a freshness: 5 s is assumed"))
        .map(|finding| finding.help("state `freshness: latest`, `read_your_writes`, or how old an answer may be: `30s`; an older bound is cheaper")));
}
