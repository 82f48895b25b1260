//! Where we and the server differ, in a form from which the resolver can be mended.

use std::collections::{BTreeMap, BTreeSet};

use crate::{judge::Verdict, messages::shape_of, oracle::Answer};

/// Disagreements by what the server says and what we say; of each kind the shortest statement.
#[derive(Debug, Default)]
pub struct Disagreements {
    kinds: BTreeMap<(String, String), Kind>,
}

#[derive(Debug, Clone)]
struct Kind {
    count: usize,
    statement: String,
    ddl: Vec<String>,
    server: String,
    ours: String,
}

impl Disagreements {
    pub fn learn(&mut self, ddl: &[String], statement: &str, server: &Answer, ours: &Verdict) {
        let agree = match (server, ours) {
            (Answer::Legal, Verdict::Legal)
            | (Answer::NeedsFiltering(_), Verdict::NeedsFiltering(_))
            | (Answer::Illegal(_), Verdict::Illegal(_))
            // What the server's parser refuses for its names (a column that is set twice) is well-formed to ours.
            | (Answer::Malformed(_), Verdict::Malformed(_) | Verdict::Illegal(_)) => true,
            _ => false,
        };
        if agree {
            return;
        }
        let (server, server_kind) = match server {
            Answer::Legal => ("legal".to_owned(), "legal".to_owned()),
            Answer::NeedsFiltering(message) => (format!("needs ALLOW FILTERING: {message}"), "filtering".to_owned()),
            Answer::Illegal(message) => {
                let shape = shape_of(message).unwrap_or(message);
                (format!("illegal: {message}"), format!("illegal: {shape}"))
            }
            Answer::Malformed(message) => (format!("malformed: {message}"), "malformed".to_owned()),
        };
        let (ours, our_kind) = match ours {
            Verdict::Legal => ("legal".to_owned(), "legal"),
            Verdict::NeedsFiltering(message) => (format!("needs ALLOW FILTERING: {message}"), "filtering"),
            Verdict::Illegal(message) => (format!("illegal: {message}"), "illegal"),
            Verdict::Malformed(message) => (format!("malformed: {message}"), "malformed"),
            Verdict::Maybe => ("maybe".to_owned(), "maybe"),
        };
        let kind = Kind { count: 0, statement: statement.to_owned(), ddl: concerned(ddl, statement), server, ours };
        let known = self.kinds.entry((server_kind, our_kind.to_owned())).or_insert_with(|| kind.clone());
        let count = known.count + 1;
        if statement.len() < known.statement.len() {
            *known = kind;
        }
        known.count = count;
    }

    /// # Panics
    /// When there is a disagreement; the message shows each kind.
    pub fn assert_none(&self) {
        let count: usize = self.kinds.values().map(|kind| kind.count).sum();
        assert!(self.kinds.is_empty(), "{count} disagreements of {} kinds:\n{}", self.kinds.len(), self.render());
    }

    /// The kinds, the most frequent first.
    fn render(&self) -> String {
        let mut kinds: Vec<&Kind> = self.kinds.values().collect();
        kinds.sort_by(|one, other| other.count.cmp(&one.count).then(one.statement.cmp(&other.statement)));
        let render = |kind: &Kind| {
            let Kind { count, statement, ddl, server, ours } = kind;
            format!("\n{count} x\n{};\n{statement};\n    server: {server}\n    ours:   {ours}\n", ddl.join(";\n"))
        };
        kinds.into_iter().map(render).collect()
    }
}

/// The statements of a schema that another statement depends on: what it names, and what that names in turn.
fn concerned(ddl: &[String], statement: &str) -> Vec<String> {
    let mut wanted: BTreeSet<&str> = words(statement).collect();
    let mut taken = vec![false; ddl.len()];
    // What is named was made before, but the indexes of a table follow it: so the last is looked at first, twice.
    for _ in 0..2 {
        for (place, made) in ddl.iter().enumerate().rev() {
            let named = match made.split_once(" INDEX ") {
                Some((_, index)) => index.split_once(" ON ").and_then(|(_, table)| words(table).next()),
                None => name_made(made),
            };
            if !taken[place] && named.is_some_and(|name| wanted.contains(name)) {
                taken[place] = true;
                wanted.extend(words(made));
            }
        }
    }
    ddl.iter().zip(taken).filter(|(_, taken)| *taken).map(|(made, _)| made.clone()).collect()
}

/// The name of what a statement makes: `CREATE TABLE t0 (..` makes `t0`.
fn name_made(ddl: &str) -> Option<&str> {
    let skipped = if ddl.starts_with("CREATE MATERIALIZED") { 3 } else { 2 };
    words(ddl).nth(skipped)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_')).filter(|word| !word.is_empty())
}

#[test]
fn only_what_a_statement_depends_on_is_shown() {
    let ddl = [
        "CREATE TYPE u0 (f0 int)",
        "CREATE TYPE u1 (f0 frozen<u0>)",
        "CREATE TYPE u2 (f0 int)",
        "CREATE FUNCTION same(x int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return x;'",
        "CREATE TABLE t0 (p0 int PRIMARY KEY, v0 u1)",
        "CREATE INDEX t0_1 ON t0 (v0)",
        "CREATE TABLE t1 (p0 int PRIMARY KEY, v0 u2)",
        "CREATE MATERIALIZED VIEW mv0 AS SELECT * FROM t0 WHERE v0 IS NOT NULL PRIMARY KEY (v0, p0)",
    ]
    .map(str::to_owned);
    let [u0, u1, u2, same, t0, index, t1, view] = ddl.clone();
    assert_eq!(concerned(&ddl, "SELECT same(v0) FROM t1"), [u2, same, t1]);
    assert_eq!(concerned(&ddl, "SELECT * FROM mv0"), [u0, u1, t0, index, view]);
}
