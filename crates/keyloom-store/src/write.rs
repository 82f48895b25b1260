use keyloom_value::Value;

use crate::{
    row::Row,
    schema::{Millis, TableId},
};

/// The largest version. A version becomes a signed timestamp on some engines, one higher for a put.
pub const VERSION_MAX: u64 = i64::MAX as u64 - 1;

/// One guarded change of one decided row, and what rides along: all of it happens, or nothing.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// The row it is about.
    pub change: Change<'a>,
    /// Other rows; as many as [`crate::Atomic`] covers, each row once.
    pub along: &'a [Along<'a>],
    /// A row that expires at or before this moment is absent.
    pub now: Millis,
}

/// A decided row: what it must be, and what it becomes.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// A decided table.
    pub table: TableId,
    /// The whole key.
    pub key: &'a [Value<'a>],
    /// What it must be.
    pub expect: Expect,
    /// What it becomes; its version is above the expected one.
    pub becomes: Image<'a>,
}

/// What a decided row must be for a decision to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Not there.
    Absent,
    /// There, with this version.
    Version(u64),
}

/// A row's root columns.
#[derive(Debug, Clone, Copy)]
pub struct Image<'a> {
    /// The version of the row.
    pub version: u64,
    /// From when on it is not there.
    pub expires_at: Option<Millis>,
    /// One value for each column of the root group; absent ones are `Null`, and so are columns behind the last value: who
    /// does not know of them yet has nothing to say.
    pub values: &'a [Value<'a>],
}

/// What rides along with a decision.
#[derive(Debug, Clone, Copy)]
pub enum Along<'a> {
    /// Another decided row.
    Decide(Change<'a>),
    /// A decided row that must be so and stays as it is.
    Check {
        /// A decided table.
        table: TableId,
        /// The whole key.
        key: &'a [Value<'a>],
        /// What it must be.
        expect: Expect,
    },
    /// A carried row, whatever it was.
    Put {
        /// A carried table.
        table: TableId,
        /// The whole key.
        key: &'a [Value<'a>],
        /// What it becomes.
        becomes: Image<'a>,
    },
    /// A carried row that is gone afterwards.
    Remove {
        /// A carried table.
        table: TableId,
        /// The whole key.
        key: &'a [Value<'a>],
    },
    /// A placement. One that comes too late is no obstacle to the decision.
    Place(Placement<'a>),
}

/// How a decision ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All of it happened.
    Done,
    /// Nothing happened: a row was not as expected.
    Lost {
        /// The first such: 0 for the row itself, n for the n-th that rode along.
        at: usize,
        /// What it is instead.
        current: Current,
    },
}

/// What a row is instead of what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Current {
    /// The engine does not say; a read tells.
    NotSaid,
    /// Not there.
    Absent,
    /// There.
    Is(Row),
}

/// Makes a placed row at least this new, or gone.
///
/// One placement happens as a whole. Placements are idempotent and commutative: of all that were ever sent for a column group, the one with the highest
/// version stands. A removal comes before a put of the same version and after one of any lower version. Two puts of one
/// version must be equal.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// A placed table.
    pub table: TableId,
    /// The whole key.
    pub key: &'a [Value<'a>],
    /// What is placed there.
    pub placing: Placing<'a>,
}

/// What is placed.
#[derive(Debug, Clone, Copy)]
pub enum Placing<'a> {
    /// Columns of one or more groups.
    Put {
        /// Each group once.
        groups: &'a [GroupImage<'a>],
        /// From when on these groups are not there.
        expires_at: Option<Millis>,
    },
    /// One or more groups are gone, each at its version.
    Remove {
        /// Position of the group, and the version.
        groups: &'a [(usize, u64)],
    },
}

/// The columns of one group.
#[derive(Debug, Clone, Copy)]
pub struct GroupImage<'a> {
    /// Its position; 0 is the root.
    pub group: usize,
    /// Its version.
    pub version: u64,
    /// One value for each column, as in an [`Image`].
    pub values: &'a [Value<'a>],
}
