//! One `check` for all tables of examples.

use std::fmt::Write;

use keyloom_text::Fault;
use proptest::prelude::*;

/// Checks a table of examples, separated by empty lines. The first line of each is the text to parse; below it stands
/// either what it was read as, behind `:`, or carets under the faulty bytes with the message and the help.
#[track_caller]
pub fn check<T>(parse: impl Fn(&str) -> Result<T, Fault>, show: impl Fn(&T) -> String, table: &str) {
    let actual: Vec<String> = table
        .trim_matches('\n')
        .split("\n\n")
        .map(|example| {
            let text = example.lines().next().unwrap_or("");
            match parse(text) {
                Ok(value) => format!("{text}\n: {}", show(&value)),
                Err(fault) => rendered(text, &fault),
            }
        })
        .collect();
    let actual = actual.join("\n\n");
    assert!(actual == table.trim_matches('\n'), "the table should read:\n{actual}\n");
}

/// The text with carets under the range of the fault.
pub fn rendered(text: &str, fault: &Fault) -> String {
    let before = text.get(..fault.range.start).expect("a fault starts between two characters of the text");
    let marked = text.get(fault.range.clone()).expect("a fault ends between two characters of the text");
    let carets = "^".repeat(marked.chars().count().max(1));
    let mut rendered = format!("{text}\n{}{carets} {}", " ".repeat(before.chars().count()), fault.message);
    if let Some(help) = &fault.help {
        write!(rendered, "\n= {help}").expect("a string takes every text");
    }
    rendered
}

/// Parses any text at all: the answer is a value, or a fault whose range can be shown and whose message says something.
pub fn answered<T>(parse: impl Fn(&str) -> Result<T, Fault>, text: &str) {
    if let Err(fault) = parse(text) {
        rendered(text, &fault);
        assert!(!fault.message.is_empty() && fault.help.is_some(), "no help for {text:?}: {}", fault.message);
    }
}

/// Texts that look enough like the language to get past its first token, and texts that do not.
pub fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
        1 => "[0-9]{1,30}(\\.[0-9]{1,30})?",
        1 => "\\PC{1,3}",
    ];
    let blank = prop::sample::select(vec!["", " ", "  ", "\u{a0}"]);
    prop_oneof![
        1 => any::<String>(),
        4 => prop::collection::vec((piece, blank), 0..24)
            .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, blank)| [piece, blank.to_owned()]).collect()),
    ]
}

const WORDS: [&str; 74] = [
    "a",
    "status",
    "OPEN",
    "Case",
    "$x",
    "$",
    "?",
    "..",
    ".",
    ",",
    "(",
    ")",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "|",
    "||",
    "&&",
    "!",
    "'",
    "''",
    "'a'",
    "\"",
    "->",
    "and",
    "or",
    "not",
    "in",
    "is",
    "null",
    "has",
    "all",
    "any",
    "starts",
    "with",
    "now",
    "new",
    "max",
    "min",
    "of",
    "where",
    "else",
    "at",
    "create",
    "by",
    "per",
    "on",
    "write",
    "next",
    "count",
    "lower",
    "text",
    "enum",
    "oneof",
    "list",
    "set",
    "map",
    "to",
    "int",
    "decimal",
    "timestamp",
    "k",
    "KB",
    "days",
    "m",
    "ä",
];
