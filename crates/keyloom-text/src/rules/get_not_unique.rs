use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_model::Entity;

pub(crate) static RULE: Rule = Rule {
    name: "get-not-unique",
    level: Level::Error,
    summary: "a `get`, `update` or `delete` by something that may match several rows",
    page: include_str!("get_not_unique.md"),
};

/// `by` is empty for `by: all`.
pub(crate) fn finding(place: Place, verb: &str, entity: &Entity, by: &[&str]) -> Finding {
    let list = |fields: &[String]| format!("[{}]", fields.join(", "));
    let identity = match entity.unique.as_slice() {
        [] => format!("the key is {}", list(&entity.key)),
        uniques => {
            let uniques: Vec<String> = uniques.iter().map(|unique| list(&unique.fields)).collect();
            format!("the key is {}, unique are {}", list(&entity.key), uniques.join(", "))
        }
    };
    let by_list = by.join(", ");
    if by.is_empty() {
        let message =
            format!("`{verb}: {}` without a field in `by` means every row, and `{verb}` is about one", entity.name);
        return Finding::new(&RULE, place, message).help(format!("name one row: {identity}"));
    }
    let message = format!(
        "`{verb}: {}, by: [{by_list}]` may find several rows: [{by_list}] is neither the key nor a unique",
        entity.name
    );
    let finding = Finding::new(&RULE, place, message);
    match verb {
        "get" => finding.help(format!(
            "did you mean `list`? If there is never more than one, say so: `unique: {{ {}_taken: [{by_list}] }}`; {identity}",
            by.join("_and_")
        )),
        _ => finding.help(format!("name one row: {identity}")),
    }
}
