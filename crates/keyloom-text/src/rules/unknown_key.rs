use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "unknown-key",
    level: Level::Error,
    summary: "a key that the language does not have at this place",
    page: include_str!("unknown_key.md"),
};

pub(crate) fn finding(place: Place, key: &str, what: &str, nearest: Option<&str>, all: &str) -> Finding {
    let finding = Finding::new(&RULE, place, format!("{what} has no key `{key}`"));
    match nearest {
        Some(nearest) => finding.label(format!("did you mean `{nearest}`?")).help(format!("{what} may have: {all}")),
        None => finding.help(format!("{what} may have: {all}")),
    }
}

/// A word of the language that does not go with this verb.
pub(crate) fn wrong_verb(place: Place, key: &str, verb: &str, fits: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{key}` does not go with `{verb}`")).help(format!("it goes with {fits}"))
}
