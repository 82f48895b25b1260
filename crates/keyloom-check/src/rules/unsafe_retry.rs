use keyloom_cql::ast::{AssignmentKind, InsertSource, Native, StatementKind, Term, TermKind};
use keyloom_cql::schema::{Table, Type};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Assignment, Compare, Entity, Expr, Fill, Pattern, Write, WriteVerb};

use super::gathered;
use super::inexact_counter::must_be_exact;

use crate::guess::native;

use crate::{Context, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unsafe-retry",
    level: Level::Note,
    summary: "a repeated request would have a second effect unless it carries a key",
    page: include_str!("unsafe_retry.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (mut need_key, mut claims) = (Vec::new(), Vec::new());
    for pattern in &context.catalog.patterns {
        let place = context.key(&format!("patterns.{}", pattern.name));
        // It may be stated and not understood, which the reader has said.
        if context.is_stated(&format!("patterns.{}.once_per", pattern.name)) {
            findings.extend(forgets(context, pattern));
            continue;
        }
        if matches!(pattern.action, Action::Claim(_)) {
            claims.push((pattern.name.clone(), place));
            continue;
        }
        let adds_up = pattern
            .writes()
            .iter()
            .any(|(_, write)| context.entity(&write.entity).is_some_and(|entity| repeats_add_up(write, entity)));
        if adds_up {
            need_key.push((pattern.name.clone(), place));
        }
    }
    let key = "the request must carry an `Idempotency-Key`";
    findings.extend(gathered(&RULE, need_key, |names| format!("a repeat of {names} adds up: {key}")).map(|finding| {
        finding.help("send the header with every call (it is refused without), or name what makes a request one of a kind, a uuid7 or a timestamp among it: `once_per: [event_id]`")
    }));
    findings.extend(gathered(&RULE, claims, |names| format!("a repeat of {names} would take other rows: {key}")).map(
        |finding| {
            finding.help("send the header with every call (it is refused without); a repeat then gets the same rows")
        },
    ));
}

/// Increments, appends and sequences have another effect each time, unless a condition stops the second: the row's
/// version is compared, or the value that the first has changed.
fn repeats_add_up(write: &Write, entity: &Entity) -> bool {
    let tests = || write.conditions.iter().flat_map(|condition| condition.test.conjuncts());
    let by_version = tests().any(|test| test.paths().iter().any(|path| path.own_field() == Some("version")));
    let adding: Vec<&Assignment> = write.assignments.iter().filter(|assignment| assignment.adds_up()).collect();
    let compared = |assignment: &&Assignment| {
        let is_it = |side: &Expr| matches!(side, Expr::Path(path) if *path == assignment.path);
        tests().any(|test| matches!(test, Expr::Compare(Compare::Equal, a, b) if is_it(a) || is_it(b)))
    };
    let stopped = by_version || adding.iter().any(compared);
    let changes = !adding.is_empty();
    let numbers =
        write.verb == WriteVerb::Create && entity.fields.iter().any(|field| matches!(field.fill, Fill::Next { .. }));
    (changes && !stopped) || numbers
}

/// A request is remembered for the retry horizon, so something must tell when it was made. The row that a create makes
/// is its own memory.
fn forgets(context: &Context<'_>, pattern: &Pattern) -> Option<Finding> {
    let is_create = matches!(&pattern.action, Action::Write(write) if write.verb == WriteVerb::Create);
    let has_birth_time = pattern.inputs.iter().any(|input| {
        pattern.once_per.contains(&input.name)
            && matches!(input.ty, keyloom_model::Type::Uuid7 | keyloom_model::Type::Timestamp { .. })
    });
    if is_create || has_birth_time || pattern.once_per.is_empty() {
        return None;
    }
    let message = format!(
        "`{}` remembers [{}] for the retry horizon, and none of them tells when the request was made",
        pattern.name,
        pattern.once_per.join(", ")
    );
    let help =
        "make one of them a uuid7 or a timestamp, or drop `once_per`: the request then carries an idempotency key";
    let place = context.value(&format!("patterns.{}.once_per", pattern.name));
    Some(Finding::new(&RULE, place, message).level(Level::Error).help(help))
}

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let mut told = Vec::new();
        // A batch may hold a condition that stands elsewhere.
        let decides = context.uses(table).iter().any(TableUse::is_conditional);
        for one in context.uses(table).iter().filter(|one| !one.is_test() && !one.is_conditional()) {
            // Who says that a statement must not be repeated has thought of it.
            let idempotent = one.of.site.as_ref().and_then(|site| site.idempotent);
            if idempotent == Some(false) {
                continue;
            }
            let found = if decides && one.is_in_batch() {
                appended_in_batch(one, table)
            } else {
                added(one, table, idempotent == Some(true)).or_else(|| server_made(one, table))
            };
            if let Some((column, finding)) = found.filter(|(column, _)| !told.contains(column)) {
                told.push(column);
                findings.push(finding);
            }
        }
    }
}

