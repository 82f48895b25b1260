use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::schema::Table;
use keyloom_finding::{FileId, Finding, Level, Rule};
use keyloom_survey::Role;

use crate::SurveyContext;
use crate::reads::names;
use crate::rejections::Rejection;

pub(crate) static RULE: Rule = Rule {
    name: "unknown-column",
    level: Level::Error,
    summary: "a statement names a column that its table does not have",
    page: include_str!("unknown_column.md"),
};

/// From so many statements on it is not they who are wrong: they are meant for another table of that name.
const ANOTHER_TABLE: usize = 4;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut by_table: BTreeMap<(&str, &str), Vec<(Rejection<'_>, &Table)>> = BTreeMap::new();
    for rejection in context.rejections(&RULE) {
        // A migration met the table as it was then.
        if let Some(table) = rejection.table.filter(|_| rejection.of.role != Role::Migration) {
            by_table.entry((&table.keyspace, &table.name)).or_default().push((rejection, table));
        }
    }
    for rejections in by_table.into_values() {
        let files: BTreeSet<FileId> = rejections.iter().map(|(rejection, _)| rejection.of.whole().file).collect();
        if rejections.len() >= ANOTHER_TABLE && files.len() > 1 {
            findings.extend(of_another_table(context, &rejections));
        } else {
            let mut by_column: BTreeMap<&str, Vec<&(Rejection<'_>, &Table)>> = BTreeMap::new();
            for rejection in &rejections {
                by_column.entry(column(&rejection.0)).or_default().push(rejection);
            }
            findings.extend(by_column.into_values().filter_map(|statements| one(context, &statements)));
        }
    }
}

/// One column that is not there, and the statements that name it.
fn one(context: &SurveyContext<'_>, statements: &[&(Rejection<'_>, &Table)]) -> Option<Finding> {
    // The one that matters most speaks for all.
    let (rejection, table) = statements.iter().rev().max_by_key(|(rejection, _)| rejection.level())?;
    let name = column(rejection);
    let mut finding = rejection.finding(&RULE, context);
    finding.message = format!("`{}` has no column `{name}`", table.name);
    if statements.len() > 1 {
        finding.message.push_str(&format!("; {} statements name it", statements.len()));
    }
    let dropped = table.dropped.iter().rev().find(|(dropped, _)| dropped.eq_ignore_ascii_case(name));
    let nearest = keyloom_text::nearest(name, table.columns.iter().map(|column| column.name.as_str()));
    Some(match (dropped, nearest) {
        (Some((_, made)), _) => finding
            .related(context.survey.made(*made), "dropped here")
            .help("take the column out of the statement, or add it again"),
        (None, Some(nearest)) => finding.help(format!("did you mean `{nearest}`?")),
        (None, None) => finding
            .help(format!("add it (`ALTER TABLE {} ADD ..`), or take it out of the statement", table.full_name())),
    })
}

fn of_another_table(context: &SurveyContext<'_>, rejections: &[(Rejection<'_>, &Table)]) -> Option<Finding> {
    let (first, table) = rejections.first()?;
    let columns: BTreeSet<&str> = rejections.iter().map(|(rejection, _)| column(rejection)).collect();
    let mut finding = first.finding(&RULE, context);
    let level = finding.level.min(Level::Warning);
    finding.message = format!(
        "{} statements name columns that `{}` does not have here: {}",
        rejections.len(),
        table.name,
        names(columns)
    );
    let help = "they may be meant for another table of that name: name the schema that makes it, or write its keyspace";
    Some(finding.level(level).help(help))
}

/// The name that the table does not have.
fn column<'a>(rejection: &Rejection<'a>) -> &'a str {
    rejection.of.written.text.get(rejection.fault.at.bytes()).unwrap_or("").trim_matches('"')
}
