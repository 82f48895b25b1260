//! The small parsers: units, types, expressions, addresses. Each takes a scalar's text and answers with a value or one [`Fault`]
//! whose range counts bytes of that text. None of them knows YAML, names of the catalog, or places in files.
//!
//! [`Fault`]: crate::fault::Fault

pub mod address;
pub mod expr;
mod lexer;
pub mod types;
pub mod units;
