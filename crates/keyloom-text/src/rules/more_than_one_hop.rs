use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "more-than-one-hop",
    level: Level::Error,
    summary: "a path that follows two references in a row",
    page: include_str!("more_than_one_hop.md"),
};

/// `bed.ward.name`: `between` is the entity that `first` leads to, `rest` what is wanted from there.
pub(crate) fn finding(place: Place, path: &str, between: &str, first: &str, rest: &str) -> Finding {
    let nearer = rest.replace('.', "_");
    Finding::new(
        &RULE,
        place,
        format!("`{path}` follows more than one reference; a row may hold copies from one step away"),
    )
    .help(format!("give {between} a copy of its own, `{nearer}: .. = {rest} at create`, and use `{first}.{nearer}`"))
}
