//! Statements and what they are read as.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; snapshots are files"
)]

mod properties;
mod recovery;
mod show;
mod snapshots;
