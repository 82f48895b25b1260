use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "two-types",
    level: Level::Error,
    summary: "one input with two types",
    page: include_str!("two_types.md"),
};

pub(crate) fn finding(place: Place, first: Place, name: &str, here: &str, there: &str) -> Finding {
    Finding::new(&RULE, place, format!("`${name}` is {here} here and {there} there"))
        .label(here.to_owned())
        .related(first, there)
        .help(if here == "text" || there == "text" {
            format!("use `text(${name})` where text is wanted, or two names")
        } else {
            "use two names".to_owned()
        })
}

/// An input whose type nothing decides.
pub(crate) fn untyped(place: Place, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("nothing says what type `${name}` has"))
        .help("compare it with a field, or set a field to it; its type follows from there")
}
