use keyloom_cql::ast::{OrderingKind, StatementKind};
use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::reads::names;
use crate::rejections::Rejection;
use crate::{LayoutContext, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "order-mismatch",
    level: Level::Error,
    summary: "the order that is asked is neither that of the key nor its reverse",
    page: include_str!("order_mismatch.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let mut finding = rejection.finding(&RULE, context);
        if let Some(message) = rejection.table.and_then(|table| message(&rejection, table)) {
            finding.message = message;
        }
        let order: Vec<String> = rejection
            .table
            .into_iter()
            .flat_map(Table::clustering)
            .map(|column| match column.kind {
                ColumnKind::Clustering { descending: true } => format!("`{} DESC`", column.name),
                _ => format!("`{} ASC`", column.name),
            })
            .collect();
        let help = if order.is_empty() {
            "a partition holds one row here; sort in the service, or keep a table with this column as clustering column"
                .to_owned()
        } else {
            format!(
                "rows can be read by {}, or in the exact reverse, within one partition; for another order keep a table with \
                 that order, for one more write per row",
                order.join(", ")
            )
        };
        findings.push(finding.help(help));
    }
}

fn message(rejection: &Rejection<'_>, table: &Table) -> Option<String> {
    let StatementKind::Select(select) = rejection.kind else { return None };
    let ordering = select.order_by.iter().find(|ordering| ordering.span == rejection.fault.at)?;
    let OrderingKind::Column(column) = &ordering.kind else { return None };
    let (table_name, open) = (&table.name, rejection.not_given(table.partition_key()));
    let is_clustering = table.clustering().any(|clustering| clustering.name == column.text);
    Some(match (open.is_empty(), is_clustering) {
        (false, _) => format!("`{table_name}` has an order within a partition only, and {} is not given", names(open)),
        (true, false) => format!("`{table_name}` has no order by `{}`, which is no clustering column", column.text),
        (true, true) => format!("this is neither the order of `{table_name}` nor its reverse"),
    })
}

/// Over a layout: what the program refuses.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE));
}
