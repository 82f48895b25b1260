use crate::Span;

/// Why the server would reject a statement that changes the schema. What can be understood of it is applied all the same,
/// so that one fault is not followed by all that would come from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// Which kind.
    pub kind: SchemaFaultKind,
    /// The part of the statement that causes it.
    pub at: Span,
    /// In our own words, one sentence with the names in it.
    pub message: String,
}

/// The kinds of faults that rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchemaFaultKind {
    /// What is created is there already.
    Exists,
    /// The table or view is not in the schema; it may have been made elsewhere.
    UnknownTable,
    /// The column is not in the table.
    UnknownColumn,
    /// The type is not in the schema; it may have been made elsewhere.
    UnknownType,
    /// The index, function, or field is not in the schema.
    UnknownName,
    /// A type that can't stand where it stands.
    Type,
    /// The key can't be so, or can't be changed so.
    Key,
    /// Something else depends on what is dropped or changed.
    InUse,
    /// Anything else.
    Other,
}

/// What applying a statement, or a part of it, answers.
pub(super) type Applied<T = ()> = Result<T, SchemaFault>;

/// A fault of this kind.
pub(super) fn fault<T>(kind: SchemaFaultKind, at: Span, message: String) -> Applied<T> {
    Err(SchemaFault { kind, at, message })
}
