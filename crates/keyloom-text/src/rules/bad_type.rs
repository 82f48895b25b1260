use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-type",
    level: Level::Error,
    summary: "a field's type can't be read",
    page: include_str!("bad_type.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: Option<String>) -> Finding {
    let finding = Finding::new(&RULE, place, message);
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}
