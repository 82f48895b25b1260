//! Statements out of program text.
//!
//! Text goes in, data comes out: this crate knows no files, no findings and no schemas. It reads one file at a time into a
//! small unit, and links units into [`Snippet`]s: statements with the way back to the bytes of the program.
//!
//! What is taken is a text that begins like a statement, put together as the program puts it together: literals of all
//! kinds, concatenation, constants of other classes and files, formats, optional parts, query builders. A part that is not
//! known is a hole with a name; a text that was not followed to its end is marked as dynamic. Whether it is CQL, or the SQL
//! of another database in the same repository, is the caller's to decide: the evidence comes with it.

mod builder;
mod dialect;
mod draft;
mod front;
mod language;
mod link;
mod literal;
mod read;
mod shape;
mod sight;
mod snippet;
mod template;
mod unit;
mod value;
mod words;

pub use dialect::Drivers;
pub use language::Language;
pub use link::{Linked, Purpose, Taken, Wanted, link, may_hold_wanted};
pub use read::{BYTES_MAX, read};
pub use sight::may_hold_statements;
pub use snippet::{
    Argument, BatchKind, BatchSite, Bound, Consumed, Foreign, Hole, Marker, Origin, Piece, Site, Snippet,
};
pub use unit::{Remark, Unit, Unread};
