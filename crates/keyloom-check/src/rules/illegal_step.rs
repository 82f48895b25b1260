use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::SurveyFaultKind;

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "illegal-step",
    level: Level::Error,
    summary: "a step of the schema that the server refuses after the ones before it",
    page: include_str!("illegal_step.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    // Where a part of the history is elsewhere, the step may meet another schema than the one seen here.
    let level = if context.survey.may_be_otherwise() { Level::Warning } else { Level::Error };
    let faults = context.survey.faults.iter().filter(|fault| fault.kind == SurveyFaultKind::IllegalStep);
    findings.extend(faults.map(|fault| {
        Finding::new(&RULE, fault.place, fault.message.clone())
            .level(level)
            .help("the migration stops here; mend the step, or a step before it if it has not run anywhere yet")
    }));
}
