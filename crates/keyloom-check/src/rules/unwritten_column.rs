use keyloom_cql::schema::{ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

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
        let Some(written) = written(uses).filter(|_| !context.may_be_named(table) && !table.unknown) else { continue };
        for column in table.columns.iter().filter(|column| is_outside_of_key(column.kind)) {
            let asks = |one: &&TableUse<'_>| {
                !one.is_test() && one.columns_answered().iter().any(|name| name.text == column.name)
            };
            let Some(read) = uses.iter().find(asks).filter(|_| !written.contains(&column.name.as_str())) else {
                continue;
            };
            findings.push(told(context, table, &column.name, read));
        }
    }
}

/// All columns that statements write; `None` where one of them may write any, or where rows come from elsewhere.
fn written<'a>(uses: &[TableUse<'a>]) -> Option<Vec<&'a str>> {
    let mut written = Vec::new();
    for one in uses.iter().filter(|one| one.sets()) {
        written.extend(one.columns_set()?.into_iter().map(|name| name.text.as_str()));
    }
    uses.iter().any(|one| one.is_service() && one.sets()).then_some(written)
}

fn is_outside_of_key(kind: ColumnKind) -> bool {
    matches!(kind, ColumnKind::Regular | ColumnKind::Static)
}

fn told(context: &SurveyContext<'_>, table: &Table, column: &str, read: &TableUse<'_>) -> Finding {
    let answered = read.columns_answered();
    let at = answered.iter().find(|name| name.text == column).map_or(read.span, |name| name.span);
    let message = format!("`{column}` of `{}` is read here, and no statement writes it: it is always null", table.name);
    let (wanted, help) = match context.survey.coverage.unread.len() {
        0 => (Level::Warning, "write it, or stop reading it and drop the column".to_owned()),
        some => (
            Level::Note,
            format!(
                "write it, or stop reading it; if one of the {some} statements that could not be read writes it, all is well"
            ),
        ),
    };
    let made = table.column(column).and_then(|column| context.survey.made(column.made));
    let finding = Finding::new(&RULE, read.of.place(at), message).level(read.level(wanted)).help(help);
    finding.related(made, "the column")
}
