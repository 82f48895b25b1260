//! What was understood of a catalog: endpoints with their inputs, answers and reasons, and what each write moves; and of a
//! program: which tables answer, what a write does to them.

mod amounts;
mod engines;
mod explain;
mod json;
mod plan;
mod plan_json;
mod questions;
mod table_text;
mod text;

use keyloom_model::{Catalog, Entity, Pattern};

pub use engines::{Side, engines};
pub use explain::{Explained, changed, explain, summary};
pub use json::json;
pub(crate) use plan::verb;
pub use plan::{plan, sentences};
pub use plan_json::design_json;
pub use text::text;

/// One thing of a catalog.
#[derive(Debug, Clone, Copy)]
pub enum Shown<'a> {
    /// As an endpoint.
    Pattern(&'a Pattern),
    /// With its fields, the size of a row, and who uses it.
    Entity(&'a Entity),
}

impl<'a> Shown<'a> {
    /// The pattern or entity of that name.
    pub fn find(catalog: &'a Catalog, name: &str) -> Option<Self> {
        catalog.pattern(name).map(Self::Pattern).or_else(|| catalog.entity(name).map(Self::Entity))
    }
}
