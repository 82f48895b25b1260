//! Any store with the limits of another engine.
//!
//! [`Limited`] decorates a store: its abilities, what it refuses, what it charges and what it throttles are those of an engine
//! that is not there. It is given the engine's [`Dialect`](keyloom_store::Dialect) and a [`Regime`], which is read from the
//! facts; it knows no engine by name, no client and no clock of its own. `docs/design/010-as.md` says what is modelled and
//! what is not.

mod backfill;
mod bucket;
mod charge;
mod entry;
mod heaviest;
mod lag;
mod limited;
mod meter;
mod names;
mod notice;
mod read;
mod regime;
mod tables;
mod watch;
mod weight;
mod write;

pub use limited::{Clock, Engine, Hear, Limited, Under, remembered};
pub use meter::{Counts, Meter};
pub use notice::{Notice, Warning};
pub use regime::{Regime, Units, simulated};
