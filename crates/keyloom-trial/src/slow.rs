//! A store behind a bad network: calls take their time, requests and answers are lost, some requests arrive when nobody waits for
//! them any more.

use std::{sync::Arc, time::Duration};

use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Placement, Resume, Rows, Scope, Segment, Shape, Slice, Step,
    Store, Sweep, Swept, TableId, Verdict,
};

use crate::{
    day::{Day, Time},
    letter::Letter,
};

/// How long the sender of a request that is late waits for its answer at most.
const PATIENCE_MAX: Duration = Duration::from_secs(1);

pub(crate) struct Slow<S, T> {
    store: Arc<S>,
    day: Day<T>,
}

/// What becomes of a request.
enum Way {
    /// It arrives, and is answered.
    Through,
    /// Its sender is told at once that it is not carried out.
    Busy,
    /// It never arrives.
    Lost,
    /// It arrives so late that its sender may have given up.
    Late(Duration),
}

impl<S: Store, T: Time> Slow<S, T> {
    pub(crate) fn new(store: Arc<S>, day: Day<T>) -> Self {
        Self { store, day }
    }

    async fn travel(&self) {
        let faults = &self.day.weather.faults;
        self.day.time.sleep(self.day.dice.span(faults.delay_min, faults.delay_max)).await;
    }

    async fn read<R>(&self, read: impl Future<Output = Result<R, Fault>>) -> Result<R, Fault> {
        self.travel().await;
        if self.day.happens(self.day.weather.faults.lose_answer) {
            return Err(Fault::NotDone("no answer in time".into()));
        }
        let answer = read.await;
        if self.day.happens(self.day.weather.faults.late) {
            self.day.time.sleep(self.day.dice.span(Duration::ZERO, PATIENCE_MAX)).await;
        }
        answer
    }

    fn way(&self) -> Way {
        let faults = &self.day.weather.faults;
        if self.day.happens(faults.busy) {
            Way::Busy
        } else if self.day.happens(faults.lose_request) {
            Way::Lost
        } else if self.day.happens(faults.late) {
            Way::Late(self.day.dice.span(Duration::ZERO, faults.late_max))
        } else {
            Way::Through
        }
    }

    async fn write<R>(
        &self,
        write: impl Future<Output = Result<R, Fault>>,
        letter: impl FnOnce() -> Letter,
    ) -> Result<R, Fault> {
        self.travel().await;
        let unknown = || Err(Fault::Unknown("no answer in time".into()));
        match self.way() {
            Way::Through => {
                let written = write.await;
                self.travel().await;
                if self.day.happens(self.day.weather.faults.lose_answer) { unknown() } else { written }
            }
            Way::Busy => {
                let after = Duration::from_millis(10);
                Err(Fault::Busy { scope: Scope::Store, after, cause: "too much to do".into() })
            }
            Way::Lost => unknown(),
            Way::Late(span) => {
                let (letter, store, late) = (letter(), self.store.clone(), self.day.time.sleep(span));
                drop(self.day.time.spawn("network", async move {
                    late.await;
                    letter.arrive(&*store).await;
                }));
                self.day.time.sleep(self.day.dice.span(Duration::ZERO, PATIENCE_MAX)).await;
                unknown()
            }
        }
    }
}

impl<S: Store, T: Time> Store for Slow<S, T> {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.read(self.store.get(at)).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.travel().await;
        self.store.get_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.read(self.store.slice(of)).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.write(self.store.decide(what), || Letter::decision(&what)).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.write(self.store.place(rows, together, now), || Letter::placements(rows, together, now)).await
    }
}

impl<S: Define, T: Time> Define for Slow<S, T> {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.store.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.store.apply(step).await
    }
}

impl<S: Sweep, T: Time> Sweep for Slow<S, T> {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.store.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.store.sweep(table, segment, from, rows_max, now).await
    }
}
