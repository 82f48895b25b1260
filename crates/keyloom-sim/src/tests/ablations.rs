//! Each guard of the simulated stores is taken away, and the histories must show it within a stated number of seeds.

use super::{Wrong, decisions, placements, together, transactions};
use crate::{ItemStore, WideStore, guards::Guards};

/// Looks for a seed whose history is wrong.
fn caught(guard: &str, within: u64, check: impl Fn(u64) -> Result<(), Wrong>) {
    for seed in 0..within {
        if let Err(wrong) = check(seed) {
            println!("without \"{guard}\": caught by seed {seed} of at most {within}: {wrong}");
            return;
        }
    }
    panic!("without \"{guard}\" {within} seeds are clean: the histories are blind to it");
}

fn wide(
    guards: Guards,
    check: impl Fn(u64, &dyn Fn(&crate::Simulation) -> WideStore) -> Result<(), Wrong>,
) -> impl Fn(u64) -> Result<(), Wrong> {
    move |seed| check(seed, &|simulation| WideStore::with_guards(simulation, guards))
}

fn items(
    guards: Guards,
    check: impl Fn(u64, &dyn Fn(&crate::Simulation) -> ItemStore) -> Result<(), Wrong>,
) -> impl Fn(u64) -> Result<(), Wrong> {
    move |seed| check(seed, &|simulation| ItemStore::with_guards(simulation, guards))
}

#[test]
fn a_quorum_of_one_is_caught() {
    let guards = Guards { quorum: 1, accept_quorum: 1, ..Guards::ALL };
    caught("quorum, decisions", 100, wide(guards, |seed, fresh| decisions::check(seed, fresh)));
    caught("quorum, placements", 200, wide(guards, |seed, fresh| placements::check(seed, fresh)));
}

#[test]
fn a_tombstone_that_loses_ties_is_caught() {
    let guards = Guards { tombstones_win_ties: false, ..Guards::ALL };
    caught("tombstones win ties", 100, wide(guards, |seed, fresh| placements::check(seed, fresh)));
}

#[test]
fn a_commit_without_an_accept_quorum_is_caught() {
    let guards = Guards { accept_quorum: 1, ..Guards::ALL };
    caught("accept quorum", 500, wide(guards, |seed, fresh| decisions::check(seed, fresh)));
}

#[test]
fn an_unfinished_proposal_that_stays_unfinished_is_caught() {
    let guards = Guards { proposals_are_finished: false, ..Guards::ALL };
    caught("proposals are finished", 500, wide(guards, |seed, fresh| decisions::check(seed, fresh)));
}

#[test]
fn a_doubt_that_is_told_as_not_done_is_caught() {
    let guards = Guards { doubts_are_told: false, ..Guards::ALL };
    caught("doubts are told", 100, wide(guards, |seed, fresh| decisions::check(seed, fresh)));
}

#[test]
fn a_batch_log_that_nobody_replays_is_caught() {
    let guards = Guards { batches_are_replayed: false, ..Guards::ALL };
    caught("batches are replayed", 500, wide(guards, |seed, fresh| together::check(seed, fresh)));
}

#[test]
fn a_transaction_that_is_applied_without_a_second_look_is_caught() {
    let guards = Guards { conditions_when_applied: false, ..Guards::ALL };
    caught("conditions when applied", 100, items(guards, |seed, fresh| transactions::check(seed, fresh)));
}

#[test]
fn a_late_request_that_is_not_judged_is_caught() {
    let guards = Guards { late_requests_judged: false, ..Guards::ALL };
    caught("late requests judged", 100, items(guards, |seed, fresh| decisions::check(seed, fresh)));
}
