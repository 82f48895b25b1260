use keyloom_cql::ast::{InsertSource, LiteralKind, Name, Term, TermKind};
use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Bound;

use crate::reads::argument;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "null-write",
    level: Level::Note,
    summary: "an insert writes null: a tombstone for a cell that was never there",
    page: include_str!("null_write.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        for one in context.uses(table).iter().filter(|one| one.is_service()) {
            findings.extend(nulls(one, table));
        }
    }
}

fn nulls(one: &TableUse<'_>, table: &Table) -> Option<Finding> {
    let name = &table.name;
    match &one.insert()?.source {
        InsertSource::Values { columns, values } => {
            let written = |(_, value): &(&Name, &Term)| is_null(value) || is_bound_to_null(one, value);
            let nulls: Vec<(&Name, &Term)> = columns.iter().zip(values).filter(written).collect();
            let (_, first) = nulls.first()?;
            let names = nulls.iter().map(|(column, _)| format!("`{}`", column.text)).collect::<Vec<_>>().join(", ");
            let message = format!("this insert into `{name}` writes null to {names}: a tombstone each time");
            let finding = Finding::new(&RULE, one.of.place(first.span), message);
            Some(finding.help("leave the column out, or leave its marker unset: then nothing is written for it"))
        }
        InsertSource::Json { document, default_unset: false } => {
            let message =
                format!("a column of `{name}` that the JSON leaves out is set to null: a tombstone with each insert");
            let finding = Finding::new(&RULE, one.of.place(document.span), message);
            Some(finding.help("end it with DEFAULT UNSET: what the JSON leaves out is then left as it is"))
        }
        InsertSource::Json { .. } | InsertSource::Hole(_) => None,
    }
}

fn is_null(value: &Term) -> bool {
    matches!(&value.kind, TermKind::Literal(literal) if literal.kind == LiteralKind::Null)
}

/// A marker that is left unset writes nothing; only a null that is spelled out is one.
fn is_bound_to_null(one: &TableUse<'_>, value: &Term) -> bool {
    argument(one.of, value).is_some_and(|bound| bound.value == Bound::Null)
}
