use keyloom_cql::ast::{Operator, RelationKind, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::{grows_with_time, is_identity};
use crate::writing::Reach;
use crate::{LayoutContext, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "mixed-sort-direction",
    level: Level::Note,
    summary: "the tie-breaker runs against the main order: the next page takes two reads",
    page: include_str!("mixed_sort_direction.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        if let Some(finding) = against_the_order(context, table) {
            findings.push(finding);
            continue;
        }
        let Some((main, tie)) = main_and_tie(table) else { continue };
        let Some(pages) = context.uses(table).iter().find(|one| !one.is_test() && pages_by(one, &main.name)) else {
            continue;
        };
        let message = format!(
            "`{}` runs against `{}` in `{}`: the page behind one row takes two reads, or loses rows of the same `{}`",
            tie.name, main.name, table.name, main.name
        );
        let way = if descends(main) { "DESC" } else { "ASC" };
        let help = format!(
            "in the next version of the table let both run one way, `CLUSTERING ORDER BY ({0} {way}, {1} {way})`; one read then finds the next page: `AND ({0}, {1}) {2} (?, ?)`",
            main.name,
            tie.name,
            if descends(main) { "<" } else { ">" }
        );
        let finding = Finding::new(&RULE, context.survey.made(tie.made), message).help(help);
        findings.push(finding.related(pages.place(), "pages are read here"));
    }
}

/// A page that goes on among rows of one time, and asks for those on the wrong side of the row that it ended with.
fn against_the_order(context: &SurveyContext<'_>, table: &Table) -> Option<Finding> {
    let clustering: Vec<&Column> = table.clustering().collect();
    let (read, main, tie) = context.uses(table).iter().filter(|one| !one.is_test()).find_map(|one| {
        let Reach::Run { fixed, range: true } = one.reach(table) else { return None };
        let (main, tie) = (clustering.get(fixed.checked_sub(1)?)?, clustering.get(fixed)?);
        let mixed = grows_with_time(main) && descends(main) != descends(tie);
        (mixed && goes_back(one, tie)).then_some((one, *main, *tie))
    })?;
    let (larger, smaller) = if descends(tie) { ("larger", "smallest") } else { ("smaller", "largest") };
    let before = if descends(tie) { "largest" } else { "smallest" };
    let message = format!(
        "if this goes on behind a `{1}` among the rows of one `{0}`, it gives the wrong ones: `{1}` runs against `{0}`, and those that are {larger} come before it",
        main.name, tie.name
    );
    let way = if descends(main) { "DESC" } else { "ASC" };
    let help = format!(
        "ask for the other side (`{1} {2} ?`), since rows of one `{0}` are given from the {before} `{1}` to the {smaller}; in the next version of the table let both run one way: `CLUSTERING ORDER BY ({0} {way}, {1} {way})`",
        main.name,
        tie.name,
        if descends(tie) { "<" } else { ">" }
    );
    let finding = Finding::new(&RULE, read.place(), message).help(help);
    Some(finding.related(context.survey.made(table.key_made), "the order of the key"))
}

/// Whether a limited read in the order of the key asks for what lies before a value of this column.
fn goes_back(one: &TableUse<'_>, tie: &Column) -> bool {
    let StatementKind::Select(select) = one.kind else { return false };
    let before = |operator: Operator| match operator {
        Operator::Less | Operator::LessOrEqual => !descends(tie),
        Operator::Greater | Operator::GreaterOrEqual => descends(tie),
        _ => false,
    };
    let mut terms = select.relations.iter().filter_map(|relation| match &relation.kind {
        RelationKind::Column { column, operator, .. } if column.text == tie.name => Some(*operator),
        _ => None,
    });
    let only = terms.next().is_some_and(before) && terms.next().is_none();
    only && select.limit.is_some() && select.order_by.is_empty()
}

/// The last clustering column, where it is an identity, and the one before it, where that is a time and runs the other way.
fn main_and_tie(table: &Table) -> Option<(&Column, &Column)> {
    let clustering: Vec<&Column> = table.clustering().collect();
    let [.., main, tie] = clustering.as_slice() else { return None };
    (descends(main) != descends(tie) && grows_with_time(main) && is_identity(tie)).then_some((main, tie))
}

fn descends(column: &Column) -> bool {
    column.kind == ColumnKind::Clustering { descending: true }
}

/// Whether a limited read goes on from a value of this column.
fn pages_by(read: &TableUse<'_>, main: &str) -> bool {
    let StatementKind::Select(select) = read.kind else { return false };
    let ranges = |operator: Operator| {
        matches!(operator, Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual)
    };
    select.limit.is_some()
        && select.relations.iter().any(|relation| match &relation.kind {
            RelationKind::Column { column, operator, .. } => column.text == main && ranges(*operator),
            RelationKind::Tuple { columns, operator, .. } => {
                columns.iter().any(|column| column.text == main) && ranges(*operator)
            }
            _ => false,
        })
}

/// Over a layout: what only tells rows apart runs against the order before it.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, entity) in context.spread_tables() {
        let is_key = |field: &str| entity.key.iter().any(|key| key == field);
        let [.., main, tie] = table.sort.as_slice() else { continue };
        if main.direction == tie.direction || is_key(&main.field) || !is_key(&tie.field) {
            continue;
        }
        let message = format!(
            "`{}` runs against `{}` in `{}`: the page behind one row takes two reads",
            tie.field, main.field, table.name
        );
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "sort"), message)
                .help(format!("let `{}` run the same way: it only tells rows apart", tie.field)),
        );
    }
}
