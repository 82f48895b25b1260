use keyloom_cql::ast::{AssignmentKind, DeleteTarget, LiteralKind, StatementKind, Term, TermKind};
use keyloom_cql::schema::{Column, Table, Type};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use crate::meaning::is_nonfrozen;
use crate::reads::{names, statements};
use crate::writing::foremost;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "nonfrozen-collection-overwrite",
    level: Level::Warning,
    summary: "a collection is always written as a whole, and each write leaves a range tombstone",
    page: include_str!("nonfrozen_collection_overwrite.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let elsewhere = of_unknown_tables(context);
    for table in context.own_tables().filter(|table| !table.unknown) {
        let uses = context.uses(table);
        // A statement whose table only the program knows, and that changes elements under this name, may do so here.
        let is_doubtful = |column: &&Column| {
            elsewhere.iter().any(|one| one.may_be_about(table) && changes_elements(one, &column.name))
        };
        let cells = table.columns.iter().filter(|column| is_nonfrozen(&column.of) && !is_doubtful(column));
        let (mixed, whole): (Vec<&Column>, Vec<&Column>) =
            cells.partition(|column| uses.iter().any(|one| changes_elements(one, &column.name)));
        findings.extend(always(context, table, &whole));
        findings.extend(sometimes(context, table, &mixed));
    }
}

/// The statements outside of tests whose table is not known.
fn of_unknown_tables<'a>(context: &SurveyContext<'a>) -> Vec<TableUse<'a>> {
    let uses = context.survey.uses.iter().filter(|of| of.role != Role::Test);
    let all = uses.flat_map(|of| {
        statements(of).iter().map(move |statement| TableUse { of, kind: &statement.kind, span: statement.span })
    });
    all.filter(|one| one.kind.table().is_some_and(|table| table.name.unknown)).collect()
}

/// Columns that nothing ever changes by their elements.
fn always(context: &SurveyContext<'_>, table: &Table, columns: &[&Column]) -> Option<Finding> {
    let uses = context.uses(table);
    let overwritten: Vec<(&Column, &TableUse<'_>)> =
        columns.iter().filter_map(|column| Some((*column, overwrite(uses, &column.name)?))).collect();
    let (first, write) = overwritten.first()?;
    let message = format!(
        "{} of `{}`: always written as a whole, so each write first deletes what was there, with a range tombstone",
        names(overwritten.iter().map(|(column, _)| column.name.as_str())),
        table.name
    );
    // A statement that is known in part may change single elements.
    let unsure = uses.iter().any(|one| one.is_write() && one.is_open())
        || context.may_be_named(table)
        || context.asked_of_any(table) > 0;
    // The tombstone of a user-defined type spans a few cells.
    let is_updated =
        |(column, write): &(&Column, &TableUse<'_>)| write.insert().is_none() && !matches!(column.of, Type::User(_));
    let wanted = if unsure || !overwritten.iter().any(is_updated) { Level::Note } else { Level::Warning };
    let finding = Finding::new(&RULE, context.survey.made(first.made), message)
        .level(write.level(wanted))
        .help("make it `frozen` in the next version of the column: one cell, no tombstone, and a smaller row; or add and remove single elements");
    Some(finding.related(write.place(), "written as a whole"))
}

/// Columns that change by their elements, and are set as a whole by some update as well.
fn sometimes(context: &SurveyContext<'_>, table: &Table, columns: &[&Column]) -> Option<Finding> {
    let replaced: Vec<(&Column, &TableUse<'_>)> = columns
        .iter()
        .filter_map(|column| Some((*column, foremost(context.uses(table), |one| replaces(one, &column.name))?)))
        .collect();
    let (first, write) = replaced.first()?;
    let message = format!(
        "{} of `{}`: also set as a whole, which first deletes what was there, with a range tombstone",
        names(replaced.iter().map(|(column, _)| column.name.as_str())),
        table.name
    );
    let help =
        "fine where it is rare; where it happens often, remove single elements, or keep them as rows of their own";
    let finding = Finding::new(&RULE, context.survey.made(first.made), message).level(Level::Note).help(help);
    Some(finding.related(write.place(), "set as a whole"))
}

/// Whether an update sets a column as a whole; null removes it, which is meant.
fn replaces(one: &TableUse<'_>, column: &str) -> bool {
    one.assignments().iter().any(|set| match &set.kind {
        AssignmentKind::Set(value) => set.column.text == column && !is_null(value),
        _ => false,
    })
}

fn is_null(value: &Term) -> bool {
    matches!(&value.kind, TermKind::Literal(literal) if literal.kind == LiteralKind::Null)
}

/// The write that sets a column as a whole. An update comes before an insert: it is the one that meets what was there.
fn overwrite<'u, 'a>(uses: &'u [TableUse<'a>], column: &str) -> Option<&'u TableUse<'a>> {
    let sets = |one: &TableUse<'a>| one.columns_set().is_some_and(|set| set.iter().any(|name| name.text == column));
    let whole = |one: &TableUse<'a>| one.sets() && sets(one);
    foremost(uses, |one| one.insert().is_none() && whole(one)).or_else(|| foremost(uses, whole))
}

fn changes_elements(one: &TableUse<'_>, column: &str) -> bool {
    let by_update =
        one.assignments().iter().any(|set| set.column.text == column && !matches!(set.kind, AssignmentKind::Set(_)));
    let by_delete = match one.kind {
        StatementKind::Delete(delete) => delete.targets.iter().any(|target| match target {
            DeleteTarget::Element(name, _) | DeleteTarget::Field(name, _) => name.text == column,
            DeleteTarget::Column(_) => false,
        }),
        _ => false,
    };
    by_update || by_delete
}
