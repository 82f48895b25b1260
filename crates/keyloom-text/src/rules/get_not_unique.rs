use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "get-not-unique",
    level: Level::Error,
    summary: "a `get`, `update` or `delete` by something that may match several rows",
    page: include_str!("get_not_unique.md"),
};

pub(crate) fn finding(place: Place, verb: &str, entity: &str, by: &str, key: &str, uniques: &str) -> Finding {
    let finding = Finding::new(
        &RULE,
        place,
        format!("`{verb} {entity} by [{by}]` may find several rows: [{by}] is neither the key nor a unique"),
    );
    let identity = if uniques.is_empty() {
        format!("the key is [{key}]")
    } else {
        format!("the key is [{key}], unique are {uniques}")
    };
    match verb {
        "get" => finding.help(format!("did you mean `list`, or is it `unique`? {identity}")),
        _ => finding.help(format!("name one row: {identity}")),
    }
}
