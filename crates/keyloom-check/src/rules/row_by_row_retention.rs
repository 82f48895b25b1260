use keyloom_cql::ast::{Native, StatementKind, Term, TermKind};
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_survey::Role;

use crate::guess::native;
use crate::meaning::{has_word, is_clock};
use crate::writing::{Reach, foremost};
use crate::{LayoutContext, SurveyContext, TableUse};

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
            Some(expiry) => expires(table, clock, uses, &expiry),
            None => deleted_by_job(table, clock, uses),
        };
        findings.extend(finding);
    }
}

/// A time at which rows are written, or a number that follows it. A time that is planned comes in any order.
fn is_time(column: &Column) -> bool {
    const PLANNED: &[&str] = &["deadline", "due", "expiration", "expire", "expiry", "planned", "scheduled"];
    const COUNTED: &[&str] = &["offset", "position", "seq", "seqno", "sequence"];
    let is_long = matches!(native(column), Some(Native::Bigint | Native::Varint));
    let is_moment = is_clock(column) && !has_word(&column.name, PLANNED);
    is_moment
        || matches!(native(column), Some(Native::Timeuuid | Native::Date))
        || is_long && has_word(&column.name, COUNTED)
}

/// How long rows live.
struct Expiry {
    /// As many seconds as are known.
    seconds: Option<u64>,
    /// Where that is said.
    place: Option<Place>,
    /// An insert that writes the same row without an expiry.
    but: Option<Place>,
}

/// How long rows live, if they expire: all of them, or all but those of a twin of the same insert.
fn expiry(context: &SurveyContext<'_>, table: &Table, uses: &[TableUse<'_>]) -> Option<Expiry> {
    let inserts = uses.iter().filter(|one| one.insert().is_some() && !one.is_test());
    let by_table = table.default_ttl.as_ref().filter(|(seconds, _)| *seconds != Some(0));
    let expires = |one: &&TableUse<'_>| one.using("ttl").map_or(by_table.is_some(), |ttl| !is_zero(ttl));
    let (expiring, kept): (Vec<&TableUse<'_>>, Vec<&TableUse<'_>>) = inserts.partition(expires);
    let is_twin = |one: &&TableUse<'_>| expiring.iter().any(|other| columns(one) == columns(other));
    let but = kept.first().map(|one| one.place());
    match by_table {
        _ if !kept.iter().all(is_twin) => None,
        Some((seconds, made)) => Some(Expiry { seconds: *seconds, place: context.survey.made(*made), but }),
        None => {
            let first = expiring.first()?;
            let place = first.using("ttl").map(|ttl| first.of.place(ttl.span));
            Some(Expiry { seconds: None, place, but })
        }
    }
}

/// A time to live of zero means none, whatever the table says.
fn is_zero(ttl: &Term) -> bool {
    matches!(&ttl.kind, TermKind::Literal(literal) if literal.text == "0")
}

/// The columns that an insert sets, in the order of their names.
fn columns<'a>(one: &TableUse<'a>) -> Option<Vec<&'a str>> {
    let mut names: Vec<&str> = one.columns_set()?.into_iter().map(|name| name.text.as_str()).collect();
    names.sort_unstable();
    Some(names)
}

/// Only rows that are written once and never changed leave together: anything else is left alone.
fn expires(table: &Table, clock: &Column, uses: &[TableUse<'_>], expiry: &Expiry) -> Option<Finding> {
    let only_inserted = uses.iter().any(|one| one.insert().is_some() && !one.is_test())
        && !uses.iter().any(|one| matches!(one.kind, StatementKind::Update(_)));
    let class = table.compaction.as_ref().map_or("", |compaction| compaction.class.as_str());
    let by_time = ["TimeWindow", "DateTiered", "Unified"].iter().any(|known| class.contains(known));
    let is_short = expiry.seconds.is_some_and(|seconds| seconds < SHORT);
    if !only_inserted || by_time || class.contains(keyloom_cql::HOLE) || is_short {
        return None;
    }
    let delete = foremost(uses, |one| matches!(one.kind, StatementKind::Delete(_)));
    // Rows that stay, and rows that go before their time: they share no life at all.
    if delete.is_some() && expiry.but.is_some() {
        return None;
    }
    let (of, order) = (&table.name, &clock.name);
    let how = match delete {
        Some(_) => format!("are inserted in the order of `{order}`, never updated, and"),
        None => format!("are only inserted, in the order of `{order}`, and"),
    };
    let message = format!("rows of `{of}` {how} expire one by one: compaction rewrites them until then");
    let window = expiry.seconds.map(|seconds| (seconds / 30 / 3_600).max(1));
    let setting = match window {
        Some(hours) if hours >= 24 => {
            format!("'compaction_window_unit': 'DAYS', 'compaction_window_size': {}", hours / 24)
        }
        Some(hours) => format!("'compaction_window_unit': 'HOURS', 'compaction_window_size': {hours}"),
        None => "with a window of about a thirtieth of their life".to_owned(),
    };
    let by_time =
        format!("compact by time, TimeWindowCompactionStrategy ({setting}): whole files are dropped when they expire");
    let help = match (delete, expiry.but) {
        (Some(_), _) => format!("if rows may stay until they expire, delete none before, and {by_time}"),
        (None, Some(_)) => {
            format!("give each row a time to live, and {by_time}; one row that does not expire keeps its file")
        }
        (None, None) => by_time,
    };
    let is_clean = delete.is_none() && expiry.but.is_none();
    let finding = Finding::new(&RULE, expiry.place, message)
        .level(if is_clean { Level::Warning } else { Level::Note })
        .help(help)
        .related(expiry.but, "and this one writes rows that stay")
        .related(delete.map(TableUse::place), "some are deleted before");
    Some(match (expiry.seconds, window) {
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

/// Over a layout: rows of a table that is cut by time end one by one.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    use keyloom_model::layout::WhenExpired;
    for (table, entity) in context.row_tables() {
        let one_by_one = table.expires == Some(WhenExpired::Row);
        let (Some((step, field)), Some(kept)) = (crate::partition::bucket(table), entity.kept_for()) else { continue };
        let dropped = crate::partition::span_of(step).milliseconds() <= kept.milliseconds();
        if !one_by_one || !dropped || !entity.append_only {
            continue;
        }
        let message = format!(
            "rows of `{}` end one by one after {kept}, and `{}({field})` could go as a whole",
            table.name,
            step.name()
        );
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "expires"), message).help(
                "`expires: whole buckets`: nothing is read or marked row by row, and up to one bucket stays longer",
            ),
        );
    }
}
