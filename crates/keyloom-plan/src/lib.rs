//! What a catalog asks of its tables, and which table answers: pure, as data.
//!
//! `docs/design/007-program.md` says why it is one thing that is explained, priced, run and printed.

mod test;

pub use test::{Fixed, Test, Within, tests};
