//! The catalogs in the documents and examples are catalogs: they read without a fault, are canonical, and keep their
//! meaning when they are printed.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "the documents are files")]

use std::path::{Path, PathBuf};

use keyloom::check::{Config, review};
use keyloom::finding::render::{Format, Report, Style, render};
use keyloom::finding::{Level, Sources};
use keyloom::model::{Catalog, Date};
use keyloom::text::{Files, Unreadable, format, read};

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

/// Files of the test data, by name; where asked to, as the formatter prints them.
struct Data {
    formatted: bool,
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

impl Files for Data {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        let text = std::fs::read(data(name)).map_err(|_| Unreadable::Missing).and_then(Unreadable::text)?;
        Ok(if self.formatted { canonical(name, &text) } else { text })
    }

    fn resolve(&self, name: &str) -> String {
        if data(name).is_dir() { format!("{name}/catalog.yaml") } else { name.to_owned() }
    }
}

/// Reads a catalog that must not have errors.
fn catalog(name: &str, text: &str) -> Catalog {
    without_errors(name, &One(text.to_owned()))
}

fn without_errors(name: &str, files: &dyn Files) -> Catalog {
    let mut sources = Sources::default();
    let reading = read(name, files, &mut sources);
    let readings = [reading];
    let findings = review(&readings, &sources, &Config::default(), Date { year: 2026, month: 11, day: 15 });
    let report = Report { findings: &findings, sources: &sources, rules: &[], version: "0", today: None, survey: None };
    let shown = render(&report, Format::Text, Style { color: false, width: 100 });
    assert!(findings.iter().all(|finding| finding.level < Level::Error), "{name}:\n{shown}");
    readings.into_iter().next().unwrap().catalog
}

fn canonical(name: &str, text: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    format(&sources, file).unwrap_or_else(|findings| panic!("{name}: {findings:?}"))
}

#[test]
fn examples_are_canonical_and_keep_their_meaning() {
    for example in keyloom::examples::ALL {
        let understood = catalog(example.name, example.text);
        assert!(!understood.patterns.is_empty());
        let printed = canonical(example.name, example.text);
        assert_eq!(understood, catalog(example.name, &printed), "{} changed its meaning", example.name);
        assert_eq!(printed, example.text, "{} is not canonical: keyloom fmt examples/{}", example.name, example.name);
    }
}

#[test]
fn everything_reads_and_keeps_its_meaning() {
    let understood = without_errors("everything.yaml", &Data { formatted: false });
    assert!(understood.patterns.len() > 60, "its included files are read too");
    assert_eq!(understood, without_errors("everything.yaml", &Data { formatted: true }));
}

#[test]
fn catalogs_in_the_documents_have_no_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = 0;
    for document in ["README.md", "docs/catalog.md", "docs/editors.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        for block in text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            if block.starts_with("language:") {
                catalog(document, block);
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

#[test]
fn every_pattern_of_the_examples_is_shown() {
    for example in keyloom::examples::ALL {
        let understood = catalog(example.name, example.text);
        let all = keyloom::show::text(&understood, None);
        for pattern in &understood.patterns {
            assert!(all.contains(&format!("/v1/{}(", pattern.name)), "{} is missing", pattern.name);
            assert!(!keyloom::show::text(&understood, Some(keyloom::show::Shown::Pattern(pattern))).is_empty());
        }
        let json: serde_json::Value = serde_json::from_str(&keyloom::show::json(&understood, None, None)).unwrap();
        assert_eq!(json["patterns"].as_array().unwrap().len(), understood.patterns.len());
    }
}
