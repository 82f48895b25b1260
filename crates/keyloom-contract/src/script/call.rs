use std::fmt;

use keyloom_store::{Expect, Freshness, Millis, Table};

use crate::desk::{Ask, Owned};

/// One call, with buffers of its own.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Get(Asked),
    GetMany(Vec<Asked>),
    Slice { table: TableAt, ask: Ask },
    Decide { change: Written, expect: Expect, along: Vec<Rider>, now: Millis },
    Place { rows: Vec<Placed>, together: bool, now: Millis },
}

/// A row that is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub table: TableAt,
    pub key: Vec<Owned>,
    pub freshness: Freshness,
    pub now: Millis,
}

/// A decided or carried row as it becomes.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub table: TableAt,
    pub key: Vec<Owned>,
    pub version: u64,
    pub expires_at: Option<Millis>,
    pub values: Vec<Owned>,
}

/// What rides along.
#[derive(Debug, Clone)]
pub(crate) enum Rider {
    Decide { change: Written, expect: Expect },
    Check { table: TableAt, key: Vec<Owned>, expect: Expect },
    Put(Written),
    Remove { table: TableAt, key: Vec<Owned> },
    Place(Placed),
}

/// A placement.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub table: TableAt,
    pub key: Vec<Owned>,
    /// Which groups, at which versions; with values where they are put.
    pub groups: Vec<(usize, u64, Vec<Owned>)>,
    pub removal: bool,
    pub expires_at: Option<Millis>,
}

/// A table by its position among those of the script, shown by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableAt {
    pub at: usize,
    pub name: &'static str,
}

impl fmt::Debug for TableAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The tables of a script.
#[derive(Debug, Clone)]
pub(crate) struct Tables(pub Vec<Table>);

impl Tables {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn name(&self, at: usize) -> &str {
        &self.0[at].name
    }
}
