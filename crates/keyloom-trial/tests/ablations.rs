//! Rules of the protocol are taken away, and must be missed within a stated number of seeds. Those that a small catalog misses soon
//! are taken away here; the others need days that are made for them, which the world of `crates/keyloom-run/src/tests` has.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that can't go on has failed, and says what it saw"
)]

use std::ops::Range;

use keyloom_trial::{AS_DESIGNED, On, Tried, rules, without};

/// Looks at some seeds in which a rule was found to be missed: a longer walk to the first of them would find it too.
fn missed(rule: &str, catalog: &str, on: On, mut seeds: Range<u64>) {
    let tried = Tried::named(catalog, on).unwrap().unwrap_or_else(|words| panic!("{catalog}: {words}"));
    let protocol = without(rule).unwrap_or_else(|| panic!("there is no rule `{rule}`"));
    let all = seeds.clone();
    let found = seeds.find_map(|seed| Some((seed, tried.check(seed, protocol).err()?)));
    let (seed, failure) = found.unwrap_or_else(|| panic!("nobody misses `{rule}` in the seeds {all:?}"));
    println!("without `{rule}`: seed {seed} of {all:?}: {}", failure.contradiction.words);
}

/// A test for each line: the rule, and the catalogs, stores and seeds in which it is missed.
macro_rules! missed {
    ($($test:ident: $rule:literal, $([$catalog:literal, $on:ident, $seeds:expr]),+;)+) => {
        /// The rules that are missed here.
        const HERE: &[&str] = &[$($rule),+];

        $(#[test]
        fn $test() {
            $(missed($rule, $catalog, On::$on, $seeds);)+
        })+
    };
}

missed! {
    a_decision_without_a_mark_is_caught: "marks", ["market", Wide, 0..500];
    a_row_that_is_added_and_counted_without_a_mark_is_caught: "marks", ["stock", Items, 0..1_000];
    a_mark_that_came_too_late_is_caught: "marks_in_time", ["market", Wide, 0..500];
    a_mark_before_the_read_is_caught: "reads_first", ["market", Wide, 3_500..3_600];
    a_worker_that_looks_instead_of_touching_is_caught: "touches", ["market", Wide, 0..1_000];
    a_reservation_that_is_freed_whatever_its_version_is_caught: "frees_by_version", ["passes", Wide, 700..800];
    a_claim_without_a_new_version_is_caught: "claims_again", ["passes", Wide, 100..200];
    a_value_of_an_ended_row_that_is_not_decided_gone_is_caught: "ends_first", ["passes", Wide, 900..1_000];
    a_row_that_does_not_name_what_it_left_is_caught: "names_stale", ["market", Wide, 0..200];
    a_found_request_that_is_answered_before_it_is_visible_is_caught: "shows_found", ["market", Wide, 0..1_000];
    a_receipt_after_the_decision_is_caught: "receipts_first", ["market", Wide, 0..500];
    a_repeat_that_goes_to_another_row_is_caught:
        "registers", ["passes", Wide, 0..500], ["passes", Items, 0..500], ["passes", Model, 0..500];
    a_row_that_is_changed_by_a_value_that_has_left_it_is_caught:
        "looks_at_value", ["passes", Wide, 0..500], ["passes", Items, 0..500], ["passes", Model, 0..500];
    a_copy_that_is_looked_at_too_early_is_caught:
        "copies_hold", ["rush", Wide, 3_700..3_750], ["rush", Items, 200..300], ["rush", Model, 1_000..1_100];
    a_copy_that_is_placed_without_a_touch_is_caught: "touches_copiers", ["board", Wide, 0..1_000];
    a_change_that_nobody_follows_is_caught:
        "walks_copiers", ["board", Wide, 0..100], ["board", Items, 0..100], ["board", Model, 0..100];
    a_row_that_is_put_before_its_lists_is_caught: "places_together", ["flags", Items, 0..1_000];
    a_put_that_does_not_look_behind_itself_is_caught: "looks_behind", ["flags", Items, 0..100];
    a_group_that_is_read_before_its_version_is_caught: "versions_first", ["stock", Wide, 800..900];
    a_count_before_what_is_counted_is_caught: "places_first", ["stock", Wide, 0..100];
    a_group_that_was_left_and_is_not_counted_again_is_caught: "recounts_left", ["stock", Wide, 0..100];
    an_end_without_a_mark_is_caught:
        "marks_ends", ["leases", Wide, 0..20], ["leases", Items, 0..20], ["leases", Model, 0..20];
    an_end_that_moved_and_is_not_looked_at_is_caught:
        "looks_at_ends", ["leases", Wide, 0..50], ["leases", Items, 0..50], ["leases", Model, 0..50];
    an_end_that_comes_after_its_mark_was_settled_is_caught: "touches_ends", ["leases", Model, 350..450];
    a_count_by_a_clock_that_is_behind_is_caught: "counts_forward", ["knocks", Model, 4_250..4_300];
    a_list_that_still_shows_what_its_caller_changed_is_caught: "drops_seen", ["market", Indexed, 0..500];
    a_source_row_that_is_older_than_what_was_seen_is_caught: "looks_at_seen_again", ["market", Indexed, 0..500];
    a_row_that_is_put_beyond_what_was_read_is_caught: "seen_in_place", ["market", Indexed, 0..500];
    a_bucket_whose_name_is_not_awaited_is_caught:
        "names_first", ["ledger", Wide, 0..1_000], ["ledger", Items, 0..1_000];
    a_bucket_whose_name_ends_before_its_rows_is_caught:
        "names_outlast", ["ledger", Wide, 0..100], ["ledger", Items, 0..100], ["ledger", Model, 0..100];
}

/// The days that are made for the rules that are not missed here.
const DAYS: &str = include_str!("../../keyloom-run/src/tests/ablations.rs");
const CHANGES: &str = include_str!("../../keyloom-run/src/tests/change.rs");
const REPAIRS: &str = include_str!("../../keyloom-run/src/tests/repair.rs");

/// The rules that are missed there.
const THERE: [(&str, &str); 13] = [
    ("fences", DAYS),
    ("marks_again", DAYS),
    ("marks_uniques", DAYS),
    ("touches_reservations", DAYS),
    ("looks_at_whole", DAYS),
    ("parts_look_again", DAYS),
    ("fells_first", DAYS),
    ("decides_refusals", DAYS),
    ("recounts_dropped", DAYS),
    ("repairs_by_version", REPAIRS),
    ("waits_for_terms", CHANGES),
    ("drains", CHANGES),
    ("removes_first", CHANGES),
];

/// A rule that nobody can miss would be one that nobody needs.
#[test]
fn every_rule_is_missed_somewhere() {
    let all = format!("{AS_DESIGNED:?}");
    let switches: Vec<&str> = all
        .trim_start_matches("Protocol {")
        .split([',', '}'])
        .filter_map(|member| member.trim().strip_suffix(": true"))
        .collect();
    assert!(switches.len() > 30, "the rules can't be read off: {all}");
    for rule in switches {
        assert!(rules().any(|known| known == rule), "`{rule}` can't be taken away: it belongs into `rules.rs`");
        let there = THERE.iter().any(|(known, text)| *known == rule && text.contains(&format!("{rule}: false")));
        assert!(HERE.contains(&rule) || there, "nobody misses `{rule}`: it needs a line above");
    }
}
