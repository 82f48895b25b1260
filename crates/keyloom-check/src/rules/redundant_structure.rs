use std::collections::BTreeMap;

use keyloom_cql::ast::IndexTargetKind;
use keyloom_cql::schema::{Column, ColumnKind, Index, Table, View};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout;

use crate::guess::words;
use crate::meaning::singular;
use crate::{LayoutContext, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "redundant-structure",
    level: Level::Warning,
    summary: "a table, view or index that answers what another already answers",
    page: include_str!("redundant_structure.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut things: BTreeMap<(&str, Vec<String>), Vec<&Table>> = BTreeMap::new();
    for table in context.own_tables() {
        things.entry((&table.keyspace, thing(table))).or_default().push(table);
    }
    for tables in things.values() {
        for (at, table) in tables.iter().enumerate() {
            for index in &table.indexes {
                findings.extend(index_beside_table(context, table, index, tables));
            }
            // Of many tables of one thing the next ones are looked at: nobody has hundreds of copies.
            findings.extend(tables.iter().skip(at + 1).take(COPIES).find_map(|other| same_rows(context, table, other)));
        }
    }
}

/// How many other tables of the same thing a table is compared with.
const COPIES: usize = 50;

/// An index on a column by which another table, or a view, already finds the same rows.
fn index_beside_table(context: &SurveyContext<'_>, table: &Table, index: &Index, tables: &[&Table]) -> Option<Finding> {
    let column = table.column(&index.column)?;
    if index.target != IndexTargetKind::Plain || column.kind != ColumnKind::Regular {
        return None;
    }
    let keyspace = context.survey.schema.keyspaces.get(&table.keyspace)?;
    let of_table = |view: &&View| view.base.0 == table.keyspace && view.base.1 == table.name;
    let views = keyspace.views.values().filter(of_table).map(|view| &view.table);
    let finds_the_row = |other: &&Table| {
        let mut key = other.partition_key();
        let by_column = key.next().is_some_and(|first| first.name == column.name && first.of == column.of);
        by_column && key.next().is_none() && primary_key(table).all(|part| other.column(&part.name).is_some())
    };
    let other = views
        .chain(tables.iter().copied().take(COPIES))
        .find(|other| other.name != table.name && finds_the_row(other))?;
    let message = format!(
        "the index `{}` finds rows of `{}` by `{}`, and so does `{}`, with one partition read instead of one at each node",
        index.name, table.name, column.name, other.name
    );
    let help = format!("drop the index and ask `{}`: each write of `{}` saves the index's own", other.name, table.name);
    let finding = Finding::new(&RULE, context.survey.made(index.made), message).help(help);
    Some(finding.related(context.survey.made(other.made), "found here by one key"))
}

/// Two tables of the same thing with the same key: one of them holds nothing that the other does not.
fn same_rows(context: &SurveyContext<'_>, one: &Table, other: &Table) -> Option<Finding> {
    if one.unknown || other.unknown {
        return None;
    }
    let same_names = |a: &Table, b: &Table| {
        let (mut first, mut second) = (primary_key(a), primary_key(b));
        let keys = a.partition_key().count() == b.partition_key().count();
        keys && first.by_ref().zip(second.by_ref()).all(|(a, b)| a.name == b.name && a.of == b.of)
            && primary_key(a).count() == primary_key(b).count()
    };
    if !same_names(one, other) {
        return None;
    }
    let holds = |outer: &Table, inner: &Table| {
        inner.columns.iter().all(|column| outer.column(&column.name).is_some_and(|same| same.of == column.of))
    };
    let (small, large) = match (holds(one, other), holds(other, one)) {
        // The one that is named after the other is the copy.
        (true, true) if one.name.len() > other.name.len() => (one, other),
        (true, _) => (other, one),
        (false, true) => (one, other),
        (false, false) => return None,
    };
    let directions = |table: &Table| table.clustering().map(|column| column.kind).collect::<Vec<_>>();
    let (small_order, large_order) = (directions(small), directions(large));
    let reversed = small_order.iter().zip(&large_order).all(|(a, b)| a != b);
    let place = context.survey.made(small.key_made);
    let finding = if small_order == large_order {
        let message = format!("`{}` has the key of `{}` and no column that is not there too", small.name, large.name);
        Finding::new(&RULE, place, message)
            .help(format!("read `{}` instead: one write less, and no second copy that may differ", large.name))
    } else if reversed && small.columns.len() == large.columns.len() {
        let message = format!("`{}` holds the rows of `{}` in the reverse order", small.name, large.name);
        Finding::new(&RULE, place, message).help(format!(
            "read `{}` with ORDER BY in its reverse: one write less, and a reverse read costs little more",
            large.name
        ))
    } else {
        return None;
    };
    Some(finding.related(context.survey.made(large.made), "the other table"))
}

fn primary_key(table: &Table) -> impl Iterator<Item = &Column> {
    table.partition_key().chain(table.clustering())
}

/// What a table is named after: all that stands before `by`, so that `orders_by_id` and `orders` are of one thing, and
/// `orders_archive_by_day` is of another.
fn thing(table: &Table) -> Vec<String> {
    let mut thing: Vec<String> = words(&table.name).iter().map(|word| singular(word)).collect();
    if let Some(by) = thing.iter().position(|word| word == "by") {
        thing.truncate(by);
    }
    thing.retain(|word| !matches!(word.as_str(), "asc" | "desc" | "reverse" | "reversed"));
    thing
}

/// Over a layout: a projection whose rows stand in the same order in another table that has all its columns.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, _) in context.row_tables() {
        let Some(other) = covered_by(context, table) else { continue };
        let message =
            format!("`{}` holds the rows of `{}` in the same order, and nothing more", table.name, other.name);
        findings.push(
            Finding::new(&RULE, context.table_place(&table.name), message)
                .related(context.table_place(&other.name), "answers the same questions")
                .help("take it out: each write of the entity has one row less to write"),
        );
    }
}

/// The table that makes a projection needless. Of two that are equal, the first written stays.
pub(crate) fn covered_by<'a>(context: &'a LayoutContext<'_>, table: &layout::Table) -> Option<&'a layout::Table> {
    use layout::{Holds, Keeper};
    let Holds::Projection { entity, keeper } = &table.holds else { return None };
    let position = |name: &str| context.tables().position(|table| table.name == name);
    let reversed = |a: &layout::SortItem, b: &layout::SortItem| {
        a.field == b.field && a.direction != b.direction && !a.nulls_last && !b.nulls_last
    };
    context.tables().filter(|other| other.name != table.name).find(|other| {
        let as_fresh = match &other.holds {
            Holds::Source { entity: of, .. } => of == entity,
            Holds::Projection { entity: of, keeper: by } => of == entity && (by == keeper || *by != Keeper::Index),
            _ => false,
        };
        let in_order = other.sort == table.sort
            || (other.sort.len() == table.sort.len()
                && other.sort.iter().zip(&table.sort).all(|(a, b)| reversed(a, b)));
        let has = |column: &String| other.columns.iter().flatten().any(|known| known == column);
        let all = table.columns.iter().flatten().all(has);
        let mutual = matches!(other.holds, Holds::Projection { .. })
            && other.columns.iter().flatten().all(|column| table.columns.iter().flatten().any(|known| known == column));
        as_fresh
            && in_order
            && all
            && table.copies.is_empty()
            && (other.partition == table.partition && other.filter == table.filter)
            && (other.all_tenants == table.all_tenants)
            && (!mutual || position(&other.name) < position(&table.name))
    })
}
