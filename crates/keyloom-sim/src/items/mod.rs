//! A store as DynamoDB is one: single items that are linearizable, conditional puts, transactions, indexes that lag,
//! reads that may be a little old, expiry that comes some time later.
//!
//! What DynamoDB would need several requests for is one here: a placement of several column groups of one item, and a
//! transaction in which a placement that comes too late is no obstacle. The item is judged and written at one moment.

mod index;
mod item;
mod server;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use keyloom_store::{
    Abilities, Atomic, Decision, Define, Fault, Freshness, Get, Got, Indexes, Inspect, Inspection, Limits, Millis,
    Placement, Resume, Rows, Scope, Segment, Shape, Slice, Step, Store, Sweep, Swept, TableId, Taking, Verdict,
    no_objection,
};
use server::Server;

use crate::{
    gather::{all, placed},
    guards::Guards,
    network::{self, Way},
    request::{Reader, Write},
    scheduler::{Simulation, World},
    segment::Part,
    tables::Tables,
};

/// How long a caller waits for an answer.
const TIME_OUT: Duration = Duration::from_millis(100);

/// A store as DynamoDB is one, in a simulation. Cloning shares it.
#[derive(Clone)]
pub struct ItemStore {
    world: World,
    abilities: Arc<Abilities>,
    tables: Arc<Mutex<Tables>>,
    server: Arc<Mutex<Server>>,
    guards: Guards,
}

impl ItemStore {
    /// An empty store.
    pub fn new(simulation: &Simulation) -> Self {
        Self::with_guards(simulation, Guards::ALL)
    }

    pub(crate) fn with_guards(simulation: &Simulation, guards: Guards) -> Self {
        Self {
            world: simulation.world().clone(),
            abilities: Arc::new(abilities()),
            tables: Arc::default(),
            server: Arc::default(),
            guards,
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, look: impl FnOnce(&Reader<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        look(&Reader { tables: &self.tables(), abilities: &self.abilities })
    }

    /// One request to the server: carried out when it arrives, which may be after the caller has given up. `None` when no
    /// answer came in time.
    async fn ask<A: Send + 'static>(
        &self,
        table: TableId,
        work: impl FnOnce(&mut Server) -> Result<A, Fault> + Send + 'static,
    ) -> Option<Result<A, Fault>> {
        let (there, back) = {
            let faults = &self.world.lock().faults;
            (Way { lost: faults.lose_request, slowness: 1 }, Way { lost: faults.lose_answer, slowness: 1 })
        };
        let (world, server) = (self.world.clone(), self.server.clone());
        let answer = network::ask(&self.world, there, back, move |reply| {
            let busy = {
                let state = &mut *world.lock();
                state.random.chance(state.faults.busy)
            };
            let mut server = lock(&server);
            reply.send(if busy { Err(server.throttled(table)) } else { work(&mut server) });
        });
        self.world.clock().within(TIME_OUT, answer).await
    }

    async fn read<A: Send + 'static>(
        &self,
        table: TableId,
        work: impl FnOnce(&mut Server) -> Result<A, Fault> + Send + 'static,
    ) -> Result<A, Fault> {
        self.ask(table, work).await.unwrap_or(Err(Fault::NotDone("no answer in time".into())))
    }

    async fn write(&self, writes: Vec<Write>, now: Millis) -> Result<Verdict, Fault> {
        let Some(first) = writes.first() else { return Ok(Verdict::Done) };
        let (table, world, abilities) = (first.at.table, self.world.clone(), self.abilities.clone());
        let indexes = self.indexes(&writes);
        let (guards, server) = (self.guards, self.server.clone());
        let given_up = self.world.clock().elapsed() + TIME_OUT;
        let answer = self.ask(table, move |state| {
            let judged = guards.late_requests_judged || world.clock().elapsed() <= given_up;
            let verdict = state.judge(&world, &writes, now, &abilities)?;
            if judged && verdict != Verdict::Done {
                return Ok(verdict);
            }
            let apply = {
                let world = world.clone();
                move |state: &mut Server| state.apply(&world, &writes, &indexes)
            };
            if guards.conditions_when_applied {
                apply(state)?;
            } else {
                world.after(Duration::from_millis(1), move || drop(apply(&mut lock(&server))));
            }
            Ok(Verdict::Done)
        });
        answer.await.unwrap_or(Err(Fault::Unknown("no answer in time".into())))
    }

