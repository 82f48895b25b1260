//! The line between Keyloom and an engine.
//!
//! A [`Store`] executes bounded reads of one partition and two kinds of writes: a guarded change of one row ([`Store::decide`]),
//! and rows made at least as new as a version ([`Store::place`]). Every table obeys one [`Discipline`], and a store
//! refuses the verbs of the others. What an engine can and can't do is data ([`Abilities`]); nobody branches on its name.
//!
//! Beside it stand [`Define`] (tables), [`Sweep`] (all rows, never in the path of a request) and [`Inspect`].
//! [`Dialect`] says what an engine stores and charges, without a connection.
//! [`Model`] is the reference: a store in a `BTreeMap`, obviously right.

mod abilities;
mod boxed;
mod define;
mod dialect;
mod fault;
mod inspect;
mod model;
mod read;
pub mod refuse;
mod row;
mod schema;
mod sizes;
mod store;
mod sweep;
mod write;

pub use abilities::{Abilities, Atomic, Indexes, Limits, ReadForm, no_objection};
pub use boxed::{BoxFuture, BoxedStore, BoxedSweep};
pub use define::{Define, Step, Taking, steps, taking};
pub use dialect::{Call, Dialect, IndexChange, RowChange, Work};
pub use fault::{Cause, Fault, Scope, one_by_one};
pub use inspect::{Inspect, Inspection};
pub use model::Model;
pub use read::{Cost, End, Freshness, Get, Got, Range, Rows, Slice};
pub use row::{Page, Row, RowBuilder, Section, Shown, State};
pub use schema::{Column, ColumnAt, Discipline, Group, Millis, Shape, SortColumn, Table, TableId};
pub use sizes::{GroupSizes, NumberSize, RowSizes, ValueSize};
pub use store::Store;
pub use sweep::{Resume, Segment, Sweep, Swept};
pub use write::{
    Along, Change, Current, Decision, Expect, GroupImage, Image, Placement, Placing, VERSION_MAX, Verdict,
};
