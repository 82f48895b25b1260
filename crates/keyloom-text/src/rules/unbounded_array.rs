//! `unbounded-array`: a collection that nothing keeps small.

use keyloom_finding::{Finding, Level, Place, Rule};

/// A list, set or map without a bound; a review of CQL finds them too.
pub static RULE: Rule = Rule {
    name: "unbounded-array",
    level: Level::Error,
    summary: "a list, set or map without a bound",
    page: include_str!("unbounded_array.md"),
};

/// `word` is `list`, `set` or `map`; `written` is the whole type.
pub(crate) fn finding(place: Place, word: &str, written: &str) -> Finding {
    Finding::new(&RULE, place, format!("this {word} has no bound: a row would grow for ever")).help(format!(
        "say how many it holds, typical / p99 / worst: `{written} (3 / 20 / 100)`; if it has no worst case, make it an entity of its own"
    ))
}
