use keyloom_cql::ast::StatementKind;
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_survey::{SurveyFault, SurveyFaultKind};

use super::gathered;
use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "illegal-step",
    level: Level::Error,
    summary: "a step of the schema that the server refuses after the ones before it",
    page: include_str!("illegal_step.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    // Where a part of the history is elsewhere, the step may meet another schema than the one seen here.
    let scylla = context.speaks_scylla();
    let level = if context.survey.may_be_otherwise() || scylla { Level::Warning } else { Level::Error };
    let views = if scylla { views_of_scylla(context) } else { Vec::new() };
    let faults = context.survey.faults.iter().filter(|fault| fault.kind == SurveyFaultKind::IllegalStep);
    let is_told = |fault: &SurveyFault| views.iter().any(|(_, place)| *place == Some(fault.place));
    let faults = faults.filter(|fault| !is_told(fault));
    findings.extend(faults.map(|fault| {
        Finding::new(&RULE, fault.place, fault.message.clone())
            .level(level)
            .help("the migration stops here; mend the step, or a step before it if it has not run anywhere yet")
    }));
    let message = |views: &str| {
        format!(
            "CLUSTERING ORDER BY of {views} leaves out a clustering column: ScyllaDB takes that, Cassandra refuses the view"
        )
    };
    let help = "name all clustering columns in their order; the view then means the same to both";
    findings.extend(gathered(&RULE, views, message).map(|finding| finding.level(Level::Note).help(help)));
}

/// Views whose order names a part of the clustering columns only, each with the place of the order.
fn views_of_scylla(context: &SurveyContext<'_>) -> Vec<(String, Option<Place>)> {
    let mut views: Vec<(String, Option<Place>)> = Vec::new();
    for step in &context.survey.steps {
        let StatementKind::CreateView(create) = &step.statement.kind else { continue };
        let Some(first) = create.clustering_order.first() else { continue };
        // Those that are named stand in the order of the key, and some are missing.
        let mut key = create.clustering.iter();
        let in_order = create.clustering_order.iter().all(|order| key.any(|column| column.text == order.column.text));
        if in_order && create.clustering_order.len() < create.clustering.len() {
            views.push((create.name.name.text.clone(), Some(step.place(first.column.span))));
        }
    }
    views
}
