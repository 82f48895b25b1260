//! What a caller sends: parameters, headers, a body.

use keyloom_model::{Action, Catalog, Endpoint, Input, Limit, Pattern, ReadVerb, Type};
use keyloom_run::SEEN_MAX;
use serde_json::{Value as Json, json};

use crate::{attempt::HEADER, seen};

use super::{
    Object,
    schema::{Side, UUID_7, array, object, of, or_null, reference},
};

/// Query parameters and headers.
pub(super) fn parameters(catalog: &Catalog, pattern: &Pattern, endpoint: &Endpoint) -> Vec<Json> {
    let mut parameters = Vec::new();
    if endpoint.method == "GET" {
        parameters.extend(endpoint.inputs.iter().map(|input| in_query(catalog, input)));
        parameters.extend(of_pages(pattern));
    }
    if endpoint.needs_idempotency_key {
        parameters.push(idempotency_key());
        parameters.push(attempt());
    }
    if pattern.read().is_some() {
        parameters.push(seen());
    }
    if compares_version(pattern) {
        parameters.push(json!({
            "name": "If-Match", "in": "header", "required": false,
            "description": "the ETag of the row as it was seen; in place of `version` in the body",
            "schema": { "type": "string", "pattern": "^\"[0-9]{1,18}\"$" },
        }));
    }
    parameters.extend(tenant(catalog));
    parameters
}

/// The header in which a worker and an operator name the tenant, where there are tenants.
pub(super) fn tenant(catalog: &Catalog) -> Option<Json> {
    let tenant = catalog.tenant.as_ref()?;
    Some(json!({
        "name": "Keyloom-Tenant", "in": "header", "required": false,
        "description": "the tenant that a key of a worker or an operator acts for; other keys have one of their own",
        "schema": of(&tenant.ty, catalog, Side::Taken),
    }))
}

fn in_query(catalog: &Catalog, input: &Input) -> Json {
    let one = of(&input.ty, catalog, Side::Taken);
    let mut parameter = json!({ "name": input.name, "in": "query", "required": !input.optional });
    match (&input.ty, input.list_max) {
        (_, Some(most)) => {
            let mut many = array(one, Some(most), false);
            many["minItems"] = json!(1);
            parameter["schema"] = many;
            parameter["style"] = json!("form");
            parameter["explode"] = json!(true);
        }
        (Type::Json(_), None) => parameter["content"] = json!({ "application/json": { "schema": one } }),
        (_, None) => parameter["schema"] = one,
    }
    parameter
}

/// `order`, `limit` and `cursor` of a list.
fn of_pages(pattern: &Pattern) -> Vec<Json> {
    let Some(read) = pattern.read().filter(|read| read.verb == ReadVerb::List) else { return Vec::new() };
    let mut parameters = Vec::new();
    let orders: Vec<&str> =
        read.selection.orders.iter().map(|order| order.name.as_str()).filter(|name| !name.is_empty()).collect();
    if let [first, ..] = orders[..] {
        parameters.push(json!({
            "name": "order", "in": "query", "required": false,
            "schema": { "type": "string", "enum": orders, "default": first },
        }));
    }
    let (Limit::Page(rows) | Limit::First(rows)) = read.limit.unwrap_or(Limit::Page(Limit::ASSUMED_ROWS));
    parameters.push(json!({
        "name": "limit", "in": "query", "required": false, "description": "rows of a page",
        "schema": { "type": "integer", "minimum": 1, "maximum": rows, "default": rows },
    }));
    if goes_on(pattern) {
        parameters.push(json!({
            "name": "cursor", "in": "query", "required": false,
            "description": "`next` or `previous` of a page, given back as it is with the same inputs",
            "schema": { "type": "string" },
        }));
    }
    parameters
}

/// Whether a list has more than one page.
pub(super) fn goes_on(pattern: &Pattern) -> bool {
    pattern.read().is_some_and(|read| read.verb == ReadVerb::List && !matches!(read.limit, Some(Limit::First(_))))
}

fn idempotency_key() -> Json {
    json!({
        "name": "Idempotency-Key", "in": "header", "required": true,
        "description": "new for each request, the same when it is repeated: a uuid of version 7, or `name;unix-ms`, a name \
                        of up to 64 characters and the milliseconds since 1970 at which the request was made",
        "schema": { "type": "string", "pattern": format!("^({UUID_7}|[!-~]{{1,64}};[0-9]{{1,15}})$") },
        "example": "order-17;1794735000000",
    })
}

fn attempt() -> Json {
    json!({
        "name": HEADER, "in": "header", "required": false,
        "description": "1 for the first attempt of a request, 2 for its first repeat. A request that may have been sent before \
                        stays refused under its key once it is; without this header every request may",
        "schema": { "type": "integer", "minimum": 1, "maximum": u32::MAX },
    })
}

fn seen() -> Json {
    json!({
        "name": seen::HEADER, "in": "header", "required": false,
        "description": format!(
            "what answers to the caller's own writes said in this header, up to {SEEN_MAX} of them with commas between: the rows \
             are shown as they were written, also in a list that follows later",
        ),
        // One text and not a list of them, which generators of clients refuse in a header.
        "schema": { "type": "string" },
    })
}

/// Whether a caller may send the version that it has seen as `If-Match`.
pub(super) fn compares_version(pattern: &Pattern) -> bool {
    let is_write = !matches!(pattern.action, Action::Read(_) | Action::Outside(_));
    is_write && pattern.inputs.iter().any(|input| input.name == "version") && batch(pattern).is_none()
}

/// How many a batch has at most; `None` where one thing is asked.
pub(super) fn batch(pattern: &Pattern) -> Option<u64> {
    match &pattern.action {
        Action::Read(read) => read.batch,
        Action::Write(write) => write.batch,
        _ => None,
    }
}

/// The body of a `POST`, and the schema of its inputs.
pub(super) fn body(catalog: &Catalog, pattern: &Pattern, schemas: &mut Object) -> Json {
    let name = format!("{}.inputs", pattern.name);
    schemas.insert(name.clone(), inputs(catalog, pattern));
    let schema = match batch(pattern) {
        None => reference(&name),
        Some(most) => {
            let items = array(reference(&name), Some(most), false);
            object(std::iter::once(("items", items, true)), Side::Taken)
        }
    };
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn inputs(catalog: &Catalog, pattern: &Pattern) -> Json {
    let schema = |input: &Input| {
        let mut schema = of(&input.ty, catalog, Side::Taken);
        if input.name == "version" && input.ty == Type::Int {
            // Versions are given out as text, and taken as they were given out.
            schema = json!({ "type": "string", "pattern": "^[0-9]{1,18}$" });
        }
        if input.list_max.is_some() { array(schema, input.list_max, false) } else { schema }
    };
    let in_header = |input: &Input| compares_version(pattern) && input.name == "version";
    let member = |input| -> (&str, Json, bool) {
        let input: &Input = input;
        let may_lack = input.optional || in_header(input);
        (&input.name, if may_lack { or_null(schema(input)) } else { schema(input) }, !may_lack)
    };
    object(pattern.inputs.iter().map(member), Side::Taken)
}
