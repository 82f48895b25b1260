use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "ambiguous-name",
    level: Level::Error,
    summary: "a path that could mean two things",
    page: include_str!("ambiguous_name.md"),
};

/// `case.title` where both `case` and `case_id` exist.
pub(crate) fn path(place: Place, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{name}` is a field here and also the row that `{name}_id` points to"))
        .help(format!("rename the field `{name}`, or the reference `{name}_id`"))
}

/// Several references lead to the same entity.
pub(crate) fn reference(place: Place, from: &str, to: &str, candidates: &str, help: &str) -> Finding {
    Finding::new(&RULE, place, format!("{from} points to {to} more than once: {candidates}")).help(help)
}
