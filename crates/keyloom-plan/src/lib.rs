//! A catalog and its layout compiled into plans: pure, as data.
//!
//! [`questions`] are what a catalog asks of its tables; [`access`] finds the table that answers; [`Program::compile`] puts
//! reads and writes together and says what can't be held. `docs/design/007-program.md` says why it is one thing that is
//! explained, priced, run and printed.

pub mod access;
mod effects;
mod horizons;
mod legality;
mod program;
mod question;
mod refusal;
mod sketch;
mod stored;
mod test;
mod truth;

pub use access::{Access, Component, Reach, Slice, Why};
pub use effects::{Does, Effect, Expects, When, WritePlan, counts_again, way, way_of};
pub use horizons::Horizons;
pub use program::{
    PAGE_ASSUMED, PAGES_MAX, Program, ReadPlan, Walked, impossible, selection, stated_path, targets, walked,
};
pub use question::{Asked, Wants, questions, questions_of_copies, target};
pub use refusal::{Because, Refusal, What};
pub use stored::{
    ALL_COLUMN, BUCKETS, Companions, DIRTY_LOG, REGISTER, absent_column, bucket_column, copied_column, copied_kind,
    end_is_followed, is_index, kind_of, owner_column, rows_of, shown_column, source_columns, stored, system_tables,
};
pub use test::{Fixed, Test, Within, tests};
