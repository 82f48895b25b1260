use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "language-version",
    level: Level::Error,
    summary: "the file is written in a version of the language that this Keyloom does not read",
    page: include_str!("language_version.md"),
};

pub(crate) fn finding(place: Place, found: &str) -> Finding {
    Finding::new(&RULE, place, format!("this file is written in language {found}; this Keyloom reads language 1"))
        .help("write `language: 1`, or use a Keyloom that reads the other version")
}

/// The same of a layout.
pub(crate) fn layout(place: Place, found: &str, known: u32) -> Finding {
    let message = format!("this file is written in layout {found}; this Keyloom reads layout {known}");
    Finding::new(&RULE, place, message)
        .help(format!("write `layout: {known}`, or use a Keyloom that reads the other version"))
}
