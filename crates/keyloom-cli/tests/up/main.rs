//! `keyloom up` as a real process: its endpoints over a real socket, its data across its sudden end.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "the tests run the real command on real files"
)]

mod as_engine;
mod beside;
mod change;
mod copies;
mod crash;
mod data;
mod described;
mod driven;
mod endpoints;
mod engines;
mod identity;
mod limits;
mod load;
mod observed;
mod process;
mod starting;
mod verify;
