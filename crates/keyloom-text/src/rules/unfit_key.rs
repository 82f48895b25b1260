use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "unfit-key",
    level: Level::Error,
    summary: "a type that can't stand in a key, a `by` or a `unique`",
    page: include_str!("unfit_key.md"),
};

/// `role` is what its type is not fit for: "be part of a key".
pub(crate) fn finding(place: Place, field: &str, role: &str, why: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{field}` can't {role}: {why}"))
        .help("use a field of another type, or derive one from it")
}

/// Identity is never absent and never made by Keyloom out of other rows.
pub(crate) fn field(place: Place, field: &str, why: &str, help: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{field}` can't be part of a key: {why}")).help(help.to_owned())
}
