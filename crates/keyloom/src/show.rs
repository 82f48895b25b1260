//! What was understood of a catalog: endpoints with their inputs, answers and reasons, and what each write moves.

mod json;
mod text;

pub use json::json;
pub use text::text;
