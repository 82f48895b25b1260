use keyloom_cql::ast::{AssignmentKind, DeleteTarget, StatementKind};
use keyloom_cql::schema::Column;
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::is_nonfrozen;
use crate::writing::foremost;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "nonfrozen-collection-overwrite",
    level: Level::Warning,
    summary: "a collection is always written as a whole, and each write leaves a range tombstone",
    page: include_str!("nonfrozen_collection_overwrite.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown) {
        let uses = context.uses(table);
        let overwritten: Vec<(&Column, &TableUse<'_>)> = table
            .columns
            .iter()
            .filter(|column| is_nonfrozen(&column.of))
            .filter_map(|column| Some((column, overwrite(uses, &column.name)?)))
            .collect();
        let Some((first, write)) = overwritten.first() else { continue };
        let names = overwritten.iter().map(|(column, _)| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ");
        let message = format!(
            "{names} of `{}`: always written as a whole, so each write first deletes what was there, with a range tombstone",
            table.name
        );
        // A statement that is known in part may change single elements.
        let unsure = uses.iter().any(|one| one.is_write() && one.is_open())
            || context.may_be_named(table)
            || context.asked_of_any(table) > 0;
        let updated = overwritten.iter().any(|(_, write)| write.insert().is_none());
        let wanted = if unsure || !updated { Level::Note } else { Level::Warning };
        let finding = Finding::new(&RULE, context.survey.made(first.made), message)
            .level(write.level(wanted))
            .help("make it `frozen` in the next version of the column: one cell, no tombstone, and a smaller row; or add and remove single elements");
        findings.push(finding.related(write.place(), "written as a whole"));
    }
}

/// The write that sets a column as a whole, if nothing ever changes its elements. An update comes before an insert: it is
/// the one that meets what was there.
fn overwrite<'u, 'a>(uses: &'u [TableUse<'a>], column: &str) -> Option<&'u TableUse<'a>> {
    if uses.iter().any(|one| changes_elements(one, column)) {
        return None;
    }
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
