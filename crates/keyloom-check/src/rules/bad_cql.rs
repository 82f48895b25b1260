use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::SurveyFaultKind;

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "bad-cql",
    level: Level::Error,
    summary: "text in a schema or query file that is no CQL",
    page: include_str!("bad_cql.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let faults = context.survey.faults.iter().filter(|fault| fault.kind == SurveyFaultKind::Syntax);
    findings.extend(faults.map(|fault| {
        Finding::new(&RULE, fault.place, fault.message.clone())
            .help("mend the statement; it was left out of this review, and the ones behind it were read")
    }));
}
