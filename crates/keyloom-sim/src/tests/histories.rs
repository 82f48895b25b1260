//! The histories of the contract under simulated faults: many clients decide on few rows and place few others, some of
//! them crash, and every answer is compared with what stands at the end.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use keyloom_contract::history::{Client, Figures, Finals, Judgement, Ledger, Note, Tables, World, judge};
use keyloom_store::{BoxFuture, Millis, Store};

use super::{Subject, Wrong, clean, faults, quiet_tail};
use crate::{Clock, Dice, Faults, ItemStore, Simulation, WideStore};

const CLIENTS: u16 = 4;
const ACTS: usize = 14;

/// What clients have at hand in a simulation.
#[derive(Clone)]
struct Simulated {
    clock: Clock,
    dice: Dice,
    notes: Arc<Mutex<Vec<Note>>>,
}

impl World for Simulated {
    fn now(&self) -> Millis {
        self.clock.now()
    }

    fn below(&self, end: u64) -> u64 {
        self.dice.below(end)
    }

    fn pause(&self, span: Duration) -> BoxFuture<'static, ()> {
        Box::pin(self.clock.sleep(span))
    }

    fn note(&self, note: Note) {
        self.notes.lock().unwrap().push(note);
    }
}

/// One run of one seed.
pub(super) fn run<S: Subject, L: Store>(
    seed: u64,
    fresh: impl Fn(&Simulation) -> S,
    told: impl Fn(S) -> L,
) -> Result<Judgement, Wrong> {
    let simulation = Simulation::new(seed, Faults::none());
    let (store, notes) = (fresh(&simulation), Arc::default());
    let world = Simulated { clock: simulation.clock(), dice: simulation.dice(), notes: Arc::clone(&notes) };
    let tables = simulation.block_on(Tables::open(&store, &world)).map_err(|halt| halt.to_string())?;
    simulation.set_faults(faults(seed));
    let ledger = Ledger::default();
    for number in 0..CLIENTS {
        let mut client = Client::new(told(store.clone()), world.clone(), tables.clone(), ledger.clone(), number);
        drop(simulation.spawn(&format!("client {number}"), async move {
            for _ in 0..ACTS {
                client.act().await;
            }
        }));
    }
    quiet_tail(&simulation)?;
    let notes = notes.lock().unwrap().clone();
    let finals = simulation.block_on(Finals::read(&store, &tables, &world, &notes)).map_err(|halt| halt.to_string())?;
    Ok(judge(&notes, &finals))
}

/// What is wrong with the history of one seed, if anything.
pub(super) fn check<S: Subject>(seed: u64, fresh: impl Fn(&Simulation) -> S) -> Result<Figures, Wrong> {
    let judgement = run(seed, fresh, |store| store)?;
    judgement.wrong.first().map_or(Ok(judgement.figures), |wrong| Err(wrong.to_string()))
}

/// A run in which little was in doubt would show little.
fn lively(figures: &Figures) {
    let Figures { decisions, placements, reads } = figures;
    let kinds = [decisions.done, decisions.lost, decisions.doubted_done, decisions.doubted_not];
    assert!(kinds.iter().all(|some| some * 50 > decisions.done) && decisions.open > 0, "{figures}");
    let kinds = [placements.doubted_done, placements.open];
    assert!(kinds.iter().all(|some| some * 50 > placements.done), "{figures}");
    assert!(*reads > decisions.done, "{figures}");
}

#[test]
fn histories_on_items_are_true() {
    lively(&clean(2_000, |seed| check(seed, ItemStore::new)));
}

#[test]
fn histories_on_the_wide_store_are_true() {
    lively(&clean(1_000, |seed| check(seed, WideStore::new)));
}

#[test]
#[ignore = "some minutes: for changes of the scheduler, the stores or the judge"]
fn histories_are_true_for_long() {
    clean(100_000, |seed| check(seed, ItemStore::new));
    clean(100_000, |seed| check(seed, WideStore::new));
}
