use keyloom_finding::{Finding, Level, Place, Rule};

use crate::parse::types;

pub(crate) static RULE: Rule = Rule {
    name: "yaml-ate-it",
    level: Level::Error,
    summary: "YAML took a part of the value for something else: a comment, a key, an indicator",
    page: include_str!("yaml_ate_it.md"),
};

/// A `#` behind a blank starts a comment, and the value before it is not complete.
pub(crate) fn comment(value: Place, comment: Place, missing: char) -> Finding {
    Finding::new(
        &RULE,
        value,
        format!("this value has no closing `{missing}`: YAML took the rest of the line for a comment"),
    )
    .related(comment, "read as a comment")
    .help("put the whole value in quotes")
}

/// A `: ` inside a value starts another key.
pub(crate) fn colon(place: Place) -> Finding {
    Finding::new(&RULE, place, "a `: ` inside a value starts another key for YAML")
        .help("put the whole value in quotes")
}

/// The same, between what stands before it and behind it on its line; words that other languages follow with a colon
/// have a notation without one.
pub(crate) fn colon_in_value(place: Place, before: &str, behind: &str) -> Finding {
    let finding = colon(place);
    let (rest, word) = before.rsplit_once(' ').unwrap_or(("", before));
    let written = match word {
        "enum" => types::enumeration(&format!("enum{behind}")),
        "default" => rest.split_once(": ").map(|(_, ty)| format!("{ty} = {}", behind.trim_start_matches([':', ' ']))),
        _ => None,
    };
    match written.filter(|written| types::field(written).is_ok()) {
        Some(written) => finding.help(format!("write `{written}`")),
        None => finding,
    }
}

/// A key and its value in braces with no blank between them are one key without a value.
pub(crate) fn glued(place: Place, key: &str, value: &str) -> Finding {
    Finding::new(&RULE, place, "behind this `:` a blank is missing, and YAML took all of it for a key")
        .help(format!("write `{key}: {value}`"))
}

/// A value that begins with a quote ends with it.
pub(crate) fn quote(rest: Place) -> Finding {
    Finding::new(&RULE, rest, "the value began with a quote and ended with it, and here more follows")
        .help("put the whole value between the other quotes: \"'abc' + x\"")
}

/// A value that begins with a character YAML keeps for itself; `behind` is what follows it.
pub(crate) fn indicator(place: Place, character: char, behind: &str) -> Finding {
    let name = behind.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let (character, help) = match character {
        // Between backticks it could not be seen.
        '`' => (
            "a backtick".to_owned(),
            "names stand without quotes, texts between single quotes: `author = 'Ann'`".to_owned(),
        ),
        '@' if !name.is_empty() => ("`@`".to_owned(), format!("an input is written `${name}`")),
        '*' if name.is_empty() => (
            "`*`".to_owned(),
            "write `all` if everything is meant; a text that begins with `*` stands in quotes".to_owned(),
        ),
        other => (format!("`{other}`"), "put the whole value in quotes".to_owned()),
    };
    Finding::new(&RULE, place, format!("a value can't begin with {character}: YAML keeps it for itself")).help(help)
}
