//! The layouts of the examples, as golden files for each engine.
//!
//! `KEYLOOM_UPDATE=1 cargo test` rewrites the files in `tests/layouts/`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "golden texts are files")]

mod support;

use std::path::Path;

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program;
use keyloom_text::{print_layout, read, read_layout};
use support::{One, abilities};

#[test]
fn examples_are_designed_as_before() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for example in ["shop", "chat", "sensors", "cases"] {
        let text = std::fs::read_to_string(root.join("../../examples").join(example).join("catalog.yaml")).unwrap();
        let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
        for engine in [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb] {
            let abilities = abilities(engine);
            let layout = design(&reading.catalog, engine, &abilities);
            let text = print_layout(&layout);
            let path = root.join(format!("tests/layouts/{example}.{}.yaml", engine.name()));
            if std::env::var_os("KEYLOOM_UPDATE").is_some() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(text == expected, "{example} is designed otherwise; KEYLOOM_UPDATE=1 shows how");
            // What is written is read, and compiles to the same.
            let again = read_layout("layout.yaml", &One(&text), &mut Sources::default(), &reading);
            assert!(again.findings.is_empty(), "{example}: {:#?}", again.findings);
            assert_eq!(again.layout, layout);
            let program = Program::compile(&reading.catalog, &layout, &abilities);
            let said: Vec<String> = program.refusals.iter().map(ToString::to_string).collect();
            assert!(said.is_empty(), "{example} on {}: {said:#?}", engine.name());
        }
    }
}
