use keyloom_cql::ast::{Operator, RelationKind, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::{grows_with_time, is_identity};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "mixed-sort-direction",
    level: Level::Note,
    summary: "the tie-breaker runs against the main order: the next page takes two reads",
    page: include_str!("mixed_sort_direction.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
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
