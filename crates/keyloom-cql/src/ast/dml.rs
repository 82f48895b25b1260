use super::{Arithmetic, CqlType, Name, QualifiedName, Statement, Term};
use crate::Span;

/// `SELECT`
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// Whether rows are answered as JSON.
    pub json: bool,
    /// Where `DISTINCT` stands.
    pub distinct: Option<Span>,
    /// What is answered.
    pub selection: Selection,
    /// The table, index view or materialized view.
    pub table: QualifiedName,
    /// The terms of `WHERE`, in the order written.
    pub relations: Vec<Relation>,
    /// `GROUP BY`: columns, or functions over them.
    pub group_by: Vec<Selector>,
    /// `ORDER BY`
    pub order_by: Vec<Ordering>,
    /// `PER PARTITION LIMIT`
    pub per_partition_limit: Option<Term>,
    /// `LIMIT`
    pub limit: Option<Term>,
    /// Where `ALLOW FILTERING` stands.
    pub allow_filtering: Option<Span>,
    /// `USING TIMEOUT` and the like, which ScyllaDB knows.
    pub using: Vec<Using>,
    /// `BYPASS CACHE`, which ScyllaDB knows.
    pub bypass_cache: bool,
}

/// What a `SELECT` answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// `*`
    All,
    /// A list of selectors.
    Of(Vec<Selector>),
}

/// One thing that a `SELECT` answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    /// Which one.
    pub kind: SelectorKind,
    /// `AS name`
    pub alias: Option<Name>,
    /// Where it is written, without the alias.
    pub span: Span,
}

/// The kinds of selectors.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectorKind {
    /// A column.
    Column(Name),
    /// `COUNT(*)` or `COUNT(1)`
    CountRows,
    /// `f(a, b)`; `WRITETIME(c)`, `MAXWRITETIME(c)`, `TTL(c)` and `token(a, b)` too.
    Call(QualifiedName, Vec<Selector>),
    /// `CAST(a AS type)`
    Cast(Box<Selector>, CqlType),
    /// `udt.field`
    Field(Box<Selector>, Name),
    /// `m['k']`
    Element(Box<Selector>, Term),
    /// `m['a'..'z']`
    Slice(Box<Selector>, Option<Term>, Option<Term>),
    /// A constant or marker.
    Term(Term),
    /// `a + b`
    Arithmetic(Arithmetic, Box<Selector>, Box<Selector>),
    /// `-a`
    Negative(Box<Selector>),
    /// `[a, b]`
    List(Vec<Selector>),
    /// `{a, b}`
    Set(Vec<Selector>),
    /// `{a: b}`
    Map(Vec<(Selector, Selector)>),
    /// `{field: a}`
    Udt(Vec<(Name, Selector)>),
    /// `(a, b)`
    Tuple(Vec<Selector>),
    /// `(type) a`
    Hint(CqlType, Box<Selector>),
    /// Not known when the statement is read; it may be several columns.
    Hole(Name),
}

/// `ORDER BY a DESC`
#[derive(Debug, Clone, PartialEq)]
pub struct Ordering {
    /// By what.
    pub kind: OrderingKind,
    /// Whether it is descending.
    pub descending: bool,
    /// Where it is written.
    pub span: Span,
}

/// By what rows are ordered.
#[derive(Debug, Clone, PartialEq)]
pub enum OrderingKind {
    /// A column.
    Column(Name),
    /// `v ANN OF [..]`
    Nearest(Name, Term),
    /// Not known when the statement is read.
    Hole(Name),
}

/// One term of a `WHERE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// Which kind.
    pub kind: RelationKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of relations.
#[derive(Debug, Clone, PartialEq)]
pub enum RelationKind {
    /// `a = 1`, `a IN (..)`, `a CONTAINS x`, `a LIKE x`, `a IS NOT NULL`. `IN` and `NOT IN` over a written list carry all of
    /// its values; over a marker (`IN ?`) they carry that one and `list` is false.
    Column {
        /// The column.
        column: Name,
        /// How it is compared.
        operator: Operator,
        /// With what; empty for `IS NOT NULL`.
        values: Vec<Term>,
        /// Whether the values were written as a list in parentheses.
        list: bool,
    },
    /// `m['k'] = v`
    Element {
        /// The column.
        column: Name,
        /// The key or index.
        key: Term,
        /// How it is compared.
        operator: Operator,
        /// With what.
        value: Term,
    },
    /// `(a, b) > (1, 2)`, `(a, b) IN (..)`
    Tuple {
        /// The columns.
        columns: Vec<Name>,
        /// How they are compared.
        operator: Operator,
        /// With what.
        values: Vec<Term>,
        /// Whether the values were written as a list in parentheses.
        list: bool,
    },
    /// `token(a, b) > x`
    Token {
        /// The columns.
        columns: Vec<Name>,
        /// How they are compared.
        operator: Operator,
        /// With what.
        value: Term,
    },
    /// `expr(index, 'text')`, which custom indexes know.
    Custom {
        /// The index.
        index: QualifiedName,
        /// What it is asked.
        value: Term,
    },
}

