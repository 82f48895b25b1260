//! The rules of the protocol by name, so that each can be taken away.

use keyloom_run::trial::Protocol;

use crate::trial::AS_DESIGNED;

/// A rule, and how it is taken away.
type Rule = (&'static str, fn(&mut Protocol));

const RULES: [Rule; 42] = [
    ("waits_for_terms", |it| it.waits_for_terms = false),
    // What is late would be waited for as well.
    ("removes_first", |it| (it.removes_first, it.arrives_ms) = (false, 0)),
    ("drains", |it| (it.drains, it.arrives_ms) = (false, 0)),
    ("marks", |it| it.marks = false),
    ("marks_again", |it| it.marks_again = false),
    ("marks_uniques", |it| it.marks_uniques = false),
    ("marks_in_time", |it| it.marks_in_time = false),
    // A mark in time would be enough where reads end soon; here neither is so.
    ("reads_first", |it| (it.reads_first, it.marks_in_time) = (false, false)),
    ("touches", |it| it.touches = false),
    ("touches_reservations", |it| it.touches_reservations = false),
    ("fences", |it| it.fences = false),
    ("claims_again", |it| it.claims_again = false),
    ("frees_by_version", |it| it.frees_by_version = false),
    ("ends_first", |it| it.ends_first = false),
    ("names_stale", |it| it.names_stale = false),
    ("shows_found", |it| it.shows_found = false),
    ("decides_refusals", |it| it.decides_refusals = false),
    ("registers", |it| it.registers = false),
    ("looks_at_value", |it| it.looks_at_value = false),
    ("looks_at_whole", |it| it.looks_at_whole = false),
    ("parts_look_again", |it| it.parts_look_again = false),
    ("fells_first", |it| it.fells_first = false),
    ("copies_hold", |it| it.copies_hold = false),
    ("touches_copiers", |it| it.touches_copiers = false),
    ("walks_copiers", |it| it.walks_copiers = false),
    ("receipts_first", |it| it.receipts_first = false),
    ("repairs_by_version", |it| it.repairs_by_version = false),
    ("versions_first", |it| it.versions_first = false),
    ("places_first", |it| it.places_first = false),
    ("counts_forward", |it| it.counts_forward = false),
    ("marks_ends", |it| it.marks_ends = false),
    ("touches_ends", |it| it.touches_ends = false),
    ("looks_at_ends", |it| it.looks_at_ends = false),
    ("recounts_left", |it| it.recounts_left = false),
    ("recounts_dropped", |it| it.recounts_dropped = false),
    ("places_together", |it| it.places_together = false),
    ("looks_behind", |it| it.looks_behind = false),
    ("drops_seen", |it| it.drops_seen = false),
    ("looks_at_seen_again", |it| it.looks_at_seen_again = false),
    ("seen_in_place", |it| it.seen_in_place = false),
    ("names_first", |it| it.names_first = false),
    ("names_outlast", |it| it.names_outlast = false),
];

/// As designed but for one rule; `None` where there is none of that name.
pub fn without(rule: &str) -> Option<Protocol> {
    let (_, take) = RULES.iter().find(|(name, _)| *name == rule)?;
    let mut protocol = AS_DESIGNED;
    take(&mut protocol);
    Some(protocol)
}

/// The names of all rules.
pub fn rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name)
}
