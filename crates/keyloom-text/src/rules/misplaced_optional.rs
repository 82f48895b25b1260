use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "misplaced-optional",
    level: Level::Error,
    summary: "an optional input where leaving it out has no meaning",
    page: include_str!("misplaced_optional.md"),
};

/// `$x?` below an `or`, a `not`, or outside of a test.
pub(crate) fn finding(place: Place, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("`${name}?` stands where leaving it out has no meaning"))
        .help("drop the `?`: an input that is left out takes its whole test with it, so it may stand only in tests that `and` joins at the top of `where` or `if`; a write of what is sent says `any_of: [..]`")
}

/// More than three.
pub(crate) fn too_many(place: Place, count: usize) -> Finding {
    Finding::new(&RULE, place, format!("{count} optional inputs would make {} different reads of one pattern; at most three (eight reads) are allowed", 1_u64 << count.min(40)))
        .help("split it into the patterns that callers really use")
}
