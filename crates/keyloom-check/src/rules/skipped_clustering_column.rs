use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::reads::names;

pub(crate) static RULE: Rule = Rule {
    name: "skipped-clustering-column",
    level: Level::Error,
    summary: "a restriction jumps over a clustering column, or stands behind a range",
    page: include_str!("skipped_clustering_column.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let mut finding = rejection.finding(&RULE, context);
        let Some(table) = rejection.table else { continue };
        if let [restricted] = rejection.columns_at_fault().as_slice() {
            let before = table.clustering().take_while(|column| column.name != *restricted);
            let skipped = rejection.not_given(before);
            if !skipped.is_empty() {
                let (name, skipped) = (&table.name, names(skipped));
                finding.message =
                    format!("`{restricted}` of `{name}` is restricted, and {skipped} before it is not given by `=`");
            }
        }
        let order = names(table.clustering().map(|column| column.name.as_str()));
        findings.push(finding.help(format!(
            "rows of a partition lie by {order}, in this order: give the columns from the left, a range only on the last of \
             them; or keep a table with the order that this question needs, for one more write per row"
        )));
    }
}
