//! Deterministic stores under one seeded scheduler: the ground on which proofs about the run time stand.
//!
//! A [`Simulation`] is one thread with a virtual clock, in which a seed decides who runs next, how long each message
//! travels, what is lost, who sleeps and who crashes ([`Faults`]). In it live two stores: [`ItemStore`] behaves as
//! DynamoDB does, [`WideStore`] as Cassandra does, each behind a network of its own. The same seed is the same run, to the
//! last step: see [`Simulation::digest`].
//!
//! ```
//! use keyloom_sim::{Faults, ItemStore, Simulation};
//! use keyloom_store::{Column, Define, Discipline, Expect, Change, Decision, Group, Image, Step, Store, Table, TableId, Verdict};
//! use keyloom_value::Kind;
//!
//! let simulation = Simulation::new(42, Faults::none());
//! let (store, clock) = (ItemStore::new(&simulation), simulation.clock());
//! let column = |name: &str| Column { name: name.into(), kind: Kind::Text };
//! let notes = Table {
//!     name: "notes".into(),
//!     discipline: Discipline::Decided,
//!     partition: vec![column("id")],
//!     sort: vec![],
//!     groups: vec![Group { columns: vec![column("text")] }],
//!     grace_ms: 0,
//!     lifetime_ms: None,
//! };
//! let client = simulation.spawn("client", async move {
//!     store.apply(&Step::Create(notes)).await?;
//!     let becomes = Image { version: 1, expires_at: None, values: &["hello".into()] };
//!     let change = Change { table: TableId(0), key: &["a".into()], expect: Expect::Absent, becomes };
//!     store.decide(Decision { change, along: &[], now: clock.now() }).await
//! });
//! assert_eq!(simulation.block_on(client).unwrap(), Some(Ok(Verdict::Done)));
//! ```

mod at_once;
mod faults;
mod gather;
mod guards;
mod items;
mod network;
mod page;
mod random;
mod request;
mod scheduler;
mod segment;
mod standing;
mod tables;
#[cfg(test)]
mod tests;
mod wide;

pub use at_once::AtOnce;
pub use faults::Faults;
pub use items::ItemStore;
pub use scheduler::{Clock, Dice, Halt, Happening, Simulation, Task};
pub use wide::WideStore;
