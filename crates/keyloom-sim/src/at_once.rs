use std::sync::Arc;

use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Inspect, Inspection, Millis, Placement, Resume, Rows, Segment, Shape,
    Slice, Step, Store, Sweep, Swept, TableId, Verdict,
};

use crate::{Faults, Simulation};

/// A simulated store that comes to its answer while it is asked, so that it can stand beside one that waits for a network.
#[derive(Debug)]
pub struct AtOnce<S> {
    simulation: Simulation,
    store: S,
}

impl<S> AtOnce<S> {
    /// A store in a simulation of its own, in which nothing fails.
    pub fn new(seed: u64, store: impl FnOnce(&Simulation) -> S) -> Self {
        let simulation = Simulation::new(seed, Faults::none());
        Self { store: store(&simulation), simulation }
    }

    fn now<T>(&self, answer: impl Future<Output = T>) -> T {
        self.simulation.block_on(answer).expect("where nothing fails, every answer comes")
    }
}

impl<S: Store> Store for AtOnce<S> {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.now(self.store.get(at))
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.now(self.store.get_many(at))
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.now(self.store.slice(of))
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.now(self.store.decide(what))
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.now(self.store.place(rows, together, now))
    }
}

impl<S: Define> Define for AtOnce<S> {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.now(self.store.describe())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.now(self.store.apply(step))
    }
}

impl<S: Sweep> Sweep for AtOnce<S> {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.now(self.store.segments(table, parts))
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.now(self.store.sweep(table, segment, from, rows_max, now))
    }
}

impl<S: Inspect> Inspect for AtOnce<S> {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        self.now(self.store.inspect(table))
    }
}
