//! The endpoints of a catalog as OpenAPI 3.1: golden documents of the examples, and a judge who knows the official schema.
//!
//! `KEYLOOM_UPDATE=1 cargo test` rewrites the files in `tests/openapi/`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "golden texts and what a judge reads are files"
)]

use std::path::Path;

use keyloom::finding::Sources;
use keyloom::model::Catalog;
use keyloom::serve::openapi;
use keyloom::text::{Files, Unreadable, read};
use keyloom_engines::python::OPENAPI_SPEC_VALIDATOR;
use keyloom_engines::{announce, available};
use keyloom_sample::Size;

const SUITE: &str = "openapi";
const SAMPLES: u64 = 100;

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

/// Few large ones: they hold more of the same, and the judge takes its time.
fn size(seed: u64) -> Size {
    if seed.is_multiple_of(20) { Size::Large } else { [Size::Small, Size::Medium][usize::from(seed.is_multiple_of(3))] }
}

fn catalog(text: &str) -> Catalog {
    read("catalog.yaml", &One(text.to_owned()), &mut Sources::default()).catalog
}

#[test]
fn examples_are_described_as_before() {
    for example in keyloom::examples::ALL {
        let text = openapi::text(&catalog(example.text));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openapi").join(format!("{}.json", example.name));
        if std::env::var_os("KEYLOOM_UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(text == expected, "{} is described otherwise; KEYLOOM_UPDATE=1 shows how", example.name);
    }
}

#[test]
fn every_pattern_is_an_operation_and_every_reason_is_said() {
    for example in keyloom::examples::ALL {
        let catalog = catalog(example.text);
        let document = openapi::document(&catalog);
        for pattern in &catalog.patterns {
            let Some(endpoint) = keyloom::model::Endpoint::of(&catalog, pattern) else { continue };
            let operation = &document["paths"][&endpoint.path][endpoint.method.to_lowercase()];
            assert_eq!(operation["operationId"], pattern.name.as_str());
            let schemas = &document["components"]["schemas"];
            let reasons = &schemas[format!("{}.refusal", pattern.name)]["properties"]["reason"]["enum"];
            let said: Vec<&str> =
                reasons.as_array().into_iter().flatten().filter_map(|reason| reason.as_str()).collect();
            assert_eq!(said, endpoint.reasons, "{}", pattern.name);
        }
        let is_secured = document["components"]["securitySchemes"].is_object();
        assert_eq!(is_secured, catalog.tenant.is_some(), "{}", example.name);
    }
}

#[test]
fn the_official_schema_holds_for_examples_and_for_random_catalogs() {
    let name = OPENAPI_SPEC_VALIDATOR.name;
    let Some(validator) = available(SUITE, name, OPENAPI_SPEC_VALIDATOR.fetch()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    let examples = keyloom::examples::ALL.iter().map(|example| (example.name.to_owned(), example.text.to_owned()));
    let samples = (0..SAMPLES).map(|seed| (format!("seed-{seed}"), keyloom_sample::catalog(seed, size(seed))));
    for (name, text) in examples.chain(samples) {
        let file = folder.path().join(format!("{name}.json"));
        std::fs::write(&file, openapi::text(&catalog(&text))).unwrap();
        files.push(file);
    }
    let judge = |files: &[std::path::PathBuf]| {
        let output = validator.program(name).args(["--schema", "3.1"]).args(files).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    };
    let (fine, said) = judge(&files);
    assert!(fine, "{said}");
    assert_eq!(said.matches(": OK").count(), files.len(), "{said}");

    // It would have found something.
    let wrong = folder.path().join("wrong.json");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    std::fs::write(&wrong, text.replace("#/components/schemas/problem", "#/components/schemas/nothing")).unwrap();
    assert!(!judge(&[wrong]).0);
    announce(SUITE, name, files.len(), 0);
}
