//! What comes out: statements as they were put together from program text, with the way back to its bytes.

use std::ops::Range;

/// A statement, or several in one text, that a program asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The unit whose text the statement begins in, as an index of what was linked.
    pub unit: usize,
    /// The bytes of the expression there: a literal, a concatenation, a call of a builder.
    pub at: Range<u32>,
    /// The statement. A part that is not known stands as its name between two [`keyloom_cql::HOLE`] characters.
    pub text: String,
    /// Which bytes of the text come from which bytes of which unit, in the order of the text and without gaps, except that
    /// holes may have none.
    pub pieces: Vec<Piece>,
    /// The parts that are not known, in the order of the text.
    pub holes: Vec<Hole>,
    /// What the program wrote it as.
    pub from: Origin,
    /// The program replaces parts of the text afterwards, so that what runs is another text.
    pub rewritten: bool,
    /// The text is put together at run time in a way that was not followed: it is one possible text, or a part of it.
    pub dynamic: bool,
    /// Of several parts that the program adds or not, some are there and others are not: perhaps no caller asks that.
    pub combined: bool,
    /// What looks like another dialect of SQL, in the order of [`Foreign`].
    pub foreign: Vec<Foreign>,
    /// The constants and variables that hold the statement, outermost last.
    pub names: Vec<String>,
    /// The function in which the text is written.
    pub function: Option<String>,
    /// The class, type, object or module in which the text is written.
    pub container: Option<String>,
    /// The text is written in a test.
    pub test_code: bool,
    /// Where the program sends, prepares or binds it, in the order of the units and of their text.
    pub sites: Vec<Site>,
}

/// A part of a statement and where the program wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The bytes of the statement.
    pub text: Range<u32>,
    /// The unit that they come from.
    pub unit: usize,
    /// The bytes of the unit's text that made them.
    pub at: Range<u32>,
    /// The bytes are the same on both sides; else they were written otherwise (an escape, a call of a builder, a hole).
    pub verbatim: bool,
}

/// A part of a statement that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The name that the program gives it: a variable, a parameter, a constant that was not found.
    pub name: String,
    /// The bytes of the statement that stand for it, the two marks included.
    pub text: Range<u32>,
    /// The values that it may have, where its call sites are in the same unit and all of them are constant; else empty.
    pub values: Vec<String>,
}

/// What a program wrote a statement as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Text: literals, constants, concatenation, formats.
    Literal,
    /// Calls of a query or schema builder.
    Builder,
    /// The description of a table, from which the driver derives statements.
    Metadata,
}

/// What CQL does not have and other dialects do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Foreign {
    /// `JOIN`.
    Join,
    /// A numbered marker: `$1`.
    NumberedMarker,
    /// A name in backticks or square brackets.
    QuotedName,
    /// `RETURNING`.
    Returning,
    /// `ON CONFLICT`, `ON DUPLICATE KEY`.
    OnConflict,
    /// `::type`.
    DoubleColonCast,
    /// `AUTO_INCREMENT`, `SERIAL`, `IDENTITY`.
    GeneratedKey,
    /// A type that CQL has not: `VARCHAR(20)`, `DATETIME`, `NUMBER`.
    Type,
    /// `HAVING`, `UNION`, `EXISTS (`, a subquery, `CASE WHEN`, `BETWEEN` with `OR`.
    Clause,
    /// `FOREIGN KEY`, `REFERENCES`, `UNIQUE`, `DEFAULT`, `CHECK`, `NOT NULL` in a definition.
    Constraint,
    /// `*` beside other selectors, `t.*`, an alias of a table.
    Alias,
}

/// A place where a program sends, prepares or binds a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The unit.
    pub unit: usize,
    /// The bytes of the outermost call.
    pub at: Range<u32>,
    /// The calls that the statement goes through, innermost first: `prepare`, `bind`, `execute`, `one`.
    pub calls: Vec<String>,
    /// The function around it.
    pub function: Option<String>,
    /// The class, type, object or module around it.
    pub container: Option<String>,
    /// It is a test.
    pub test_code: bool,
    /// It stands in a loop of its function, or in a function that is given to a `forEach` or the like.
    pub in_loop: bool,
    /// The batch that it is added to.
    pub batch: Option<BatchSite>,
    /// What is bound to the markers.
    pub arguments: Vec<Argument>,
    /// The page size that is set here, as the program writes it.
    pub page_size: Option<String>,
    /// The consistency that is set here, as the program writes it, without its type: `LOCAL_QUORUM`.
    pub consistency: Option<String>,
    /// Whether the statement is marked as idempotent here.
    pub idempotent: Option<bool>,
    /// The timestamp that is set here, as the program writes it.
    pub timestamp: Option<String>,
    /// What becomes of the answer.
    pub consumed: Option<Consumed>,
}

/// A batch that a statement is added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchSite {
    /// Statements of one unit with the same number are added to the same batch.
    pub id: u32,
    /// What kind of batch it is.
    pub kind: BatchKind,
    /// The statement is added in a loop in which the batch is not begun anew.
    pub in_loop: bool,
    /// The program divides what it adds into parts of limited size.
    pub chunked: bool,
}

/// The kinds of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchKind {
    /// Goes through the batch log.
    Logged,
    /// Does not.
    Unlogged,
    /// Of counters.
    Counter,
    /// Begun out of sight, or with a kind that is not constant.
    Unknown,
}

/// What is bound to a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Which marker.
    pub marker: Marker,
    /// The expression, as the program writes it.
    pub text: String,
    /// What is known of its value.
    pub value: Bound,
}

/// A marker, as the bind site names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// By its position among the markers, from 0.
    Position(u32),
    /// By its name.
    Name(String),
}

/// What is known of a bound value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Nothing.
    Unknown,
    /// It is always this text or number.
    Constant(String),
    /// It is always null.
    Null,
    /// It is always left unset.
    Unset,
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumed {
    /// One row is taken.
    One,
    /// All rows are collected.
    All,
    /// Rows are taken one after the other, page by page.
    Iterated,
    /// Only the rows of the first page are taken.
    FirstPage,
}
