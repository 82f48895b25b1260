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

/// None of several kinds is there; `asks` is what they would answer: "what it holds".
pub(crate) fn kind(place: Place, what: &str, asks: &str, kinds: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what} does not say {asks}")).help(format!("say it with one of: {kinds}"))
}

/// A key with nothing behind it.
pub(crate) fn value(place: Place, key: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{key}` has nothing behind it")).help("state a value, or remove the key")
}
