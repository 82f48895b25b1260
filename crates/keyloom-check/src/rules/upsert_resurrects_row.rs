use keyloom_cql::ast::{Assignment, AssignmentKind, LiteralKind, StatementKind, TermKind};
use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::is_counter_table;
use crate::writing::Reach;
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
        if !uses.iter().any(|one| one.insert().is_some()) {
            continue;
        }
        let removes = |one: &&TableUse<'_>| {
            one.is_service() && one.deletes_rows() && !one.is_conditional() && one.reach(table) != Reach::Unknown
        };
        let Some(delete) = uses.iter().find(removes) else { continue };
        // A batch may hold a condition that stands elsewhere.
        let decides = uses.iter().any(TableUse::is_conditional);
        let is_decided = |one: &TableUse<'_>| decides && one.is_in_batch();
        let resurrects = |one: &&TableUse<'_>| !one.is_test() && !is_decided(one) && may_resurrect(one, table);
        let Some(update) = uses.iter().find(resurrects) else { continue };
        let set = update.assignments().iter().map(|set| format!("`{}`", set.column.text)).collect::<Vec<_>>();
        let (Some(first), Some(last)) = (update.assignments().first(), update.assignments().last()) else { continue };
        let message = format!(
            "an UPDATE makes the row if it is not there: behind a delete it leaves a row of `{}` with only {}",
            table.name,
            set.join(", ")
        );
        let finding = Finding::new(&RULE, update.of.place(first.span.to(last.span)), message)
            .level(update.level(Level::Warning))
            .help("end it with IF EXISTS, at four trips instead of one; or let readers take a row without its other columns for deleted");
        findings.push(finding.related(delete.place(), "rows are deleted here"));
    }
}

/// Whether an update sets a part of a row, whatever is there. The columns of a partition are not the row's; null makes none.
fn may_resurrect(one: &TableUse<'_>, table: &Table) -> bool {
    let StatementKind::Update(update) = one.kind else { return false };
    let known = one.reach(table) == Reach::Rows && !one.is_conditional() && !one.sets_only_statics(table);
    let regular = table.columns.iter().filter(|column| column.kind == ColumnKind::Regular).count();
    let sets = update.assignments.iter().filter(|set| !is_removal(set)).count();
    known && sets > 0 && sets * 2 <= regular
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
