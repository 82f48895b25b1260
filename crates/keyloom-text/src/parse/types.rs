//! Types: `text(80..400)`, `uuid -> Case must exist = new`.

use std::ops::Range;

use keyloom_model::{Distribution, Size, Variant};

use super::expr::{Fill, Word};
use crate::fault::Fault;

/// A type as it is written: names of structs are not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the same shapes as keyloom_model::Type, which documents them")]
pub enum TypeKind {
    Uuid,
    Uuid7,
    Text(Size),
    Bytes(Size),
    Json(Size),
    Int,
    Float,
    Decimal {
        scale: u8,
    },
    Bool,
    Date,
    Timestamp {
        micros: bool,
    },
    Duration,
    Ip,
    Enum(Vec<Variant>),
    /// The counts are `None` when they are missing, which is a finding of its own.
    List(Box<Type>, Option<Distribution<u64>>),
    Set(Box<Type>, Option<Distribution<u64>>),
    Map(Box<Type>, Box<Type>, Option<Distribution<u64>>),
    /// A name in capitals: a struct, if the catalog has it.
    Named(Word),
    OneOf(Vec<Type>),
}

/// A field's whole text: `uuid? -> Case must exist = new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its type.
    pub ty: Type,
    /// Written with `?`.
    pub optional: bool,
    /// `-> Case`
    pub reference: Option<Word>,
    /// `must exist`
    pub must_exist: bool,
    /// What follows `=`.
    pub fill: Option<Fill>,
}

/// Reads a field's whole text.
pub fn field(text: &str) -> Result<Field, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads a type alone, as members of structs have it (with an optional `?`, which the second value tells).
pub fn type_alone(text: &str) -> Result<(Type, bool), Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}
