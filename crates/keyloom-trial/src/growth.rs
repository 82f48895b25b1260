//! A layout that changes while clients ask: processes of an older catalog beside one that starts with a newer, makes what is new,
//! fills and compares it. It may die on the way; then another one goes on with it.

use std::{
    cell::{Cell, RefCell},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use keyloom_design::{design, extend, misfits, remembered};
use keyloom_model::{Catalog, Engine, layout::Layout};
use keyloom_run::{
    Changed, Changing, Environment, LayoutRecord, NotYet, Problem, Program, Run, Verified, Verify, Wanted,
    trial::Protocol,
};
use keyloom_store::{Abilities, Define, Fault, Store, Sweep};
use keyloom_text::{layout_of_text, print_layout};

use crate::{
    ground::{Ground, together},
    world::World,
};

/// How many steps may fail when nobody asks any more: then the rest of a change is left to the quiet.
const FAILED_MAX: usize = 20;
/// Whoever changes the layout may die in one of so many steps: else he would never come to the end.
const DIES_EVERY: usize = 8;
/// Nobody gives up waiting for a step of it.
const PATIENCE_MS: u64 = 3_600_000;

/// What a catalog grows into.
pub(crate) struct Growing {
    /// The older catalog by the newer layout. Nothing where it can't derive all of that: then its processes end.
    along: Option<Program>,
    after: Program,
}

/// A catalog of which some patterns, uniques and fields are new, by their names: the older one, and what it grows into.
///
/// # Errors
/// With what is not run of it.
pub(crate) fn compiled(
    catalog: &Catalog,
    new: &[&str],
    engine: Engine,
    abilities: &Abilities,
) -> Result<(Program, Growing), Vec<NotYet>> {
    let program =
        |catalog: &Catalog, layout: &Layout| Program::of(&keyloom_plan::Program::compile(catalog, layout, abilities));
    let older = older(catalog, new);
    let before = design(&older, engine, abilities);
    let after = extend(&before, catalog, abilities);
    let entities: Vec<String> = catalog.entities.iter().map(|entity| entity.name.clone()).collect();
    let along = layout_of_text(&print_layout(&remembered(&after)), &entities, &older).ok();
    let along = along.filter(|layout| misfits(layout, &older).is_empty());
    let along = along.and_then(|layout| program(&older, &Layout { paths: before.paths.clone(), ..layout }).ok());
    Ok((program(&older, &before)?, Growing { along, after: program(catalog, &after)? }))
}

/// The catalog without what is new.
fn older(catalog: &Catalog, new: &[&str]) -> Catalog {
    let mut older = catalog.clone();
    older.patterns.retain(|pattern| !new.contains(&pattern.name.as_str()));
    for entity in &mut older.entities {
        entity.unique.retain(|unique| !new.contains(&unique.name.as_str()));
        entity.fields.retain(|field| !new.contains(&field.name.as_str()));
    }
    older
}

/// A change of the layout in one trial.
pub(crate) struct Growth<'a> {
    pub(crate) growing: &'a Growing,
    pub(crate) protocol: Protocol,
    /// The clocks of the processes.
    pub(crate) environments: Vec<Arc<dyn Environment>>,
    /// When somebody starts with the newer catalog.
    pub(crate) begins_ms: u64,
    /// Why it can't be filled, if it can't.
    pub(crate) unfilled: RefCell<Option<String>>,
}

/// The store remembers the layout of the older catalog.
pub(crate) async fn remember<S: Store + Define + Sweep>(
    older: &Program,
    store: &Arc<S>,
    environment: Arc<dyn Environment>,
) -> Result<(), Fault> {
    let wanted = Wanted { text: Some("before"), alone: true };
    Run::open_by(older.clone(), wanted, store.clone(), environment).await.map(drop)
}

