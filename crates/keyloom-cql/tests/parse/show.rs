//! What was read, short enough to be read by people: the debugging form without places and without what is absent.

use keyloom_cql::ast::Name;
use keyloom_cql::parse::{Script, parse};

/// Each statement, then each fault, on a line of its own.
pub fn shown(text: &str) -> Vec<String> {
    let Script { statements, faults } = parse(text);
    let mut lines: Vec<String> = statements
        .iter()
        .map(|statement| {
            let holes: Vec<_> = statement.unknown.iter().flat_map(Name::holes).collect();
            let open = if holes.is_empty() { String::new() } else { format!(" open: {}", holes.join(", ")) };
            format!("{}{open}", compact(&format!("{:?}", statement.kind)))
        })
        .collect();
    lines.extend(faults.iter().map(|fault| {
        let help = fault.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("refused at `{}`: {}{help}", &text[fault.span.bytes()], fault.message)
    }));
    lines
}

/// The debugging form without places, names without their structure, and nothing that is absent.
fn compact(debug: &str) -> String {
    let mut text = without_places(debug);
    for absent in ["None", "[]", "false"] {
        text = without_fields(&text, absent);
    }
    text = names(&text);
    text = text.replace("QualifiedName { name: ", "{ ").replace("QualifiedName { keyspace: ", "{ ");
    text.replace('\u{fffc}', "␣")
}

fn without_places(debug: &str) -> String {
    let mut text = String::new();
    let mut rest = debug;
    while let Some(start) = rest.find("Span { start: ") {
        let end = start + rest[start..].find('}').unwrap() + 1;
        text.push_str(rest[..start].strip_suffix("span: ").unwrap_or(&rest[..start]));
        if rest[..start].ends_with("span: ") {
            // With the comma before it or behind it.
            text.truncate(text.trim_end_matches(", ").len());
        } else {
            text.push('_');
        }
        rest = &rest[end..];
    }
    text + rest
}

/// Without the fields that have this value.
fn without_fields(text: &str, value: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    let behind = [format!(": {value}, "), format!(": {value} ")];
    while let Some((at, length)) =
        behind.iter().filter_map(|field| rest.find(field.as_str()).map(|at| (at, field.len()))).min()
    {
        let start = rest[..at].rfind(|letter: char| !letter.is_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
        // A field of a name says more than that it is absent.
        kept.push_str(&rest[..start]);
        rest = &rest[at + length..];
    }
    (kept + rest).replace(", }", " }")
}

/// `Name { text: "a" }` as the name alone.
fn names(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("Name { text: \"") {
        if rest[..start].ends_with("Qualified") {
            kept.push_str(&rest[..start + 4]);
            rest = &rest[start + 4..];
            continue;
        }
        let text = &rest[start + 14..];
        let end = text.find("\" }").into_iter().chain(text.find("\", unknown: true }")).min().unwrap();
        kept.push_str(&rest[..start]);
        kept.push_str(&text[..end]);
        let behind = &text[end..];
        rest = behind.strip_prefix("\" }").or_else(|| behind.strip_prefix("\", unknown: true }")).unwrap();
    }
    kept + rest
}
