//! What a catalog asks of its tables, and which table answers: pure, as data.
//!
//! `docs/design/007-program.md` says why it is one thing that is explained, priced, run and printed.

pub mod access;
mod question;
mod test;
mod truth;

pub use access::{Access, Component, Reach, Slice, Why};
pub use question::{Asked, Wants, questions, target};
pub use test::{Fixed, Test, Within, tests};