/// A count or an append: the same statement twice has twice the effect.
fn added(one: &TableUse<'_>, table: &Table, marked: bool) -> Option<(String, Finding)> {
    one.assignments().iter().find_map(|set| {
        let column = table.column(&set.column.text)?;
        let adds = matches!(set.kind, AssignmentKind::Add(_) | AssignmentKind::Prepend(_));
        // Of a number that must be exact more is said elsewhere.
        let counts = native(column) == Some(Native::Counter) && must_be_exact(column, table).is_none();
        let appends = adds && matches!(column.of, Type::List(_));
        if !counts && !appends {
            return None;
        }
        let (name, of) = (&column.name, &table.name);
        let but = if marked { "; it is marked as safe to repeat, and it is not" } else { "" };
        let message = if counts {
            format!("a repeat of this statement counts `{name}` of `{of}` twice{but}")
        } else {
            format!("a repeat of this statement appends to `{name}` of `{of}` a second time{but}")
        };
        let help = if counts {
            "never retry it after a timeout, and take the number for an estimate; where it must be exact, write one row for each event under the event's own id and count those"
        } else {
            "use a set or a map with the element's own id as its key: the same element twice is then one; or a row for each element"
        };
        // Without a word on retries a counter is what it is; a list that holds an element twice is wrong data.
        let wanted = if appends || marked { Level::Warning } else { Level::Note };
        let finding = Finding::new(&RULE, one.of.place(set.span), message).level(one.level(wanted)).help(help);
        Some((name.clone(), finding))
    })
}

/// An append in a batch that is decided as a whole: the condition may stop a repeat, and may hold again.
fn appended_in_batch(one: &TableUse<'_>, table: &Table) -> Option<(String, Finding)> {
    one.assignments().iter().find_map(|set| {
        let column = table.column(&set.column.text)?;
        let adds = matches!(set.kind, AssignmentKind::Add(_) | AssignmentKind::Prepend(_));
        if !adds || !matches!(column.of, Type::List(_)) {
            return None;
        }
        let (name, of) = (&column.name, &table.name);
        let message = format!("a repeat of this batch may append to `{name}` of `{of}` a second time");
        let help = "what decides is its condition: all is well if the batch also changes what it asks (a version), so that a repeat is refused; else keep the elements in a set or a map";
        Some((name.clone(), Finding::new(&RULE, one.of.place(set.span), message).level(Level::Note).help(help)))
    })
}

/// A key that the server makes up: the same statement twice makes two rows.
fn server_made(one: &TableUse<'_>, table: &Table) -> Option<(String, Finding)> {
    let StatementKind::Insert(insert) = one.kind else { return None };
    let InsertSource::Values { columns, values } = &insert.source else { return None };
    let in_key = |name: &str| table.partition_key().chain(table.clustering()).any(|column| column.name == name);
    let (column, value) =
        columns.iter().zip(values).find(|(column, value)| in_key(&column.text) && is_made_up(value))?;
    let message = format!(
        "the server makes up `{}` of `{}`: a repeat of this insert makes a second row",
        column.text, table.name
    );
    let finding = Finding::new(&RULE, one.of.place(value.span), message)
        .level(one.level(Level::Note))
        .help("make the id in the program, once for each request, and bind it: a repeat then writes the same row");
    Some((column.text.clone(), finding))
}

fn is_made_up(value: &Term) -> bool {
    match &value.kind {
        TermKind::Call(function, arguments) => {
            let name = function.name.text.as_str();
            matches!(name, "now" | "uuid" | "currenttimeuuid" | "current_timeuuid") && arguments.is_empty()
        }
        _ => false,
    }
}
