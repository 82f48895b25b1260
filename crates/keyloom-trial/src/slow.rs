//! The model store behind a network: calls take their time, requests and answers are lost. Everything rides along with its
//! decision there, as on the embedded store.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use keyloom_sim::{Clock, Dice, Faults, Simulation};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Model, Placement, Resume, Rows, Segment, Shape, Slice, Step,
    Store, Sweep, Swept, TableId, Verdict,
};

pub(crate) struct Slow {
    model: Model,
    clock: Clock,
    dice: Dice,
    faults: Faults,
    is_rough: Arc<AtomicBool>,
}

impl Slow {
    pub(crate) fn new(simulation: &Simulation, faults: Faults, is_rough: Arc<AtomicBool>) -> Self {
        Self { model: Model::new(), clock: simulation.clock(), dice: simulation.dice(), faults, is_rough }
    }

    async fn travel(&self) {
        let Faults { delay_min, delay_max, late_max, .. } = self.faults;
        let late = self.happens(self.faults.late);
        let span = if late { self.dice.span(Duration::ZERO, late_max) } else { self.dice.span(delay_min, delay_max) };
        self.clock.sleep(span).await;
    }

    fn happens(&self, share: f64) -> bool {
        self.is_rough.load(Ordering::Relaxed) && self.dice.chance(share)
    }

    async fn read<T>(&self, read: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.travel().await;
        if self.happens(self.faults.lose_answer) {
            return Err(Fault::NotDone("no answer in time".into()));
        }
        read.await
    }

    async fn write<T>(&self, write: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.travel().await;
        let unknown = || Err(Fault::Unknown("no answer in time".into()));
        if self.happens(self.faults.lose_request) {
            return unknown();
        }
        let written = write.await;
        self.travel().await;
        if self.happens(self.faults.lose_answer) { unknown() } else { written }
    }
}

impl Store for Slow {
    fn abilities(&self) -> &Abilities {
        self.model.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.read(self.model.get(at)).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.travel().await;
        self.model.get_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.read(self.model.slice(of)).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.write(self.model.decide(what)).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.write(self.model.place(rows, together, now)).await
    }
}

impl Define for Slow {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.model.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.model.apply(step).await
    }
}

impl Sweep for Slow {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.model.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.model.sweep(table, segment, from, rows_max, now).await
    }
}
