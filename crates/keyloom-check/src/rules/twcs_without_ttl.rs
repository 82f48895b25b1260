use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};

use crate::writing::Reach;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "twcs-without-ttl",
    level: Level::Warning,
    summary: "compaction by time windows, for rows that do not expire or are deleted one by one",
    page: include_str!("twcs_without_ttl.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let Some(compaction) = table.compaction.as_ref().filter(|it| it.class.contains("TimeWindow")) else { continue };
        let uses = context.uses(table);
        let place = context.survey.made(compaction.made);
        let name = &table.name;
        if !may_expire(table, uses) {
            let write = uses.iter().find(|one| one.sets() && !one.is_test());
            // Who writes the rows, and with which expiry, is then not to be seen.
            let wanted = if write.is_some() { Level::Warning } else { Level::Note };
            let message = format!(
                "`{name}` is compacted by time windows, and nothing lets its rows expire: its files are kept for ever, one or more for each window"
            );
            let finding = Finding::new(&RULE, place, message).level(wanted).help(
                "set `default_time_to_live`, so that whole files go; or, if rows are kept, compact by size or levels",
            );
            findings.push(finding.related(write.map(TableUse::place), "written without TTL"));
        } else if let Some(delete) = uses.iter().find(|one| takes_single_rows(one, table)) {
            let message = format!(
                "`{name}` is compacted by time windows, and rows are deleted one by one: row and tombstone lie in files that are never compacted together"
            );
            let finding = Finding::new(&RULE, place, message)
                .help("let rows expire by themselves; rows that must be deleted at once belong into a table that is compacted by size or levels");
            findings.push(finding.related(delete.place(), "deleted here"));
        }
    }
}

/// Whether rows expire, as far as it is known; what is not known may be an expiry.
fn may_expire(table: &Table, uses: &[TableUse<'_>]) -> bool {
    let by_table = table.default_ttl.as_ref().is_some_and(|(seconds, _)| *seconds != Some(0));
    by_table || uses.iter().any(|one| one.sets() && (one.using("ttl").is_some() || one.is_open()))
}

fn takes_single_rows(one: &TableUse<'_>, table: &Table) -> bool {
    one.is_service() && one.deletes_rows() && one.reach(table) == Reach::Rows && table.clustering().next().is_some()
}
