use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "duplicate-name",
    level: Level::Error,
    summary: "one name stands for two things",
    page: include_str!("duplicate_name.md"),
};

pub(crate) fn finding(place: Place, first: Place, what: &str, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what} `{name}` is defined twice"))
        .related(first, "first defined here")
        .help("rename one of them, or remove it")
}

/// A field that stands twice in the key of a table.
pub(crate) fn in_key(place: Place, first: Place, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{name}` stands in the key twice"))
        .related(first, "first here")
        .help("leave one of them out: the second orders nothing")
}
