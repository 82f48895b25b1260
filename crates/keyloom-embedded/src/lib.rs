//! The embedded store: one folder, one LSM tree for each table.
//!
//! [`Embedded`] keeps what an acknowledged write promises across `kill -9`, and with [`Durability::PowerLoss`] across a
//! power cut. The clock and the free space of the disk come through [`Environment`].
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate is a folder on disk and reads the clock for it; both are in `environment` and `folder`"
)]

mod background;
mod backup;
mod clean;
mod decide;
mod define;
mod dialect;
mod disk;
mod embedded;
mod environment;
mod faults;
mod flush;
mod folder;
mod journal;
mod keep;
mod marker;
mod memory;
mod open;
mod options;
mod place;
mod range;
mod read;
mod schema;
mod sealed;
mod shared;
mod stripes;
mod sweep;
mod sync;
mod tables;
mod trees;
mod write;

pub use backup::{BackupError, BackupSummary, restore};
pub use dialect::EmbeddedDialect;
pub use embedded::Embedded;
pub use environment::{Environment, System};
pub use folder::OpenError;
pub use open::{Crashed, Opened};
pub use options::{Durability, Options};
pub use shared::abilities;
