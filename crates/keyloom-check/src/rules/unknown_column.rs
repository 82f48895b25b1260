use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "unknown-column",
    level: Level::Error,
    summary: "a statement names a column that its table does not have",
    page: include_str!("unknown_column.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let mut finding = rejection.finding(&RULE, context);
        let Some(table) = rejection.table else { continue };
        let name = rejection.of.written.text.get(rejection.fault.at.bytes()).unwrap_or("").trim_matches('"');
        let dropped = table.dropped.iter().rev().find(|(dropped, _)| dropped.eq_ignore_ascii_case(name));
        // A migration met the table as it was then.
        if rejection.of.role == Role::Migration {
            continue;
        }
        finding.message = format!("`{}` has no column `{name}`", table.name);
        let nearest = keyloom_text::nearest(name, table.columns.iter().map(|column| column.name.as_str()));
        findings.push(match (dropped, nearest) {
            (Some((_, made)), _) => finding
                .related(context.survey.made(*made), "dropped here")
                .help("take the column out of the statement, or add it again"),
            (None, Some(nearest)) => finding.help(format!("did you mean `{nearest}`?")),
            (None, None) => finding
                .help(format!("add it (`ALTER TABLE {} ADD ..`), or take it out of the statement", table.full_name())),
        });
    }
}
