//! The JSON Schemas of the languages, for completion, hover texts and red underlines in editors.
//!
//! Which words there are, what they mean and where they fit comes from the vocabulary; here stands only what shape the
//! value behind each word has. The schema accepts every file that the reader accepts without a finding about its shape,
//! but for a key with nothing behind it: the reader takes it for absent, an editor may underline it as unfinished. It is
//! never the judge: expressions are just strings to it.
//!
//! Some keywords are not JSON Schema but are understood by the YAML language server, and others skip them:
//! `patternErrorMessage` and `errorMessage` say in words what is wrong, `deprecationMessage` keeps a word from being
//! proposed, `defaultSnippets` are proposed without being shown as examples.

mod layout;
mod scalar;
mod value;

pub use layout::layout_json_schema;

use serde_json::{Map, Value, json};

use crate::vocabulary::{self, ENTITY, FILE, PATTERN, ROLLUP, Stage, Word};

/// The schema of catalogs, as JSON text.
///
/// ```
/// let schema = keyloom_text::json_schema();
/// assert!(schema.contains("https://json-schema.org/draft/2020-12/schema"));
/// ```
pub fn json_schema() -> String {
    let file = object(FILE, value::of_file, &[]);
    let head =
        head("catalog", "The catalog language of Keyloom, version 1: the needs of an application, never its storage.");
    let rules = json!({
        // An included file needs neither; the file that names the catalog says in which language it is written.
        "dependentRequired": { "catalog": ["language"] },
        "$defs": definitions(),
    });
    let schema = merge(merge(head, file), rules);
    format!("{schema:#}\n")
}

/// What a schema says of itself.
fn head(language: &str, description: &str) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:keyloom:{language}:1"),
        "title": format!("Keyloom {language}"),
        "description": description,
        "$comment": format!("Printed by `keyloom json-schema` of Keyloom {}.", env!("CARGO_PKG_VERSION")),
    })
}

/// What is used in several places, or would be hard to find where it is used.
fn definitions() -> Value {
    let mut all = Map::new();
    for (name, schema) in scalar::definitions().into_iter().chain(value::definitions()) {
        all.insert(name.to_owned(), schema);
    }
    let entity = object(ENTITY, value::of_entity, &["key", "fields"]);
    all.insert("entity".to_owned(), merge(json!({ "description": "A thing with identity, and its fields." }), entity));
    let rollup = object(ROLLUP, value::of_rollup, &["of", "values"]);
    all.insert("rollup".to_owned(), merge(json!({ "description": "Totals kept from another entity." }), rollup));
    for word in PATTERN.iter().filter(|word| !value::varies(word.name)) {
        all.insert(format!("word_{}", word.name), described(word, value::of_pattern(word.name, word.name)));
    }
    let verbs = vocabulary::pattern_verbs();
    all.insert(
        "pattern".to_owned(),
        by_kind(&verbs, &[], "pattern", "has no verb", "{ get: Task, by: [task_id], rate: 20/s }"),
    );
    for verb in &verbs {
        let schema = said(&vocabulary::pattern_words(verb.name), verb.name, "pattern");
        all.insert(format!("pattern_{}", verb.name), schema);
    }
    let verbs = vocabulary::step_verbs();
    all.insert(
        "step".to_owned(),
        by_kind(&verbs, &["each"], "step", "has no verb", "{ create: Task, takes: [title] }"),
    );
    for verb in &verbs {
        all.insert(format!("step_{}", verb.name), said(&vocabulary::step_words(verb.name), verb.name, "step"));
    }
    let with = closed(&vocabulary::with_words(), |word| property("list", word), &["list"]);
    all.insert("with".to_owned(), merge(json!({ "description": "Another list in the same answer." }), with));
    Value::Object(all)
}

/// What a pattern or step with this verb may and must say.
fn said(words: &[&Word], verb: &str, kind: &str) -> Value {
    let required: &[&str] = match verb {
        "claim" => &["claim", "by", "order", "up_to", "lease"],
        "check" => &["check", "by", "if"],
        "list" | "count" => &[verb, "by"],
        // The `by` of a get, an update or a delete may be missing: a singleton has no key.
        _ => &[verb],
    };
    let schema = closed(words, |word| property(verb, word), required);
    let schema = merge(json!({ "title": format!("{verb} {kind}") }), schema);
    if verb != "update" {
        return schema;
    }
    let changes = ["set", "any_of", "add", "remove", "append"].map(|change| json!({ "required": [change] }));
    merge(schema, json!({ "anyOf": changes }))
}

/// Asks for one verb (of a table, for one kind) after the other, so that an editor sees the words of one verb alone: its
/// completion proposes only what fits, and a word that does not fit is refused where it stands. Without a verb, the verbs are
/// proposed; `lacks` says what is missing then.
fn by_kind(verbs: &[&Word], before: &[&str], kind: &str, lacks: &str, example: &str) -> Value {
    let proposed = before.iter().copied().chain(verbs.iter().map(|verb| verb.name));
    let properties: Map<_, _> = proposed.map(|name| (name.to_owned(), value::reference_to_word(name))).collect();
    let built: Vec<&str> = verbs.iter().filter(|verb| verb.stage == Stage::Now).map(|verb| verb.name).collect();
    let message = format!("This {kind} {lacks}: write one of {}.", built.join(", "));
    let required: Vec<Value> =
        built.iter().map(|verb| json!({ "required": [verb], "errorMessage": message })).collect();
    let without = json!({ "properties": properties, "anyOf": required });
    // `outside` decides whatever stands beside it.
    let (outside, others): (Vec<&Word>, Vec<&Word>) = verbs.iter().partition(|verb| verb.name == "outside");
    let chain = others.iter().rev().chain(&outside).fold(without, |otherwise, verb| {
        json!({
            // Without the type, a step of which nothing is written yet would pass every `if`.
            "if": { "type": "object", "required": [verb.name] },
            "then": { "$ref": format!("#/$defs/{kind}_{}", verb.name) },
            "else": otherwise,
        })
    });
    merge(json!({ "type": "object", "description": format!("One {kind}, such as `{example}`.") }), chain)
}

/// A word of a pattern, with what it means beside this verb.
fn property(verb: &str, word: &Word) -> Value {
    if value::varies(word.name) {
        return described(word, value::of_pattern(verb, word.name));
    }
    value::reference_to_word(word.name)
}

/// A mapping that has these words and no others, each with the value that stands behind it.
fn object(words: &[Word], value: impl Fn(&str) -> Value, required: &[&str]) -> Value {
    let words: Vec<&Word> = words.iter().collect();
    closed(&words, |word| described(word, value(word.name)), required)
}

fn closed(words: &[&Word], property: impl Fn(&Word) -> Value, required: &[&str]) -> Value {
    let properties: Map<_, _> = words.iter().map(|word| (word.name.to_owned(), property(word))).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The schema of a value, with what its word means.
fn described(word: &Word, schema: Value) -> Value {
    match word.stage {
        Stage::Now => merge(json!({ "title": word.name, "description": word.doc }), schema),
        Stage::Second => {
            let doc = format!("Not yet: this word is reserved and will be built later. {}", word.doc);
            merge(
                json!({ "title": word.name, "description": doc, "deprecated": true, "deprecationMessage": doc }),
                schema,
            )
        }
    }
}

/// The keys of both; where both have one, that of the first.
fn merge(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            for (key, value) in second {
                first.entry(key).or_insert(value);
            }
            Value::Object(first)
        }
        (first, _) => first,
    }
}
