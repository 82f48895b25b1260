use keyloom_cql::ast::{Name, TermKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::{has_word, is_clock, is_counter_table};
use crate::reads::given;
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
        let price = match delete {
            Some(_) => {
                "; but rows are deleted too, and a delete hides all that is older than itself: give deletes the event's time as well"
            }
            None => ", at no cost",
        };
        let help = format!(
            "write with the event's own time, `USING TIMESTAMP ?` with `{}` in microseconds: the newest then wins in any order of arrival{price}",
            clock.name
        );
        let finding = Finding::new(&RULE, write.place(), message).level(write.level(Level::Warning)).help(help);
        let finding = finding.related(context.survey.made(clock.made), "the event's own time");
        findings.push(finding.related(delete.map(TableUse::place), "rows are deleted here, at the time of the call"));
    }
}

/// A table that holds one row of the latest state for each owner: it says so, and no time is in its key.
fn is_of_the_latest(table: &Table) -> bool {
    let timed = table.partition_key().chain(table.clustering()).any(is_clock);
    has_word(&table.name, &["current", "last", "latest", "newest", "recent"]) && !timed && !is_counter_table(table)
}

fn is_event_time(column: &Column) -> bool {
    column.kind == ColumnKind::Regular && is_clock(column)
}

/// Whether a write sets the time that it is given, and takes no care of the order. A time that the server makes up is the
/// arrival itself.
fn overwrites(one: &TableUse<'_>, clock: &Column) -> bool {
    let sets = one.columns_set().is_some_and(|set| set.iter().any(|name: &&Name| name.text == clock.name));
    let value = given(one.kind, &clock.name).or_else(|| {
        one.assignments().iter().find(|set| set.column.text == clock.name).and_then(|set| match &set.kind {
            keyloom_cql::ast::AssignmentKind::Set(value) => Some(value),
            _ => None,
        })
    });
    let arrival = value.is_some_and(|value| matches!(value.kind, TermKind::Call(..)));
    let stamped = one.using("timestamp").is_some() || one.of.site.as_ref().is_some_and(|site| site.timestamp.is_some());
    let plain = !one.is_conditional() && !stamped;
    one.sets() && sets && plain && !arrival
}
