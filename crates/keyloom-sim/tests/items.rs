//! What the item store does that the contract leaves open: indexes lag, reads may be old, expiry is lazy.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod common;

use std::time::Duration;

use common::{by_number, create, decide, numbers, place, version};
use keyloom_sim::{Faults, ItemStore, Simulation};
use keyloom_store::{Discipline, Expect, Fault, Freshness, Inspect, Millis, Range, Slice, Store, TableId, Verdict};
use keyloom_value::Value;

fn world(seed: u64, faults: Faults, discipline: Discipline) -> (Simulation, ItemStore) {
    let simulation = Simulation::new(seed, faults);
    let store = ItemStore::new(&simulation);
    create(&simulation, &store, numbers("numbers", discipline));
    (simulation, store)
}

/// How many rows the index has for a number.
async fn indexed(store: &ItemStore, number: i64) -> usize {
    let slice = Slice {
        table: TableId(1),
        partition: &[Value::Int(number)],
        within: Range::ALL,
        after: None,
        reverse: false,
        rows_max: 10,
        bytes_max: 1_000,
        freshness: Freshness::Any,
        now: Millis(0),
    };
    store.slice(slice).await.unwrap().rows.len()
}

#[test]
fn an_index_lags_and_keeps_the_order_of_an_items_changes() {
    let mut lagged = 0;
    for seed in 0..50 {
        let (simulation, store) = world(seed, Faults::none(), Discipline::Decided);
        create(&simulation, &store, by_number("numbers"));
        let clock = simulation.clock();
        simulation
            .block_on(async {
                decide(&store, Expect::Absent, 1, None, Millis(0)).await.unwrap();
                for step in 1..10 {
                    decide(&store, Expect::Version(step as u64), step + 1, None, Millis(0)).await.unwrap();
                }
                lagged += usize::from(indexed(&store, 10).await == 0);
                let mut furthest = 0;
                while furthest < 10 {
                    let mut there = 0;
                    for number in 1..=10 {
                        there = if indexed(&store, number).await == 1 { number } else { there };
                    }
                    assert!(there >= furthest, "an index went back from {furthest} to {there}");
                    furthest = there;
                    clock.sleep(Duration::from_millis(20)).await;
                    assert!(clock.elapsed() < Duration::from_secs(10), "an index catches up");
                }
            })
            .unwrap();
    }
    assert!(lagged > 10, "of 50 reads right after the write {lagged} came too early");
}

#[test]
fn any_read_may_be_old_and_settled_ones_never_are() {
    let (mut old, mut reads) = (0, 0);
    for seed in 0..50 {
        let (simulation, store) = world(seed, Faults::none(), Discipline::Decided);
        let clock = simulation.clock();
        simulation
            .block_on(async {
                decide(&store, Expect::Absent, 1, None, Millis(0)).await.unwrap();
                decide(&store, Expect::Version(1), 2, None, Millis(0)).await.unwrap();
                assert_eq!(version(&store, Freshness::Settled, Millis(0)).await, Ok(Some(2)));
                assert_eq!(version(&store, Freshness::Fresh, Millis(0)).await, Ok(Some(2)));
                old += usize::from(version(&store, Freshness::Any, Millis(0)).await != Ok(Some(2)));
                reads += 1;
                clock.sleep(Duration::from_secs(2)).await;
                assert_eq!(version(&store, Freshness::Any, Millis(0)).await, Ok(Some(2)), "but not for ever");
            })
            .unwrap();
    }
    assert!(old > 0 && old < reads, "{old} of {reads} reads were old");
}

#[test]
fn expiry_is_lazy_and_nobody_sees_it() {
    for seed in 0..20 {
        let (simulation, store) = world(seed, Faults::none(), Discipline::Decided);
        let clock = simulation.clock();
        simulation
            .block_on(async {
                let before = clock.now();
                let end = before.plus(1_000);
                assert_eq!(decide(&store, Expect::Absent, 1, Some(end), before).await, Ok(Verdict::Done));
                clock.sleep(Duration::from_secs(2)).await;
                assert_eq!(version(&store, Freshness::Settled, clock.now()).await, Ok(None), "it has ended");
                assert_eq!(store.inspect(TableId(0)).await.unwrap().removed_rows, Some(1), "but is still held");
                assert_eq!(version(&store, Freshness::Settled, before).await, Ok(Some(1)), "as an earlier clock shows");
                clock.sleep(Duration::from_secs(49 * 3_600)).await;
                assert_eq!(version(&store, Freshness::Settled, before).await, Ok(None), "then it is forgotten");
                assert_eq!(store.inspect(TableId(0)).await.unwrap().rows, Some(0));
            })
            .unwrap();
    }
}

#[test]
fn an_expired_placement_fences_older_ones_for_its_grace() {
    let (simulation, store) = world(1, Faults::none(), Discipline::Placed);
    let clock = simulation.clock();
    simulation
        .block_on(async {
            place(&store, 5, Some(clock.now().plus(1_000)), clock.now()).await.unwrap();
            clock.sleep(Duration::from_secs(1_800)).await;
            place(&store, 4, None, clock.now()).await.unwrap();
            assert_eq!(version(&store, Freshness::Settled, clock.now()).await, Ok(None), "within grace");
            clock.sleep(Duration::from_secs(50 * 3_600)).await;
            place(&store, 4, None, clock.now()).await.unwrap();
            assert_eq!(version(&store, Freshness::Settled, clock.now()).await, Ok(Some(4)), "forgotten");
        })
        .unwrap();
}

#[test]
fn a_busy_store_has_done_nothing_and_counts() {
    let (simulation, store) = world(1, Faults { busy: 1.0, ..Faults::none() }, Discipline::Decided);
    let answer = simulation.block_on(decide(&store, Expect::Absent, 1, None, Millis(0))).unwrap();
    assert!(matches!(answer, Err(Fault::Busy { .. })), "{answer:?}");
    simulation.set_faults(Faults::none());
    assert_eq!(simulation.block_on(version(&store, Freshness::Fresh, Millis(0))).unwrap(), Ok(None));
    assert_eq!(simulation.block_on(store.inspect(TableId(0))).unwrap().unwrap().throttled, Some(1));
}

#[test]
fn a_late_request_is_unknown_and_happens_after_all() {
    let late = Faults { late: 1.0, ..Faults::none() };
    let (simulation, store) = world(7, late, Discipline::Decided);
    let answer = simulation.block_on(decide(&store, Expect::Absent, 1, None, Millis(0))).unwrap();
    assert!(matches!(answer, Err(Fault::Unknown(_))), "{answer:?}");
    simulation.set_faults(Faults::none());
    assert_eq!(simulation.block_on(version(&store, Freshness::Fresh, Millis(0))).unwrap(), Ok(None), "not yet");
    simulation.run().unwrap();
    assert_eq!(simulation.block_on(version(&store, Freshness::Fresh, Millis(0))).unwrap(), Ok(Some(1)), "but then");
}
