use std::collections::BTreeMap;

use keyloom_cql::ast::{Assignment, AssignmentKind, LiteralKind, TermKind};
use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::{has_word, is_clock, is_counter_table};
use crate::reads::names;
use crate::writing::{Reach, foremost};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "upsert-resurrects-row",
    level: Level::Warning,
    summary: "an UPDATE after a delete makes a row with only the updated columns",
    page: include_str!("upsert_resurrects_row.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !is_counter_table(table) && !table.unknown) {
        let uses = context.uses(table);
        // Where no insert makes rows, an update does, and means to.
        if !uses.iter().any(|one| one.insert().is_some()) || holds_alternatives(uses, table) {
            continue;
        }
        let removes = |one: &&TableUse<'_>| {
            one.is_service() && one.deletes_rows() && !one.is_conditional() && one.reach(table) != Reach::Unknown
        };
        let Some(delete) = uses.iter().find(removes) else { continue };
        // A batch may hold a condition that stands elsewhere.
        let decides = uses.iter().any(TableUse::is_conditional);
        let is_decided = |one: &TableUse<'_>| decides && one.is_in_batch();
        let whole = uses.iter().filter(|one| one.insert().is_some()).map(|one| cells(one, table).len()).max();
        let resurrects = |one: &TableUse<'_>| !is_decided(one) && is_partial(one, table, whole.unwrap_or_default());
        let Some(upsert) = foremost(uses, resurrects) else { continue };
        let kind = if upsert.insert().is_some() { "INSERT" } else { "UPDATE" };
        let message = format!(
            "an {kind} makes the row if it is not there: behind a delete this one leaves a row of `{}` with only {}",
            table.name,
            names(cells(upsert, table))
        );
        let help = "make it an UPDATE .. IF EXISTS, at four trips instead of one; or let readers take a row without its other columns for deleted";
        let place = match (upsert.assignments().first(), upsert.assignments().last()) {
            (Some(first), Some(last)) => upsert.of.place(first.span.to(last.span)),
            _ => upsert.place(),
        };
        let finding = Finding::new(&RULE, place, message).level(upsert.level(Level::Warning)).help(help);
        findings.push(finding.related(delete.place(), "rows are deleted here"));
    }
}

/// Whether a statement sets a part of a row, whatever is there: at most half of it. An insert of a part may make a row of
/// another kind; only one of what changes during a row's life (a time, a state) is taken for a change.
fn is_partial(one: &TableUse<'_>, table: &Table, whole: usize) -> bool {
    const CHANGING: &[&str] = &[
        "attempt",
        "error",
        "fail",
        "failure",
        "finished",
        "heartbeat",
        "last",
        "modified",
        "progress",
        "result",
        "state",
        "status",
        "updated",
    ];
    let cells = cells(one, table);
    let changes = |name: &&str| table.column(name).is_some_and(is_clock) || has_word(name, CHANGING);
    let regular = table.columns.iter().filter(|column| column.kind == ColumnKind::Regular).count();
    let (whole, is_change) = match one.insert() {
        Some(_) => (whole, cells.iter().all(changes)),
        None => (regular, true),
    };
    let is_plain = one.sets() && one.reach(table) == Reach::Rows && !one.is_conditional();
    is_plain && is_change && !cells.is_empty() && cells.len() * 2 <= whole
}

/// Whether a row holds one of several columns, so that it is whole with any of them (a value as a number, as a text, as a
/// flag): beside what all writes set, each sets one. Two such columns may as well be two parts of a row.
fn holds_alternatives(uses: &[TableUse<'_>], table: &Table) -> bool {
    let writes = uses.iter().filter(|one| one.sets() && !one.is_test()).map(|one| cells(one, table));
    let writes: Vec<Vec<&str>> = writes.filter(|cells| !cells.is_empty()).collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    writes.iter().flatten().for_each(|name| *times.entry(name).or_default() += 1);
    times.retain(|_, times| *times < writes.len());
    times.len() > 2 && writes.iter().all(|cells| cells.iter().filter(|name| times.contains_key(*name)).count() == 1)
}

/// The columns of the row that a statement sets. Those of the partition are not the row's, and null makes no row.
fn cells<'a>(one: &TableUse<'a>, table: &Table) -> Vec<&'a str> {
    let removed: Vec<&str> =
        one.assignments().iter().filter(|set| is_removal(set)).map(|set| set.column.text.as_str()).collect();
    let is_regular = |name: &str| table.column(name).is_some_and(|column| column.kind == ColumnKind::Regular);
    let set = one.columns_set().unwrap_or_default().into_iter().map(|name| name.text.as_str());
    set.filter(|name| is_regular(name) && !removed.contains(name)).collect()
}

fn is_removal(set: &Assignment) -> bool {
    match &set.kind {
        AssignmentKind::Set(value) => match &value.kind {
            TermKind::Literal(literal) => literal.kind == LiteralKind::Null,
            _ => false,
        },
        AssignmentKind::Subtract(_) => true,
        _ => false,
    }
}
