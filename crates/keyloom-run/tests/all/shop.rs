//! examples/shop, run on the model, on the embedded store, and on the simulated wide store, where nothing rides along.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test that can't go on has failed")]

mod catalog;
mod doubt;
mod pages;
mod refusals;
mod repeats;
mod settling;
mod simulated;
mod support;
mod writes;
