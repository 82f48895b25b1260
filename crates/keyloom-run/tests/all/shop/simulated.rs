//! The simulated wide store for tests that know no simulation: each call is a run to its end, without faults.

use std::sync::{Arc, Mutex};

use keyloom_sim::{Faults, Simulation, WideStore};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Placement, Resume, Rows, Segment, Shape, Slice, Step, Store,
    Sweep, Swept, TableId, Verdict,
};

pub(crate) struct Simulated {
    simulation: Mutex<Simulation>,
    store: WideStore,
    /// The table in which nothing can be placed.
    pub(crate) mute: Arc<Mutex<Option<&'static str>>>,
}

impl Simulated {
    pub(crate) fn new() -> Self {
        let simulation = Simulation::new(1, Faults::none());
        let store = WideStore::new(&simulation);
        Self { simulation: Mutex::new(simulation), store, mute: Arc::default() }
    }

    fn run<T>(&self, call: impl Future<Output = T>) -> T {
        self.simulation.lock().unwrap().block_on(call).unwrap()
    }
}

impl Store for Simulated {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.run(self.store.get(at))
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.run(self.store.get_many(at))
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.run(self.store.slice(of))
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.run(self.store.decide(what))
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let mute = *self.mute.lock().unwrap();
        let tables = self.store.describe().await?;
        let muted = tables.iter().find(|(_, shape)| Some(shape.table().name.as_str()) == mute);
        if muted.is_some_and(|(table, _)| rows.iter().any(|row| row.table == *table)) {
            return Err(Fault::Unknown("no answer".into()));
        }
        self.run(self.store.place(rows, together, now))
    }
}

impl Define for Simulated {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.store.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.store.apply(step).await
    }
}

impl Sweep for Simulated {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.run(self.store.segments(table, parts))
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.run(self.store.sweep(table, segment, from, rows_max, now))
    }
}
