//! Real engines for tests: fetched by package name, started on loopback, stopped with the value that holds them; and the
//! judges of what we write for other tools.
//!
//! Only tests and the project's chores depend on this crate. An engine that can't be had here (no Java, no npm, no network) is
//! an [`Unavailable::Missing`]: a suite says so loudly and is skipped, and in CI that is a failure. An engine that was
//! fetched and does not come up is [`Unavailable::Broken`], which is a failure everywhere.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files, processes, the environment and the clock are the job of this crate"
)]

pub mod apt;
mod cache;
pub mod cassandra;
mod cfn_lint;
pub mod chromium;
pub mod dynamodb;
mod http;
mod npm;
mod process;
pub mod python;
mod suite;
mod terraform;

pub use cassandra::{Cassandra, Cluster};
pub use cfn_lint::CfnLint;
pub use chromium::Chromium;
pub use dynamodb::{Dynoxide, ExtendDb};
pub use suite::{announce, available, say};
pub use terraform::Terraform;

/// Why a test has no engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// It can't be had on this machine: a program is not installed, or the registry can't be reached.
    Missing(String),
    /// It was fetched, but did not come up; the text holds the end of its log.
    Broken(String),
}

impl std::fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(reason) | Self::Broken(reason) => formatter.write_str(reason),
        }
    }
}

impl std::error::Error for Unavailable {}
