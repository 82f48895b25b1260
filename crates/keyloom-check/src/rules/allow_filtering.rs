use keyloom_cql::resolve::Verdict;
use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::guess::holds_little;
use crate::reads::{Read, names};

pub(crate) static RULE: Rule = Rule {
    name: "allow-filtering",
    level: Level::Error,
    summary: "rows are read and thrown away: ALLOW FILTERING, or a read that needs it",
    page: include_str!("allow_filtering.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let help = "keep a table whose key begins with what is asked, or an index: one read finds the rows. ALLOW FILTERING \
                    would be accepted, and reads every row for those that pass";
        let mut finding = rejection.finding(&RULE, context);
        if let (Some(table), [column]) = (rejection.table, rejection.columns_at_fault().as_slice()) {
            finding.message = format!("`{column}` is neither in the key of `{}` nor indexed", table.name);
        }
        findings.push(finding.help(help));
    }
    for read in context.reads() {
        let Some(written) = read.select.allow_filtering else { continue };
        let place = read.of.place(written);
        if !read.access.filters {
            let message = format!("ALLOW FILTERING is not needed: the key of `{}` answers this read", read.table.name);
            findings.push(
                Finding::new(&RULE, place, message)
                    .level(Level::Note)
                    .help("remove it: then the server tells when a later change makes a scan of it"),
            );
        } else if read.access.index.is_none() {
            findings.extend(filtering(context, &read, place));
        }
    }
    undecided(context, findings);
}

/// What is read and thrown away; `None` where the key leads to all that is asked.
fn filtering(context: &SurveyContext<'_>, read: &Read<'_>, place: keyloom_finding::Place) -> Option<Finding> {
    let (table, filtered, key) = (&read.table.name, read.filtered(""), read.partition_key());
    let (leading, columns) = (read.leading(), names(filtered.iter().copied()));
    let is_one_row = !read.is_open() && read.table.clustering().all(|column| read.fixes(&column.name));
    if is_one_row || filtered.is_empty() {
        return None;
    }
    let finding = if read.is_open() {
        let level = if holds_little(read.table) { Level::Note } else { read.level() };
        let message = format!("every row of `{table}` is read and tested for {columns}: nothing leads to a partition");
        Finding::new(&RULE, place, message).level(level).help(
            "keep a table of the same rows whose partition key begins with what is asked: one read, for one more write per row",
        )
    } else {
        let message = if leading.is_empty() {
            format!("all rows of the partition of `{table}` are read and tested for {columns}")
        } else {
            let leading = names(leading);
            format!("the rows that {leading} leads to in a partition of `{table}` are read and tested for {columns}")
        };
        Finding::new(&RULE, place, message).level(Level::Note).help(
            "fine while partitions are small; else keep a table with the tested column first among its clustering columns",
        )
    };
    Some(finding.related(context.survey.made(read.table.key_made), format!("rows lie by {key}")))
}

/// ALLOW FILTERING in a statement of which a part is not known.
fn undecided(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for of in &context.survey.uses {
        let keyloom_cql::ast::StatementKind::Select(select) = &of.written.statement.kind else { continue };
        let Verdict::Maybe { .. } = of.resolution.verdict else { continue };
        let Some(written) = select.allow_filtering else { continue };
        let message = format!(
            "ALLOW FILTERING on `{}`, in a statement of which a part is filled in later",
            select.table.name.text
        );
        findings.push(
            Finding::new(&RULE, of.place(written), message)
                .level(Level::Note)
                .help("without the partition key every row is read; say it in full for each form that it can take"),
        );
    }
}
