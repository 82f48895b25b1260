use keyloom_cql::HOLE;
use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::meaning::is_for_trial;

pub(crate) static RULE: Rule = Rule {
    name: "replication-factor-one",
    level: Level::Warning,
    summary: "a keyspace with one replica: one node down takes a part of the data with it",
    page: include_str!("replication_factor_one.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for keyspace in context.survey.schema.keyspaces.values() {
        let Some(replication) = &keyspace.replication else { continue };
        let name = &keyspace.name;
        // A template is filled in by somebody who knows the cluster.
        let for_trial = is_for_trial(name) || context.file_of(replication.made).is_some_and(is_for_trial);
        if for_trial || name.contains(HOLE) || name.starts_with("system") {
            continue;
        }
        let Some((centre, _)) = replication.factors.iter().find(|(_, factor)| *factor == Some(1)) else { continue };
        let within = if centre == "replication_factor" { String::new() } else { format!(" in `{centre}`") };
        let message = format!(
            "keyspace `{name}` has one replica{within}: a node that is down takes its part of the rows with it"
        );
        findings.push(Finding::new(&RULE, context.survey.made(replication.made), message).help(
            "use NetworkTopologyStrategy with 3 in each data centre: one node may then be away at QUORUM, for three times the disk",
        ));
    }
}