impl<G: Ground, S: Store + Define + Sweep> World<'_, G, S> {
    /// From here on the processes act by terms: another one may change the layout.
    pub(crate) fn begin_terms(&self) -> Result<(), String> {
        for number in 0..self.servers().filter(|_| self.growth.is_some()).count() {
            self.ground.block_on(self.run(number).begin_term())?.map_err(|fault| format!("opening: {fault}"))?;
        }
        Ok(())
    }

    /// Somebody starts with the newer catalog; the others follow, and are started with it when it is served.
    pub(crate) async fn grow(&self, growth: &Growth<'_>, living: &Cell<usize>) {
        let served = Cell::new(false);
        let mut all: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        all.push(Box::pin(async {
            self.ground.sleep(growth.begins_ms).await;
            self.change(growth, living, &served).await;
        }));
        for number in self.servers() {
            all.push(Box::pin(self.follow(growth, number, living, &served)));
        }
        together(all).await;
    }

    /// Acts by terms on the layout that runs, for as long as somebody asks.
    async fn follow(&self, growth: &Growth<'_>, number: usize, living: &Cell<usize>, served: &Cell<bool>) {
        let environment = &growth.environments[number];
        let (mut turn, mut is_newer) = (number as u64, false);
        while living.get() > 0 {
            turn += 1;
            self.ground.sleep(30 + (turn * 97) % 400).await;
            let record = self.run(number).renew().await;
            let starts = served.get() && !is_newer && turn.is_multiple_of(4);
            let (program, record) = match record {
                _ if starts => {
                    (Some(&growth.growing.after), LayoutRecord::of(&*self.store, &**environment).await.ok().flatten())
                }
                Ok(record) if is_newer => (Some(&growth.growing.after), record),
                Ok(record) => (growth.growing.along.as_ref(), record),
                Err(_) => continue,
            };
            let (Some(program), Some(record)) = (program, record) else { continue };
            let opened = Run::open_along(program.clone(), &record, self.store.clone(), environment.clone()).await;
            if let Ok(mut run) = opened {
                run.obey(growth.protocol);
                if run.begin_term().await.is_ok() {
                    is_newer |= starts;
                    self.replace(number, run);
                }
            }
        }
    }

    /// Drives the change to its end. Where clients are left, whoever does so may die before any step.
    async fn change(&self, growth: &Growth<'_>, living: &Cell<usize>, served: &Cell<bool>) {
        let (mut start, mut steps, mut failed) = (0, 0, 0);
        while living.get() > 0 || failed < FAILED_MAX {
            let place = start % growth.environments.len();
            start += 1;
            self.ground.sleep(5).await;
            let wanted = Wanted { text: Some("after"), alone: false };
            let (store, environment) = (self.store.clone(), growth.environments[place].clone());
            let opened = Run::open_by(growth.growing.after.clone(), wanted, store, environment).await;
            let Ok(Some(mut changing)) = opened else {
                failed += 1;
                continue;
            };
            changing.obey(growth.protocol);
            let mut stepped = Some((changing, Ok(Changed::Rows(0))));
            while let Some((changing, did)) = stepped.take() {
                let pause = match did {
                    Ok(Changed::Ready) => {
                        self.history.borrow_mut().grown += u64::from(living.get() > 0);
                        served.set(true);
                        return;
                    }
                    Ok(Changed::Wrong(why)) => {
                        *growth.unfilled.borrow_mut() = Some(format!("what is new can't be filled: {why:?}"));
                        return;
                    }
                    Ok(Changed::Again) => break,
                    _ if living.get() == 0 && failed >= FAILED_MAX => return,
                    Ok(Changed::Waits(span)) => span.min(Duration::from_millis(50)),
                    Ok(Changed::Rows(_)) => Duration::ZERO,
                    Err(_) => {
                        failed += 1;
                        Duration::from_millis(2)
                    }
                };
                // Time passes also where less than a millisecond is left to wait.
                self.ground.sleep(1 + u64::try_from(pause.as_millis()).unwrap_or(0)).await;
                steps += 1;
                stepped = self.step(place, changing, living.get() > 0 && steps % DIES_EVERY == 0).await;
            }
        }
    }

    /// One step; nothing where the process died with it.
    async fn step(
        &self,
        place: usize,
        mut changing: Changing,
        fragile: bool,
    ) -> Option<(Changing, Result<Changed, Problem>)> {
        if !fragile {
            let did = changing.next().await;
            return Some((changing, did));
        }
        let stepped = Arc::new(Mutex::new(None));
        let left = stepped.clone();
        let call = Box::pin(async move {
            let did = changing.next().await;
            *left.lock().unwrap_or_else(PoisonError::into_inner) = Some((changing, did));
            Ok(Vec::new())
        });
        self.ground.day().serve(place, PATIENCE_MS, call).await;
        stepped.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// When it is quiet: the change is gone on with to its end, if it has not come there, and all serve the newer catalog.
    pub(crate) fn grown(&self) -> Result<(), String> {
        let Some(growth) = &self.growth else { return Ok(()) };
        let served = Cell::new(false);
        if growth.unfilled.borrow().is_none() {
            self.ground.block_on(self.change(growth, &Cell::new(0), &served))?;
        }
        if let Some(why) = growth.unfilled.borrow().clone() {
            return Err(why);
        }
        if !served.get() {
            return Err("a change of the layout does not come to its end".into());
        }
        for number in self.servers() {
            let environment = growth.environments[number].clone();
            let opened = Run::open(growth.growing.after.clone(), self.store.clone(), environment);
            let mut run = self.ground.block_on(opened)?.map_err(|fault| format!("opening: {fault}"))?;
            run.obey(growth.protocol);
            self.replace(number, run);
        }
        Ok(())
    }

    /// What is served after a change holds all that follows from the rows, and nothing else.
    pub(crate) fn compare_grown(&self) -> Result<(), String> {
        let run = self.run(0);
        let mut verify = Verify::new(&run);
        while self.growth.is_some() {
            match self.ground.block_on(verify.next(&run))?.map_err(|problem| format!("comparing: {problem}"))? {
                Verified::Rows(_) => {}
                Verified::Waits(span) => self.ground.pass(u64::try_from(span.as_millis()).unwrap_or(0) + 1)?,
                Verified::All => break,
            }
        }
        let report = verify.report();
        if report.differences() == 0 { Ok(()) } else { Err(format!("it is served, and differs: {:?}", report.named)) }
    }
}
