//! What a caller is answered with, where it is no problem; and why a write is not applied.

use keyloom_model::{
    Action, Catalog, Endpoint, Entity, Limit, Output, Pattern, Read, ReadVerb, Returns, Write, WriteVerb,
};
use serde_json::{Value as Json, json};

use super::{
    Object,
    asked::{batch, goes_on},
    problems::{Shared, members, problem},
    schema::{Side, array, object, of, reference},
};
use crate::seen;

/// Whether a call may end without anybody knowing whether it had its effect.
pub(super) fn may_be_unknown(pattern: &Pattern) -> bool {
    !matches!(pattern.action, Action::Read(_) | Action::Outside(_))
}

/// A write whose outcome is not known.
pub(super) fn unknown() -> Json {
    let token = json!({ "type": "string", "description": "asked again at `/v1/-/outcome/{token}`" });
    let members = [("outcome", json!({ "type": "string", "const": "unknown" }), true), ("token", token, true)];
    object(members.into_iter(), Side::Given)
}

/// The responses of a pattern.
pub(super) fn responses(catalog: &Catalog, pattern: &Pattern, endpoint: &Endpoint, schemas: &mut Object) -> Json {
    let mut add = |name: &str, schema: Json| {
        let name = format!("{}.{name}", pattern.name);
        schemas.insert(name.clone(), schema);
        reference(&name)
    };
    let mut responses = Object::new();
    let mut problems = Shared::of(catalog, endpoint);
    if may_be_unknown(pattern) {
        // Also where an input takes the place of the key: it has its time too.
        problems.push(Shared::Key);
    }
    let one = match &pattern.action {
        Action::Read(read) => {
            let row = add("row", rows(catalog, &endpoint.outputs));
            let answer = add("answer", read_answer(pattern, read, row));
            if read.verb == ReadVerb::Get && read.batch.is_none() {
                problems.push(Shared::NoRow);
            }
            answer
        }
        Action::Write(write) => {
            let given = (write.returns != Returns::Default)
                .then(|| add("row", without_required(rows(catalog, &endpoint.outputs))));
            add("answer", applied(catalog, write, given))
        }
        Action::Claim(claim) => {
            let row = add("row", rows(catalog, &endpoint.outputs));
            let members = [("outcome", outcome("applied"), true), ("rows", array(row, Some(claim.up_to), false), true)];
            add("answer", object(members.into_iter(), Side::Given))
        }
        Action::Atomic(_) | Action::Outside(_) => {
            add("answer", object(std::iter::once(("outcome", outcome("applied"), true)), Side::Given))
        }
    };
    let is_atomic = matches!(pattern.action, Action::Atomic(_));
    let refused = (!endpoint.reasons.is_empty()).then(|| add("refusal", refusal(&endpoint.reasons, is_atomic)));
    match batch(pattern) {
        None => {
            responses.insert("200".into(), success(pattern, one));
            if may_be_unknown(pattern) {
                responses.insert("202".into(), not_known());
            }
            if let Some(refused) = refused {
                responses.insert("409".into(), problem("the write was not applied, for this reason", refused));
            }
        }
        Some(most) => {
            // Each is answered as it would be alone, and all answers are together in one.
            let mut each = vec![one];
            if may_be_unknown(pattern) {
                each.extend(refused);
                each.extend([reference("unknown"), reference("problem")]);
            } else {
                each.push(json!({ "type": "null" }));
            }
            let items = array(json!({ "anyOf": each }), Some(most), false);
            let all = object(std::iter::once(("items", items, true)), Side::Given);
            responses.insert("200".into(), json("an answer for each item, in their order", all));
        }
    }
    responses.extend(problems.iter().map(Shared::reference));
    // In the order of their statuses, whoever put them there.
    responses.sort_keys();
    Json::Object(responses)
}

/// The responses to the question what became of a write.
pub(super) fn outcome_responses(catalog: &Catalog) -> Json {
    let any = json!({ "type": "object" });
    let members = [("outcome", outcome("applied"), true), ("key", any, false), ("version", version(), false)];
    let mut responses = Object::new();
    responses.insert("200".into(), json("the write was applied", object(members.into_iter(), Side::Given)));
    responses.insert("202".into(), not_known());
    responses.insert("409".into(), problem("the write was not applied, for this reason", refusal(&[], true)));
    let problems = [Shared::always(catalog), vec![Shared::BadToken]].concat();
    responses.extend(problems.iter().map(Shared::reference));
    responses.sort_keys();
    Json::Object(responses)
}

fn not_known() -> Json {
    json("whether the write had its effect is not known; ask again with the token", reference("unknown"))
}

