//! The endpoints of a catalog over HTTP, on data in a folder or in an engine: what `keyloom up` starts.
//!
//! [`backup`], [`restore`], [`export`] and [`verify()`] are the commands on its data, [`KeysOf`] those on its keys, whether it
//! runs or not.
//! [`Db`] is the same inside a program, without HTTP.
//! [`up`] opens the data, listens, says when it is ready, and serves until it is told to stop. Nothing here decides
//! anything about rows: a request becomes a call of [`keyloom_run::Run`], an answer becomes a response.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate is where the run time meets the machine: its clock, its sockets, the folder with the data"
)]

mod as_engine;
mod attempt;
mod busiest;
mod change;
mod client;
mod connections;
mod control;
mod data;
mod db;
mod designed;
mod development;
mod door;
mod engine;
mod following;
#[cfg(test)]
mod forged;
mod handle;
mod health;
mod index;
mod keys;
mod limits;
mod log;
mod metrics;
mod opening;
mod patience;
mod problem;
mod query;
mod reply;
mod samples;
mod seen;
mod settling;
mod signals;
mod store_address;
mod stream;
mod system;
mod up;
mod verify;
mod watch;
mod way_out;

pub mod emit;
pub mod openapi;

pub use change::Making;
pub use client::{NoRemote, Remote};
pub use data::{DataError, backup, export, restore};
pub use db::{Calling, Db, new_key};
pub use designed::{LOOKS_MAX, REGION, REPLICAS, designed, not_run, priced};
pub use engine::{Engine, abilities, dialect, export_engine};
pub use keyloom_limits::simulated;
pub use keys::{KeyData, KeysOf};
pub use log::Logging;
pub use signals::Halt;
pub use store_address::{CassandraAddress, DynamoDbAddress, NoStore, Password, StoreAddress};
pub use system::today;
pub use up::{Data, Ready, Shows, Up, UpError, making, up};
pub use verify::{Progress, Verifying, verify, verify_engine, verify_remote};
