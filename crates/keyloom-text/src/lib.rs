//! The languages of the catalog and the layout: YAML in, the model and findings out; and canonical printing.
//!
//! A front end never gives up at the first fault: [`read`] answers with what it understood and every finding it has.

mod fault;
mod format;
mod json_schema;
pub mod parse;
mod read;
pub mod rules;
mod text;
mod vocabulary;
mod yaml;

pub use fault::Fault;
pub use format::{format, is_layout, print_layout};
pub use json_schema::{json_schema, layout_json_schema};
pub use read::{Files, LayoutReading, Reading, Unreadable, layout_of_text, nearest, read, read_layout};
pub use text::Text;
