use keyloom_finding::{Finding, Level, Rule};

use super::gathered;
use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "materialized-view",
    level: Level::Warning,
    summary: "a materialized view of Cassandra: experimental, and off by default",
    page: include_str!("materialized_view.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let views = context.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.views.values());
    let views = views.map(|view| (view.table.name.clone(), context.survey.made(view.table.made))).collect();
    let message = |names: &str| {
        let views = if names.contains(", ") { "views" } else { "view" };
        format!("rows can be missing without notice from the materialized {views} {names}")
    };
    let help = "write a table of its own beside the base from the service, and compare the two by a job";
    // ScyllaDB supports views; what they miss after a failure is the same.
    let level = if context.speaks_scylla() { Level::Note } else { Level::Warning };
    findings.extend(gathered(&RULE, views, message).map(|finding| finding.level(level).help(help)));
}
