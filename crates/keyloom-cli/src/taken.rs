//! What a survey took and what it could not read, for people and for programs.

use keyloom::finding::Sources;
use keyloom::finding::render::Summary;
use keyloom::survey::{Coverage, Survey};
use serde_json::{Value, json};

/// How many files or places are named before the rest is counted.
const NAMED: usize = 3;

/// What was taken; `None` where nothing was surveyed.
pub(crate) fn summary(surveys: &[Survey], sources: &Sources) -> Option<Summary> {
    let coverage = &surveys.first()?.coverage;
    let mut lines: Vec<String> = surveys.iter().map(schema_line).collect();
    lines.push(statement_line(coverage));
    lines.extend(unread_lines(coverage, sources));
    for open in surveys.first().into_iter().flat_map(|survey| &survey.open).take(NAMED) {
        lines.push(format!("the schema may be otherwise: {} ({})", open.reason, place(sources, open.place)));
    }
    let more = surveys.first().map_or(0, |survey| survey.open.len().saturating_sub(NAMED));
    if more > 0 {
        lines.push(format!("and {more} more such reasons; --format json lists them"));
    }
    Some(Summary { lines, value: value(surveys, sources) })
}

fn schema_line(survey: &Survey) -> String {
    let Coverage { schema_files, schema_order, .. } = &survey.coverage;
    let tables = tables(survey);
    let named = match schema_files.as_slice() {
        [] => return "schema: none was found".to_owned(),
        [one] => one.clone(),
        [first, .., last] => format!("{} files, {first} to {last}", schema_files.len()),
    };
    let order = if schema_order.is_empty() { String::new() } else { format!(" ({schema_order})") };
    format!("schema: {named}{order}: {}", count(tables, "table"))
}

/// Where hardly anything could be judged, a report without findings looks like praise, and this says that it is none.
pub(crate) fn blind_line(surveys: &[Survey]) -> Option<String> {
    let coverage = &surveys.first()?.coverage;
    let tables: usize = surveys.iter().map(tables).sum();
    let partial = coverage.dynamic.len();
    let which = "`keyloom check schema/ --queries src/` says where the schema and its statements are";
    if tables == 0 {
        let against = match coverage.read + partial {
            0 => "and no statement".to_owned(),
            statements => format!("to hold {} against", count(statements, "statement")),
        };
        return Some(format!("NOT REVIEWED: no table {against}; {which}"));
    }
    if coverage.read > 0 {
        return None;
    }
    let tables = count(tables, "table");
    Some(match partial {
        0 => format!("ONLY THE SCHEMA WAS REVIEWED: {tables}, and no statement was found; {which}"),
        _ => format!("HARDLY REVIEWED: {tables}, and no statement is known in full; --format json lists their holes"),
    })
}

fn tables(survey: &Survey) -> usize {
    survey.schema.keyspaces.values().map(|keyspace| keyspace.tables.len()).sum()
}

fn statement_line(coverage: &Coverage) -> String {
    let Coverage { code_files, code_files_with_statements, read, dynamic, unread, other_dialects, .. } = coverage;
    let mut parts = vec![format!("{read} read")];
    if !dynamic.is_empty() {
        parts.push(format!("{} known only in part", dynamic.len()));
    }
    if !unread.is_empty() {
        parts.push(format!("{} not read", unread.len()));
    }
    if *other_dialects > 0 {
        parts.push(format!("{other_dialects} of other SQL left out"));
    }
    let programs = match code_files {
        0 => String::new(),
        _ => format!(", from {code_files_with_statements} of {}", count(*code_files, "program file")),
    };
    format!("statements: {}{programs}", parts.join(", "))
}

fn unread_lines(coverage: &Coverage, sources: &Sources) -> Vec<String> {
    let mut lines: Vec<String> = coverage
        .unread
        .iter()
        .take(NAMED)
        .map(|(at, reason)| format!("not read: {}: {reason}", place(sources, *at)))
        .collect();
    if coverage.unread.len() > NAMED {
        lines.push(format!("and {} more; --format json lists them", coverage.unread.len() - NAMED));
    }
    lines
}

/// A place in words: the file, and the line where its text is at hand.
fn place(sources: &Sources, place: keyloom::finding::Place) -> String {
    let file = sources.file(place.file);
    match file.is_filled() && place.end > 0 {
        true => format!("{}:{}", file.name(), file.line_column(place.start).line),
        false => file.name().to_owned(),
    }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn value(surveys: &[Survey], sources: &Sources) -> Value {
    let spot = |at: keyloom::finding::Place| {
        let file = sources.file(at.file);
        let line = (file.is_filled() && at.end > 0).then(|| file.line_column(at.start).line);
        (file.name().to_owned(), line)
    };
    let reasoned = |at, reason: &str| {
        let (file, line) = spot(at);
        json!({ "file": file, "line": line, "reason": reason })
    };
    let partial = |(at, holes): &(keyloom::finding::Place, Vec<String>)| {
        let (file, line) = spot(*at);
        json!({ "file": file, "line": line, "holes": holes })
    };
    let schema = |survey: &Survey| {
        let tables = survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.tables.values());
        json!({
            "files": survey.coverage.schema_files,
            "order": survey.coverage.schema_order,
            "tables": tables.map(|table| Value::from(table.full_name())).collect::<Vec<_>>(),
            "open": survey.open.iter().map(|open| reasoned(open.place, &open.reason)).collect::<Vec<_>>(),
        })
    };
    let empty = Coverage::default();
    let coverage = surveys.first().map_or(&empty, |survey| &survey.coverage);
    json!({
        "schemas": surveys.iter().map(schema).collect::<Vec<_>>(),
        "program_files": coverage.code_files,
        "program_files_with_statements": coverage.code_files_with_statements,
        "statements": {
            "read": coverage.read,
            "dynamic": coverage.dynamic.len(),
            "partial": coverage.dynamic.iter().map(partial).collect::<Vec<_>>(),
            "other_sql": coverage.other_dialects,
            "unread": coverage.unread.iter().map(|(at, reason)| reasoned(*at, reason)).collect::<Vec<_>>(),
        },
    })
}

/// The places that the summary names, whose lines are to be counted; `all` of them where programs read it.
pub(crate) fn places(surveys: &[Survey], all: bool) -> impl Iterator<Item = keyloom::finding::Place> {
    let first = surveys.first().into_iter();
    first.flat_map(move |survey| {
        let unread = survey.coverage.unread.iter().map(|(place, _)| *place);
        let partial = survey.coverage.dynamic.iter().filter(move |_| all).map(|(place, _)| *place);
        unread.chain(partial).chain(survey.open.iter().map(|open| open.place))
    })
}
