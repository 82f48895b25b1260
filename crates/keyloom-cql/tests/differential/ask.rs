//! Ask the server anything, by hand.

use std::fs;

use keyloom_engines::available;

use crate::{
    ENGINE, SUITE,
    oracle::{Answer, Oracle},
};

/// `KEYLOOM_ASK=FILE cargo test -p keyloom-cql --test differential -- --ignored ask --nocapture`
///
/// The file holds statements, each ended by a semicolon at the end of a line (a BATCH stands on one line); lines that
/// begin with `--` are left out. DDL is executed, everything else is prepared. `KEYSPACE;` begins with a fresh keyspace.
#[test]
#[ignore = "asks the server what a file says; by hand"]
fn ask() {
    let file = std::env::var("KEYLOOM_ASK").expect("KEYLOOM_ASK names a file with statements");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let Some(mut oracle) = available(SUITE, ENGINE, Oracle::start()) else { return };
    oracle.fresh_keyspace("ks");
    for statement in statements(&text) {
        if statement == "KEYSPACE" {
            oracle.fresh_keyspace("ks");
            continue;
        }
        let answer = if is_about_rows(&statement) {
            oracle.prepare(&[&statement]).remove(0)
        } else {
            oracle.execute(&statement)
        };
        match answer {
            Answer::Legal => println!("{statement}\n    legal"),
            Answer::NeedsFiltering(message) => println!("{statement}\n    needs ALLOW FILTERING: {message}"),
            Answer::Illegal(message) => println!("{statement}\n    ILLEGAL: {message}"),
            Answer::Malformed(message) => println!("{statement}\n    MALFORMED: {message}"),
        }
    }
}

/// Whether a statement reads or writes rows, so that it is prepared.
pub fn is_about_rows(statement: &str) -> bool {
    let word = statement.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    matches!(word.as_str(), "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "BEGIN")
}

fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut current = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--")) {
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(line.trim_end_matches(';'));
        if line.ends_with(';') {
            statements.push(std::mem::take(&mut current));
        }
    }
    if !current.is_empty() {
        statements.push(current);
    }
    statements
}
