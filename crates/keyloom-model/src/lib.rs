//! The catalog as resolved data: what an application asks for, with every name looked up and every type known; and the
//! [layout](mod@layout), how that is stored on one engine.
//!
//! This crate knows nobody: no YAML, no files, no places. Two catalogs are equal when they say the same. It is made
//! by `keyloom-text`, read by everything else.

mod catalog;
mod class;
mod date;
mod endpoint;
mod engine;
mod expr;
mod groups;
pub mod layout;
mod moves;
mod pattern;
mod quantity;
mod row_size;
mod types;

pub use catalog::{
    Aggregate, Allow, Catalog, Drift, Entity, Expiry, Field, Fill, Group, History, Kept, Origin, Reference, Rollup,
    RollupValue, Scenario, States, Struct, Tenant, Unique, Volume,
};
pub use class::{Class, ClassReason};
pub use date::Date;
pub use endpoint::{Endpoint, Output};
pub use engine::Engine;
pub use expr::{Arithmetic, Compare, Expr, Function, Has, Literal, Member, Path, Root, Set};
pub use groups::{GroupSize, KnownBy};
pub use moves::{Move, MoveReason};
pub use pattern::{
    Action, Assignment, By, ByItem, Change, Claim, Condition, Direction, Each, Freshness, Input, Limit, Order,
    OrderItem, Pattern, Read, ReadVerb, Returns, Selection, Skew, Step, Through, WhileMoving, With, Write, WriteVerb,
};
pub use quantity::{Distribution, Frequency, Rate, Share, TimeSpan, TimeUnit, bytes_text, count_text};
pub use row_size::RowSize;
pub use types::{Size, Type, Variant};
