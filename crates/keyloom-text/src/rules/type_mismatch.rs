use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "type-mismatch",
    level: Level::Error,
    summary: "an operation or assignment whose types do not fit",
    page: include_str!("type_mismatch.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: impl Into<Option<String>>) -> Finding {
    let finding = Finding::new(&RULE, place, message);
    match help.into() {
        Some(help) => finding.help(help),
        None => finding,
    }
}
