//! A layout that changes beside writers, under faults: processes that act on the one before, on the one that comes, and some
//! that sleep in between.

use std::{
    cell::Cell,
    pin::Pin,
    sync::{Arc, LazyLock},
    time::Duration,
};

use keyloom_sim::{Faults, Simulation, WideStore};
use keyloom_store::Store as _;

use super::{
    AS_DESIGNED, Theme,
    catalog::{catalog, compiled},
    repair::driven,
    world::{World, together},
};
use crate::{Changed, Program, Run, Wanted, protocol::Protocol};

/// Terms that are short beside the sleep of a process.
const CHANGING: Protocol = Protocol { term_ms: 400, arrives_ms: 100, ..AS_DESIGNED };

/// How a layout changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    /// In the weather of the seed, and all follow soon.
    Any,
    /// One follows at once and the others when their terms are nearly over. Messages come late, and whoever waits for long dies, so
    /// that nothing is sent again.
    Uneven,
}

/// The shop before, and with a list more in which orders move.
static PROGRAMS: LazyLock<[Program; 2]> = LazyLock::new(|| {
    let store = WideStore::new(&Simulation::new(0, Faults::none()));
    let before = catalog();
    let mut after = before.clone();
    let mut list = before.pattern("placed_orders").cloned().unwrap();
    "orders_by_total".clone_into(&mut list.name);
    if let keyloom_model::Action::Read(read) = &mut list.action {
        read.selection.filter = None;
    }
    after.patterns.push(list);
    [before, after].map(|catalog| Program::of(&compiled(&catalog, store.abilities())).unwrap())
});

impl World {
    /// A run on a server that acts by terms.
    async fn bound(&self, mut run: Run, protocol: Protocol) -> Option<Arc<Run>> {
        run.protocol = protocol;
        run.begin_term().await.ok()?;
        Some(Arc::new(run))
    }

    /// Keeps a server at the layout that runs, for as long as the change takes.
    async fn follows(&self, day: Day, number: usize, protocol: Protocol, done: &Cell<bool>) {
        let (soonest, latest) = match (day, number) {
            (Day::Any, _) => (20, 150),
            (Day::Uneven, 0) => (1, 20),
            (Day::Uneven, _) => (300, 390),
        };
        while !done.get() {
            self.clock.sleep(self.dice.span(Duration::from_millis(soonest), Duration::from_millis(latest))).await;
            let run = self.server(number);
            let renewed = self.at(number, async move { run.renew().await }).await.flatten();
            let Some(Ok(Some(record))) = renewed else { continue };
            let opened =
                Run::open_along(PROGRAMS[1].clone(), &record, Arc::new(self.store.clone()), self.process(number));
            if let Ok(run) = opened.await
                && let Some(run) = self.bound(run, protocol).await
            {
                self.instead.borrow_mut()[number] = Some(run);
            }
        }
    }

    /// A process that starts with a list more, and begins again when it dies.
    async fn changes(&self, day: Day, protocol: Protocol, living: &Cell<u64>) -> Result<(), String> {
        let latest = if day == Day::Any { 500 } else { 100 };
        self.clock.sleep(self.dice.span(Duration::ZERO, Duration::from_millis(latest))).await;
        loop {
            let wanted = Wanted { text: Some("after"), alone: false };
            let opened = Run::open_by(PROGRAMS[1].clone(), wanted, Arc::new(self.store.clone()), self.process(1));
            let Ok(Some(mut changing)) = opened.await else { continue };
            changing.obey(protocol);
            while !self.dice.chance(0.01) {
                if living.get() == 0 {
                    // Nobody is left who could be wronged.
                    self.simulation.set_faults(Faults::none());
                }
                match changing.next().await {
                    Ok(Changed::Ready) => return Ok(()),
                    Ok(Changed::Again) => break,
                    Ok(Changed::Wrong(why)) => return Err(format!("it could not be filled: {why:?}")),
                    Ok(Changed::Waits(span)) => self.clock.sleep(span.min(Duration::from_millis(50))).await,
                    Ok(Changed::Rows(_)) | Err(_) => self.clock.sleep(Duration::from_millis(5)).await,
                }
            }
        }
    }
}

