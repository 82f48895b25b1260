//! Each rule of the protocol is taken away, and must be missed within a stated number of seeds.

use super::{AS_DESIGNED, check};
use crate::protocol::Protocol;

fn missed(rule: &str, within: u64, protocol: Protocol) {
    let found = (0..within).find_map(|seed| Some((seed, check(seed, protocol).err()?)));
    let (seed, wrong) = found.unwrap_or_else(|| panic!("nobody misses \"{rule}\" in {within} seeds"));
    println!("without \"{rule}\": after {} of at most {within} seeds: {wrong}", seed + 1);
}

#[test]
fn a_decision_without_a_mark_is_caught() {
    missed("marks", 200, Protocol { marks: false, ..AS_DESIGNED });
}

#[test]
fn a_mark_before_the_read_is_caught() {
    missed("reads first", 5_000, Protocol { reads_first: false, ..AS_DESIGNED });
}

#[test]
fn a_worker_that_looks_instead_of_touching_is_caught() {
    missed("touches", 5_000, Protocol { touches: false, ..AS_DESIGNED });
}

#[test]
fn an_unknown_that_is_resolved_by_a_read_alone_is_caught() {
    missed("fences", 2_000, Protocol { fences: false, ..AS_DESIGNED });
}

#[test]
fn a_reservation_that_is_freed_whatever_its_version_is_caught() {
    missed("frees by version", 5_000, Protocol { frees_by_version: false, ..AS_DESIGNED });
}

#[test]
fn a_row_that_does_not_name_what_it_left_is_caught() {
    missed("names stale", 200, Protocol { names_stale: false, ..AS_DESIGNED });
}

#[test]
fn a_found_request_that_is_answered_before_it_is_visible_is_caught() {
    missed("shows found", 5_000, Protocol { shows_found: false, ..AS_DESIGNED });
}

#[test]
fn a_receipt_after_the_decision_is_caught() {
    missed("receipts first", 5_000, Protocol { receipts_first: false, ..AS_DESIGNED });
}
