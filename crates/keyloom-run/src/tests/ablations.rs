//! Each rule of the protocol is taken away, and must be missed within a stated number of seeds.

use super::{AS_DESIGNED, KINDS, Theme, check, check_in};
use crate::protocol::Protocol;

const ALL: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Looks at seeds of the kinds of days on which the rule is needed.
fn missed(rule: &str, kinds: &[u64], within: u64, protocol: Protocol) {
    let seeds = (0..).flat_map(|round| kinds.iter().map(move |kind| round * KINDS + kind)).take(within as usize);
    let found = seeds.zip(1..).find_map(|(seed, count)| Some((count, check(seed, protocol).err()?)));
    let (count, wrong) = found.unwrap_or_else(|| panic!("nobody misses \"{rule}\" in {within} seeds"));
    println!("without \"{rule}\": after {count} of at most {within} seeds: {wrong}");
}

#[test]
fn a_decision_without_a_mark_is_caught() {
    missed("marks", &ALL, 50, Protocol { marks: false, ..AS_DESIGNED });
}

#[test]
fn a_mark_that_came_too_late_is_caught() {
    missed("marks in time", &[2, 6], 5_000, Protocol { marks_in_time: false, ..AS_DESIGNED });
}

/// A mark in time would be enough where reads end soon; here neither is so.
#[test]
fn a_mark_before_the_read_is_caught() {
    missed("reads first", &[2, 6], 2_000, Protocol { reads_first: false, marks_in_time: false, ..AS_DESIGNED });
}

#[test]
fn a_worker_that_looks_instead_of_touching_is_caught() {
    missed("touches", &ALL, 200, Protocol { touches: false, ..AS_DESIGNED });
}

#[test]
fn an_unknown_that_is_resolved_by_a_read_alone_is_caught() {
    missed("fences", &ALL, 1_000, Protocol { fences: false, ..AS_DESIGNED });
}

#[test]
fn a_reservation_that_is_freed_whatever_its_version_is_caught() {
    missed("frees by version", &[2, 3], 3_000, Protocol { frees_by_version: false, ..AS_DESIGNED });
}

#[test]
fn a_row_that_does_not_name_what_it_left_is_caught() {
    missed("names stale", &ALL, 100, Protocol { names_stale: false, ..AS_DESIGNED });
}

#[test]
fn a_found_request_that_is_answered_before_it_is_visible_is_caught() {
    missed("shows found", &ALL, 200, Protocol { shows_found: false, ..AS_DESIGNED });
}

#[test]
fn a_receipt_after_the_decision_is_caught() {
    missed("receipts first", &ALL, 100, Protocol { receipts_first: false, ..AS_DESIGNED });
}

#[test]
fn a_try_without_a_mark_of_its_own_is_caught() {
    missed("marks again", &[2, 6], 3_000, Protocol { marks_again: false, ..AS_DESIGNED });
}

#[test]
fn a_mark_that_does_not_name_unique_values_is_caught() {
    missed("marks uniques", &ALL, 200, Protocol { marks_uniques: false, ..AS_DESIGNED });
}

#[test]
fn a_late_claim_that_nobody_stops_is_caught() {
    missed("touches reservations", &[0, 1, 2], 3_000, Protocol { touches_reservations: false, ..AS_DESIGNED });
}

#[test]
fn a_claim_without_a_new_version_is_caught() {
    missed("claims again", &ALL, 3_000, Protocol { claims_again: false, ..AS_DESIGNED });
}

/// The same for clients that do something else.
fn missed_in(theme: Theme, rule: &str, mut seeds: std::ops::Range<u64>, protocol: Protocol) {
    let all = seeds.clone();
    let found = seeds.find_map(|seed| Some((seed, check_in(theme, seed, protocol).err()?)));
    let (seed, wrong) = found.unwrap_or_else(|| panic!("nobody misses \"{rule}\" in the seeds {all:?}"));
    println!("without \"{rule}\": seed {seed} of {all:?}: {wrong}");
}

#[test]
fn a_value_of_an_ended_row_that_is_not_decided_gone_is_caught() {
    missed_in(Theme::Passes, "ends first", 0..500, Protocol { ends_first: false, ..AS_DESIGNED });
}

#[test]
fn a_refusal_of_a_repeat_that_is_not_decided_is_caught() {
    missed_in(Theme::Passes, "decides refusals", 0..500, Protocol { decides_refusals: false, ..AS_DESIGNED });
}

#[test]
fn a_part_that_does_not_look_again_is_caught() {
    missed_in(Theme::Files, "parts look again", 0..3_000, Protocol { parts_look_again: false, ..AS_DESIGNED });
}

#[test]
fn a_walk_that_does_not_look_at_the_whole_is_caught() {
    missed_in(Theme::Files, "looks at whole", 5_200..5_650, Protocol { looks_at_whole: false, ..AS_DESIGNED });
}

#[test]
fn a_whole_that_comes_again_before_its_parts_are_gone_is_caught() {
    missed_in(Theme::Files, "fells first", 0..3_000, Protocol { fells_first: false, ..AS_DESIGNED });
}

#[test]
fn a_decision_that_parts_follow_without_a_mark_is_caught() {
    missed_in(Theme::FilesOnItems, "marks", 0..1_000, Protocol { marks: false, ..AS_DESIGNED });
}

#[test]
fn a_mark_of_a_decision_with_companions_that_is_looked_at_instead_of_touched_is_caught() {
    missed_in(Theme::FilesOnItems, "touches", 0..3_000, Protocol { touches: false, ..AS_DESIGNED });
}

#[test]
fn a_group_that_is_read_before_its_version_is_caught() {
    missed("versions first", &[4, 5, 6, 7], 5_000, Protocol { versions_first: false, ..AS_DESIGNED });
}

#[test]
fn a_count_before_what_is_counted_is_caught() {
    missed("places first", &[4, 5, 6, 7], 200, Protocol { places_first: false, ..AS_DESIGNED });
}

#[test]
fn a_group_that_was_left_and_is_not_counted_again_is_caught() {
    missed("recounts left", &[4, 5, 6, 7], 200, Protocol { recounts_left: false, ..AS_DESIGNED });
}

#[test]
fn a_group_that_is_forgotten_before_it_is_counted_is_caught() {
    missed("recounts dropped", &[4, 5, 6, 7], 10_000, Protocol { recounts_dropped: false, ..AS_DESIGNED });
}
