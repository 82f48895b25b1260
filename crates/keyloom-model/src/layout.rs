//! The layout as resolved data: how a catalog is stored on one engine.
//!
//! It repeats nothing of the catalog: types, volumes and conditions stay there, and entities, fields, uniques and
//! patterns are named. What can be computed (a class, columns, paths) may be stated and is `None` or empty where it is
//! not. Two layouts are equal when they say the same.

mod path;
mod table;

pub use path::{Form, Path, Question, ReadsAtMost};
pub use table::{
    Bucket, Copied, CopyRule, Counted, Holds, Keeper, Part, Partition, SortItem, Spread, Table, Upkeep, Way,
    WhenExpired,
};

use crate::engine::Engine;
use crate::quantity::{TimeSpan, TimeUnit};

/// How a catalog is stored on one engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The name of the catalog.
    pub catalog: String,
    /// Where its rows are stored.
    pub engine: Engine,
    /// One more with every change of a key, a table or a keeper.
    pub epoch: u32,
    /// The times of the protocol.
    pub horizons: Horizons,
    /// In the order written, which decides between tables that serve a question equally well.
    pub tables: Vec<Table>,
    /// What stands for the values of enums that are part of a key.
    pub ranks: Vec<Ranks>,
    /// Which table answers which question.
    pub paths: Vec<Path>,
}

impl Layout {
    /// The version of the grammar in which layouts are written.
    pub const VERSION: u32 = 1;

    /// A layout without tables, in its first epoch.
    pub fn new(catalog: impl Into<String>, engine: Engine) -> Self {
        Self {
            catalog: catalog.into(),
            engine,
            epoch: 1,
            horizons: Horizons::default(),
            tables: Vec::new(),
            ranks: Vec::new(),
            paths: Vec::new(),
        }
    }

    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

/// The times of the protocol, as far as they are stated. How long a caller may repeat a request is none of them: that is
/// the catalog's `retries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Horizons {
    /// How long a projection may lag; see [`Horizons::settle`].
    pub settle: Option<TimeSpan>,
    /// How long an answer may stay unknown; see [`Horizons::doubt`].
    pub doubt: Option<TimeSpan>,
    /// How late a placement may arrive. Nothing is assumed where it is not stated.
    pub late: Option<TimeSpan>,
    /// How long reading a page may take. Nothing is assumed where it is not stated.
    pub page: Option<TimeSpan>,
    /// How long what was removed is remembered; see [`Horizons::grace`].
    pub grace: Option<TimeSpan>,
}

impl Horizons {
    /// How long a projection may lag, unless stated.
    pub const SETTLE: TimeSpan = TimeSpan::new(10, TimeUnit::Second);
    /// How long an answer may stay unknown, unless stated.
    pub const DOUBT: TimeSpan = TimeSpan::new(60, TimeUnit::Second);

    /// How long a projection may lag: as stated, else [`Horizons::SETTLE`].
    pub fn settle(&self) -> TimeSpan {
        self.settle.unwrap_or(Self::SETTLE)
    }

    /// How long an answer may stay unknown: as stated, else [`Horizons::DOUBT`].
    pub fn doubt(&self) -> TimeSpan {
        self.doubt.unwrap_or(Self::DOUBT)
    }

    /// How long what was removed is remembered: as stated, else twice as long as a request may be repeated.
    pub fn grace(&self, retries: TimeSpan) -> TimeSpan {
        self.grace.unwrap_or(TimeSpan::new(retries.amount.saturating_mul(2), retries.unit))
    }
}

/// What stands for the values of an enum in keys, so that a value can be put between two others without renumbering them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranks {
    /// The entity.
    pub entity: String,
    /// Its enumerated field.
    pub field: String,
    /// Each value with its rank, rising, in the order of the enum.
    pub ranks: Vec<(String, u16)>,
}
