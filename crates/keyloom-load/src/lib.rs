//! Traffic for a catalog: its patterns at its own rates, on rows that look like those it describes.
//!
//! [`load`] makes rows first, so that there is something to ask for. Then calls come when they are due, whether the ones
//! before were answered or not, and each is timed from the moment at which it was due: a server that stops for a second is
//! seen by all calls of that second. What a call did stands in its answer and is compared with what its path promised.
//! The same seed gives the same calls in the same order, as far as the answers are the same.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate is where traffic meets the machine: its clock and its sockets"
)]

mod chance;
mod client;
mod drive;
mod known;
mod mix;
mod report;
mod scrape;
mod tally;
mod traffic;
mod values;

pub use client::{NoTarget, Target};
pub use drive::{Failed, Load, Pace, Predicted, Progress, load};
pub use mix::as_driven;
pub use report::{OfPattern, OfTable, OfUnits, Report};
