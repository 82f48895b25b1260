use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "cyclic-include",
    level: Level::Error,
    summary: "a file includes itself, directly or through others",
    page: include_str!("cyclic_include.md"),
};

pub(crate) fn finding(place: Place, chain: &str) -> Finding {
    Finding::new(&RULE, place, format!("this include leads back to its own file: {chain}"))
        .help("include each file once, from the top; names are shared by all files of a catalog")
}
