//! The layouts of the examples, as golden files for each engine.
//!
//! `KEYLOOM_UPDATE=1 cargo test` rewrites the files in `tests/layouts/`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "golden texts are files")]

use std::path::Path;

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program;
use keyloom_store::{Abilities, Atomic, Limits};
use keyloom_text::{Files, Unreadable, print_layout, read, read_layout};

struct Folder<'a>(&'a Path);

impl Files for Folder<'_> {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        Ok(std::fs::read_to_string(self.0.join(name)).unwrap())
    }
}

fn abilities(engine: Engine) -> Abilities {
    let atomic = match engine {
        Engine::Cassandra => Atomic::Row,
        _ => Atomic::Rows { rows_max: 100, bytes_max: 4 << 20 },
    };
    let limits = Limits {
        partition_key_bytes_max: 2_048,
        sort_key_bytes_max: 1_024,
        row_bytes_max: 400 << 10,
        together_rows_max: 25,
        together_bytes_max: 1 << 20,
    };
    Abilities { engine: engine.title(), atomic, column_groups_max: 1, indexes: None, limits }
}

#[test]
fn examples_are_designed_as_before() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for example in ["shop", "chat", "sensors", "cases"] {
        let folder = root.join("../../examples").join(example);
        let reading = read("catalog.yaml", &Folder(&folder), &mut Sources::default());
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
            let name = path.file_name().unwrap().to_str().unwrap();
            let again = read_layout(name, &Folder(path.parent().unwrap()), &mut Sources::default(), &reading);
            assert!(again.findings.is_empty(), "{example}: {:#?}", again.findings);
            assert_eq!(again.layout, layout);
            let program = Program::compile(&reading.catalog, &layout, &abilities);
            let said: Vec<String> = program.refusals.iter().map(ToString::to_string).collect();
            println!("{example} {}: {said:#?}", engine.name());
        }
    }
}
