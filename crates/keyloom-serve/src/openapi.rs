//! OpenAPI 3.1 of a catalog: every pattern as an operation. It follows from the catalog alone, and says the same bytes
//! for the same catalog; `/openapi.json` and `keyloom emit openapi` are one text.
//!
//! Names of components can't meet: structs of the catalog are `Singular`, what belongs to a pattern stands behind its name
//! and a point (`get_order.row`), and what all share is in lower case without one.

mod answers;
mod asked;
mod operation;
mod problems;
mod schema;

use keyloom_model::{Catalog, Endpoint, Pattern};
use serde_json::{Map, Value as Json, json};

use crate::limits::{BODY_MAX, BODY_TIME, CALLS_MAX, CONNECTIONS_MAX, HEAD_TIME, READ_TIME};

use self::schema::{Side, structs};

/// A JSON object under construction.
type Object = Map<String, Json>;

/// The document as text.
pub fn text(catalog: &Catalog) -> String {
    // Writing a tree of JSON into a string can't fail; the alternate form of its text is indented.
    format!("{:#}\n", document(catalog))
}

/// The document.
pub fn document(catalog: &Catalog) -> Json {
    let mut paths = Object::new();
    let mut schemas = shared(catalog);
    for pattern in &catalog.patterns {
        let Some(endpoint) = Endpoint::of(catalog, pattern) else { continue };
        let operation = operation::of(catalog, pattern, &endpoint, &mut schemas);
        paths.insert(endpoint.path.clone(), json!({ endpoint.method.to_lowercase(): operation }));
    }
    if catalog.patterns.iter().any(answers::may_be_unknown) {
        paths.insert("/v1/-/outcome/{token}".into(), json!({ "get": operation::outcome(catalog) }));
    }
    paths.insert("/healthz".into(), json!({ "get": operation::health() }));
    paths.insert("/readyz".into(), json!({ "get": operation::readiness() }));
    let mut components = json!({ "schemas": schemas, "responses": problems::responses(catalog), "headers": headers() });
    let mut document = json!({
        "openapi": "3.1.1",
        "info": { "title": catalog.name, "version": "1", "description": about(catalog) },
        "paths": paths,
    });
    if is_secured(catalog) {
        let words = "a key of `keyloom key add`; it says which tenant and which subject is calling";
        let scheme = json!({ "type": "http", "scheme": "bearer", "description": words });
        components["securitySchemes"] = json!({ "key": scheme });
        // Where there are no tenants, only what looks at its caller needs to know it.
        document["security"] = match catalog.tenant {
            Some(_) => json!([{ "key": [] }]),
            None => json!([{}, { "key": [] }]),
        };
    }
    document["components"] = components;
    document
}

/// Whether a call says who it is from: its tenant, or the subject that an expression looks at.
pub(crate) fn is_secured(catalog: &Catalog) -> bool {
    catalog.tenant.is_some() || catalog.patterns.iter().any(Pattern::looks_at_caller)
}

/// What the document says before its operations.
fn about(catalog: &Catalog) -> String {
    let retries = catalog.retries.map_or_else(|| "24h".to_owned(), |retries| retries.to_string());
    format!(
        "Each pattern of the catalog is an operation. A write carries `Idempotency-Key` unless its own inputs say that it \
         happens once; within {retries} a repeated request has one effect and answers the same. It answers that it was \
         applied, that it was not and for which reason, or that this is not known, with a token to ask again.\n\nA problem \
         is answered as RFC 9457 has it: `type` for programs, `detail` for people, with what to do.\n\nLimits: a body has \
         at most {BODY_MAX} bytes and comes within {} s, the head of a request within {} s, and an answer is not left unread for {} s; {CONNECTIONS_MAX} connections \
         are kept and {CALLS_MAX} calls run at once, and who comes beyond that is answered with 503 and `Retry-After`. \
         `limit` of a list and `items` of a batch have the maximum that their schema says.\n\nWho calls is said by a key, in \
         `Authorization: Bearer kl_..`, and by nothing else. Where keys were added each request carries one.",
        BODY_TIME.as_secs(),
        HEAD_TIME.as_secs(),
        READ_TIME.as_secs(),
    )
}

/// The schemas that no pattern has for itself.
fn shared(catalog: &Catalog) -> Object {
    let mut schemas = Object::new();
    schemas.insert("problem".into(), problems::schema());
    if catalog.patterns.iter().any(answers::may_be_unknown) {
        schemas.insert("unknown".into(), answers::unknown());
    }
    for side in [Side::Given, Side::Taken] {
        schemas.extend(structs(catalog, side));
    }
    schemas
}

fn headers() -> Json {
    json!({
        "etag": {
            "description": "the version of the row, for `If-Match` of a pattern that compares it",
            "required": true,
            "schema": { "type": "string", "pattern": "^\"[0-9]+\"$" },
        },
        "seen": {
            "description": "what to present to reads that may show the write later; only where there are such",
            "required": false,
            "schema": { "type": "string" },
        },
        "retry_after": {
            "description": "after how many seconds to come again",
            "required": true,
            "schema": { "type": "integer", "minimum": 0 },
        },
        "www_authenticate": {
            "description": "how to show a key",
            "required": true,
            "schema": { "type": "string", "const": "Bearer" },
        },
    })
}
