use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::reads::{given, names};

pub(crate) static RULE: Rule = Rule {
    name: "boundary-mismatch",
    level: Level::Error,
    summary: "a statement does not give the whole partition key",
    page: include_str!("boundary_mismatch.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let finding = rejection.finding(&RULE, context);
        let Some(table) = rejection.table else { continue };
        let lacking: Vec<&str> = table
            .partition_key()
            .map(|column| column.name.as_str())
            .filter(|name| given(rejection.kind, name).is_none())
            .collect();
        let lacking = names(lacking);
        findings.push(finding.help(format!(
            "give {lacking} too (`=` or `IN`), or keep a table whose partition key is only what this statement knows: its \
             partitions are larger by all values of {lacking}"
        )));
    }
}
