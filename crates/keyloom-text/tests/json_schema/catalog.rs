//! The schema of catalogs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use keyloom_finding::Sources;
use keyloom_text::{Files, Unreadable, json_schema, read};
use serde_json::Value;

use super::{
    Folder, described, entries, every_key_is_described, every_reference_leads_somewhere, is_published, keys,
    quiet_fixtures, refused_by, root, wrong_by,
};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&json_schema()).expect("the schema is JSON"));

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&SCHEMA).expect("the schema is a schema"));

fn refused(yaml: &str) -> Vec<(String, String)> {
    refused_by(&VALIDATOR, yaml)
}

/// The texts of a catalog's files, if the reader has nothing to say about them.
fn accepted_by_the_reader(catalog: &Path) -> Option<Vec<String>> {
    let catalog = if catalog.is_dir() { catalog.join("catalog.yaml") } else { catalog.to_owned() };
    let folder = Folder(catalog.parent()?.to_owned());
    let mut sources = Sources::default();
    let reading = read(&catalog.file_name()?.to_string_lossy(), &folder, &mut sources);
    let texts = reading.files.iter().map(|file| sources.file(*file).text().to_owned());
    reading.findings.is_empty().then(|| texts.collect())
}

#[test]
fn it_is_a_schema_and_its_bytes_are_stable() {
    assert_eq!(jsonschema::draft202012::meta::validate(&SCHEMA).map_err(|fault| fault.to_string()), Ok(()));
    assert_eq!(json_schema(), json_schema());
    is_published(&json_schema(), "catalog.schema.json");
}

#[test]
fn every_key_says_what_it_means() {
    assert!(keys(&SCHEMA).len() > 200);
    every_key_is_described(&SCHEMA);
}

#[test]
fn references_lead_somewhere() {
    every_reference_leads_somewhere(&SCHEMA);
}

#[test]
fn second_stage_words_say_that_they_are_not_built() {
    for word in ["summarize", "rank", "watch", "scan", "update_each", "delete_each"] {
        let schema = &SCHEMA["$defs"][format!("word_{word}")];
        assert_eq!(schema["deprecated"], true, "{word}");
        assert!(schema["description"].as_str().unwrap().starts_with("Not yet"), "{word}");
    }
}

#[test]
fn what_the_reader_accepts_is_accepted() {
    let mut examples = entries(&root().join("examples"));
    examples.retain(|example| example.join("catalog.yaml").is_file());
    assert!(examples.len() >= 4, "the examples are gone");
    for example in &examples {
        assert!(accepted_by_the_reader(example).is_some(), "the reader has findings about {}", example.display());
    }
    let everything = root().join("crates/keyloom/tests/data/everything.yaml");
    assert!(accepted_by_the_reader(&everything).is_some(), "the reader has findings about everything");
    for catalog in examples.iter().cloned().chain([everything]).chain(quiet_fixtures()) {
        for text in accepted_by_the_reader(&catalog).unwrap_or_default() {
            let faults = refused(&text);
            assert!(faults.is_empty(), "{}: {faults:#?}", catalog.display());
        }
    }
}

/// Every word of the language, and every form in which it may be written.
const EVERY_FORM: &str = include_str!("every-form.yaml");

#[test]
fn every_form_of_every_word_is_accepted() {
    struct One;
    impl Files for One {
        fn open(&self, name: &str) -> Result<String, Unreadable> {
            Ok(if name == "catalog.yaml" { EVERY_FORM } else { "patterns: {}\n" }.to_owned())
        }
    }
    let mut sources = Sources::default();
    let reading = read("catalog.yaml", &One, &mut sources);
    let findings: Vec<String> =
        reading.findings.iter().map(|finding| format!("{}: {}", finding.rule.name, finding.message)).collect();
    assert!(findings.is_empty(), "the reader does not accept every form: {findings:#?}");
    let faults = refused(EVERY_FORM);
    assert!(faults.is_empty(), "{faults:#?}");

    let built: BTreeSet<&str> = keys(&SCHEMA)
        .into_iter()
        .filter(|(_, schema)| described(&SCHEMA, schema)["deprecated"] != true)
        .map(|(name, _)| name)
        .collect();
    for word in built {
        assert!(
            EVERY_FORM.contains(&format!("{word}: ")) || EVERY_FORM.contains(&format!("{word}:\n")),
            "`{word}` is missing"
        );
    }
}

