use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-value",
    level: Level::Error,
    summary: "a number, unit, rate, share, date or word can't be read",
    page: include_str!("bad_value.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: Option<String>) -> Finding {
    let finding = Finding::new(&RULE, place, message);
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}
