//! What the resolver says: against named answers of a real server, about holes, and about what is read.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod access;
mod cases;
mod holes;
mod properties;

use keyloom_cql::parse::parse;
use keyloom_cql::resolve::{Resolution, resolve};
use keyloom_cql::schema::Schema;

/// The schema that a text builds in the keyspace `ks`.
fn schema(text: &str) -> Schema {
    let mut schema = Schema::default();
    let mut keyspace = Some("ks".to_owned());
    for statement in &parse(text).statements {
        assert_eq!(schema.apply(statement, 0, &mut keyspace), Ok(()), "{}", &text[statement.span.bytes()]);
    }
    schema
}

/// What is said of the one statement of a text; `␣` stands around the name of a hole.
fn said(schema: &Schema, text: &str) -> Resolution {
    let script = parse(&text.replace('␣', &keyloom_cql::HOLE.to_string()));
    assert_eq!(script.faults, [], "{text}");
    resolve(schema, &script.statements[0], Some("ks"))
}
