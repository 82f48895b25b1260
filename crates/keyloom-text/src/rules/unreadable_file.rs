use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "unreadable-file",
    level: Level::Error,
    summary: "a file can't be read: missing, empty, binary, not UTF-8, too large or no catalog",
    page: include_str!("unreadable_file.md"),
};

/// A file that could not be opened; `place` is the `include` that names it, if any.
pub(crate) fn finding(place: Option<Place>, name: &str, why: &str, help: &str) -> Finding {
    Finding::new(&RULE, place, format!("{name}: {why}")).help(help)
}
