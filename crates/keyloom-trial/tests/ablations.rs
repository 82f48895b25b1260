//! Rules of the protocol are taken away, and must be missed within a stated number of seeds. These are the ones that any catalog
//! misses soon; the others need days that are made for them, which the world of `crates/keyloom-run/src/tests` has.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that can't go on has failed, and says what it saw"
)]

use std::ops::Range;

use keyloom_trial::{On, Tried, catalogs::SMALL, without};

/// Looks at some seeds in which a rule was found to be missed: a longer walk to the first of them would find it too.
fn missed(rule: &str, catalog: &str, on: On, mut seeds: Range<u64>) {
    let (name, text) = SMALL.into_iter().find(|(name, _)| *name == catalog).unwrap();
    let tried = Tried::new(name, text, on).unwrap();
    let protocol = without(rule).unwrap_or_else(|| panic!("there is no rule `{rule}`"));
    let all = seeds.clone();
    let found = seeds.find_map(|seed| Some((seed, tried.check(seed, protocol).err()?)));
    let (seed, failure) = found.unwrap_or_else(|| panic!("nobody misses `{rule}` in the seeds {all:?}"));
    println!("without `{rule}`: seed {seed} of {all:?}: {}", failure.contradiction.words);
}

#[test]
fn a_decision_without_a_mark_is_caught() {
    missed("marks", "market", On::Wide, 0..500);
}

#[test]
fn a_worker_that_looks_instead_of_touching_is_caught() {
    missed("touches", "market", On::Wide, 0..1_000);
}

#[test]
fn a_row_that_does_not_name_what_it_left_is_caught() {
    missed("names_stale", "market", On::Wide, 0..200);
}

#[test]
fn a_found_request_that_is_answered_before_it_is_visible_is_caught() {
    missed("shows_found", "market", On::Wide, 0..1_000);
}

#[test]
fn a_receipt_after_the_decision_is_caught() {
    missed("receipts_first", "market", On::Wide, 0..500);
}

#[test]
fn a_repeat_that_goes_to_another_row_is_caught() {
    missed("registers", "passes", On::Wide, 0..500);
    missed("registers", "passes", On::Items, 0..500);
    missed("registers", "passes", On::Model, 0..500);
}

#[test]
fn a_row_that_is_changed_by_a_value_that_has_left_it_is_caught() {
    missed("looks_at_value", "passes", On::Wide, 0..500);
    missed("looks_at_value", "passes", On::Items, 0..500);
    missed("looks_at_value", "passes", On::Model, 0..500);
}

#[test]
fn a_copy_that_is_looked_at_too_early_is_caught() {
    missed("copies_hold", "rush", On::Wide, 14_500..14_700);
    missed("copies_hold", "rush", On::Items, 0..1_000);
    missed("copies_hold", "rush", On::Model, 0..1_000);
}

#[test]
fn a_copy_that_is_placed_without_a_touch_is_caught() {
    missed("touches_copiers", "board", On::Wide, 0..1_000);
}

#[test]
fn a_change_that_nobody_follows_is_caught() {
    missed("walks_copiers", "board", On::Wide, 0..100);
    missed("walks_copiers", "board", On::Items, 0..100);
    missed("walks_copiers", "board", On::Model, 0..100);
}

#[test]
fn a_row_that_is_added_and_counted_without_a_mark_is_caught() {
    missed("marks", "stock", On::Items, 0..1_000);
}

#[test]
fn a_row_that_is_put_before_its_lists_is_caught() {
    missed("places_together", "flags", On::Items, 0..1_000);
}

#[test]
fn a_put_that_does_not_look_behind_itself_is_caught() {
    missed("looks_behind", "flags", On::Items, 0..100);
}
