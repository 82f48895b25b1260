use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "order-mismatch",
    level: Level::Error,
    summary: "the order that is asked is neither that of the key nor its reverse",
    page: include_str!("order_mismatch.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let finding = rejection.finding(&RULE, context);
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
