//! One pattern as an operation.

use keyloom_model::{Action, Catalog, Endpoint, Pattern};
use serde_json::{Value as Json, json};

use super::{Object, answers, asked};

/// The operation of a pattern. Its schemas are put beside those of the others.
pub(super) fn of(catalog: &Catalog, pattern: &Pattern, endpoint: &Endpoint, schemas: &mut Object) -> Json {
    let (verb, entity) = about(pattern);
    let mut operation = json!({ "operationId": pattern.name, "summary": format!("{verb} {entity}").trim() });
    if let Some(doc) = &pattern.doc {
        operation["description"] = json!(doc);
    }
    if !entity.is_empty() {
        operation["tags"] = json!([entity]);
    }
    let parameters = asked::parameters(catalog, pattern, endpoint);
    if !parameters.is_empty() {
        operation["parameters"] = Json::Array(parameters);
    }
    if endpoint.method == "POST" {
        operation["requestBody"] = asked::body(catalog, pattern, schemas);
    }
    if catalog.tenant.is_none() && pattern.looks_at_caller() {
        operation["security"] = json!([{ "key": [] }]);
    }
    operation["responses"] = answers::responses(catalog, pattern, endpoint, schemas);
    operation
}

/// What a pattern does, and to what.
fn about(pattern: &Pattern) -> (&'static str, &str) {
    match &pattern.action {
        Action::Read(read) => (read.verb.name(), &read.selection.entity),
        Action::Write(write) => (write.verb.name(), &write.entity),
        Action::Claim(claim) => ("claim", &claim.selection.entity),
        Action::Atomic(_) => ("atomic", ""),
        Action::Outside(_) => ("outside", ""),
    }
}

/// `GET /v1/-/outcome/{token}`
pub(super) fn outcome(catalog: &Catalog) -> Json {
    let token =
        json!({ "name": "token", "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } });
    let parameters: Vec<Json> = std::iter::once(token).chain(asked::tenant(catalog)).collect();
    json!({
        "operationId": "keyloom.outcome",
        "summary": "what became of a write whose outcome was not known",
        "tags": ["keyloom"],
        "parameters": parameters,
        "responses": answers::outcome_responses(catalog),
    })
}

/// `GET /healthz`
pub(super) fn health() -> Json {
    json!({
        "operationId": "keyloom.health",
        "summary": "answers as long as the process lives",
        "tags": ["keyloom"],
        "security": [],
        "responses": { "200": answers::json("it lives", status("up")) },
    })
}

/// `GET /readyz`
pub(super) fn readiness() -> Json {
    json!({
        "operationId": "keyloom.readiness",
        "summary": "whether the store answers and it is not told to stop",
        "tags": ["keyloom"],
        "security": [],
        "responses": {
            "200": answers::json("it is ready", status("ready")),
            "503": { "$ref": "#/components/responses/busy" },
        },
    })
}

fn status(word: &str) -> Json {
    json!({
        "type": "object",
        "properties": { "status": { "type": "string", "const": word } },
        "required": ["status"],
    })
}
