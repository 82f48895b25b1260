use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "more-than-one-hop",
    level: Level::Error,
    summary: "a path that follows two references in a row",
    page: include_str!("more_than_one_hop.md"),
};

pub(crate) fn finding(place: Place, path: &str) -> Finding {
    Finding::new(
        &RULE,
        place,
        format!("`{path}` follows more than one reference; a row may hold copies from one step away"),
    )
    .help("keep the field nearer: a snapshot (`= order.name at create`) on the entity in between, then one step")
}
