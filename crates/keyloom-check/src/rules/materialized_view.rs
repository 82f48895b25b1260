use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "materialized-view",
    level: Level::Warning,
    summary: "a materialized view of Cassandra: experimental, and off by default",
    page: include_str!("materialized_view.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for keyspace in context.survey.schema.keyspaces.values() {
        for view in keyspace.views.values() {
            let (name, base) = (&view.table.name, &view.base.1);
            let message =
                format!("`{name}` is a materialized view of `{base}`; rows can be missing from it without notice");
            findings.push(Finding::new(&RULE, context.survey.made(view.table.made), message).help(format!(
                "write a table `{name}` beside `{base}` from the service, and compare the two by a job"
            )));
        }
    }
}
