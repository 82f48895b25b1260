use keyloom_cql::ast::{QualifiedName, Select, Selection, SelectorKind, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::{has_word, is_clock, is_integer};
use crate::reads::{given, relations};
use crate::writing::{foremost, is_fixed_by};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "id-reuse-after-delete",
    level: Level::Warning,
    summary: "the next number is taken from the largest one, beside deletes that can remove it",
    page: include_str!("id_reuse_after_delete.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let uses = context.uses(table);
        for column in table.clustering().filter(|column| is_integer(&column.of) && !is_clock(column)) {
            let Some(read) = uses.iter().find(|one| one.is_service() && asks_for_largest(one, column)) else {
                continue;
            };
            let makes = |one: &TableUse<'_>| one.insert().is_some() && given(one.kind, &column.name).is_some();
            let removes = |one: &TableUse<'_>| {
                let named = relations(one.kind).iter().any(|relation| is_fixed_by(relation, &column.name));
                one.deletes_rows() && named
            };
            let (Some(insert), Some(delete)) = (foremost(uses, makes), foremost(uses, removes)) else { continue };
            if is_kept_elsewhere(context, table) {
                continue;
            }
            let message = format!(
                "the largest `{}` of `{}` is read to number the next row; once that row is deleted, its number is given a second time",
                column.name, table.name
            );
            let help = format!(
                "keep the last number in a static column or a row of its own, and raise it with `IF`; or number by timeuuid, which nobody has to ask for: then no `{}` is used twice",
                column.name
            );
            let finding = Finding::new(&RULE, read.place(), message).level(delete.level(Level::Warning)).help(help);
            findings.push(
                finding.related(delete.place(), "rows are deleted here").related(insert.place(), "and numbered here"),
            );
        }
    }
}

/// Whether the service writes down how far the numbers of an owner went, in a place that the deletes do not reach: the
/// next number need not come from the rows alone.
fn is_kept_elsewhere(context: &SurveyContext<'_>, table: &Table) -> bool {
    const KEPT: &[&str] = &["deleted", "highest", "last", "latest", "max", "maximum", "next"];
    let is_position = |column: &Column| {
        let outlives = matches!(column.kind, ColumnKind::Regular | ColumnKind::Static);
        outlives && is_integer(&column.of) && !is_clock(column) && has_word(&column.name, KEPT)
    };
    let is_own = |other: &Table| other.keyspace == table.keyspace && other.name == table.name;
    let shares_owner =
        |other: &Table| other.partition_key().any(|key| table.partition_key().any(|column| column.name == key.name));
    context.own_tables().filter(|other| shares_owner(other)).any(|other| {
        let kept = other.columns.iter().filter(|column| is_position(column));
        // In the table itself only what the partition shares outlives its rows.
        let kept = kept.filter(|column| !is_own(other) || column.kind == ColumnKind::Static);
        let names: Vec<&str> = kept.map(|column| column.name.as_str()).collect();
        let writes = |one: &TableUse<'_>| {
            one.is_service()
                && one.sets()
                && one.columns_set().is_some_and(|set| set.iter().any(|name| names.contains(&name.text.as_str())))
        };
        context.uses(other).iter().any(writes)
    })
}

/// `SELECT max(c)`, or the first row from the larger end, of which only this column is read.
fn asks_for_largest(one: &TableUse<'_>, column: &Column) -> bool {
    let StatementKind::Select(select) = one.kind else { return false };
    let Selection::Of(selectors) = &select.selection else { return false };
    let [only] = selectors.as_slice() else { return false };
    match &only.kind {
        SelectorKind::Call(QualifiedName { name, .. }, inner) if name.text == "max" => {
            matches!(inner.as_slice(), [inner] if is_column(&inner.kind, column))
        }
        kind => is_column(kind, column) && is_first_from_above(select, column),
    }
}

fn is_column(kind: &SelectorKind, column: &Column) -> bool {
    matches!(kind, SelectorKind::Column(name) if name.text == column.name)
}

fn is_first_from_above(select: &Select, column: &Column) -> bool {
    let one_row = select.limit.as_ref().is_some_and(
        |limit| matches!(&limit.kind, keyloom_cql::ast::TermKind::Literal(literal) if literal.text == "1"),
    );
    let descends = match select.order_by.first() {
        Some(order) => order.descending,
        None => column.kind == ColumnKind::Clustering { descending: true },
    };
    one_row && descends && select.relations.iter().all(|relation| !is_fixed_by(relation, &column.name))
}
