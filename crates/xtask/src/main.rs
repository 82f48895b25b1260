//! The `keyloom` command.
fn main() {}
