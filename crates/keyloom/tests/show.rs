//! What was understood of every pattern of the examples, as golden text: signatures, reasons, moves.
//!
//! `KEYLOOM_UPDATE=1 cargo test` rewrites the files in `tests/show/`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "golden texts are files")]

use std::path::Path;

use keyloom::finding::Sources;
use keyloom::text::{Files, Unreadable, read};

struct One(&'static str);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
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
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/show/{}.txt", example.name));
        if std::env::var_os("KEYLOOM_UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &shown).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(shown == expected, "{} is understood otherwise; KEYLOOM_UPDATE=1 shows how", example.name);
    }
}
