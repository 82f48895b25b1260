use keyloom_cql::ast::{Name, Native, Term, TermKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::{native, words};
use crate::meaning::{has_word, is_clock, is_counter_table, thing};
use crate::reads::{argument, given};
use crate::writing::foremost;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "stale-overwrite",
    level: Level::Warning,
    summary: "a row of the latest value keeps what arrives last, not what is newest",
    page: include_str!("stale_overwrite.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| is_of_the_latest(table)) {
        let Some(clock) = table.columns.iter().find(|column| is_event_time(column)) else { continue };
        let Some(write) = foremost(context.uses(table), |one| overwrites(one, clock)) else { continue };
        let message = format!(
            "`{}` keeps the latest by arrival: a value that was delayed overwrites a newer one, whatever its `{}`",
            table.name, clock.name
        );
        let delete = foremost(context.uses(table), |one| one.deletes_rows() && one.using("timestamp").is_none());
        let help = match delete {
            Some(_) => format!(
                "decide by the event's own time, `IF {} < ?`, at four trips instead of one, and delete with a condition too; `USING TIMESTAMP` with that time helps less here: a delete hides all that carries an earlier time, also what is written behind it",
                clock.name
            ),
            None => format!(
                "write with the event's own time, `USING TIMESTAMP ?` with `{}` in microseconds: the newest then wins in any order of arrival, at no cost",
                clock.name
            ),
        };
        let finding = Finding::new(&RULE, write.place(), message).level(write.level(Level::Warning)).help(help);
        let finding = finding.related(context.survey.made(clock.made), "the event's own time");
        findings.push(finding.related(delete.map(TableUse::place), "rows are deleted here, at the time of the call"));
    }
}

/// A table that holds one row of the latest state for each owner: it says so, and no time is in its key.
fn is_of_the_latest(table: &Table) -> bool {
    let timed = table.partition_key().chain(table.clustering()).any(is_clock);
    let named = has_word(&table.name, &["current", "last", "latest", "newest"]);
    named && !timed && !is_counter_table(table) && !is_keyed_by_the_event(table)
}

/// Whether each event has a row of its own: an id that is made with it, or one that is named after it.
fn is_keyed_by_the_event(table: &Table) -> bool {
    table.partition_key().chain(table.clustering()).any(|column| {
        let words = words(&column.name);
        let is_own = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["id" | "eid" | "uuid"] | [.., "event", "id"] => true,
            [.., word, "id"] => thing(table).is_some_and(|thing| thing == *word),
            _ => false,
        };
        // An owner may have such an id too; behind an owner it is that of an event.
        let is_made_anew = native(column) == Some(Native::Timeuuid) && column.kind != ColumnKind::Partition;
        is_own || is_made_anew
    })
}

/// A time that comes with the event. When a row was made or changed is the writer's own time, the arrival.
fn is_event_time(column: &Column) -> bool {
    let of_the_row = has_word(&column.name, &["added", "changed", "created", "inserted", "modified", "updated"]);
    column.kind == ColumnKind::Regular && is_clock(column) && !of_the_row
}

/// Whether an expression of a program asks the clock.
fn makes_now(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["now", "new date", "currenttimemillis", "time.time"].iter().any(|clock| text.contains(clock))
}

/// Whether a write sets the time that it is given, and takes no care of the order. A time that the server or the call makes
/// up is the arrival itself.
fn overwrites(one: &TableUse<'_>, clock: &Column) -> bool {
    let sets = one.columns_set().is_some_and(|set| set.iter().any(|name: &&Name| name.text == clock.name));
    let value = given(one.kind, &clock.name).or_else(|| {
        one.assignments().iter().find(|set| set.column.text == clock.name).and_then(|set| match &set.kind {
            keyloom_cql::ast::AssignmentKind::Set(value) => Some(value),
            _ => None,
        })
    });
    let is_now = |value: &Term| argument(one.of, value).is_some_and(|argument| makes_now(&argument.text));
    let arrival = value.is_some_and(|value| matches!(value.kind, TermKind::Call(..)) || is_now(value));
    let stamped = one.using("timestamp").is_some() || one.of.site.as_ref().is_some_and(|site| site.timestamp.is_some());
    let plain = !one.is_conditional() && !stamped;
    one.sets() && sets && plain && !arrival
}
