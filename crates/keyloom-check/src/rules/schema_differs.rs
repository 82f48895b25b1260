use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::SurveyFaultKind;

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "schema-differs",
    level: Level::Warning,
    summary: "a dump and the migrations beside it make different schemas",
    page: include_str!("schema_differs.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let faults = context.survey.faults.iter().filter(|fault| fault.kind == SurveyFaultKind::Differs);
    findings.extend(faults.map(|fault| {
        Finding::new(&RULE, fault.place, fault.message.clone())
            .help("make both say the same; until then a new cluster and an old one have different tables")
    }));
}
