//! Files that are no catalog, or no layout, at all: one word about that is worth more than what YAML makes of them.

use super::files::Unreadable;
use super::naming::nearest;
use crate::vocabulary::{FILE, LAYOUT, Word};
use crate::yaml::Node;

/// Says that a file is no catalog, where that is sure.
pub(super) fn instead_of_catalog(name: &str, text: &str, root: Option<&Node>) -> Option<Unreadable> {
    recognise(FILE, (LAYOUT, "a layout"), name, text, root).map(Unreadable::NotACatalog)
}

/// Says that a file is no layout, where that is sure.
pub(super) fn instead_of_layout(name: &str, text: &str, root: Option<&Node>) -> Option<Unreadable> {
    recognise(LAYOUT, (FILE, "a catalog"), name, text, root).map(Unreadable::NotALayout)
}

/// Says that a file is in another language than that of these words, and in which, where that is sure: it is one of our
/// other language; or it has no key of this one, and either has the name or the first words of a third, or is YAML about
/// something else.
fn recognise(
    words: &'static [Word],
    (other, called): (&'static [Word], &'static str),
    name: &str,
    text: &str,
    root: Option<&Node>,
) -> Option<Option<&'static str>> {
    let known = || words.iter().map(|word| word.name);
    let keys = root.map_or_else(Vec::new, Node::keys);
    // The first word of a language says its version, and no other language has it.
    let says_version_of = |words: &[Word]| words.first().is_some_and(|word| keys.contains(&word.name));
    if says_version_of(other) && !says_version_of(words) {
        return Some(Some(called));
    }
    if text.lines().any(|line| is_line_of(words, line)) || keys.iter().any(|key| known().any(|word| word == *key)) {
        return None;
    }
    let language = by_name(name).or_else(|| by_first_words(text));
    // A misspelt key is a fault of the file. What is not even YAML may be one whose fault stands on its first line.
    let is_other_yaml = root.is_some() && !keys.iter().take(KEYS_MAX).any(|key| nearest(key, known()).is_some());
    (language.is_some() || is_other_yaml).then_some(language)
}

/// How many keys are compared with those of the language; a file of more is about something else.
const KEYS_MAX: usize = 100;

/// Whether a line begins with a key of the language, in YAML or in JSON.
fn is_line_of(words: &[Word], line: &str) -> bool {
    let line = line.trim_start_matches(['{', '-', ' ', '"']);
    words.iter().any(|word| {
        line.strip_prefix(word.name).is_some_and(|rest| rest.trim_start_matches(['"', ' ']).starts_with(':'))
    })
}

fn by_name(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "cql" => "CQL",
        "sql" => "SQL",
        "tf" | "hcl" => "Terraform",
        "toml" => "TOML",
        "json" => "JSON",
        "md" => "Markdown",
        "xml" | "html" => "XML",
        "c" | "cpp" | "cs" | "go" | "java" | "js" | "kt" | "php" | "py" | "rb" | "rs" | "scala" | "sh" | "swift"
        | "ts" => "source code",
        _ => return None,
    })
}

/// What the first line that is no comment begins with.
fn by_first_words(text: &str) -> Option<&'static str> {
    const SIGNS: [(&str, &str); 12] = [
        ("create keyspace ", "CQL"),
        ("create table ", "CQL or SQL"),
        ("create type ", "CQL or SQL"),
        ("create index ", "CQL or SQL"),
        ("select ", "CQL or SQL"),
        ("insert into ", "CQL or SQL"),
        ("resource \"", "Terraform"),
        ("variable \"", "Terraform"),
        ("provider \"", "Terraform"),
        ("terraform {", "Terraform"),
        ("{\"", "JSON"),
        ("<", "XML"),
    ];
    let is_code =
        |line: &&str| !line.is_empty() && !["#", "--", "//", "/*", "*"].iter().any(|mark| line.starts_with(mark));
    let first = text.lines().map(str::trim).find(is_code)?.to_lowercase();
    let section = first.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if section.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))) {
        return Some("TOML");
    }
    let sign = if first == "{" { "{\"" } else { &first };
    SIGNS.iter().find(|(begin, _)| sign.starts_with(begin)).map(|(_, language)| *language)
}
