use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::native;
use crate::meaning::has_word;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "inexact-counter",
    level: Level::Warning,
    summary: "a counter where the number must be exact, or is deleted and counted again",
    page: include_str!("inexact_counter.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let counters: Vec<&Column> =
            table.columns.iter().filter(|column| native(column) == Some(Native::Counter)).collect();
        let Some(first) = counters.first() else { continue };
        let uses = context.uses(table);
        let exact = counters.iter().find_map(|column| Some((column, must_be_exact(column, table)?)));
        let counts = |one: &&TableUse<'_>| !one.assignments().is_empty() && !one.is_test();
        let deletes = |one: &&TableUse<'_>| one.is_service() && one.is_write() && one.assignments().is_empty();
        if let Some((column, (why, help))) = exact {
            let message = format!("`{}` of `{}` is a counter, and {why}", column.name, table.name);
            findings.push(
                Finding::new(&RULE, context.survey.made(column.made), message)
                    .help(help)
                    .related(uses.iter().find(counts).map(TableUse::place), "counted here"),
            );
        } else if let (Some(delete), Some(count)) = (uses.iter().find(deletes), uses.iter().find(counts)) {
            let message = format!(
                "`{}` is deleted from and counted in: a counter that is used again after its delete may start anywhere",
                table.name
            );
            let help = format!(
                "never use a key of a counter again: put a period or a generation into the key of `{}`, or subtract what `{}` holds instead of deleting",
                table.name, first.name
            );
            let finding = Finding::new(&RULE, delete.place(), message).level(Level::Note).help(help);
            findings.push(finding.related(count.place(), "counted here"));
        }
    }
}

/// Why a number that is named so is worthless when it is nearly right, and what to do instead.
pub(super) fn must_be_exact(column: &Column, table: &Table) -> Option<(&'static str, &'static str)> {
    const MONEY: &[&str] = &["balance", "cash", "credit", "debit", "funds", "money", "revenue"];
    const STOCK: &[&str] = &["available", "inventory", "quota", "remaining", "seat", "stock"];
    const IDS: &[&str] = &["autoincrement", "nextid", "seq", "sequence"];
    let named = |words: &[&str]| has_word(&column.name, words) || has_word(&table.name, words);
    let next_id = has_word(&column.name, &["next"]) && has_word(&column.name, &["id"]);
    if named(MONEY) {
        Some((
            "money must be exact: after a timeout nobody knows whether it was counted once, twice or not",
            "keep one row for each booking under its own id, and the sum beside them in a row that is updated with IF: exact, at four trips for each booking",
        ))
    } else if named(STOCK) {
        Some((
            "a counter takes no condition: nothing stops it below zero or above its limit",
            "make it an int that is updated with a condition, `SET n = ? .. IF n = ?`: exact, at four trips for each change",
        ))
    } else if named(IDS) || next_id {
        Some((
            "a counter answers no value when it counts: two callers that count and then read get the same number",
            "make it an int that is raised with a condition, `SET n = ? .. IF n = ?`: who is told that it applied owns the number; or use ids that nobody has to ask for (timeuuid)",
        ))
    } else {
        None
    }
}
