use keyloom_cql::ast::{Operator, RelationKind, StatementKind};
use keyloom_cql::schema::{ColumnKind, Index, IndexKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::reads::given;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unusable-index",
    level: Level::Warning,
    summary: "an index that no statement can use as it is asked",
    page: include_str!("unusable_index.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown) {
        for index in &table.indexes {
            let asking: Vec<&TableUse<'_>> = context.uses(table).iter().filter(|of| asks(of, index)).collect();
            // An index that is never asked has another rule; what is not known may use it.
            let unsure = |of: &&TableUse<'_>| of.of.dynamic || !of.of.unknown().is_empty();
            if asking.is_empty() || context.uses(table).iter().any(|of| unsure(&of)) {
                continue;
            }
            let Some(why) = reason(table, index, &asking) else { continue };
            let message = format!("`{}` on `{}` can't be used: {why}", index.name, index.column);
            let finding = Finding::new(&RULE, context.survey.made(index.made), message);
            findings.push(
                finding
                    .related(asking[0].of.place(asking[0].span), "asked here")
                    .help("drop the index: each write of the column pays for it, and no read gains"),
            );
        }
    }
}

/// Whether a read restricts the indexed column.
fn asks(of: &TableUse<'_>, index: &Index) -> bool {
    let StatementKind::Select(select) = of.kind else { return false };
    select.relations.iter().any(|relation| match &relation.kind {
        RelationKind::Column { column, .. } | RelationKind::Element { column, .. } => column.text == index.column,
        RelationKind::Tuple { columns, .. } => columns.iter().any(|column| column.text == index.column),
        RelationKind::Token { .. } => false,
        RelationKind::Custom { .. } => true,
    })
}

fn reason(table: &Table, index: &Index, asking: &[&TableUse<'_>]) -> Option<String> {
    let key = table.columns.iter().filter(|column| {
        matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) && column.name != index.column
    });
    if asking.iter().all(|of| key.clone().all(|column| given(of.kind, &column.name).is_some())) {
        return Some("every read that asks for the column gives the whole key, which finds the row".to_owned());
    }
    let only_ranges = asking.iter().all(|of| operators(of, &index.column).all(is_range));
    (index.kind == IndexKind::Legacy && only_ranges)
        .then(|| "it finds equal values, and only ranges are asked".to_owned())
}

fn operators<'a>(of: &TableUse<'a>, name: &str) -> impl Iterator<Item = Operator> {
    let StatementKind::Select(select) = of.kind else { return Vec::new().into_iter() };
    let operators: Vec<Operator> = select
        .relations
        .iter()
        .filter_map(|relation| match &relation.kind {
            RelationKind::Column { column, operator, .. } | RelationKind::Element { column, operator, .. } => {
                (column.text == name).then_some(*operator)
            }
            RelationKind::Tuple { columns, operator, .. } => {
                columns.iter().any(|column| column.text == name).then_some(*operator)
            }
            RelationKind::Token { .. } | RelationKind::Custom { .. } => None,
        })
        .collect();
    operators.into_iter()
}

fn is_range(operator: Operator) -> bool {
    use Operator::{Between, Greater, GreaterOrEqual, IsNotNull, Less, LessOrEqual, NotEqual};
    matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual | Between | NotEqual | IsNotNull)
}
