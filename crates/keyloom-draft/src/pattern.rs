//! Patterns before they are written down: what a statement needs, in the draft's own fields.

use keyloom_cql::ast::LiteralKind;
use keyloom_finding::Place;

/// What one statement, or several that say the same, need.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) entity: usize,
    pub(crate) action: Action,
    /// What should be known about it, each a sentence.
    pub(crate) notes: Vec<String>,
    /// The table that the statement names.
    pub(crate) source: usize,
    /// Where it is asked.
    pub(crate) callers: Vec<Caller>,
}

/// Where a statement is asked.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) place: Place,
    pub(crate) function: Option<String>,
}

/// What it does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    Read(Read),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
    /// Several writes of one batch.
    Atomic(Vec<(usize, Action)>),
}

/// One row, rows, or their number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    pub(crate) verb: ReadVerb,
    pub(crate) by: Vec<(usize, Value)>,
    pub(crate) tests: Vec<Test>,
    /// Fields, and whether the largest comes first.
    pub(crate) order: Vec<(usize, bool)>,
    /// The first so many rows.
    pub(crate) first: Option<u64>,
    /// Rows of a page.
    pub(crate) page: Option<u64>,
    /// The fields of the answer; `None` for all.
    pub(crate) returns: Option<Vec<usize>>,
    /// It is asked for several values at once: `IN`.
    pub(crate) several: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadVerb {
    Get,
    List,
    Count,
}

/// A row that is written as a whole, as far as the statement names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Insert {
    pub(crate) body: Vec<(usize, Value)>,
    /// `IF NOT EXISTS`
    pub(crate) if_absent: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Update {
    pub(crate) by: Vec<(usize, Value)>,
    pub(crate) changes: Vec<(usize, Change)>,
    pub(crate) conditions: Vec<Test>,
    /// `IF EXISTS`
    pub(crate) if_present: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delete {
    pub(crate) by: Vec<(usize, Value)>,
    pub(crate) conditions: Vec<Test>,
}

/// What happens to a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    Set(Value),
    /// A counter goes up, or down.
    Count {
        up: bool,
        by: Value,
    },
    /// Into a set.
    Add,
    /// From a set or a map.
    Remove,
    /// To a list.
    Append,
    /// One entry of a map.
    Entry,
}

/// A test of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Test {
    pub(crate) field: usize,
    pub(crate) comparison: Comparison,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Has,
    IsNotNull,
}

impl Comparison {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Has => "has",
            Self::IsNotNull => "is not null",
        }
    }

    /// Whether it bounds from above, or from below.
    pub(crate) fn bound(self) -> Option<&'static str> {
        match self {
            Self::Less | Self::LessOrEqual => Some("to"),
            Self::Greater | Self::GreaterOrEqual => Some("from"),
            _ => None,
        }
    }
}

/// A value in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// The caller sends it.
    Input,
    /// A constant, as it is written.
    Constant(LiteralKind, String),
    /// One of several constants.
    OneOf(Vec<(LiteralKind, String)>),
    Null,
    Now,
    Today,
    New,
}

impl Action {
    /// Whether it changes rows.
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self, Self::Read(_))
    }
}
