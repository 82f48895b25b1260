use keyloom_cql::ast::{Operator, Relation, RelationKind};
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::words;
use crate::meaning::singular;
use crate::reads::relations;
use crate::writing::Reach;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "over-wide-delete",
    level: Level::Warning,
    summary: "a delete of one thing by a key that others share",
    page: include_str!("over_wide_delete.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        for one in context.uses(table).iter().filter(|one| one.deletes_rows() && !one.is_test()) {
            findings.extend(product(context, one, table));
            let Some(column) = forgotten(one, table) else { continue };
            let (Some(function), Some(first), Some(last)) =
                (one.function(), relations(one.kind).first(), relations(one.kind).last())
            else {
                continue;
            };
            let message = format!(
                "`{function}` deletes all rows of `{}` that share this key, of every `{}`",
                table.name, column.name
            );
            let finding = Finding::new(&RULE, one.of.place(first.span.to(last.span)), message)
                .level(one.level(Level::Warning))
                .help(format!("name the one that is meant: `AND {} = ?`", column.name));
            findings.push(finding.related(context.survey.made(table.key_made), "the whole key of a row"));
        }
    }
}

/// A delete by two lists removes each value of the one with each of the other.
fn product(context: &SurveyContext<'_>, one: &TableUse<'_>, table: &Table) -> Option<Finding> {
    let listed: Vec<(&Column, &Relation)> =
        table.clustering().filter_map(|column| Some((column, many(one, &column.name)?))).collect();
    let [(first, begins), .., (last, ends)] = listed.as_slice() else { return None };
    let message = format!(
        "this deletes each `{}` with each `{}` of the two lists: the product of both, and a tombstone for each pair, whether the row is there or not",
        first.name, last.name
    );
    let help = "where single rows are meant, send one DELETE with the whole key for each; those of one partition go well in one unlogged batch";
    let finding = Finding::new(&RULE, one.of.place(begins.span.to(ends.span)), message).level(Level::Note).help(help);
    Some(finding.related(context.survey.made(table.key_made), "the whole key of a row"))
}

/// The term that gives a column as a list of several values.
fn many<'a>(one: &TableUse<'a>, name: &str) -> Option<&'a Relation> {
    relations(one.kind).iter().find(|relation| {
        let RelationKind::Column { column, operator: Operator::In, values, list } = &relation.kind else {
            return false;
        };
        column.text == name && (!list || values.len() > 1)
    })
}

/// The clustering column that the function's name speaks of in the singular and the delete does not name.
fn forgotten<'a>(one: &TableUse<'_>, table: &'a Table) -> Option<&'a Column> {
    let fixed = match one.reach(table) {
        Reach::Partition => 0,
        Reach::Run { fixed, range: false } => fixed,
        _ => return None,
    };
    let function = words(one.function()?);
    // Who deletes all, or by an owner, means it.
    if function
        .iter()
        .any(|word| matches!(word.as_str(), "all" | "every" | "by" | "for" | "clear" | "purge" | "truncate"))
    {
        return None;
    }
    let object = function.last()?;
    let verb = function.first()?;
    let is_delete = matches!(verb.as_str(), "delete" | "remove" | "drop" | "unset" | "revoke");
    let names_it = |column: &&Column| {
        let mut stem = words(&column.name);
        let is_id =
            stem.len() > 1 && stem.pop().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "name" | "key"));
        is_id && stem.last().is_some_and(|word| word == object && singular(object) == *object)
    };
    let given = |column: &&Column| {
        let known = words(&column.name);
        table.partition_key().chain(table.clustering().take(fixed)).any(|other| words(&other.name).contains(&known[0]))
    };
    table.clustering().skip(fixed).find(names_it).filter(|column| is_delete && !given(column))
}
