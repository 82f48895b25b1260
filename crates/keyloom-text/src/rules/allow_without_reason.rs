//! An `allow` that does not say why.

use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "allow-without-reason",
    level: Level::Error,
    summary: "an `allow` that does not say why",
    page: include_str!("allow_without_reason.md"),
};

pub(crate) fn finding(place: Place, rule: &str) -> Finding {
    Finding::new(&RULE, place, format!("this `allow` of {rule} does not say why")).help(format!(
        "write `{{ rule: {rule}, because: ... }}`, so that the next reader can judge whether it still holds"
    ))
}

/// The same for an allowance that is written as a comment.
pub fn in_comment(place: Place, rule: &str) -> Finding {
    Finding::new(&RULE, place, format!("this `allow` of {rule} does not say why")).help(format!(
        "write `keyloom: allow {rule} because '...'`, so that the next reader can judge whether it still holds"
    ))
}
