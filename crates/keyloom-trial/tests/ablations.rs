//! Rules of the protocol are taken away, and must be missed within a stated number of seeds. These are the ones that any catalog
//! misses soon; the others need days that are made for them, which the world of `crates/keyloom-run/src/tests` has.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that can't go on has failed, and says what it saw"
)]

use keyloom_run::trial::Protocol;
use keyloom_trial::{AS_DESIGNED, On, Tried, catalogs::SMALL};

/// All kinds of days.
const ALL: [u64; 4] = [0, 1, 2, 3];

/// Looks at seeds of the kinds of days on which the rule is needed.
fn missed(rule: &str, catalog: &str, on: On, kinds: &[u64], within: usize, protocol: Protocol) {
    let (name, text) = SMALL.into_iter().find(|(name, _)| *name == catalog).unwrap();
    let tried = Tried::new(name, text, on).unwrap();
    let seeds = (0..).flat_map(|round| kinds.iter().map(move |kind| round * 4 + kind)).take(within);
    let found = seeds.zip(1..).find_map(|(seed, count)| Some((count, seed, tried.check(seed, protocol).err()?)));
    let (count, seed, failure) = found.unwrap_or_else(|| panic!("nobody misses \"{rule}\" in {within} seeds"));
    println!("without \"{rule}\": seed {seed}, after {count} of at most {within}: {}", failure.contradiction.words);
}

#[test]
fn a_decision_without_a_mark_is_caught() {
    missed("marks", "market", On::Wide, &ALL, 500, Protocol { marks: false, ..AS_DESIGNED });
}

#[test]
fn a_worker_that_looks_instead_of_touching_is_caught() {
    missed("touches", "market", On::Wide, &ALL, 1_000, Protocol { touches: false, ..AS_DESIGNED });
}

#[test]
fn a_row_that_does_not_name_what_it_left_is_caught() {
    missed("names stale", "market", On::Wide, &ALL, 200, Protocol { names_stale: false, ..AS_DESIGNED });
}

#[test]
fn a_found_request_that_is_answered_before_it_is_visible_is_caught() {
    missed("shows found", "market", On::Wide, &ALL, 1_000, Protocol { shows_found: false, ..AS_DESIGNED });
}

#[test]
fn a_receipt_after_the_decision_is_caught() {
    missed("receipts first", "market", On::Wide, &ALL, 500, Protocol { receipts_first: false, ..AS_DESIGNED });
}
