//! The catalog as text. Quotes, indentation and order are left to the canonical printer.

use std::fmt::Write;

use crate::entity::{Entity, Field};
use crate::names::singular;
use crate::pattern::{Action, Change, Comparison, Delete, Insert, Read, ReadVerb, Test, Update, Value};
use crate::settle::{InsertVerb, insert_verb};
use crate::types::Kind;

/// Comment lines are broken at this column.
const COMMENT_WIDTH: usize = 116;

/// Writes a comment, broken into lines.
pub(crate) fn comment(out: &mut String, indent: usize, text: &str) {
    let blanks = " ".repeat(indent);
    let mut line = String::new();
    for word in clean(text).split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && indent + line.chars().count() + word.chars().count() + 3 > COMMENT_WIDTH {
            let _ = writeln!(out, "{blanks}#{line}");
            line.clear();
        }
        line.push(' ');
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(out, "{blanks}#{line}");
    }
}

/// A text for a comment: in one line, and without what YAML does not take there.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect()
}

fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffc}'..='\u{ffff}')
}

/// A scalar that YAML reads as this text, wherever it stands.
fn scalar(text: &str) -> String {
    let is_safe = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '.' | '$' | '=' | '<' | '>' | '(' | ')' | '+' | '/')
    };
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    if starts && text.chars().all(is_safe) { text.to_owned() } else { format!("\"{text}\"") }
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|item| scalar(item)).collect::<Vec<_>>().join(", "))
}

/// The text of a field.
pub(crate) fn field(field: &Field) -> String {
    let mut text = field.kind.to_string();
    if field.optional {
        text.push('?');
    }
    if let Some(target) = &field.reference {
        let _ = write!(text, " -> {target}");
    }
    if let Some(fill) = field.fill {
        let _ = write!(text, " = {fill}");
    }
    text
}

/// A constant as an expression of the language.
fn constant(kind: &Kind, text: &str) -> String {
    match kind {
        Kind::Enum(_) => text.to_ascii_uppercase(),
        Kind::Bool => text.to_ascii_lowercase(),
        Kind::Text => format!("'{text}'"),
        _ => text.to_owned(),
    }
}

/// A value as an expression; an input where `name` stands for it.
fn expression(field: &Field, value: &Value, name: &str) -> String {
    match value {
        Value::Constant(_, text) => constant(&field.kind, text),
        Value::Now => "now".to_owned(),
        Value::Today => "day(now)".to_owned(),
        Value::New => "new".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Input | Value::OneOf(_) => format!("${name}"),
    }
}

/// The lines of a pattern behind its name, each `key: value`.
pub(crate) fn pattern(entities: &[Entity], entity: usize, action: &Action, has_inserts: &[bool]) -> Vec<String> {
    let own = &entities[entity];
    match action {
        Action::Read(of) => read(own, of),
        Action::Insert(of) => insert(own, of),
        Action::Update(of) => update(own, of, has_inserts[entity]),
        Action::Delete(of) => delete(own, of),
        Action::Atomic(steps) => {
            let mut lines = vec!["atomic:".to_owned()];
            for (at, action) in steps {
                let step = pattern(entities, *at, action, has_inserts).join(", ");
                lines.push(format!("  - {{ {step} }}"));
            }
            lines
        }
    }
}

fn by(entity: &Entity, by: &[(usize, Value)]) -> String {
    let items: Vec<String> = by
        .iter()
        .map(|(field, value)| {
            let field = &entity.fields[*field];
            match value {
                Value::Constant(..) | Value::Today | Value::Now => {
                    format!("{} = {}", field.name, expression(field, value, &field.name))
                }
                _ => field.name.clone(),
            }
        })
        .collect();
    format!("by: {}", list(&items))
}

fn read(entity: &Entity, read: &Read) -> Vec<String> {
    let verb = match read.verb {
        ReadVerb::Get => "get",
        ReadVerb::List => "list",
        ReadVerb::Count => "count",
    };
    let mut lines = vec![format!("{verb}: {}", entity.name), by(entity, &read.by)];
    let mut tests = read.tests.clone();
    for (field, _) in &read.order {
        let excludes = |test: &Test| test.field == *field && test.comparison != Comparison::NotEqual;
        let fixed = read.by.iter().any(|(at, _)| at == field);
        if entity.fields[*field].optional && !fixed && !tests.iter().any(excludes) {
            tests.push(Test { field: *field, comparison: Comparison::IsNotNull, value: Value::Null });
        }
    }
    let used: Vec<&str> = read.by.iter().map(|(field, _)| entity.fields[*field].name.as_str()).collect();
    let tests = tests_text(entity, &tests, &used, false);
    if !tests.is_empty() {
        lines.push(format!("where: {}", scalar(&tests)));
    }
    if !read.order.is_empty() {
        let items: Vec<String> = read
            .order
            .iter()
            .map(|(field, descending)| {
                format!("{} {}", entity.fields[*field].name, if *descending { "desc" } else { "asc" })
            })
            .collect();
        lines.push(format!("order: {}", scalar(&items.join(", "))));
    }
    if read.verb == ReadVerb::List {
        match (read.first, read.page) {
            (Some(first), _) => lines.push(format!("first: {first}")),
            (None, Some(page)) => lines.push(format!("page: {page}")),
            (None, None) => {}
        }
    }
    if read.verb != ReadVerb::Count {
        match &read.returns {
            Some(fields) => {
                let names: Vec<String> = fields.iter().map(|field| entity.fields[*field].name.clone()).collect();
                lines.push(format!("returns: {}", list(&names)));
            }
            None => lines.push("returns: all".to_owned()),
        }
    }
    lines
}

