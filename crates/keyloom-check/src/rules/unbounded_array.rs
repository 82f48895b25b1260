use keyloom_cql::ast::{AssignmentKind, DeleteTarget, StatementKind};
use keyloom_cql::schema::{Column, Table, Type};
use keyloom_finding::{Finding, Level};
pub(crate) use keyloom_text::rules::unbounded_array::RULE;

use crate::meaning::is_integer;
use crate::reads::some_names;
use crate::writing::foremost;
use crate::{SurveyContext, TableUse};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let uses = context.uses(table);
        if uses.iter().any(|one| one.is_write() && one.is_open()) || is_short_lived(table) {
            continue;
        }
        let mut kept_short = Vec::new();
        for column in table.columns.iter().filter(|column| kind(column).is_some()) {
            let Some(add) = foremost(uses, |one| grows(one, &column.name)) else { continue };
            if uses.iter().any(|one| shrinks(one, &column.name)) {
                kept_short.push((column, add));
            } else {
                findings.push(told(context, table, column, add));
            }
        }
        if kept_short.len() >= MANY {
            findings.push(many_in_one_row(context, table, &kept_short));
        }
    }
}

/// So many collections that grow make of a row a document that every read takes as a whole.
const MANY: usize = 3;

/// Each of them loses elements too; that something bounds them is not to be seen in the schema.
fn many_in_one_row(context: &SurveyContext<'_>, table: &Table, columns: &[(&Column, &TableUse<'_>)]) -> Finding {
    let named = some_names(columns.iter().map(|(column, _)| column.name.as_str()));
    let message =
        format!("a row of `{}` holds {} collections that grow by single elements: {named}", table.name, columns.len());
    let help = "a collection is read as a whole: let the program bound each of them, or give each element a row";
    let first = columns.first();
    let place = first.and_then(|(column, _)| context.survey.made(column.made));
    let finding = Finding::new(&RULE, place, message).level(Level::Note).help(help);
    finding.related(first.map(|(_, add)| add.place()), "one of them grows here")
}

fn told(context: &SurveyContext<'_>, table: &Table, column: &Column, add: &TableUse<'_>) -> Finding {
    let (name, of) = (&column.name, &table.name);
    let kind = kind(column).unwrap_or("collection");
    let message = format!("the {kind} `{name}` of `{of}` is added to, and no statement takes anything out");
    let key = table.partition_key().chain(table.clustering()).map(|column| column.name.as_str()).collect::<Vec<_>>();
    let help = format!(
        "give each element a row, in a table with the key `({}, element)`: it can then be read in pages; if something else bounds it, say what when you allow it",
        key.join(", ")
    );
    // Numbers and keys of a map are often those of a small, fixed set.
    let wanted = match &column.of {
        Type::List(_) => Level::Warning,
        Type::Set(of) if !is_integer(of) => Level::Warning,
        _ => Level::Note,
    };
    let finding = Finding::new(&RULE, context.survey.made(column.made), message).level(add.level(wanted)).help(help);
    finding.related(add.place(), "it grows here")
}

fn kind(column: &Column) -> Option<&'static str> {
    match column.of {
        Type::List(_) => Some("list"),
        Type::Set(_) => Some("set"),
        Type::Map(..) => Some("map"),
        _ => None,
    }
}

/// What expires does not grow for ever.
fn is_short_lived(table: &Table) -> bool {
    table.default_ttl.as_ref().is_some_and(|(seconds, _)| *seconds != Some(0))
}

fn grows(one: &TableUse<'_>, name: &str) -> bool {
    let adds = |kind: &AssignmentKind| {
        matches!(kind, AssignmentKind::Add(_) | AssignmentKind::Prepend(_) | AssignmentKind::Element(..))
    };
    one.using("ttl").is_none() && one.assignments().iter().any(|set| set.column.text == name && adds(&set.kind))
}

/// Whether a statement takes elements out, or sets the whole anew. An insert makes a row, which is no answer.
fn shrinks(one: &TableUse<'_>, name: &str) -> bool {
    let takes = |kind: &AssignmentKind| matches!(kind, AssignmentKind::Subtract(_) | AssignmentKind::Set(_));
    let assigned = one.assignments().iter().any(|set| set.column.text == name && takes(&set.kind));
    let removed = match one.kind {
        StatementKind::Delete(delete) => delete.targets.iter().any(|target| match target {
            DeleteTarget::Column(column) | DeleteTarget::Element(column, _) => column.text == name,
            DeleteTarget::Field(..) => false,
        }),
        _ => false,
    };
    assigned || removed
}
