use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "if-looks-elsewhere",
    level: Level::Error,
    summary: "a condition that reads more than the target row",
    page: include_str!("if_looks_elsewhere.md"),
};

/// Another entity's row.
pub(crate) fn other_row(place: Place, path: &str, entity: &str, key: &str) -> Finding {
    Finding::new(
        &RULE,
        place,
        format!("this condition reads `{path}`, a row of {entity}; `if` looks at the target row only"),
    )
    .help(format!("make it `atomic`, with the step `check: {entity}, by: [{key}], if: .. else ..` beside this write"))
}

/// A kept field lags behind the rows it is kept from.
pub(crate) fn kept(place: Place, field: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{field}` is kept from other rows and lags; a condition on it would not hold"))
        .help("decide on fields of the row itself, or on `check` steps of an `atomic`")
}
