//! A store as Cassandra is one: every row on three replicas, which hold a timestamp for each cell; quorums over messages
//! that are lost and late; decisions by Paxos, one register for each partition.
//!
//! Left out: read repair (a row that one replica alone has is seen by some quorums and not by others, as after a write
//! that timed out), short reads (replicas answer a slice whole), repair between replicas (so that compaction forgets only
//! what all of them have alike) and several data centres. Several decided rows may share a partition; their decisions contend with each other, as they do in Cassandra.

mod batch;
mod cell;
mod cluster;
mod coordinator;
mod paxos;
mod replica;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use cell::{Cells, Mutation};
use cluster::{Cluster, REPLICAS};
use coordinator::Coordinator;
use keyloom_store::{
    Abilities, Atomic, Decision, Define, Fault, Get, Got, Inspect, Inspection, Limits, Millis, Placement, Resume, Rows,
    Segment, Shape, Slice, Step, Store, Sweep, Swept, TableId, Taking, Verdict, no_objection,
};

use crate::{
    gather::{all, placed},
    guards::Guards,
    network::{self, Way},
    page::{got, page},
    request::{Reader, Write},
    scheduler::Simulation,
    segment::Part,
    standing::Standing,
    tables::Tables,
};

/// How long a client waits for a coordinator, which itself waits for replicas, several times in a decision.
const TIME_OUT: Duration = Duration::from_millis(150);

/// A store as Cassandra is one, in a simulation. Cloning shares it.
#[derive(Clone)]
pub struct WideStore {
    abilities: Arc<Abilities>,
    tables: Arc<Mutex<Tables>>,
    cluster: Cluster,
}

impl WideStore {
    /// An empty store.
    pub fn new(simulation: &Simulation) -> Self {
        Self::with_guards(simulation, Guards::ALL)
    }

    pub(crate) fn with_guards(simulation: &Simulation, guards: Guards) -> Self {
        Self {
            abilities: Arc::new(abilities()),
            tables: Arc::default(),
            cluster: Cluster::new(simulation.world().clone(), guards),
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, look: impl FnOnce(&Reader<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        look(&Reader { tables: &self.tables(), abilities: &self.abilities })
    }

    /// One request to some coordinator, which goes on with it whatever becomes of the client. `None` when no answer came in
    /// time.
    async fn ask<A: Send + 'static, F: Future<Output = Result<A, Fault>> + Send + 'static>(
        &self,
        work: impl FnOnce(Coordinator) -> F + Send + 'static,
    ) -> Option<Result<A, Fault>> {
        let world = self.cluster.world.clone();
        let (there, back, node) = {
            let state = &mut *world.lock();
            let node = usize::try_from(state.random.below(REPLICAS as u64)).unwrap_or(0);
            let way = |lost| Way { lost, slowness: 1 };
            (way(state.faults.lose_request), way(state.faults.lose_answer), node)
        };
        let coordinator = Coordinator { node, cluster: self.cluster.clone() };
        let answer = network::ask(&self.cluster.world, there, back, move |reply| {
            let process = world.lock().process(&format!("coordinator {node}"), true);
            drop(world.spawn(process, async move { reply.send(work(coordinator).await) }));
        });
        self.cluster.world.clock().within(TIME_OUT, answer).await
    }

    async fn read<A: Send + 'static, F: Future<Output = Result<A, Fault>> + Send + 'static>(
        &self,
        work: impl FnOnce(Coordinator) -> F + Send + 'static,
    ) -> Result<A, Fault> {
        self.ask(work).await.unwrap_or(Err(Fault::NotDone("no answer in time".into())))
    }

    async fn write<A: Send + 'static, F: Future<Output = Result<A, Fault>> + Send + 'static>(
        &self,
        work: impl FnOnce(Coordinator) -> F + Send + 'static,
    ) -> Result<A, Fault> {
        self.ask(work).await.unwrap_or(Err(Fault::Unknown("no answer in time".into())))
    }

    fn standings(&self, shape: &Shape, cells: &Cells) -> Result<Vec<Standing>, Fault> {
        cells.standings(shape, self.cluster.guards)
    }
}

fn abilities() -> Abilities {
    Abilities {
        engine: "simulated-wide",
        atomic: Atomic::Row,
        column_groups_max: 16,
        indexes: None,
        limits: Limits {
            partition_key_bytes_max: 65_535,
            sort_key_bytes_max: 65_535,
            row_bytes_max: 16 << 20,
            partition_cells_max: None,
            together_rows_max: 50,
            together_bytes_max: 50 << 10,
        },
        objection: no_objection,
    }
}

impl Store for WideStore {
    fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        let (shape, place) = self.look(|reader| reader.get(&at))?;
        let (asked, of, freshness) = (place.clone(), shape.clone(), at.freshness);
        let cells = self.read(move |node| async move { node.row(&of, &asked, freshness).await }).await?;
        let standings = cells.map(|cells| self.standings(&shape, &cells)).transpose()?;
        got(&shape, &place, standings.as_deref(), at.now)
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        all(at.iter().map(|at| self.get(*at))).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        let (shape, window) = self.look(|reader| reader.slice(&of))?;
        let (asked, freshness) = (window.clone(), of.freshness);
        let found = self.read(move |node| async move { node.slice(&asked, freshness).await }).await?;
        let found = found.into_iter().map(|(at, cells)| Ok((at.sort, self.standings(&shape, &cells)?)));
        page(&shape, &window, found.collect::<Result<_, Fault>>()?)
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        let writes = self.look(|reader| reader.decision(&what))?;
        let Ok([write]) = <[Write; 1]>::try_from(writes) else { return Err(Fault::refused("nothing rides along")) };
        self.write(move |node| async move { node.decide(&write, what.now).await }).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let writes = self.look(|reader| reader.placements(rows, together, now))?;
        let mutations = writes.iter().map(|write| Mutation::placed(write, now)).collect::<Vec<_>>();
        if together {
            return self.write(move |node| async move { node.write_together(mutations.into()).await }).await;
        }
        let answers = all(mutations.into_iter().map(|mutation| {
            let mutation = Arc::new(mutation);
            self.write(move |node| async move { node.write(&mutation).await })
        }));
        placed(answers.await)
    }
}

impl Define for WideStore {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        Ok(self.tables().all())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        if let Some((table, Taking::Drop)) = self.tables().apply(step, &self.abilities)? {
            (0..REPLICAS).for_each(|node| self.cluster.replica(node).forget(table));
        }
        Ok(())
    }
}

impl Sweep for WideStore {
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
        let holds = part.clone();
        let found = self.read(move |node| async move { node.sweep(table, move |at| holds.holds(at)).await }).await?;
        let found = found.into_iter().map(|(at, cells)| Ok((at, self.standings(&shape, &cells)?)));
        Part::swept(&shape, found.collect::<Result<Vec<_>, Fault>>()?, rows_max, now)
    }
}

impl Inspect for WideStore {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        let shape = self.tables().shape(table)?;
        let replica = self.cluster.replica(0);
        let now = self.cluster.world.clock().now();
        let standings = replica.rows(table).map(|(_, cells)| self.standings(&shape, cells));
        let standings = standings.collect::<Result<Vec<_>, _>>()?;
        let removed = standings.iter().filter(|standings| !standings[0].is_there(now)).count();
        Ok(Inspection {
            rows: Some(standings.len() as u64),
            removed_rows: Some(removed as u64),
            ..Inspection::default()
        })
    }
}
