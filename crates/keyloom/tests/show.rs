//! What was understood of every pattern of the examples, as golden text: signatures, reasons, moves.
//!
//! And how it is answered on each engine: which tables, in which order, what a write does to them.
//!
//! `KEYLOOM_UPDATE=1 cargo test` rewrites the files in `tests/show/` and `tests/plans/`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "golden texts are files")]

use std::path::Path;

use keyloom::finding::Sources;
use keyloom::model::Engine;
use keyloom::text::{Files, Unreadable, read};

struct One(&'static str);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

#[test]
fn examples_are_planned_as_before() {
    for example in keyloom::examples::ALL {
        let catalog = read("catalog.yaml", &One(example.text), &mut Sources::default()).catalog;
        for engine in [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb] {
            let abilities = keyloom::serve::abilities(engine).unwrap();
            let layout = keyloom::design::design(&catalog, engine, &abilities);
            let program = keyloom::plan::Program::compile(&catalog, &layout, &abilities);
            let mut shown = String::new();
            for pattern in &catalog.patterns {
                shown.push_str(&keyloom::show::plan(&program, Some(keyloom::show::Shown::Pattern(pattern))));
            }
            for entity in &catalog.entities {
                shown.push_str(&format!("\n{}", entity.name));
                shown.push_str(&keyloom::show::plan(&program, Some(keyloom::show::Shown::Entity(entity))));
            }
            compare(&shown, &format!("tests/plans/{}.{}.txt", example.name, engine.name()));
        }
    }
}

fn compare(shown: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, shown).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == expected, "{file} is understood otherwise; KEYLOOM_UPDATE=1 shows how");
}

#[test]
fn examples_are_understood_as_before() {
    for example in keyloom::examples::ALL {
        let catalog = read("catalog.yaml", &One(example.text), &mut Sources::default()).catalog;
        let mut shown = keyloom::show::text(&catalog, None);
        for pattern in &catalog.patterns {
            shown.push_str("\n----------------------------------------\n");
            shown.push_str(&keyloom::show::text(&catalog, Some(keyloom::show::Shown::Pattern(pattern))));
        }
        compare(&shown, &format!("tests/show/{}.txt", example.name));
    }
}
