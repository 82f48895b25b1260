use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-config",
    level: Level::Error,
    summary: "`keyloom.toml` can't be read, or says something that does not exist",
    page: include_str!("bad_config.md"),
};

/// A fault in `keyloom.toml`.
pub(crate) fn finding(place: Place, message: String, help: &str) -> Finding {
    Finding::new(&RULE, place, message).help(help)
}
