//! The executor: a compiled program, run over a store.
//!
//! [`Program::of`] makes it ready and says what can't be run yet; [`Run::open`] defines the tables; then every
//! pattern is a [`Run::call`] from inputs to an [`Answer`]. It knows nothing of HTTP. Clock and chance come in through
//! [`Environment`].
//!
//! A write is one decision on one source row, with its companions: rows of lists, reservations of unique values, receipts
//! of requests that the row itself no longer remembers. They ride along where the store is able to ([`Companions`](keyloom_plan::Companions)); else
//! they follow, and [`Run::settle`] finishes what was cut off.

mod answer;
mod append;
mod blind;
mod bucket;
mod caller;
mod carry;
mod changing;
mod copies;
mod credential;
mod cursor;
mod digest;
mod dirty;
mod ends;
mod environment;
mod evaluate;
mod export;
mod fell;
mod follow;
mod idempotency;
mod inputs;
mod judge;
mod kept;
mod keys;
mod newest;
mod outcome;
mod problem;
mod program;
mod protocol;
mod read;
mod receipts;
mod record;
mod recount;
mod refuse;
mod register;
mod release;
mod reserve;
mod ride;
mod run;
mod seen;
mod settle;
mod shown;
mod size;
mod support;
mod term;
#[cfg(test)]
mod tests;
mod touch;
#[cfg(feature = "trial")]
pub mod trial;
mod verify;
mod work;
mod write;

pub use answer::Answer;
pub use caller::Caller;
pub use changing::{Changed, Changes, Changing, LayoutRecord, Level, Wanted};
pub use credential::{Credential, Hash};
pub use environment::Environment;
pub use export::Export;
pub use idempotency::{IdempotencyKey, uuid7};
pub use inputs::Inputs;
pub use keys::{Holder, Key, Role, tenant_of};
pub use problem::Problem;
pub use program::{NotYet, Program};
pub use run::{Call, Run};
pub use seen::SEEN_MAX;
pub use settle::Settled;
pub use shown::Shown;
pub use verify::{Named, Report, TableReport, Verified, Verify};
pub use work::{Partition, Promise, Work, measured};