/// How two things are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
    Contains,
    ContainsKey,
    NotContains,
    NotContainsKey,
    Like,
    IsNotNull,
    Between,
    NotBetween,
}

/// `USING TTL 10`, `USING TIMESTAMP ?`, `USING TIMEOUT 1s`
#[derive(Debug, Clone, PartialEq)]
pub struct Using {
    /// `ttl`, `timestamp`, `timeout`, in lower case.
    pub name: Name,
    /// The value.
    pub value: Term,
}

/// `INSERT`
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// The table.
    pub table: QualifiedName,
    /// What is written.
    pub source: InsertSource,
    /// Where `IF NOT EXISTS` stands.
    pub if_not_exists: Option<Span>,
    /// `USING`
    pub using: Vec<Using>,
}

/// What an `INSERT` writes.
#[derive(Debug, Clone, PartialEq)]
pub enum InsertSource {
    /// `(a, b) VALUES (1, 2)`
    Values {
        /// The columns.
        columns: Vec<Name>,
        /// Their values.
        values: Vec<Term>,
    },
    /// `JSON '..'`
    Json {
        /// The document.
        document: Term,
        /// `DEFAULT UNSET` rather than `DEFAULT NULL`.
        default_unset: bool,
    },
    /// Not known when the statement is read.
    Hole(Name),
}

/// `UPDATE`
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The table.
    pub table: QualifiedName,
    /// `USING`
    pub using: Vec<Using>,
    /// `SET`
    pub assignments: Vec<Assignment>,
    /// `WHERE`
    pub relations: Vec<Relation>,
    /// `IF`
    pub conditions: Conditions,
}

/// One assignment of an `UPDATE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The column.
    pub column: Name,
    /// What happens to it.
    pub kind: AssignmentKind,
    /// Where it is written.
    pub span: Span,
}

/// What happens to a column.
#[derive(Debug, Clone, PartialEq)]
pub enum AssignmentKind {
    /// `c = v`
    Set(Term),
    /// `c = c + v` and `c += v`: append, add to a set or map, or count.
    Add(Term),
    /// `c = v + c`: prepend.
    Prepend(Term),
    /// `c = c - v` and `c -= v`
    Subtract(Term),
    /// `m[k] = v`
    Element(Term, Term),
    /// `udt.field = v`
    Field(Name, Term),
    /// `a = b + v` where `b` is another column: the server refuses it.
    OtherColumn(Name),
}

/// `DELETE`
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// The table.
    pub table: QualifiedName,
    /// Which columns; none means whole rows.
    pub targets: Vec<DeleteTarget>,
    /// `USING`
    pub using: Vec<Using>,
    /// `WHERE`
    pub relations: Vec<Relation>,
    /// `IF`
    pub conditions: Conditions,
}

/// One thing that a `DELETE` removes.
#[derive(Debug, Clone, PartialEq)]
pub enum DeleteTarget {
    /// A column.
    Column(Name),
    /// `m[k]`
    Element(Name, Term),
    /// `udt.field`
    Field(Name, Name),
}

/// The `IF` of an update or delete.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conditions {
    /// Where `IF EXISTS` stands.
    pub if_exists: Option<Span>,
    /// The conditions; empty without an `IF` over columns.
    pub all: Vec<Condition>,
}

impl Conditions {
    /// Whether there is an `IF` at all.
    pub fn is_conditional(&self) -> bool {
        self.if_exists.is_some() || !self.all.is_empty()
    }
}

/// One condition of an `IF`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The column.
    pub column: Name,
    /// `m[k]`
    pub element: Option<Term>,
    /// `udt.field`
    pub field: Option<Name>,
    /// How it is compared.
    pub operator: Operator,
    /// With what; for `IN` all values, or one marker.
    pub values: Vec<Term>,
    /// Whether the values were written as a list in parentheses.
    pub list: bool,
    /// Where it is written.
    pub span: Span,
}

/// `BEGIN BATCH`
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Logged, unlogged or of counters.
    pub kind: BatchKind,
    /// `USING TIMESTAMP`
    pub using: Vec<Using>,
    /// Its inserts, updates and deletes.
    pub statements: Vec<Statement>,
}

/// The kinds of batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what its name says")]
pub enum BatchKind {
    Logged,
    Unlogged,
    Counter,
}
