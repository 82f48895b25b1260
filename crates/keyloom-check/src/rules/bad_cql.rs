use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::SurveyFaultKind;

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "bad-cql",
    level: Level::Error,
    summary: "text in a schema or query file, or sent by a program, that is no CQL",
    page: include_str!("bad_cql.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.survey.faults.iter().filter_map(|fault| {
        let (level, help) = match fault.kind {
            SurveyFaultKind::Syntax => {
                (Level::Error, "mend the statement; all up to its end was left out of this review")
            }
            // What a program sends may be changed on the way, or meant for another server.
            SurveyFaultKind::SyntaxInProgram => (
                Level::Warning,
                "mend the statement: the server answers it with a syntax error; it was left out of this review",
            ),
            SurveyFaultKind::IllegalStep | SurveyFaultKind::Differs => return None,
        };
        Some(Finding::new(&RULE, fault.place, fault.message.clone()).level(level).help(help))
    }));
}
