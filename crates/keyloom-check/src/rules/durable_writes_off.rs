use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::meaning::is_for_trial;

pub(crate) static RULE: Rule = Rule {
    name: "durable-writes-off",
    level: Level::Warning,
    summary: "a keyspace without a commit log: what was not flushed is lost with the process",
    page: include_str!("durable_writes_off.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for keyspace in context.survey.schema.keyspaces.values() {
        let Some((false, made)) = keyspace.durable_writes else { continue };
        let name = &keyspace.name;
        if is_for_trial(name) || context.file_of(made).is_some_and(is_for_trial) {
            continue;
        }
        let message = format!(
            "keyspace `{name}` is written without a commit log: when replicas stop at once, what they had in memory is gone"
        );
        findings.push(
            Finding::new(&RULE, context.survey.made(made), message).help(
                "leave `durable_writes` at true: one sequential write more for each mutation, and nothing is lost",
            ),
        );
    }
}
