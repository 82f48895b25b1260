//! The embedded store: one folder, one LSM tree for each table.
//!
//! [`Embedded`] keeps what an acknowledged write promises across `kill -9`, and with [`Durability::PowerLoss`] across a
//! power cut. The clock and the free space of the disk come through [`Environment`].
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate is a folder on disk and reads the clock for it; both are in `environment` and `folder`"
)]

mod decide;
mod define;
mod embedded;
mod environment;
mod faults;
mod folder;
mod options;
mod place;
mod range;
mod read;
mod schema;
mod stripes;
mod tables;
mod write;

pub use embedded::{Embedded, Opened};
pub use environment::{Environment, System};
pub use folder::OpenError;
pub use options::{Durability, Options};