#[test]
fn an_included_file_needs_no_head() {
    assert_eq!(refused("patterns: {}\n"), []);
    assert_eq!(refused("language: 1\nentities: {}\n"), []);
}

/// An entity that is right, for files in which something else is wrong.
const TASK: &str = "  Task:\n    key: [task_id]\n    fields: { task_id: uuid = new, title: text(80..400) }\n";

#[track_caller]
fn wrong(yaml: &str, place: &str) {
    wrong_by(&VALIDATOR, yaml, place);
}

fn wrong_file(rest: &str, place: &str) {
    wrong(&format!("language: 1\ncatalog: tasks\n{rest}\n"), place);
}

fn wrong_entity(line: &str, place: &str) {
    wrong_file(&format!("entities:\n{TASK}    {line}"), &format!("/entities/Task{place}"));
}

fn wrong_pattern(pattern: &str, place: &str) {
    wrong_file(&format!("entities:\n{TASK}patterns:\n  tried: {pattern}"), &format!("/patterns/tried{place}"));
}

#[test]
fn wrong_heads_are_refused() {
    wrong("- language\n", "");
    wrong("just words\n", "");
    wrong("catalog: tasks\n", "");
    wrong("language: 2\ncatalog: tasks\n", "/language");
    wrong("language: one\ncatalog: tasks\n", "/language");
    wrong("language: 1\ncatalog: [tasks]\n", "/catalog");
    wrong_file("tables: {}", "");
    wrong_file("as_of: yesterday", "/as_of");
    wrong_file("retries: 24", "/retries");
    wrong_file("retries: 24 m", "/retries");
    wrong_file("complete: perhaps", "/complete");
    wrong_file("tenant: tenantId", "/tenant");
    wrong_file("tenant: { count: 300 }", "/tenant");
    wrong_file("include: { a: b }", "/include");
    wrong_file("types: { line: { qty: int } }", "/types");
    wrong_file("types: { Line: { qty: integer } }", "/types/Line/qty");
    wrong_file("scenarios: { sale: { place_order: 20 } }", "/scenarios/sale/place_order");
    wrong_file("allow: [{ rule: missing-rate }]", "/allow");
    wrong_file("allow: [{ rule: missing-rate, because: soon, till: 2027-01-01 }]", "/allow");
}

#[test]
fn wrong_entities_are_refused() {
    wrong_file("entities: [Task]", "/entities");
    wrong_file("entities: { task: { key: [a], fields: { a: uuid } } }", "/entities");
    wrong_file("entities: { Task: { fields: { a: uuid } } }", "/entities/Task");
    wrong_file("entities: { Task: { key: [a] } }", "/entities/Task");
    wrong_file("entities: { Task: { key: [a], fields: { A: uuid } } }", "/entities/Task/fields");
    wrong_file("entities: { Task: { key: [a], fields: { kl_a: uuid } } }", "/entities/Task/fields");
    wrong_file("entities: { Task: { key: [a], fields: { a: string } } }", "/entities/Task/fields/a");
    wrong_file("entities: { Task: { key: [a], fields: { a: { type: uuid } } } }", "/entities/Task/fields/a");
    wrong_entity("index: [title]", "");
    wrong_entity("source: kafka", "/source");
    wrong_entity("tenant: all", "/tenant");
    wrong_entity("append_only: sometimes", "/append_only");
    wrong_entity("part_of: case", "/part_of");
    wrong_entity("states: { status: [OPEN to CLOSED] }", "/states/status");
    wrong_entity("unique: { Email: email }", "/unique");
    wrong_entity("drift: { title: sometimes }", "/drift/title");
    wrong_entity("history: { keep: 7 years }", "/history");
    wrong_entity("volume: 50M", "/volume");
    wrong_entity("volume: { rows: many }", "/volume/rows");
    wrong_entity("volume: { growth: 120k }", "/volume/growth");
    wrong_entity("groups: { title: 40 / 5k }", "/groups");
    wrong_entity("groups: [{ rows: 40 }]", "/groups");
    wrong_entity("secret: { title: true }", "/secret");
}

#[test]
fn wrong_rollups_are_refused() {
    wrong_file("rollups: { Daily: { of: Task } }", "/rollups/Daily");
    wrong_file("rollups: { Daily: { of: Task, values: { n: median of x } } }", "/rollups/Daily/values/n");
    wrong_file("rollups: { Daily: { of: Task, values: { n: count }, every: day } }", "/rollups/Daily/every");
    wrong_file("rollups: { Daily: { of: Task, values: { n: count }, freshness: latest } }", "/rollups/Daily/freshness");
}

