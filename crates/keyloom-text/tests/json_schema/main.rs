//! The JSON Schemas accept what the readers accept, and refuse what is wrong where it is wrong.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "examples and fixtures are files, and a broken one must stop the test"
)]

mod catalog;
mod layout;

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use keyloom_text::{Files, Unreadable};
use serde_json::Value;

/// A file as an editor sees it: `100` is a number, `true` a boolean.
fn as_an_editor_sees_it(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap_or_else(|fault| panic!("this is not YAML: {fault}\n{yaml}"))
}

/// The places that a schema does not accept, with its reasons.
fn refused_by(validator: &Validator, yaml: &str) -> Vec<(String, String)> {
    let instance = as_an_editor_sees_it(yaml);
    validator.iter_errors(&instance).map(|fault| (fault.instance_path().to_string(), fault.to_string())).collect()
}

/// Holds that a schema refuses something, and nothing but what is wrong.
#[track_caller]
fn wrong_by(validator: &Validator, yaml: &str, place: &str) {
    let faults = refused_by(validator, yaml);
    assert!(faults.iter().any(|(path, _)| path == place), "{place:?} should be refused, found {faults:#?}\n{yaml}");
    assert!(faults.iter().all(|(path, _)| path == place), "only {place:?} is wrong, found {faults:#?}\n{yaml}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder is readable").path()).collect();
    found.sort();
    found
}

/// The fixtures of all rules on which they stay quiet.
fn quiet_fixtures() -> Vec<PathBuf> {
    let rules = entries(&root().join("crates/keyloom-check/tests/rules"));
    let mut quiet: Vec<PathBuf> = rules.iter().flat_map(|rule| entries(rule)).collect();
    quiet.retain(|fixture| fixture.file_name().is_some_and(|name| name.to_string_lossy().starts_with("quiet-")));
    quiet
}

struct Folder(PathBuf);

impl Files for Folder {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        std::fs::read(self.0.join(name)).map_err(|_| Unreadable::Missing).and_then(Unreadable::text)
    }

    fn resolve(&self, name: &str) -> String {
        if self.0.join(name).is_dir() { format!("{name}/catalog.yaml") } else { name.to_owned() }
    }
}

/// Compares a schema with the one that is published, or rewrites that.
fn is_published(schema: &str, name: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        std::fs::write(&path, schema).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == schema, "docs/{name} differs; KEYLOOM_UPDATE=1 rewrites it");
}

/// Every key that some mapping of the schema knows, with its schema.
fn keys(schema: &Value) -> Vec<(&str, &Value)> {
    let inner: Vec<&Value> = match schema {
        Value::Object(keywords) => keywords.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    let own = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    own.map(|(name, value)| (name.as_str(), value)).chain(inner.into_iter().flat_map(keys)).collect()
}

/// Where a key is described: where it stands, or once as a word that is named wherever it fits.
fn described<'a>(schema: &'a Value, value: &'a Value) -> &'a Value {
    let word = value["$ref"].as_str().filter(|target| target.starts_with("#/$defs/word_"));
    word.map_or(value, |target| schema.pointer(&target[1..]).expect("it leads somewhere"))
}

/// Holds that every key is described.
fn every_key_is_described(schema: &Value) {
    for (name, value) in keys(schema) {
        let doc = described(schema, value)["description"].as_str();
        assert!(doc.is_some_and(|doc| doc.ends_with('.')), "nothing says what `{name}` means: {value}");
    }
}

/// Holds that references lead somewhere, and that nothing is defined which is named nowhere.
fn every_reference_leads_somewhere(schema: &Value) {
    let text = schema.to_string();
    for part in text.split("\"$ref\":\"#").skip(1) {
        let pointer = part.split('"').next().unwrap();
        assert!(schema.pointer(pointer).is_some(), "{pointer} is nowhere");
    }
    for name in schema["$defs"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("\"#/$defs/{name}\"")), "nothing refers to {name}");
    }
}
