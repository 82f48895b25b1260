//! Files that are no catalog at all: one word about that is worth more than what YAML makes of them.

use super::files::Unreadable;
use super::naming::nearest;
use crate::vocabulary::FILE;
use crate::yaml::Node;

/// Says that a file is no catalog, where that is sure: it has no key of one, and it either has the name or the first
/// words of another language, or is YAML about something else.
pub(super) fn recognise(name: &str, text: &str, root: Option<&Node>) -> Option<Unreadable> {
    let known = || FILE.iter().map(|word| word.name);
    let keys = root.map_or_else(Vec::new, Node::keys);
    if text.lines().any(is_catalog_line) || keys.iter().any(|key| known().any(|word| word == *key)) {
        return None;
    }
    let language = by_name(name).or_else(|| by_first_words(text));
    // A misspelt key is a fault of a catalog. What is not even YAML may be one whose fault stands on its first line.
    let is_other_yaml = root.is_some() && !keys.iter().take(KEYS_MAX).any(|key| nearest(key, known()).is_some());
    (language.is_some() || is_other_yaml).then_some(Unreadable::NotACatalog(language))
}

/// How many keys are compared with those of a catalog; a file of more is about something else.
const KEYS_MAX: usize = 100;

/// Whether a line begins with a key that only catalogs have, in YAML or in JSON.
fn is_catalog_line(line: &str) -> bool {
    let line = line.trim_start_matches(['{', '-', ' ', '"']);
    FILE.iter().any(|word| {
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
