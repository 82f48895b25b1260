//! Expressions, with a range of the text at every node.

use std::ops::Range;

use keyloom_model::{Arithmetic, Compare, Function, Has, Literal};

use crate::fault::Fault;

/// An expression as it is written: names are not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// What it is.
    pub kind: ExprKind,
}

/// A word with its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Bytes of the parsed text.
    pub range: Range<usize>,
    /// The word, without `$` or `?`.
    pub text: String,
}

/// One step of a path: a name or an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// `.title`
    Name(Word),
    /// `.$name`
    Input(Word),
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the same shapes as keyloom_model::Expr, which documents them")]
pub enum ExprKind {
    Literal(Literal),
    Input {
        name: Word,
        optional: bool,
    },
    /// A path as written: `case.title`, `timers.$name`. A single name is a path of one word.
    Path(Word, Vec<PathStep>),
    Call(Function, Vec<Expr>),
    Negate(Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    InValues(Box<Expr>, Vec<Expr>),
    InRange(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    InInput {
        of: Box<Expr>,
        name: Word,
        optional: bool,
        max: u64,
    },
    IsNull {
        of: Box<Expr>,
        negated: bool,
    },
    StartsWith(Box<Expr>, Box<Expr>),
    Has(Has, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
}

/// What follows `=` behind a field's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// `= new`
    New,
    /// `= now on write`
    NowOnWrite,
    /// `= next per queue`
    Next(Vec<Word>),
    /// `= product.price at create`
    AtCreate(Expr),
    /// `= count of Bid`, `= sum of Line.amount where ..`, `= last of Reading.value by at`
    Kept(Kept),
    /// Anything else: a default or derived, which the names in it decide.
    Expr(Expr),
}

/// `count of Task.case where status = OPEN`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// `count sum avg min max last first`
    pub aggregate: Word,
    /// The other entity.
    pub entity: Word,
    /// What follows its name behind a dot: a field, or the reference to join through.
    pub field: Option<Word>,
    /// `by at`
    pub by: Option<Word>,
    /// `where ..`
    pub filter: Option<Expr>,
}

/// `if: cond else reason`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What must hold.
    pub test: Expr,
    /// The answer when it does not.
    pub reason: Option<Word>,
}

/// One item of an order: `due_at asc nulls last`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderItem {
    /// What is ordered by: a path.
    pub of: Expr,
    /// Written with `desc`.
    pub descending: bool,
    /// Written with `nulls last`.
    pub nulls_last: bool,
}

/// Reads an expression: `status = OPEN and due_at <= now`.
pub fn expr(text: &str) -> Result<Expr, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads what follows `=` behind a type.
pub fn fill(text: &str) -> Result<Fill, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads `cond else reason`.
pub fn condition(text: &str) -> Result<Condition, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads `priority desc, due_at asc nulls last`.
pub fn order(text: &str) -> Result<Vec<OrderItem>, Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}

/// Reads one item of `by`: `field`, `field = value`, `seller.region_id`, `Follow.follower_id`. The value is `None` for
/// the short form, which stands for `field = $field`.
pub fn by_item(text: &str) -> Result<(Vec<Word>, Option<Expr>), Fault> {
    let _ = text;
    Err(Fault::new(0..0, ""))
}
