//! What was understood of a catalog: endpoints with their inputs, answers and reasons, and what each write moves; and of a
//! program: which tables answer, what a write does to them.

mod amounts;
mod argue;
mod engines;
mod explain;
mod json;
mod plan;
mod plan_json;
mod questions;
mod table_text;
mod text;
mod words;

use keyloom_model::{Catalog, Entity, Pattern};

pub(crate) use amounts::cost;
pub(crate) use argue::{Argument, Part, argue, limits, sort_text};
pub use engines::{Side, engines};
pub use explain::{Explained, changed, explain, summary};
pub(crate) use explain::{copied, elsewhere, headline};
pub use json::json;
pub(crate) use plan::{part_text, verb};
pub use plan::{plan, sentences};
pub use plan_json::design_json;
pub(crate) use questions::{answers, asked};
pub use text::text;
pub(crate) use words::{Piece, Words};

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
