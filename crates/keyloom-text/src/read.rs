//! Reading a catalog: files in, the model and all findings out. [`layout`] reads a layout against it.
//!
//! It goes in three steps. All files are loaded and turned into trees, `include` by `include`; then every name is
//! declared (structs, entities with their fields, rollups, histories, events), so that the order of files and entries
//! does not matter; then expressions and patterns are resolved against those names. Each step leaves out what it could
//! not understand and goes on.

mod allow;
mod catalog;
mod entities;
mod fields;
mod files;
mod groups;
mod inputs;
mod layout;
mod naming;
mod patterns;
mod rollups;
mod scope;
mod selection;
mod stranger;
mod structs;
mod syntax;
mod typing;
mod writes;

use std::collections::HashSet;

use keyloom_finding::{FileId, Finding, Places, Sources};
use keyloom_model::Catalog;

pub use files::{Files, Unreadable};
pub use layout::{LayoutReading, layout_of_text, read_layout};
pub use naming::nearest;

/// What was understood of a catalog, and what was not.
#[derive(Debug, Default)]
pub struct Reading {
    /// The files that were read, the first one first.
    pub files: Vec<FileId>,
    /// What was understood.
    pub catalog: Catalog,
    /// Where each thing is written.
    pub places: Places,
    /// What was not understood; not sorted yet.
    pub findings: Vec<Finding>,
    /// The paths of what is written down but was not understood: a finding says so, and nothing follows from them.
    pub misread: HashSet<String>,
    /// A file could not be read at all, so the catalog is not whole and nothing follows from what is missing in it.
    pub unreadable: bool,
}

/// Reads the catalog that starts in the file `name`, with all it includes, and adds its files to `sources`.
///
/// ```
/// use keyloom_finding::Sources;
/// use keyloom_text::{Files, Unreadable, read};
///
/// struct One;
/// impl Files for One {
///     fn open(&self, _name: &str) -> Result<String, Unreadable> {
///         Ok("language: 1\ncatalog: notes\n".to_owned())
///     }
/// }
/// let reading = read("catalog.yaml", &One, &mut Sources::default());
/// assert!(reading.findings.is_empty());
/// assert_eq!(reading.catalog.name, "notes");
/// ```
pub fn read(name: &str, files: &dyn Files, sources: &mut Sources) -> Reading {
    let loaded = files::load(name, files, sources);
    let mut reader = syntax::Reader::new(sources, loaded.findings);
    reader.comments(&loaded.documents);
    catalog::read(&mut reader, &loaded.documents, loaded.unreadable);
    let (catalog, places, findings, misread) = reader.finish();
    let files = loaded.documents.into_iter().map(|(file, _)| file).collect();
    Reading { files, catalog, places, findings, misread, unreadable: loaded.unreadable }
}
