//! What the wide store does that the contract leaves open: replicas differ, hints come late, proposals outlive their
//! proposers.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod common;

use std::time::Duration;

use common::{create, decide, numbers, place, version};
use keyloom_sim::{Faults, Simulation, WideStore};
use keyloom_store::{Discipline, Expect, Fault, Freshness, Millis};

fn world(seed: u64, faults: Faults, discipline: Discipline) -> (Simulation, WideStore) {
    let simulation = Simulation::new(seed, faults);
    let store = WideStore::new(&simulation);
    create(&simulation, &store, numbers("numbers", discipline));
    (simulation, store)
}

/// Of 100 acknowledged placements with lossy replicas: how many are seen by every one of 20 reads of any replica, at once
/// and after a quiet tail.
fn seen_everywhere(hint: f64) -> (u32, u32, u32) {
    let (mut acknowledged, mut at_once, mut later) = (0, 0, 0);
    for seed in 0..100 {
        let faults = Faults { lose_replica_message: 0.15, hint, ..Faults::none() };
        let (simulation, store) = world(seed, faults, Discipline::Placed);
        let placed = simulation.block_on(place(&store, 1, None, Millis(0))).unwrap();
        simulation.set_faults(Faults::none());
        if placed.is_err() {
            continue;
        }
        acknowledged += 1;
        assert_eq!(simulation.block_on(version(&store, Freshness::Settled, Millis(0))).unwrap(), Ok(Some(1)));
        let everywhere = |simulation: &Simulation| {
            let seen = (0..20)
                .filter(|_| simulation.block_on(version(&store, Freshness::Any, Millis(0))).unwrap() == Ok(Some(1)));
            u32::from(seen.count() == 20)
        };
        at_once += everywhere(&simulation);
        simulation.run().unwrap();
        later += everywhere(&simulation);
    }
    (acknowledged, at_once, later)
}

#[test]
fn a_lost_message_reaches_a_replica_late_as_a_hint_or_never() {
    let (acknowledged, at_once, later) = seen_everywhere(1.0);
    assert!(at_once < acknowledged, "a quorum is not all: {at_once} of {acknowledged}");
    assert_eq!(later, acknowledged, "every hint arrives");
    let (acknowledged, at_once, later) = seen_everywhere(0.0);
    assert!(at_once < acknowledged && later < acknowledged, "without hints some never get it");
}

#[test]
fn a_proposal_is_finished_by_a_stranger_long_after_its_proposer_gave_up() {
    let mut finished = 0;
    for seed in 0..300 {
        let faults = Faults { lose_replica_message: 0.3, ..Faults::none() };
        let (simulation, store) = world(seed, faults, Discipline::Decided);
        let answer = simulation.block_on(decide(&store, Expect::Absent, 1, None, Millis(0))).unwrap();
        simulation.set_faults(Faults::none());
        simulation.run().unwrap();
        let settled = simulation.block_on(version(&store, Freshness::Settled, Millis(0))).unwrap();
        if !matches!(answer, Err(Fault::Unknown(_))) || settled != Ok(None) {
            continue;
        }
        let clock = simulation.clock();
        let fresh = simulation
            .block_on(async {
                clock.sleep(Duration::from_secs(3_600)).await;
                version(&store, Freshness::Fresh, Millis(0)).await
            })
            .unwrap();
        finished += u32::from(fresh == Ok(Some(1)));
    }
    assert!(finished >= 3, "in {finished} of 300 runs a row came out of nothing an hour later");
}

#[test]
fn without_a_quorum_of_replicas_nothing_is_begun() {
    let faults = Faults { replica_down: 1.0, replica_ill_max: Duration::from_secs(60), ..Faults::none() };
    let (simulation, store) = world(1, faults, Discipline::Placed);
    let first = simulation.block_on(place(&store, 1, None, Millis(0))).unwrap();
    assert!(matches!(first, Err(Fault::Unknown(_))), "they went down at this very message: {first:?}");
    let second = simulation.block_on(place(&store, 1, None, Millis(0))).unwrap();
    assert!(matches!(second, Err(Fault::NotDone(_))), "{second:?}");
    simulation.set_faults(Faults::none());
    let clock = simulation.clock();
    let third = simulation.block_on(async {
        clock.sleep(Duration::from_secs(60)).await;
        place(&store, 1, None, Millis(0)).await
    });
    assert_eq!(third.unwrap(), Ok(()), "they come back by themselves");
}

#[test]
fn a_dead_row_fences_older_placements_for_its_grace_and_not_for_ever() {
    let (simulation, store) = world(1, Faults::none(), Discipline::Placed);
    let clock = simulation.clock();
    simulation
        .block_on(async {
            place(&store, 5, Some(clock.now().plus(1_000)), clock.now()).await.unwrap();
            // The last replica has it a moment after the quorum.
            clock.sleep(Duration::from_secs(1_800)).await;
            for _ in 0..20 {
                place(&store, 4, None, clock.now()).await.unwrap();
                assert_eq!(version(&store, Freshness::Settled, clock.now()).await, Ok(None), "within grace");
            }
            clock.sleep(Duration::from_secs(3_600)).await;
            for _ in 0..20 {
                place(&store, 4, None, clock.now()).await.unwrap();
            }
            assert_eq!(version(&store, Freshness::Settled, clock.now()).await, Ok(Some(4)), "forgotten");
        })
        .unwrap();
}
