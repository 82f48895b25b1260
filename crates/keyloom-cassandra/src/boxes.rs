//! The driver's futures, in boxes.
//!
//! A future is compiled where it is polled. These are large: every program and every test that is generic over stores would
//! compile the driver anew, a minute each. In a box, made by an ordinary function, each is compiled once and here.

use std::sync::Arc;

use keyloom_store::{
    BoxFuture, Decision, Fault, Get, Got, Millis, Placement, Resume, Rows, Segment, Shape, Slice, Step, Swept, TableId,
    Verdict,
};

use crate::{Cassandra, Options};

/// The tables that are there.
type Described = Vec<(TableId, Arc<Shape>)>;

impl Cassandra {
    #[inline(never)]
    pub(crate) fn connected(options: &Options) -> BoxFuture<'_, Result<Self, Fault>> {
        Box::pin(Self::connect_to(options))
    }

    #[inline(never)]
    pub(crate) fn got<'a>(&'a self, at: Get<'a>) -> BoxFuture<'a, Result<Got, Fault>> {
        Box::pin(async move { self.read_row(&at).await })
    }

    #[inline(never)]
    pub(crate) fn got_many<'a>(&'a self, at: &'a [Get<'a>]) -> BoxFuture<'a, Vec<Result<Got, Fault>>> {
        Box::pin(self.read_rows(at))
    }

    #[inline(never)]
    pub(crate) fn sliced<'a>(&'a self, of: Slice<'a>) -> BoxFuture<'a, Result<Rows, Fault>> {
        Box::pin(async move { self.read_slice(&of).await })
    }

    #[inline(never)]
    pub(crate) fn decided<'a>(&'a self, what: Decision<'a>) -> BoxFuture<'a, Result<Verdict, Fault>> {
        Box::pin(async move { self.decide_row(&what).await })
    }

    #[inline(never)]
    pub(crate) fn placed_all<'a>(
        &'a self,
        rows: &'a [Placement<'a>],
        together: bool,
        now: Millis,
    ) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.place_rows(rows, together, now))
    }

    #[inline(never)]
    pub(crate) fn described(&self) -> BoxFuture<'_, Result<Described, Fault>> {
        Box::pin(self.describe_tables())
    }

    #[inline(never)]
    pub(crate) fn taken<'a>(&'a self, step: &'a Step) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.take(step))
    }

    #[inline(never)]
    pub(crate) fn scripted<'a>(&'a self, steps: &'a [Step]) -> BoxFuture<'a, Result<Vec<String>, Fault>> {
        Box::pin(self.script_of(steps))
    }

    #[inline(never)]
    pub(crate) fn swept<'a>(
        &'a self,
        table: TableId,
        segment: &'a Segment,
        from: Option<&'a Resume>,
        rows_max: u32,
        now: Millis,
    ) -> BoxFuture<'a, Result<Swept, Fault>> {
        Box::pin(self.sweep_range(table, segment, from, rows_max, now))
    }
}
