//! Catalogs on trial: calls that are generated from a catalog's patterns, several processes that serve them under faults, and
//! a judge that knows the catalog alone.

mod case;
pub mod catalogs;
mod day;
mod dice;
mod generate;
mod ground;
mod growth;
mod history;
mod judge;
mod letter;
mod meaning;
mod process;
mod real;
mod rules;
mod script;
mod shrink;
mod simulated;
mod slow;
mod timeline;
mod trial;
mod weather;
mod world;

pub use case::Failure;
pub use judge::{Contradiction, Tally};
pub use real::Real;
pub use rules::{rules, without};
pub use trial::{AS_DESIGNED, On, Tried};