#[test]
fn wrong_patterns_are_refused() {
    wrong_file("patterns: { GetTask: { get: Task } }", "/patterns");
    wrong_pattern("get Task", "");
    wrong_pattern("{ by: [task_id] }", "");
    wrong_pattern("{ fetch: Task }", "");
    wrong_pattern("{ get: task, by: [task_id] }", "/get");
    wrong_pattern("{ get: Task, list: Task, by: [task_id] }", "");
    wrong_pattern("{ get: Task, by: [task_id], page: 10 }", "");
    wrong_pattern("{ get: Task, by: { task_id: 5 } }", "/by");
    wrong_pattern("{ list: Task }", "");
    wrong_pattern("{ list: Task, by: all, limit: 10 }", "");
    wrong_pattern("{ list: Task, by: all, page: 0 }", "/page");
    wrong_pattern("{ list: Task, by: all, page: ten }", "/page");
    wrong_pattern("{ list: Task, by: all, order: [title] }", "/order");
    wrong_pattern("{ list: Task, by: all, order: { Title: title asc } }", "/order");
    wrong_pattern("{ list: Task, by: all, freshness: eventual }", "/freshness");
    wrong_pattern("{ list: Task, by: all, while_moving: both }", "/while_moving");
    wrong_pattern("{ list: Task, by: all, tenant: none }", "/tenant");
    wrong_pattern("{ list: Task, by: all, matches: 0.3 }", "/matches");
    wrong_pattern("{ list: Task, by: all, span: 3 }", "/span");
    wrong_pattern("{ list: Task, by: all, through: Follow }", "/through");
    wrong_pattern("{ list: Task, by: all, rate: 5 }", "/rate");
    wrong_pattern("{ list: Task, by: all, rate: often }", "/rate");
    wrong_pattern("{ list: Task, by: all, rate: { max: 5/s } }", "/rate");
    wrong_pattern("{ list: Task, by: all, skew: {} }", "/skew");
    wrong_pattern("{ list: Task, by: all, skew: { busiest: most } }", "/skew/busiest");
    wrong_pattern("{ list: Task, by: all, latency: fast }", "/latency");
    wrong_pattern("{ list: Task, by: all, with: { a: { order: at desc } } }", "/with/a");
    wrong_pattern("{ list: Task, by: all, with: { a: { list: Note, page: 5 } } }", "/with/a");
    wrong_pattern("{ count: Task, by: all, exact: roughly }", "/exact");
    wrong_pattern("{ count: Task, by: all, returns: [title] }", "");
    wrong_pattern("{ claim: Task, by: all, order: due_at asc, up_to: 5 }", "");
}

#[test]
fn wrong_writes_are_refused() {
    wrong_pattern("{ create: Task, by: [task_id] }", "");
    wrong_pattern("{ create: Task, takes: { title: true } }", "/takes");
    wrong_pattern("{ create: Task, emits: task_created }", "/emits");
    wrong_pattern("{ update: Task, by: [task_id] }", "");
    wrong_pattern("{ update: Task, by: [task_id], set: [title] }", "/set");
    wrong_pattern("{ update: Task, by: [task_id], set: { title: [a] } }", "/set/title");
    wrong_pattern("{ update: Task, by: [task_id], set: { title: $t }, where: a = b }", "");
    wrong_pattern("{ update: Task, by: [task_id], set: { title: $t }, if: { a: b } }", "/if");
    wrong_pattern("{ delete: Task, by: [task_id], set: { title: $t } }", "");
    wrong_pattern("{ check: Task, by: [task_id], if: a = b }", "");
    wrong_pattern("{ atomic: [] }", "/atomic");
    wrong_pattern("{ atomic: { create: Task } }", "/atomic");
    wrong_pattern("{ atomic: [{ list: Task }] }", "/atomic/0");
    wrong_pattern("{ atomic: [{ create: Task }, { check: Task, by: [task_id] }] }", "/atomic/1");
    wrong_pattern("{ atomic: [{ create: Task, rate: 5/s }] }", "/atomic/0");
    wrong_pattern("{ atomic: [{ create: Task, each: $lines }] }", "/atomic/0/each");
}