    /// The indexes that the writes reach.
    fn indexes(&self, writes: &[Write]) -> Vec<Vec<(TableId, Arc<Shape>)>> {
        let tables = self.tables();
        writes.iter().map(|write| tables.indexes(&write.shape)).collect()
    }
}

fn lock(server: &Mutex<Server>) -> MutexGuard<'_, Server> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

fn abilities() -> Abilities {
    Abilities {
        engine: "simulated-items",
        atomic: Atomic::Rows { rows_max: 100, bytes_max: 4 << 20 },
        column_groups_max: 16,
        indexes: Some(Indexes { freshest: Freshness::Any, per_table_max: 20 }),
        limits: Limits {
            partition_key_bytes_max: 2_048,
            sort_key_bytes_max: 1_024,
            row_bytes_max: 400 << 10,
            partition_cells_max: None,
            together_rows_max: 100,
            together_bytes_max: 4 << 20,
        },
        objection: no_objection,
    }
}

/// What a read of so many bytes costs, in thousandths of a read unit.
fn milliunits(bytes: u64, freshness: Freshness) -> u64 {
    bytes.div_ceil(4_096).max(1) * if freshness == Freshness::Any { 500 } else { 1_000 }
}

impl Store for ItemStore {
    fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        let (shape, place) = self.look(|reader| reader.get(&at))?;
        let (freshness, now, world) = (at.freshness, at.now, self.world.clone());
        let answer = self.read(at.table, move |server| server.get(&world, &shape, &place, freshness, now));
        let mut got = answer.await?;
        got.cost.milliunits = milliunits(got.cost.bytes, freshness);
        Ok(got)
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        all(at.iter().map(|at| self.get(*at))).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        let (shape, window) = self.look(|reader| reader.slice(&of))?;
        let (freshness, world) = (of.freshness, self.world.clone());
        let answer = self.read(of.table, move |server| server.slice(&world, &shape, &window, freshness));
        let mut rows = answer.await?;
        rows.cost.milliunits = milliunits(rows.cost.bytes, freshness);
        Ok(rows)
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        let writes = self.look(|reader| reader.decision(&what))?;
        self.write(writes, what.now).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let writes = self.look(|reader| reader.placements(rows, together, now))?;
        if together {
            return self.write(writes, now).await.map(drop);
        }
        let answers = all(writes.into_iter().map(|write| self.write(vec![write], now))).await;
        placed(answers.into_iter().map(|answer| answer.map(drop)).collect())
    }
}

impl Define for ItemStore {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        Ok(self.tables().all())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        let mut tables = self.tables();
        match tables.apply(step, &self.abilities)? {
            Some((table, Taking::Drop)) => lock(&self.server).forget(table),
            Some((table, Taking::Create(shape))) => lock(&self.server).fill(table, &shape, &tables)?,
            Some((_, Taking::Reshape(_) | Taking::Nothing)) | None => {}
        }
        Ok(())
    }
}

impl Sweep for ItemStore {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        Part::all(&*self.tables().shape(table)?, parts)
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        let shape = self.tables().shape(table)?;
        let part = Part::of(segment, &shape, from)?;
        let world = self.world.clone();
        let work = move |server: &mut Server| Part::swept(&shape, server.found(&world, table, &part), rows_max, now);
        self.read(table, work).await
    }
}

impl Inspect for ItemStore {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        let shape = self.tables().shape(table)?;
        Ok(lock(&self.server).inspect(&self.world, table, &shape))
    }
}

fn busy() -> Fault {
    Fault::Busy { scope: Scope::Key, after: Duration::from_millis(50), cause: "too many requests for a key".into() }
}
