use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "not-yet",
    level: Level::Error,
    summary: "a word of the language's second stage: reserved, not built yet",
    page: include_str!("not_yet.md"),
};

pub(crate) fn finding(place: Place, word: &str, instead: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{word}` is part of the language's second stage and is not built yet"))
        .help(instead.to_owned())
}
