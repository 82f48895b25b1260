//! Tables as templates, for whoever lets another tool make them.
//!
//! Each template holds what the store itself would make of the same tables, from the same requests: the table that describes
//! the others, keys, indexes, on-demand billing, and the attribute by which items are forgotten. Beyond that it asks for
//! what is only a template's to say: backups to any moment, and that nobody deletes a table by mistake. The store takes
//! tables that were made so for its own when it is told to make them.

mod cloudformation;
mod hcl;
mod terraform;

pub use cloudformation::cloudformation;
pub use terraform::terraform;
