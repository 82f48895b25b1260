//! examples/shop, run on the model and on the embedded store.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test that can't go on has failed")]

mod doubt;
mod pages;
mod refusals;
mod repeats;
mod support;
mod writes;
