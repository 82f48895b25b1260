use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "wrong-shape",
    level: Level::Error,
    summary: "a mapping, a list or a single value was expected and something else is there",
    page: include_str!("wrong_shape.md"),
};

pub(crate) fn finding(place: Place, what: &str, expected: &str, found: &str, example: &str) -> Finding {
    let finding = Finding::new(&RULE, place, format!("{what} takes {expected}, and here is {found}"));
    if example.is_empty() { finding } else { finding.help(format!("for example `{example}`")) }
}

/// Several values where the brackets of their list are missing: `by: a, b`.
pub(crate) fn without_brackets(place: Place, what: &str, items: &str) -> Finding {
    let finding =
        Finding::new(&RULE, place, format!("{what} takes a list, and here are several values without brackets"));
    finding.help(format!("write `{}: [{items}]`", what.trim_matches('`')))
}

/// More entries than anything has.
pub(crate) fn too_many(place: Place, what: &str, most: usize) -> Finding {
    Finding::new(&RULE, place, format!("{what} has more than {most} entries; the rest is not read"))
        .help("split the entity: no engine stores a row of so many columns well")
}
