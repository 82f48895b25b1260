//! The schema of layouts.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use keyloom_finding::Sources;
use keyloom_text::{layout_json_schema, read, read_layout};
use serde_json::Value;

use super::{
    Folder, entries, every_key_is_described, every_reference_leads_somewhere, is_published, keys, quiet_fixtures,
    refused_by, root, wrong_by,
};

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&layout_json_schema()).expect("the schema is JSON"));

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&SCHEMA).expect("the schema is a schema"));

#[test]
fn it_is_a_schema_and_its_bytes_are_stable() {
    assert_eq!(jsonschema::draft202012::meta::validate(&SCHEMA).map_err(|fault| fault.to_string()), Ok(()));
    assert_eq!(layout_json_schema(), layout_json_schema());
    is_published(&layout_json_schema(), "layout.schema.json");
}

#[test]
fn every_key_says_what_it_means() {
    assert!(keys(&SCHEMA).len() > 60);
    every_key_is_described(&SCHEMA);
}

#[test]
fn references_lead_somewhere() {
    every_reference_leads_somewhere(&SCHEMA);
}

#[track_caller]
fn accepted(name: &Path, text: &str) {
    let faults = refused_by(&VALIDATOR, text);
    assert!(faults.is_empty(), "{}: {faults:#?}", name.display());
}

/// The text of a layout, if the reader has nothing to say about it and its catalog.
fn accepted_by_the_reader(folder: &Path) -> Option<String> {
    let files = Folder(folder.to_owned());
    let mut sources = Sources::default();
    let catalog = read("catalog.yaml", &files, &mut sources);
    let layout = read_layout("layout.yaml", &files, &mut sources, &catalog);
    let file = layout.file.filter(|_| layout.findings.is_empty() && catalog.findings.is_empty())?;
    Some(sources.file(file).text().to_owned())
}

#[test]
fn what_the_reader_accepts_is_accepted() {
    let own = root().join("crates/keyloom-text/tests/layout/data");
    accepted(&own, &accepted_by_the_reader(&own).expect("the reader has findings about the layout with every word"));
    let mut fixtures: Vec<PathBuf> = quiet_fixtures();
    fixtures.retain(|fixture| fixture.join("layout.yaml").is_file());
    assert!(fixtures.len() > 40, "the fixtures are gone");
    for fixture in fixtures {
        accepted_by_the_reader(&fixture).iter().for_each(|text| accepted(&fixture, text));
    }
}

#[test]
fn what_design_writes_is_accepted() {
    let designed = entries(&root().join("crates/keyloom-design/tests/layouts"));
    assert!(designed.len() >= 12, "the designed layouts are gone");
    for layout in designed {
        accepted(&layout, &std::fs::read_to_string(&layout).unwrap());
    }
    let page = std::fs::read_to_string(root().join("docs/layout.md")).unwrap();
    let example = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    accepted(Path::new("docs/layout.md"), example);
}

/// A layout in which something is wrong, put beside what is right.
#[track_caller]
fn wrong(rest: &str, place: &str) {
    wrong_by(&VALIDATOR, &format!("layout: 1\ncatalog: tasks\nengine: embedded\nepoch: 1\n{rest}\n"), place);
}

#[track_caller]
fn wrong_table(table: &str, place: &str) {
    wrong(&format!("tables:\n  tried: {table}"), &format!("/tables/tried{place}"));
}

#[track_caller]
fn wrong_path(path: &str, place: &str) {
    wrong(&format!("paths:\n  get_task: {path}"), &format!("/paths/get_task{place}"));
}

#[test]
fn wrong_heads_are_refused() {
    let head = |text: &str, place: &str| wrong_by(&VALIDATOR, text, place);
    head("just words\n", "");
    head("layout: 1\n", "");
    head("layout: 2\ncatalog: tasks\nengine: embedded\nepoch: 1\n", "/layout");
    head("layout: 1\ncatalog: tasks\nengine: postgres\nepoch: 1\n", "/engine");
    head("layout: 1\ncatalog: tasks\nengine: embedded\nepoch: 0\n", "/epoch");
    head("layout: 1\ncatalog: tasks\nengine: embedded\nepoch: first\n", "/epoch");
    wrong("entities: {}", "");
    wrong("horizons: { settle: 10 }", "/horizons/settle");
    wrong("horizons: { retry: 10s }", "/horizons");
    wrong("tables: [task]", "/tables");
    wrong("ranks: { priority: { LOW: 10 } }", "/ranks");
    wrong("ranks: { Task.priority: { LOW: ten } }", "/ranks/Task.priority/LOW");
    wrong("ranks: { Task.priority: { LOW: 70000 } }", "/ranks/Task.priority/LOW");
    wrong("paths: { GetTask: { get: task } }", "/paths");
}

#[test]
fn wrong_tables_are_refused() {
    wrong("tables: { Task: { source: Task, partition: [task_id] } }", "/tables");
    wrong("tables: { kl_task: { source: Task, partition: [task_id] } }", "/tables");
    wrong(&format!("tables: {{ {}: {{ source: Task, partition: [task_id] }} }}", "t".repeat(45)), "/tables");
    wrong_table("Task", "");
    wrong_table("{ partition: [task_id] }", "");
    wrong_table("{ source: Task }", "");
    wrong_table("{ source: task, partition: [task_id] }", "/source");
    wrong_table("{ source: Task, of: Task, partition: [task_id] }", "");
    wrong_table("{ source: Task, keeper: placed, partition: [task_id] }", "");
    wrong_table("{ source: Task, class: certain, partition: [task_id] }", "/class");
    wrong_table("{ of: Task, partition: [task_id] }", "");
    wrong_table("{ of: Task, keeper: nobody, partition: [task_id] }", "/keeper");
    wrong_table("{ of: Task, keeper: placed, partition: [week(at)] }", "/partition");
    wrong_table("{ of: Task, keeper: placed, partition: { by: task_id } }", "/partition");
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], sort: [at] }", "/sort");
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], columns: [Title] }", "/columns");
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], copies: { title: copy } }", "/copies");
    wrong_table(
        "{ of: Task, keeper: placed, partition: [task_id], copies: { case.title: lookup } }",
        "/copies/case.title",
    );
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], spread: { rows: 5k } }", "/spread");
    wrong_table(
        "{ of: Task, keeper: placed, partition: [task_id], spread: { reads: 5, at_most: 2 } }",
        "/spread/reads",
    );
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], expires: buckets }", "/expires");
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], tenants: none }", "/tenants");
    wrong_table("{ of: Task, keeper: placed, partition: [task_id], where: { a: b } }", "/where");
    wrong_table("{ reserves: User, partition: [email] }", "/reserves");
    wrong_table("{ reserves: User.email_taken, partition: [email], where: a = b }", "");
    wrong_table("{ keeps: Case.tasks, way: guess, partition: [case_id] }", "/way");
    wrong_table("{ keeps: Case.tasks, every: often, partition: [case_id] }", "/every");
    wrong_table("{ counts: case, partition: [case_id] }", "/counts");
}

#[test]
fn wrong_paths_are_refused() {
    wrong_path("task", "");
    wrong_path("{ via: task }", "");
    wrong_path("{ get: Task }", "/get");
    wrong_path("{ get: task, slice: task }", "");
    wrong_path("{ slice: task, via: task_by_name }", "");
    wrong_path("{ get: task, looks_up: { case: title } }", "/looks_up");
    wrong_path("{ get: task, reads_at_most: { rows: 5 } }", "/reads_at_most");
    wrong_path("{ get: task, reads_at_most: { rows: few, partitions: 1 } }", "/reads_at_most/rows");
}
