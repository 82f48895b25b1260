//! Each guard of the simulated stores is taken away, and the histories must show it within a stated number of seeds.

use super::{Wrong, histories, transactions};
use crate::{ItemStore, Simulation, WideStore, guards::Guards};

/// Looks for a seed whose history is wrong.
fn caught<T>(guard: &str, within: u64, check: impl Fn(u64) -> Result<T, Wrong>) {
    let found = (0..within).find_map(|seed| Some((seed, check(seed).err()?)));
    let (seed, wrong) =
        found.unwrap_or_else(|| panic!("without \"{guard}\" {within} seeds are clean: all are blind to it"));
    println!("without \"{guard}\": caught after {} of at most {within} seeds: {wrong}", seed + 1);
}

fn wide(guards: Guards) -> impl Fn(&Simulation) -> WideStore {
    move |simulation| WideStore::with_guards(simulation, guards)
}

fn items(guards: Guards) -> impl Fn(&Simulation) -> ItemStore {
    move |simulation| ItemStore::with_guards(simulation, guards)
}

#[test]
fn a_quorum_of_one_is_caught() {
    let guards = Guards { quorum: 1, accept_quorum: 1, ..Guards::ALL };
    caught("quorum", 50, |seed| histories::check(seed, wide(guards)));
}

#[test]
fn a_tombstone_that_loses_ties_is_caught() {
    let guards = Guards { tombstones_win_ties: false, ..Guards::ALL };
    caught("tombstones win ties", 50, |seed| histories::check(seed, wide(guards)));
}

#[test]
fn a_commit_without_an_accept_quorum_is_caught() {
    let guards = Guards { accept_quorum: 1, ..Guards::ALL };
    caught("accept quorum", 500, |seed| histories::check(seed, wide(guards)));
}

#[test]
fn a_proposal_that_stays_unfinished_is_caught() {
    let guards = Guards { proposals_are_finished: false, ..Guards::ALL };
    caught("proposals are finished", 500, |seed| histories::check(seed, wide(guards)));
}

#[test]
fn a_doubt_that_is_told_as_not_done_is_caught() {
    let guards = Guards { doubts_are_told: false, ..Guards::ALL };
    caught("doubts are told", 50, |seed| histories::check(seed, wide(guards)));
}

#[test]
fn a_batch_log_that_nobody_replays_is_caught() {
    let guards = Guards { batches_are_replayed: false, ..Guards::ALL };
    caught("batches are replayed", 500, |seed| histories::check(seed, wide(guards)));
}

#[test]
fn a_transaction_that_is_applied_without_a_second_look_is_caught() {
    let guards = Guards { conditions_when_applied: false, ..Guards::ALL };
    caught("conditions when applied", 50, |seed| transactions::check(seed, items(guards)));
}

#[test]
fn a_late_request_that_is_not_judged_is_caught() {
    let guards = Guards { late_requests_judged: false, ..Guards::ALL };
    caught("late requests judged", 50, |seed| histories::check(seed, items(guards)));
}
