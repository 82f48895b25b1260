use std::{pin::Pin, sync::Arc};

use crate::{
    abilities::Abilities,
    fault::Fault,
    read::{Get, Got, Rows, Slice},
    schema::{Millis, TableId},
    store::Store,
    sweep::{Resume, Segment, Sweep, Swept as Piece},
    write::{Decision, Placement, Verdict},
};

/// A future in a box.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The object-safe form of [`Store`], at the price of one allocation a call.
trait Object: Send + Sync + 'static {
    fn abilities(&self) -> &Abilities;
    fn get<'a>(&'a self, at: Get<'a>) -> BoxFuture<'a, Result<Got, Fault>>;
    fn get_many<'a>(&'a self, at: &'a [Get<'a>]) -> BoxFuture<'a, Vec<Result<Got, Fault>>>;
    fn slice<'a>(&'a self, of: Slice<'a>) -> BoxFuture<'a, Result<Rows, Fault>>;
    fn decide<'a>(&'a self, what: Decision<'a>) -> BoxFuture<'a, Result<Verdict, Fault>>;
    fn place<'a>(&'a self, rows: &'a [Placement<'a>], together: bool, now: Millis) -> BoxFuture<'a, Result<(), Fault>>;
}

impl<S: Store> Object for S {
    fn abilities(&self) -> &Abilities {
        Store::abilities(self)
    }

    fn get<'a>(&'a self, at: Get<'a>) -> BoxFuture<'a, Result<Got, Fault>> {
        Box::pin(Store::get(self, at))
    }

    fn get_many<'a>(&'a self, at: &'a [Get<'a>]) -> BoxFuture<'a, Vec<Result<Got, Fault>>> {
        Box::pin(Store::get_many(self, at))
    }

    fn slice<'a>(&'a self, of: Slice<'a>) -> BoxFuture<'a, Result<Rows, Fault>> {
        Box::pin(Store::slice(self, of))
    }

    fn decide<'a>(&'a self, what: Decision<'a>) -> BoxFuture<'a, Result<Verdict, Fault>> {
        Box::pin(Store::decide(self, what))
    }

    fn place<'a>(&'a self, rows: &'a [Placement<'a>], together: bool, now: Millis) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(Store::place(self, rows, together, now))
    }
}

/// Any store, chosen at run time. Cloning shares it.
#[derive(Clone)]
pub struct BoxedStore(Arc<dyn Object>);

impl BoxedStore {
    /// A store behind a pointer.
    pub fn new(store: Arc<impl Store>) -> Self {
        Self(store)
    }
}

impl Store for BoxedStore {
    fn abilities(&self) -> &Abilities {
        self.0.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.0.get(at).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.0.get_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.0.slice(of).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.0.decide(what).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.0.place(rows, together, now).await
    }
}

/// The object-safe form of [`Sweep`].
trait Swept: Send + Sync + 'static {
    fn segments(&self, table: TableId, parts: u32) -> BoxFuture<'_, Result<Vec<Segment>, Fault>>;
    fn sweep<'a>(
        &'a self,
        table: TableId,
        segment: &'a Segment,
        from: Option<&'a Resume>,
        rows_max: u32,
        now: Millis,
    ) -> BoxFuture<'a, Result<Piece, Fault>>;
}

impl<S: Sweep + 'static> Swept for S {
    fn segments(&self, table: TableId, parts: u32) -> BoxFuture<'_, Result<Vec<Segment>, Fault>> {
        Box::pin(Sweep::segments(self, table, parts))
    }

    fn sweep<'a>(
        &'a self,
        table: TableId,
        segment: &'a Segment,
        from: Option<&'a Resume>,
        rows_max: u32,
        now: Millis,
    ) -> BoxFuture<'a, Result<Piece, Fault>> {
        Box::pin(Sweep::sweep(self, table, segment, from, rows_max, now))
    }
}

/// Any store that can be swept, chosen at run time. Cloning shares it.
#[derive(Clone)]
pub struct BoxedSweep(Arc<dyn Swept>);

impl BoxedSweep {
    /// A store behind a pointer.
    pub fn new(store: Arc<impl Sweep + 'static>) -> Self {
        Self(store)
    }
}

impl Sweep for BoxedSweep {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.0.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Piece, Fault> {
        self.0.sweep(table, segment, from, rows_max, now).await
    }
}
