//! The small parsers by examples: what they read, and how they answer what they can't.

mod check;
mod expr;
mod types;
mod units;
