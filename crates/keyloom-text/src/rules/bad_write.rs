use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-write",
    level: Level::Error,
    summary: "a write that can never do what it says",
    page: include_str!("bad_write.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding::new(&RULE, place, message).help(help)
}
