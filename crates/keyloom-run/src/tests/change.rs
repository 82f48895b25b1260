//! A layout that changes beside writers, under faults: processes that act on the one before, on the one that comes, and some
//! that sleep in between.

use std::{
    cell::Cell,
    pin::Pin,
    sync::{Arc, LazyLock},
    time::Duration,
};

use keyloom_sim::{Clock, Dice, Faults, Simulation, WideStore};
use keyloom_store::{Freshness, Placement, Placing, Store as _};
use keyloom_value::{Kind, from_text};
use serde_json::{Value as Json, json};

use super::{
    AS_DESIGNED, Theme,
    catalog::{catalog, compiled},
    repair::driven,
    world::{START_US, World, together},
};
use crate::{
    Answer, Call, Caller, Changed, Environment, LayoutRecord, Level, Program, Report, Run, Wanted, protocol::Protocol,
};

/// Terms that are short beside the sleep of a process.
const CHANGING: Protocol = Protocol { term_ms: 400, arrives_ms: 100, ..AS_DESIGNED };

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
    async fn follows(&self, number: usize, protocol: Protocol, done: &Cell<bool>) {
        while !done.get() {
            self.clock.sleep(self.dice.span(Duration::from_millis(20), Duration::from_millis(150))).await;
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
    async fn changes(&self, protocol: Protocol, living: &Cell<u64>) -> Result<(), String> {
        self.clock.sleep(self.dice.span(Duration::ZERO, Duration::from_millis(500))).await;
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

fn check(seed: u64, protocol: Protocol) -> Result<u64, String> {
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
    let requests =
        world.clients_beside(async |living: &Cell<u64>| {
            let (world, done, failed) = (&world, &done, &failed);
            let mut all: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = vec![Box::pin(async move {
                failed.set(world.changes(protocol, living).await.err());
                done.set(true);
            })];
            all.extend((0..world.servers.len()).map(|number| {
                Box::pin(world.follows(number, protocol, done)) as Pin<Box<dyn Future<Output = ()> + '_>>
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
    let rows: u64 =
        seeds(200).map(|seed| check(seed, CHANGING).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"))).sum();
    assert!(rows > 1_000, "too little happened: {rows}");
}

fn missed(rule: &str, within: u64, protocol: Protocol) {
    let found = seeds(within).find_map(|seed| Some((seed, check(seed, protocol).err()?)));
    let (seed, wrong) = found.unwrap_or_else(|| panic!("nobody misses \"{rule}\" in {within} seeds"));
    println!("without \"{rule}\": seed {seed} of {within}: {wrong}");
}

#[test]
fn a_change_that_does_not_wait_for_terms_is_caught() {
    missed("waits for terms", 2_000, Protocol { waits_for_terms: false, ..CHANGING });
}

#[test]
fn a_change_that_leaves_what_is_under_way_is_caught() {
    missed("drains", 5_000, Protocol { drains: false, arrives_ms: 0, ..CHANGING });
}

/// What fills a list removes what should not stand there, so that chance hardly ever comes to this: a placement must be later than that,
/// its sender must die before it sends it again, and a process that does not know the list must have moved the row meanwhile.
#[test]
fn a_list_that_is_written_before_all_know_it_is_caught() {
    let differences = |protocol: Protocol| {
        let world = World::new(Theme::Shop, 0, protocol);
        world.simulation.block_on(moved_beside_a_late_placement(&world, protocol)).unwrap().differences()
    };
    assert_eq!(differences(CHANGING), 0);
    assert_eq!(differences(Protocol { removes_first: false, ..CHANGING }), 1);
}

/// A process whose clocks nothing happens to.
struct Even {
    clock: Clock,
    dice: Dice,
}

impl Environment for Even {
    fn now_us(&self) -> i64 {
        START_US + self.steady_us()
    }

    fn steady_us(&self) -> i64 {
        i64::try_from(self.clock.elapsed().as_micros()).unwrap()
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = u8::try_from(self.dice.below(256)).unwrap());
    }
}

/// An order that one process puts into the new list, and another one moves before that arrives, which is when the list is filled
/// and served; how the list differs then. The other process has followed the change if it was waited for.
async fn moved_beside_a_late_placement(world: &World, protocol: Protocol) -> Report {
    let [before, after] = &*PROGRAMS;
    let store = || Arc::new(world.store.clone());
    let environment =
        || -> Arc<dyn Environment> { Arc::new(Even { clock: world.clock.clone(), dice: world.dice.clone() }) };
    let wanted = Wanted { text: Some("before"), alone: true };
    drop(Run::open_by(before.clone(), wanted, store(), environment()).await);
    let other = Run::open(before.clone(), store(), environment()).await.unwrap();
    let mut other = world.bound(other, protocol).await.unwrap();
    let mut users = Vec::new();
    for name in ["ann", "ben"] {
        let user = json!({"name": name, "email": format!("{name}@x")});
        users.push(applied(world, &other, "sign_up", &user).await["user_id"].clone());
    }
    let line = json!({"sku": "A-1", "name": "a thing", "qty": 2, "price": "6.25"});
    let order = json!({"user_id": users[0], "items": [line], "total": "12.5"});
    let order = applied(world, &other, "place_order", &order).await["order_id"].clone();

    let wanted = Wanted { text: Some("after"), alone: false };
    let mut changing = Run::open_by(after.clone(), wanted, store(), environment()).await.unwrap().unwrap();
    changing.obey(protocol);
    while changing.run().levels.contains(&Some(Level::Removing)) {
        let Changed::Waits(span) = changing.next().await.unwrap() else { continue };
        if let Some(record) = other.renew().await.unwrap() {
            let followed = Run::open_along(after.clone(), &record, store(), environment()).await.unwrap();
            other = world.bound(followed, protocol).await.unwrap();
        }
        world.clock.sleep(span.min(Duration::from_millis(50))).await;
    }

    let record = LayoutRecord::of(&world.store, &*environment()).await.unwrap().unwrap();
    let knows = Run::open_along(after.clone(), &record, store(), environment()).await.unwrap();
    let orders = knows.program.entities.iter().find(|entity| entity.name == "Order").unwrap();
    let id = from_text(order.as_str().unwrap(), &Kind::Uuid).unwrap().into_owned();
    let there = knows.source(orders, &[id], Freshness::Fresh, knows.now_us()).await.unwrap().unwrap();
    let is_new = |table: usize| before.tables.iter().all(|known| known.name != knows.program.tables[table].name);
    let mut late = knows.standing(orders, &there);
    late.retain(|row| is_new(row.table));
    assert_eq!(late.len(), 1, "it stands in the new list");

    applied(world, &other, "give_order", &json!({"order_id": order, "to_id": users[1]})).await;
    loop {
        match changing.next().await.unwrap() {
            Changed::Ready => break,
            Changed::Waits(span) => world.clock.sleep(span).await,
            Changed::Rows(_) => {}
            stopped => panic!("{stopped:?}"),
        }
    }
    for row in &late {
        let groups = row.group();
        let placing = Placing::Put { groups: &groups, expires_at: row.expires_at };
        let placement = Placement { table: knows.table(row.table).0, key: &row.key, placing };
        world.store.place(&[placement], false, world.clock.now()).await.unwrap();
    }
    let mut run = Run::open(after.clone(), store(), environment()).await.unwrap();
    run.protocol = protocol;
    driven(&run, &world.clock, false).await.unwrap()
}

/// The key of the row that a write has changed.
async fn applied(world: &World, run: &Run, pattern: &'static str, body: &Json) -> Json {
    let inputs = run.inputs_from_object(run.pattern(pattern).unwrap(), Caller::NOBODY, body).unwrap();
    let key = format!("{pattern} {};{}", world.clock.elapsed().as_micros(), world.now_ms());
    let call = Call { pattern, inputs, key: Some(&key), order: None, limit: None, cursor: None };
    match run.call(&call).await {
        Ok(Answer::Applied { key, .. }) => key,
        other => panic!("{pattern}: {other:?}"),
    }
}
