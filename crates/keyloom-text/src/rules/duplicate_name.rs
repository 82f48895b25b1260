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
