use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "missing-key",
    level: Level::Error,
    summary: "something that must be stated is not",
    page: include_str!("missing_key.md"),
};

pub(crate) fn finding(place: Option<Place>, what: &str, key: &str, example: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what} does not state `{key}`")).help(format!("add `{example}`"))
}

/// None of several alternatives is there.
pub(crate) fn verb(place: Place, what: &str, verbs: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what} has no verb")).help(format!("say what it does, with one of: {verbs}"))
}

/// A key with nothing behind it.
pub(crate) fn value(place: Place, key: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{key}` has nothing behind it")).help("state a value, or remove the key")
}
