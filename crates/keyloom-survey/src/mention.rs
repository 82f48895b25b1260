//! Tables that some text of the repository makes, whether it was read or not.

use std::collections::BTreeSet;

use crate::parallel;
use crate::tree::Tree;

/// Bytes behind `CREATE` within which the name stands.
const REACH: usize = 160;

/// Those of the names that stand behind the words `CREATE TABLE` or `CREATE MATERIALIZED VIEW` in any file: a program may make
/// them, a language that is not read, a template, a document.
pub(crate) fn made_somewhere(tree: &dyn Tree, names: &BTreeSet<String>) -> BTreeSet<String> {
    let found = parallel::map(&tree.names(), |file| match tree.open(file) {
        Ok(text) => made_in(&text, names),
        Err(_) => BTreeSet::new(),
    });
    found.into_iter().flatten().collect()
}

fn made_in(text: &str, names: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(['c', 'C']) {
        let is_create = text.as_bytes()[at..].get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"create"));
        if !is_create {
            continue;
        }
        let behind = &text[at + 6..text.floor_char_boundary((at + 6 + REACH).min(text.len()))];
        let behind = behind.split('(').next().unwrap_or(behind);
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut words = behind.split(|letter| !is_part(letter)).filter(|word| !word.is_empty());
        let first = words.next().unwrap_or("");
        let makes = ["table", "materialized", "columnfamily"].iter().any(|kind| first.eq_ignore_ascii_case(kind));
        if makes {
            found.extend(words.map(str::to_lowercase).filter(|word| names.contains(word)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_behind_the_words_is_made() {
        let names = BTreeSet::from(["users".to_owned()]);
        let is_made = |text: &str| !made_in(text, &names).is_empty();
        for text in [
            "CREATE TABLE users (id int)",
            "x = \"create table if not exists \" + keyspace + \".users (\"",
            "CREATE TABLE IF NOT EXISTS ${k}.\"users\"\n(",
            "CREATE MATERIALIZED VIEW users AS SELECT",
        ] {
            assert!(is_made(text), "{text}");
        }
        for text in
            ["CREATE TABLE users_by_name (id int)", "CREATE INDEX users ON x (a)", "CREATE TABLE a (users int)", "c"]
        {
            assert!(!is_made(text), "{text}");
        }
    }
}
