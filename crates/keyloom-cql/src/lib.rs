//! CQL, as Cassandra and ScyllaDB speak it: a lexer and a parser with places, schemas that statements build up, and a
//! resolver that answers what the server would say to a statement when it is prepared.
//!
//! Pure: text goes in, data comes out. Where the text came from (a file, a string in a program, several pieces of one)
//! is the caller's to know; a [`Span`] counts bytes of the text that was parsed.

pub mod ast;
mod lex;
pub mod parse;
pub mod resolve;
pub mod schema;
mod span;

pub use span::Span;

/// Stands around the name of a hole: a part of a statement that is not known when it is read, such as a table name that a
/// program pastes in. `SELECT a FROM ␣t␣` with this character for `␣` has a hole named `t` where the table stands.
///
/// The object replacement character: no source file contains it by intent, and it is a character of its own in UTF-8, so a
/// hole is seen wherever it stands, also within a name or a string.
pub const HOLE: char = '\u{fffc}';
