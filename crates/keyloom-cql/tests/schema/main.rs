//! What statements make of a schema, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; snapshots are files"
)]

mod final_state;
mod find;
mod refused;

use keyloom_cql::parse::parse;
use keyloom_cql::schema::Schema;

/// The schema that a text builds; none of its statements is refused.
fn built(text: &str) -> Schema {
    let script = parse(text);
    assert_eq!(script.faults, []);
    let mut schema = Schema::default();
    let mut keyspace = None;
    for (number, statement) in script.statements.iter().enumerate() {
        let applied = schema.apply(statement, u32::try_from(number).unwrap(), &mut keyspace);
        assert_eq!(applied, Ok(()), "{}", &text[statement.span.bytes()]);
    }
    schema
}
