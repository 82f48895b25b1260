//! What we say of a statement against what a real Cassandra says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; runs by hand are told by the environment what to do"
)]

mod ask;
mod compare;
mod coverage;
mod disagreement;
mod generate;
mod judge;
mod messages;
mod named;
mod oracle;
mod wire;

const SUITE: &str = "differential";
const ENGINE: &str = "cassandra";
