use serde_json::Value as Json;

use crate::shown::Shown;

/// What a call answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// One row.
    Row {
        /// The fields that the pattern returns.
        row: Shown,
        /// The version of the row.
        version: u64,
    },
    /// There is no such row.
    NoRow,
    /// A page of a list.
    Rows {
        /// In the order of the list.
        rows: Vec<Shown>,
        /// Where the next page begins; absent at the end.
        next: Option<String>,
        /// Where the page before ends; absent at the start.
        previous: Option<String>,
        /// There may be more rows that belong here than are shown.
        partial: bool,
    },
    /// How many rows there are.
    Count {
        /// So many were counted.
        count: u64,
        /// There are at least so many; counting ended there.
        at_least: bool,
    },
    /// A write had its effect, now or when the same request came before.
    Applied {
        /// The key of the row.
        key: Json,
        /// The version it made.
        version: u64,
        /// What the pattern returns of the row; nothing when the request had come before.
        row: Option<Shown>,
        /// Whether every list shows it. If not, it is certain to become visible: somebody sees to it later.
        visible: bool,
        /// What the caller presents to lists that may show it later, to see it there: see [`crate::Run::having_seen`].
        seen: Option<String>,
    },
    /// A write had no effect.
    NotApplied {
        /// From the pattern's closed list.
        reason: String,
    },
    /// Whether a write had its effect is not known.
    Unknown {
        /// Asks again.
        token: String,
    },
}
