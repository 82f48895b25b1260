use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-reference",
    level: Level::Error,
    summary: "a reference that does not fit the key it points to",
    page: include_str!("bad_reference.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding::new(&RULE, place, message).help(help)
}
