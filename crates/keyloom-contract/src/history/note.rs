use keyloom_store::{Fault, Verdict};
use serde::{Deserialize, Serialize};

/// What a client writes down: every intention before the call, every answer after it, and what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A decision is about to be sent that adds `token` to a row.
    Deciding {
        /// Unique in the run.
        token: u64,
        /// The row of the decided table.
        row: u64,
    },
    /// How the decision ended.
    Decided {
        /// Which.
        token: u64,
        /// What the client makes of it: done, or one of the ways of not being done, or still unknown.
        answer: Answer,
        /// Whether an unknown had to be resolved for that.
        doubted: bool,
    },
    /// Rows are about to be placed.
    Placing {
        /// Unique in the run.
        token: u64,
        /// Whether they must be visible all or none.
        together: bool,
        /// What is placed.
        sent: Vec<Sent>,
    },
    /// How the placement ended.
    Placed {
        /// Which.
        token: u64,
        /// What the client makes of it.
        answer: Answer,
        /// Whether it was unknown at some time.
        doubted: bool,
    },
    /// A decided row was read.
    SawChain {
        /// Which.
        row: u64,
        /// How many tokens it had.
        length: usize,
        /// The digest of them.
        digest: u64,
        /// How many it must have had: those of a decision that was acknowledged before the read began.
        floor: usize,
    },
    /// A column group of a placed row was read.
    SawGroup {
        /// Where.
        spot: Spot,
        /// The version that stood there.
        version: Option<u64>,
        /// The highest rank that was acknowledged before the read began.
        floor: Option<Rank>,
    },
    /// Something that no fault of an engine excuses.
    Astray {
        /// What.
        words: String,
    },
}

/// How a write was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Answer {
    /// It happened.
    Done,
    /// It did not happen: the row was not as expected.
    Lost,
    /// It did not happen.
    NotDone,
    /// It did not happen, since the engine is busy.
    Busy,
    /// It may have happened, or may still.
    Unknown,
}

impl Answer {
    /// The answer in what a store returned; the words of a fault that no engine in trouble excuses.
    pub(super) fn of_verdict(result: &Result<Verdict, Fault>) -> Result<Self, String> {
        match result {
            Ok(Verdict::Done) => Ok(Self::Done),
            Ok(Verdict::Lost { .. }) => Ok(Self::Lost),
            Err(fault) => Self::of_fault(fault),
        }
    }

    /// As [`Self::of_verdict`], of a placement.
    pub(super) fn of_placement(result: &Result<(), Fault>) -> Result<Self, String> {
        result.as_ref().map_or_else(Self::of_fault, |()| Ok(Self::Done))
    }

    fn of_fault(fault: &Fault) -> Result<Self, String> {
        match fault {
            Fault::NotDone(_) => Ok(Self::NotDone),
            Fault::Busy { .. } => Ok(Self::Busy),
            Fault::Unknown(_) => Ok(Self::Unknown),
            Fault::Refused(_) | Fault::Broken(_) => Err(fault.to_string()),
        }
    }
}

/// The placed tables of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Which {
    /// Rows of one column group.
    Plain,
    /// Rows of two.
    Grouped,
    /// Rows that are placed once, together with others.
    Batched,
}

/// One placement of one row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Its table.
    pub table: Which,
    /// Its row.
    pub row: u64,
    /// Whether it is a put or a removal.
    pub put: bool,
    /// The column groups, each with its version.
    pub groups: Vec<(usize, u64)>,
}

impl Sent {
    /// What is placed where.
    pub(super) fn ranks(&self) -> impl Iterator<Item = (Spot, Rank)> {
        self.groups.iter().map(|(group, version)| {
            (Spot { table: self.table, row: self.row, group: *group }, Rank { version: *version, put: self.put })
        })
    }
}

/// One column group of one placed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spot {
    /// Its table.
    pub table: Which,
    /// Its row.
    pub row: u64,
    /// Its position in the row.
    pub group: usize,
}

/// The order of placements: by version; of one version, a removal first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rank {
    /// The version.
    pub version: u64,
    /// Whether it is a put.
    pub put: bool,
}

/// The digest of no tokens.
pub(super) const EMPTY: u64 = 0;

/// The digest of one token more.
pub(super) fn digest(of_those_before: u64, token: u64) -> u64 {
    crate::script::mixed(of_those_before.rotate_left(1) ^ token)
}
