//! Layouts against catalogs: what is read, what is found, and what is printed.
#![allow(clippy::unwrap_used, reason = "what the test's own catalog lacks must stop the test")]

mod documents;
mod findings;
mod generated;

use keyloom_finding::Sources;
use keyloom_text::{Files, LayoutReading, Reading, Unreadable, format, read, read_layout};

/// A catalog with everything that a layout can speak of.
pub const CATALOG: &str = include_str!("data/catalog.yaml");

/// A layout of it with every word.
pub const LAYOUT: &str = include_str!("data/layout.yaml");

/// A catalog and a layout of it, in two files.
struct Two<'a> {
    catalog: &'a str,
    layout: &'a str,
}

impl Files for Two<'_> {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        let text = if name == "layout.yaml" { self.layout } else { self.catalog };
        Unreadable::text(text.as_bytes().to_vec())
    }
}

/// Reads both.
pub fn read_both(catalog: &str, layout: &str) -> (Sources, Reading, LayoutReading) {
    let mut sources = Sources::default();
    let files = Two { catalog, layout };
    let catalog = read("catalog.yaml", &files, &mut sources);
    let layout = read_layout("layout.yaml", &files, &mut sources, &catalog);
    (sources, catalog, layout)
}

/// Prints a file canonically.
#[track_caller]
pub fn formatted(text: &str) -> String {
    let mut sources = Sources::default();
    let file = sources.add("layout.yaml", text);
    format(&sources, file).unwrap_or_else(|findings| panic!("refused: {findings:?}"))
}
