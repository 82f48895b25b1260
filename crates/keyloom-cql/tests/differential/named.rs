//! The named cases of the other suite, asked of the server again: they are what it says, not what somebody remembers.

use keyloom_engines::{announce, available};

use crate::{
    ENGINE, SUITE,
    oracle::{Answer, Oracle},
};

const CASES: &str = include_str!("../verdicts/cases.txt");

#[test]
#[ignore = "takes a minute; run by hand after a change of the named cases"]
fn named_cases_are_what_the_server_says() {
    let Some(mut oracle) = available(SUITE, ENGINE, Oracle::start()) else { return };
    oracle.fresh_keyspace("ks");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expected, statement) = line.split_once(' ').expect("a word, then a statement");
        let statement = statement.trim();
        if expected == "schema" {
            assert_eq!(oracle.execute(statement), Answer::Legal, "{statement}");
            continue;
        }
        count += 1;
        let (said, why) = match oracle.prepare(&[statement]).remove(0) {
            Answer::Legal => ("legal", String::new()),
            Answer::NeedsFiltering(message) => ("filtering", message),
            Answer::Illegal(message) => ("illegal", message),
            Answer::Malformed(message) => ("malformed", message),
        };
        if said != expected {
            wrong.push(format!("{statement}\n    was {expected}, is {said}: {why}"));
        }
    }
    announce(SUITE, ENGINE, count, 0);
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
