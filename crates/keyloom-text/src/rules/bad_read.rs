use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-read",
    level: Level::Error,
    summary: "a read that contradicts itself",
    page: include_str!("bad_read.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding::new(&RULE, place, message).help(help)
}
