use keyloom_cql::ast::{Native, StatementKind};
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_survey::Role;

use crate::guess::native;
use crate::meaning::{has_word, is_clock};
use crate::writing::Reach;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "row-by-row-retention",
    level: Level::Warning,
    summary: "rows of a time-ordered table expire or are deleted one by one, where whole files could be dropped",
    page: include_str!("row_by_row_retention.md"),
};

/// What lives for less is gone before it is compacted twice.
const SHORT: u64 = 3_600;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let Some(clock) = table.clustering().find(|column| is_time(column)) else { continue };
        let uses = context.uses(table);
        let finding = match expiry(context, table, uses) {
            Some((ttl, place)) => expires(table, clock, uses, ttl).map(|finding| Finding { place, ..finding }),
            None => deleted_by_job(table, clock, uses),
        };
        findings.extend(finding);
    }
}

fn is_time(column: &Column) -> bool {
    is_clock(column) || matches!(native(column), Some(Native::Timeuuid | Native::Date))
}

/// How long rows live, if all of them expire: as many seconds as are known, and where that is said.
fn expiry(context: &SurveyContext<'_>, table: &Table, uses: &[TableUse<'_>]) -> Option<(Option<u64>, Option<Place>)> {
    match &table.default_ttl {
        Some((Some(0), _)) | None => {}
        Some((seconds, made)) => return Some((*seconds, context.survey.made(*made))),
    }
    let mut inserts = uses.iter().filter(|one| one.insert().is_some());
    let first = inserts.next()?;
    let ttl = first.using("ttl")?;
    inserts.all(|one| one.using("ttl").is_some()).then(|| (None, Some(first.of.place(ttl.span))))
}

/// Only rows that are written once and never touched again leave together: anything else is left alone.
fn expires(table: &Table, clock: &Column, uses: &[TableUse<'_>], ttl: Option<u64>) -> Option<Finding> {
    let only_inserted = uses.iter().any(|one| one.insert().is_some() && !one.is_test())
        && !uses.iter().any(|one| matches!(one.kind, StatementKind::Update(_) | StatementKind::Delete(_)));
    let class = table.compaction.as_ref().map_or("", |compaction| compaction.class.as_str());
    let by_time = ["TimeWindow", "DateTiered", "Unified"].iter().any(|known| class.contains(known));
    if !only_inserted || by_time || class.contains(keyloom_cql::HOLE) || ttl.is_some_and(|seconds| seconds < SHORT) {
        return None;
    }
    let message = format!(
        "rows of `{}` are only inserted, in the order of `{}`, and expire one by one: compaction rewrites them until then",
        table.name, clock.name
    );
    let window = ttl.map(|seconds| (seconds / 30 / 3_600).max(1));
    let setting = match window {
        Some(hours) if hours >= 24 => {
            format!("'compaction_window_unit': 'DAYS', 'compaction_window_size': {}", hours / 24)
        }
        Some(hours) => format!("'compaction_window_unit': 'HOURS', 'compaction_window_size': {hours}"),
        None => "with a window of about a thirtieth of their life".to_owned(),
    };
    let help =
        format!("compact by time, TimeWindowCompactionStrategy ({setting}): whole files are dropped when they expire");
    let finding = Finding::new(&RULE, None, message).help(help);
    Some(match (ttl, window) {
        (Some(seconds), Some(hours)) => {
            finding.derivation(format!("{seconds} s of life / 30 windows = about {hours} h a window"))
        }
        _ => finding,
    })
}

/// A clean-up that names each row leaves a tombstone for each.
fn deleted_by_job(table: &Table, clock: &Column, uses: &[TableUse<'_>]) -> Option<Finding> {
    const WORDS: &[&str] = &["clean", "cleanup", "expire", "expired", "old", "prune", "purge", "retention", "sweep"];
    let cleans_up = |one: &TableUse<'_>| one.function().is_some_and(|function| has_word(function, WORDS));
    let by_row = |one: &&TableUse<'_>| {
        one.of.role == Role::Job && cleans_up(one) && one.deletes_rows() && one.reach(table) == Reach::Rows
    };
    let job = uses.iter().find(by_row)?;
    let message = format!("this job deletes old rows of `{}` one by one, and leaves a tombstone for each", table.name);
    let help = format!(
        "delete a run with one tombstone (`AND {} < ?`), or let rows expire: `default_time_to_live`",
        clock.name
    );
    Some(Finding::new(&RULE, job.place(), message).level(Level::Note).help(help))
}
