//! What every store must do, as cases that run on any of them.
//!
//! A store's tests call [`run`] with a way to make a fresh, empty store and a way to drive a future. What an engine can't do
//! is one of its abilities and no case is ever left out for it: a case about riders on an engine where nothing rides along
//! asserts that riders are refused.
//!
//! [`compare`] sends one seeded script of calls to two stores and says where their answers first differ.
//!
//! [`tables`] makes seeded tables of everything that is legal, for those who make something of tables.
//!
//! [`history`] is for faults: clients that note every answer, and a judge that compares them with the rows at the end.
//!
//! Two things are the same for all cases. Moments lie in the far [future](NOW), so that an engine that cleans up by its own
//! clock holds what a case has written. And no case depends on a runtime: where two calls race, their futures are polled in
//! turns.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a contract that is not kept is a panic; nothing but tests runs this"
)]

mod cases;
mod desk;
pub mod history;
mod run;
mod samples;
mod script;
mod seen;
mod tables;

use keyloom_store::{Define, Inspect, Millis, Store, Sweep};

pub use cases::cases;
pub use run::{Case, run};
pub use script::{Dice, Difference, Script, agree, compare};
pub use seen::{Seen, SeenGroup};
pub use tables::tables;

/// A store that the contract can judge.
pub trait Subject: Store + Define + Sweep + Inspect {}

impl<S: Store + Define + Sweep + Inspect> Subject for S {}

/// The moment at which cases begin: late enough that no engine's own clock reaches it while a case runs.
pub const NOW: Millis = Millis(4_000_000_000_000);
