use super::QualifiedName;
use crate::Span;

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CqlType {
    /// Which one.
    pub kind: TypeKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeKind {
    /// A type of the language itself.
    Native(Native),
    /// `list<x>`
    List(Box<CqlType>),
    /// `set<x>`
    Set(Box<CqlType>),
    /// `map<k, v>`
    Map(Box<CqlType>, Box<CqlType>),
    /// `tuple<..>`
    Tuple(Vec<CqlType>),
    /// `vector<x, n>`
    Vector(Box<CqlType>, u32),
    /// `frozen<x>`
    Frozen(Box<CqlType>),
    /// A user-defined type.
    Named(QualifiedName),
    /// `'org.example.SomeType'`: a class of the server's.
    Custom(String),
}

/// The types of the language itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named as CQL names it")]
pub enum Native {
    Ascii,
    Bigint,
    Blob,
    Boolean,
    Counter,
    Date,
    Decimal,
    Double,
    Duration,
    Empty,
    Float,
    Inet,
    Int,
    Smallint,
    /// Also written `varchar`.
    Text,
    Time,
    Timestamp,
    Timeuuid,
    Tinyint,
    Uuid,
    Varint,
}