/// A response with a JSON body.
pub(super) fn json(description: &str, schema: Json) -> Json {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn success(pattern: &Pattern, schema: Json) -> Json {
    let is_get = pattern.read().is_some_and(|read| read.verb == ReadVerb::Get);
    let words = match &pattern.action {
        Action::Read(read) => match read.verb {
            ReadVerb::Get => "the row",
            ReadVerb::List => "rows, in their order",
            ReadVerb::Count => "how many there are",
        },
        _ => "the write was applied, now or when the same request came before",
    };
    let mut response = json(words, schema);
    if is_get {
        response["headers"] = json!({ "ETag": { "$ref": "#/components/headers/etag" } });
    }
    if matches!(pattern.action, Action::Write(_)) {
        response["headers"] = json!({ seen::HEADER: { "$ref": "#/components/headers/seen" } });
    }
    response
}

fn read_answer(pattern: &Pattern, read: &Read, row: Json) -> Json {
    let at_end = |words: &str| json!({ "type": "string", "description": words });
    match read.verb {
        ReadVerb::Get => object([("row", row, true), ("version", version(), true)].into_iter(), Side::Given),
        ReadVerb::Count => {
            let count = json!({ "type": "integer", "format": "int64", "minimum": 0 });
            let at_least = json!({ "type": "boolean", "const": true, "description": "there may be more" });
            object([("count", count, true), ("at_least", at_least, false)].into_iter(), Side::Given)
        }
        ReadVerb::List => {
            let partial = json!({ "type": "boolean", "const": true, "description": "rows may be missing" });
            let (Limit::Page(most) | Limit::First(most)) = read.limit.unwrap_or(Limit::Page(Limit::ASSUMED_ROWS));
            let mut members = vec![("rows", array(row, Some(most), false), true), ("partial", partial, false)];
            if goes_on(pattern) {
                members.push(("next", at_end("the cursor of the next page; absent at the end"), false));
                members.push(("previous", at_end("the cursor of the page before; absent at the start"), false));
            }
            object(members.into_iter(), Side::Given)
        }
    }
}

fn applied(catalog: &Catalog, write: &Write, row: Option<Json>) -> Json {
    let visible = json!({ "type": "boolean", "const": false, "description": "lists do not show it yet; they will" });
    let mut members = vec![("outcome", outcome("applied"), true), ("key", key(catalog, write), true)];
    members.push(("version", version(), write.verb != WriteVerb::Delete));
    members.extend(row.map(|row| ("row", row, false)));
    members.push(("visible", visible, false));
    if write.batch.is_some() {
        let words = "what to present to reads that may show it later, in the header `Keyloom-Seen`";
        members.push(("seen", json!({ "type": "string", "description": words }), false));
    }
    object(members.into_iter(), Side::Given)
}

/// The key of a row that was written.
fn key(catalog: &Catalog, write: &Write) -> Json {
    let entity = catalog.entity(&write.entity);
    let fields = entity.into_iter().flat_map(|entity: &Entity| entity.key.iter().filter_map(|name| entity.field(name)));
    object(fields.map(|field| (field.name.as_str(), of(&field.ty, catalog, Side::Given), true)), Side::Given)
}

/// A problem with the reason of a write that was not applied; any reason where none is named.
fn refusal(reasons: &[String], is_atomic: bool) -> Json {
    let mut reason = json!({ "type": "string" });
    if !reasons.is_empty() {
        reason["enum"] = json!(reasons);
    }
    let step = json!({ "type": "integer", "minimum": 0, "description": "which step of an atomic, from 0" });
    let step = is_atomic.then_some(("step", step, false));
    let own = [("outcome", outcome("not_applied"), true), ("reason", reason, true)].into_iter().chain(step);
    object(members().into_iter().chain(own), Side::Given)
}

fn outcome(word: &str) -> Json {
    json!({ "type": "string", "const": word })
}

fn version() -> Json {
    json!({ "type": "string", "pattern": "^[0-9]+$", "description": "of the row, as its ETag" })
}

/// One row of an answer: `case.title` lies in an object `case`, `latest[].at` in the objects of an array `latest`.
fn rows(catalog: &Catalog, outputs: &[Output]) -> Json {
    let mut root = Node::default();
    for output in outputs {
        let path: Vec<&str> = output.name.split('.').collect();
        let schema = of(&output.ty, catalog, Side::Given);
        root.put(&path, schema, !output.optional);
    }
    root.schema()
}

/// A row before or after a write may be none.
fn without_required(mut schema: Json) -> Json {
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("required");
    }
    schema
}

/// Members of an object, in the order in which they come.
#[derive(Default)]
struct Node {
    leaves: Vec<(String, Json, bool)>,
    inner: Vec<(String, Self)>,
}

impl Node {
    fn put(&mut self, path: &[&str], schema: Json, required: bool) {
        match path {
            [] => {}
            [name] => self.leaves.push(((*name).to_owned(), schema, required)),
            [name, rest @ ..] => {
                let at = self.inner.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                    self.inner.push(((*name).to_owned(), Self::default()));
                    self.inner.len() - 1
                });
                self.inner[at].1.put(rest, schema, required);
            }
        }
    }

    fn schema(&self) -> Json {
        let leaves = self.leaves.iter().map(|(name, schema, required)| (name.as_str(), schema.clone(), *required));
        let inner = self.inner.iter().map(|(name, node)| match name.strip_suffix("[]") {
            Some(name) => (name, array(node.schema(), None, false), true),
            // What is looked up in another row is not there when that row is gone.
            None => (name.as_str(), without_required(node.schema()), false),
        });
        object(leaves.chain(inner), Side::Given)
    }
}
