use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_model::Date;

use crate::config::nearest_rule;

pub(crate) static RULE: Rule = Rule {
    name: "unused-allow",
    level: Level::Warning,
    summary: "an `allow` that allows nothing, has expired, or names no rule",
    page: include_str!("unused_allow.md"),
};

pub(crate) fn unused(place: Option<Place>, rule: &str) -> Finding {
    Finding::new(&RULE, place, format!("nothing here breaks {rule}, so this `allow` allows nothing")).help("remove it")
}

pub(crate) fn expired(place: Option<Place>, rule: &str, until: Date) -> Finding {
    Finding::new(&RULE, place, format!("this `allow` of {rule} held until {until}"))
        .help("mend what it allowed, or give it a new day and a reason that still holds")
        .depends_on_today()
}

pub(crate) fn not_to_be_allowed(place: Option<Place>, rule: &str) -> Finding {
    Finding::new(&RULE, place, format!("{rule} can't be allowed: it is a fault of the catalog itself"))
        .help("mend what it finds, and remove this `allow`")
}

/// A comment that is meant as an allowance and can't be read as one.
pub(crate) fn misread(place: Place, what: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what}, so it allows nothing"))
        .help("write `keyloom: allow full-scan because 'nightly, 200 rows' until 2027-03-01`; the day may be left out")
}

pub(crate) fn no_such_rule(place: Option<Place>, rule: &str) -> Finding {
    let finding = Finding::new(&RULE, place, format!("there is no rule `{rule}`"));
    match nearest_rule(rule) {
        Some(nearest) => finding.help(format!("did you mean `{nearest}`?")),
        None => finding.help("`keyloom explain` lists all rules"),
    }
}