fn check(day: Day, seed: u64, protocol: Protocol) -> Result<u64, String> {
    let world = World::new(Theme::Shop, seed, protocol);
    let [before, after] = &*PROGRAMS;
    let begun = async {
        let wanted = Wanted { text: Some("before"), alone: true };
        let store = || Arc::new(world.store.clone());
        drop(Run::open_by(before.clone(), wanted, store(), world.process(0)).await);
        for number in 0..world.servers.len() {
            let run = Run::open(before.clone(), store(), world.process(number)).await.unwrap();
            world.instead.borrow_mut()[number] = world.bound(run, protocol).await;
        }
    };
    world.simulation.block_on(begun).unwrap();
    let (done, failed) = (Cell::new(false), Cell::new(None));
    let requests = world.clients_beside(async |living: &Cell<u64>| {
        let (world, done, failed) = (&world, &done, &failed);
        if day == Day::Uneven {
            world.simulation.set_faults(Faults { late: 0.15, ..Faults::none() });
            world.dies_after.set(Some(Duration::from_millis(60)));
        }
        let mut all: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = vec![Box::pin(async move {
            failed.set(world.changes(day, protocol, living).await.err());
            done.set(true);
        })];
        all.extend((0..world.servers.len()).map(|number| {
            Box::pin(world.follows(day, number, protocol, done)) as Pin<Box<dyn Future<Output = ()> + '_>>
        }));
        together(all).await;
    });
    world.simulation.run().map_err(|halt| format!("the run: {halt}"))?;
    world.simulation.set_faults(Faults::none());
    if let Some(failed) = failed.take() {
        return Err(failed);
    }
    // Replicas that are ill get well.
    world.rest(Duration::from_secs(10));
    let opened = Run::open(after.clone(), Arc::new(world.store.clone()), world.process(0));
    let mut run = world.simulation.block_on(opened).unwrap().map_err(|fault| fault.to_string())?;
    run.protocol = protocol;
    let run = Arc::new(run);
    world.instead.borrow_mut()[0] = Some(Arc::clone(&run));
    world.quiet_tail()?;
    let report = world.simulation.block_on(driven(&run, &world.clock, false)).map_err(|halt| halt.to_string())?;
    let report = report.ok_or("it could not be verified")?;
    if report.differences() > 0 {
        return Err(format!("{:?}", report.named));
    }
    world.judge(&requests)?;
    Ok(report.rows())
}

/// Seeds in which orders are written.
fn seeds(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|number| number / 4 * 8 + 4 + number % 4)
}

#[test]
fn a_list_that_is_new_has_all_rows_and_no_others() {
    for day in [Day::Any, Day::Uneven] {
        let checked = |seed| check(day, seed, CHANGING).unwrap_or_else(|wrong| panic!("{day:?}, seed {seed}: {wrong}"));
        let rows: u64 = seeds(200).map(checked).sum();
        assert!(rows > 1_000, "too little happened: {rows}");
    }
}

fn missed(rule: &str, day: Day, within: u64, protocol: Protocol) {
    let found = seeds(within).find_map(|seed| Some((seed, check(day, seed, protocol).err()?)));
    let (seed, wrong) = found.unwrap_or_else(|| panic!("nobody misses \"{rule}\" in {within} seeds"));
    println!("without \"{rule}\": seed {seed} of {within}: {wrong}");
}

#[test]
fn a_change_that_does_not_wait_for_terms_is_caught() {
    missed("waits for terms", Day::Any, 2_000, Protocol { waits_for_terms: false, ..CHANGING });
}

#[test]
fn a_change_that_leaves_what_is_under_way_is_caught() {
    missed("drains", Day::Any, 5_000, Protocol { drains: false, arrives_ms: 0, ..CHANGING });
}

/// What fills a list removes what should not stand there, so a placement must come behind it, of a row that a process has moved
/// since which does not know the list.
#[test]
fn a_list_that_is_written_before_all_know_it_is_caught() {
    missed("removes first", Day::Uneven, 5_000, Protocol { removes_first: false, ..CHANGING });
}
