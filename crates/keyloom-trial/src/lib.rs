//! Catalogs on trial: calls that are generated from a catalog's patterns, several processes that serve them under faults, and
//! a judge that knows the catalog alone.

pub mod catalogs;
mod dice;
mod generate;
mod ground;
mod history;
mod judge;
mod meaning;
mod rules;
mod script;
mod shrink;
mod simulated;
mod slow;
mod timeline;
mod trial;
mod world;

pub use judge::{Contradiction, Tally};
pub use rules::{rules, without};
pub use trial::{AS_DESIGNED, Failure, On, Tried};