/// Tests as one expression. Inputs are named after their fields, or after the end of the range that they are.
fn tests_text(entity: &Entity, tests: &[Test], used: &[&str], is_condition: bool) -> String {
    let ranged: std::collections::BTreeSet<usize> =
        tests.iter().filter(|test| test.comparison.bound().is_some()).map(|test| test.field).collect();
    let mut parts: Vec<String> = Vec::new();
    for test in tests {
        let field = &entity.fields[test.field];
        let input = match (test.comparison.bound(), is_condition) {
            (_, true) => format!("expected_{}", field.name),
            (Some(end), false) if ranged.len() == 1 && !used.contains(&end) => end.to_owned(),
            (Some(end), false) => format!("{}_{end}", field.name),
            (None, false) if test.comparison == Comparison::Has => part_name(field),
            (None, false) if test.comparison == Comparison::NotEqual => format!("not_{}", field.name),
            (None, false) => field.name.clone(),
        };
        let text = match (&test.value, test.comparison) {
            (_, Comparison::IsNotNull) | (Value::Null, Comparison::NotEqual) => format!("{} is not null", field.name),
            (Value::Null, _) => format!("{} is null", field.name),
            (Value::OneOf(values), Comparison::Equal) => {
                let values: Vec<String> = values.iter().map(|(_, text)| constant(&field.kind, text)).collect();
                format!("{} in ({})", field.name, values.join(", "))
            }
            (value, comparison) => {
                format!("{} {} {}", field.name, comparison.symbol(), expression(field, value, &input))
            }
        };
        if !parts.contains(&text) {
            parts.push(text);
        }
    }
    parts.join(" and ")
}

/// The input for one item of a collection: `labels` takes a `label`.
fn part_name(field: &Field) -> String {
    let one = singular(&field.name);
    if one == field.name { format!("{one}_item") } else { one }
}

fn insert(entity: &Entity, insert: &Insert) -> Vec<String> {
    let verb = insert_verb(entity, insert);
    if verb == InsertVerb::Upsert {
        let is_key = |field: &usize| entity.key.contains(field);
        let by = insert.body.iter().filter(|(field, _)| is_key(field)).cloned().collect();
        let changes = insert.body.iter().filter(|(field, _)| !is_key(field));
        let changes = changes.map(|(field, value)| (*field, Change::Set(value.clone()))).collect();
        let by: Vec<(usize, Value)> = by;
        return update(entity, &Update { by, changes, conditions: Vec::new(), if_present: false }, false);
    }
    let is_create = verb == InsertVerb::Create;
    let mut takes = Vec::new();
    let mut sets = Vec::new();
    for (at, value) in &insert.body {
        let field = &entity.fields[*at];
        let fills_itself = is_create && (field.fill == Some("new") || field.fill == Some("now"));
        match value {
            _ if field.fill == Some("now on write") || fills_itself => {}
            Value::Null => {}
            Value::Input | Value::OneOf(_) => takes.push(field.name.clone()),
            value => sets.push((field, value)),
        }
    }
    let mut lines = vec![format!("{}: {}", if is_create { "create" } else { "put" }, entity.name)];
    lines.push(format!("takes: {}", list(&takes)));
    if !sets.is_empty() {
        let sets: Vec<String> = sets
            .into_iter()
            .map(|(field, value)| format!("{}: {}", field.name, scalar(&expression(field, value, &field.name))))
            .collect();
        lines.push(format!("set: {{ {} }}", sets.join(", ")));
    }
    lines
}

fn update(entity: &Entity, update: &Update, has_inserts: bool) -> Vec<String> {
    let mut lines = vec![format!("update: {}", entity.name), by(entity, &update.by)];
    if !has_inserts && !update.if_present && update.conditions.is_empty() {
        lines.push("or_create: true".to_owned());
    }
    let mut groups: [(&str, Vec<String>); 4] =
        [("set", Vec::new()), ("add", Vec::new()), ("remove", Vec::new()), ("append", Vec::new())];
    for (at, change) in &update.changes {
        let field = &entity.fields[*at];
        let name = &field.name;
        let part = part_name(field);
        let (group, text) = match change {
            Change::Set(value) => (0, format!("{name}: {}", scalar(&expression(field, value, name)))),
            Change::Count { up, by } => {
                let sign = if *up { '+' } else { '-' };
                (0, format!("{name}: {}", scalar(&format!("{name} {sign} {}", expression(field, by, name)))))
            }
            Change::Entry => (0, format!("{name}.${part}: {}", scalar(&format!("${part}_value")))),
            Change::Add => (1, format!("{name}: ${part}")),
            Change::Remove => (2, format!("{name}: ${part}")),
            Change::Append => (3, format!("{name}: ${part}")),
        };
        groups[group].1.push(text);
    }
    for (key, changes) in groups.iter().filter(|(_, changes)| !changes.is_empty()) {
        lines.push(format!("{key}: {{ {} }}", changes.join(", ")));
    }
    lines.extend(condition(entity, &update.conditions));
    lines
}

fn delete(entity: &Entity, delete: &Delete) -> Vec<String> {
    let mut lines = vec![format!("delete: {}", entity.name), by(entity, &delete.by)];
    lines.extend(condition(entity, &delete.conditions));
    lines
}

fn condition(entity: &Entity, conditions: &[Test]) -> Option<String> {
    let text = tests_text(entity, conditions, &[], true);
    let first = &entity.fields[conditions.first()?.field].name;
    Some(format!("if: {}", scalar(&format!("{text} else other_{first}"))))
}
