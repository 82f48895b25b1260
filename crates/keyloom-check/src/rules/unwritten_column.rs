use std::collections::BTreeSet;

use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Place, Rule};

use crate::reads::columns_taken;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unwritten-column",
    level: Level::Warning,
    summary: "a column that statements read and none writes",
    page: include_str!("unwritten_column.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let uses = context.uses(table);
        let in_doubt = context.may_be_named(table) || context.asked_of_any(table) > 0 || table.unknown;
        let Some(mut known) = written(uses).filter(|_| !in_doubt) else { continue };
        for read in uses.iter().filter(|one| !one.is_test()) {
            for (name, place) in asked(read, table) {
                let column = table.column(name).filter(|column| is_outside_of_key(column.kind));
                if let Some(column) = column.filter(|column| known.insert(&column.name)) {
                    findings.push(told(context, table, column, read, place));
                }
            }
        }
    }
}

/// The columns that a read asks for by name, or takes by name from all of them, and where it does.
fn asked<'a>(read: &TableUse<'a>, table: &'a Table) -> Vec<(&'a str, Place)> {
    let answered = read.columns_answered().into_iter().map(|name| (name.text.as_str(), read.of.place(name.span)));
    let taken = columns_taken(read, table).into_iter().flatten().map(|name| (name, read.place()));
    answered.chain(taken).collect()
}

/// All columns that statements write; `None` where one of them may write any, or where rows come from elsewhere.
fn written<'a>(uses: &[TableUse<'a>]) -> Option<BTreeSet<&'a str>> {
    let mut written = BTreeSet::new();
    for one in uses.iter().filter(|one| one.sets()) {
        written.extend(one.columns_set()?.into_iter().map(|name| name.text.as_str()));
    }
    uses.iter().any(|one| one.is_service() && one.sets()).then_some(written)
}

fn is_outside_of_key(kind: ColumnKind) -> bool {
    matches!(kind, ColumnKind::Regular | ColumnKind::Static)
}

fn told(context: &SurveyContext<'_>, table: &Table, column: &Column, read: &TableUse<'_>, place: Place) -> Finding {
    let message =
        format!("`{}` of `{}` is read here, and no statement writes it: it is always null", column.name, table.name);
    let (wanted, help) = match context.survey.coverage.unread.len() {
        0 => (Level::Warning, "write it, or stop reading it and drop the column".to_owned()),
        some => (
            Level::Note,
            format!(
                "write it, or stop reading it; if one of the {some} statements that could not be read writes it, all is well"
            ),
        ),
    };
    let finding = Finding::new(&RULE, place, message).level(read.level(wanted)).help(help);
    finding.related(context.survey.made(column.made), "the column")
}
