use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "comma-in-braces",
    level: Level::Error,
    summary: "a comma inside `{ }` or `[ ]` cut a value in two",
    page: include_str!("comma_in_braces.md"),
};

pub(crate) fn finding(place: Place, whole: &str) -> Finding {
    let help = if whole.contains("max") || whole.contains("min") {
        "a size is written `text(80..400)`, without a comma; else put the value in quotes".to_owned()
    } else {
        format!("put the value in quotes: \"{whole}\"")
    };
    Finding::new(&RULE, place, "a comma inside braces cut this value in two").help(help)
}
