use super::{CqlType, Name, QualifiedName};
use crate::Span;

/// A value in a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Which one.
    pub kind: TermKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of terms.
#[derive(Debug, Clone, PartialEq)]
pub enum TermKind {
    /// A constant.
    Literal(Literal),
    /// `?` or `:name`
    Marker(Option<Name>),
    /// A value that is not known when the statement is read.
    Hole(Name),
    /// `[a, b]`: a list, or a vector.
    List(Vec<Term>),
    /// `{a, b}`, and `{}`, which may also be an empty map.
    Set(Vec<Term>),
    /// `{k: v}`
    Map(Vec<(Term, Term)>),
    /// `{field: v}`
    Udt(Vec<(Name, Term)>),
    /// `(a, b)`
    Tuple(Vec<Term>),
    /// `f(a, b)`
    Call(QualifiedName, Vec<Term>),
    /// `(type) term`
    Hint(CqlType, Box<Term>),
    /// `CAST(term AS type)`
    Cast(Box<Term>, CqlType),
    /// `a + b`
    Arithmetic(Arithmetic, Box<Term>, Box<Term>),
    /// `-a`, where `a` is not a constant.
    Negative(Box<Term>),
}

/// The operators between two terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A constant as it is written: `text` without quotes and with doubled quotes undone, else word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Which kind the lexer sees in it.
    pub kind: LiteralKind,
    /// The constant.
    pub text: String,
    /// Whether part of it is a hole.
    pub unknown: bool,
}

/// The kinds of constants that the lexer tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum LiteralKind {
    String,
    Integer,
    /// A number with a point or an exponent, `NaN`, `Infinity`.
    Float,
    Boolean,
    Uuid,
    /// `0xff`
    Blob,
    /// `1h30m`, `P1D`
    Duration,
    Null,
}
