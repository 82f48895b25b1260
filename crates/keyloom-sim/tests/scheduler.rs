//! The scheduler: one seed is one run, and what the schedule does to processes is what it says.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use keyloom_sim::{Faults, Halt, Happening, Simulation};

/// Ten processes that sleep at random and say when they woke.
fn sleepers(seed: u64, faults: Faults) -> (Simulation, Vec<(u64, Duration)>) {
    let simulation = Simulation::new(seed, faults);
    let woken = Arc::new(Mutex::new(Vec::new()));
    for process in 0..10 {
        let (clock, dice, woken) = (simulation.clock(), simulation.dice(), woken.clone());
        drop(simulation.spawn(&format!("sleeper {process}"), async move {
            for _ in 0..5 {
                clock.sleep(Duration::from_millis(dice.below(3))).await;
                woken.lock().unwrap().push((process, clock.elapsed()));
            }
        }));
    }
    simulation.run().unwrap();
    let woken = woken.lock().unwrap().clone();
    (simulation, woken)
}

#[test]
fn one_seed_is_one_run() {
    for seed in 0..20 {
        let faults = || Faults { crash: 0.01, pause: 0.05, ..Faults::none() };
        let (first, order) = sleepers(seed, faults());
        let (second, same) = sleepers(seed, faults());
        assert_eq!(first.digest(), second.digest());
        assert_eq!(order, same);
        let (other, _) = sleepers(seed + 1_000, faults());
        assert_ne!(first.digest(), other.digest());
    }
}

#[test]
fn the_order_among_those_who_can_run_is_seeded() {
    let orders: Vec<Vec<u64>> = (0..20)
        .map(|seed| {
            let simulation = Simulation::new(seed, Faults::none());
            let order = Arc::new(Mutex::new(Vec::new()));
            for process in 0..5 {
                let order = order.clone();
                drop(simulation.spawn("one", async move { order.lock().unwrap().push(process) }));
            }
            simulation.run().unwrap();
            order.lock().unwrap().clone()
        })
        .collect();
    assert!(orders.iter().any(|order| *order != orders[0]));
}

#[test]
fn a_crash_drops_all_tasks_of_a_process_and_of_no_other() {
    let simulation = Simulation::new(1, Faults { crash: 1.0, ..Faults::none() });
    let (one, two) = (simulation.spawn("mortal", async { 1 }), simulation.spawn("mortal", async { 2 }));
    let observed = simulation.block_on(async { (one.await, two.await) }).unwrap();
    assert_eq!(observed, (None, None), "the observer lived to see it");
    simulation.set_faults(Faults::none());
    let again = simulation.spawn("mortal", async { 3 });
    assert_eq!(simulation.block_on(again), Ok(Some(3)), "it starts again");
}

#[test]
fn a_pause_stops_all_tasks_of_a_process_for_a_while() {
    let faults = Faults { pause: 0.2, pause_max: Duration::from_secs(100), ..Faults::none() };
    let (simulation, woken) = sleepers(3, faults);
    assert_eq!(woken.len(), 50, "nobody is lost");
    assert!(simulation.clock().elapsed() > Duration::from_secs(1), "somebody slept long");
    assert!(simulation.trace().iter().any(|(_, happening)| matches!(happening, Happening::Pause { .. })));
}

#[test]
fn a_run_is_bounded() {
    let simulation = Simulation::new(1, Faults::none());
    let clock = simulation.clock();
    let forever = async move {
        loop {
            clock.sleep(Duration::from_secs(3_600)).await;
        }
    };
    drop(simulation.spawn("forever", forever));
    assert_eq!(simulation.run(), Err(Halt::Time));
    let simulation = Simulation::new(1, Faults::none());
    assert_eq!(simulation.block_on(std::future::pending::<()>()), Err(Halt::Idle));
    let clock = simulation.clock();
    let circle = async move {
        loop {
            clock.sleep(Duration::ZERO).await;
            clock.sleep(Duration::from_nanos(1)).await;
        }
    };
    drop(simulation.spawn("circle", circle));
    assert_eq!(simulation.run(), Err(Halt::Steps));
}

#[test]
fn within_gives_up_and_leaves_no_alarm_behind() {
    let simulation = Simulation::new(1, Faults::none());
    let clock = simulation.clock();
    let answers = simulation.block_on(async move {
        let late = clock.within(Duration::from_secs(1), clock.sleep(Duration::from_secs(2))).await;
        let soon = clock.within(Duration::from_secs(5), clock.sleep(Duration::from_secs(2))).await;
        (late, soon)
    });
    assert_eq!(answers, Ok((None, Some(()))));
    simulation.run().unwrap();
    assert_eq!(simulation.clock().elapsed(), Duration::from_secs(3), "forgotten alarms do not move the clock");
}
