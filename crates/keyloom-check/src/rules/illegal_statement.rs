use keyloom_cql::resolve::FaultKind;
use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "illegal-statement",
    level: Level::Error,
    summary: "the server rejects the statement",
    page: include_str!("illegal_statement.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let finding = rejection.finding(&RULE, context);
        findings.push(match rejection.fault.kind {
            FaultKind::Type => finding.help("write a value of the column's type; the server answers with an error until then"),
            // A function or type may come from a plugin, or from a keyspace that is made elsewhere.
            FaultKind::UnknownName => {
                let level = finding.level.min(Level::Warning);
                finding.level(level).help("create it in the schema, or mend its name")
            }
            FaultKind::NotIndexed => finding.help(
                "writes find rows by their key only: read the keys first, or keep a table that leads from this column to them",
            ),
            _ => finding.help("mend the statement: the server answers with an error each time it is prepared"),
        });
    }
}
