//! Histories: many clients write to few rows while things go wrong, write down every intention and every answer, and a
//! judge compares what they were told with the rows that stand at the end.
//!
//! A decided row holds the tokens of all decisions that made it, so that whatever anybody saw must be a beginning of what
//! stands at the end, and an answer is true or false for ever. Of a placed row the order of versions says what must
//! stand. Rows that are placed together and nowhere else are all there or none.
//!
//! The same clients and the same judge serve a simulation and real engines: time, chance and where notes are kept come
//! from a [`World`]. A client may be killed at any moment; what it has announced and not answered is unknown.

mod client;
mod decide;
mod figures;
mod finals;
mod judge;
mod ledger;
mod note;
mod place;
mod tables;

use std::time::Duration;

use keyloom_store::{BoxFuture, Millis};

pub use client::Client;
pub use figures::Figures;
pub use finals::Finals;
pub use judge::{Judgement, Wrong, judge};
pub use ledger::Ledger;
pub use note::{Answer, Note, Rank, Sent, Spot, Which};
pub use tables::Tables;

/// What clients need besides a store.
pub trait World: Clone + Send + Sync + 'static {
    /// The date, as stores are given it.
    fn now(&self) -> Millis;

    /// A number below `end`.
    fn below(&self, end: u64) -> u64;

    /// Waits so long.
    fn pause(&self, span: Duration) -> BoxFuture<'static, ()>;

    /// Keeps a note, so that it is still known when the client is killed in the next moment.
    fn note(&self, note: Note);
}

/// How often a client comes back to a call whose outcome it does not know before it leaves it so.
const TRIES: usize = 100;

/// How long it waits at most before it does: an engine in trouble gets worse by those who come back at once.
const PATIENCE_MILLIS: u64 = 400;
