//! The executor as its callers see it, on the model, on both simulated stores and where it matters on an index store: one program,
//! since each would be linked with all of the executor again.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

mod blind;
mod buckets;
mod changing;
mod copies;
mod indexes;
mod kept;
mod optional;
mod parts;
mod reads;
mod shop;
mod singles;
mod support;
mod tenants;
mod uniques;
mod verify;
mod words;
mod writes;
