//! Reading a catalog: files in, the model and all findings out.
//!
//! It goes in three steps. All files are loaded and turned into trees, `include` by `include`; then every name is
//! declared (structs, entities with their fields, rollups, histories, events), so that the order of files and entries
//! does not matter; then expressions and patterns are resolved against those names. Each step leaves out what it could
//! not understand and goes on.

mod allow;
mod entities;
mod fields;
mod files;
mod inputs;
mod patterns;
mod rollups;
mod scope;
mod selection;
mod syntax;
mod typing;
mod writes;

use keyloom_finding::{Finding, Places, Sources};
use keyloom_model::Catalog;

pub use files::{Files, Unreadable};

/// What was understood of a catalog, and what was not.
#[derive(Debug, Default)]
pub struct Reading {
    /// Every file that was read.
    pub sources: Sources,
    /// What was understood.
    pub catalog: Catalog,
    /// Where each thing is written.
    pub places: Places,
    /// What was not understood; not sorted yet.
    pub findings: Vec<Finding>,
    /// A file could not be read at all, so the catalog is not whole and nothing follows from what is missing in it.
    pub unreadable: bool,
}

/// Reads the catalog that starts in the file `name`, with all it includes.
///
/// ```
/// use keyloom_text::{Files, Unreadable, read};
///
/// struct One;
/// impl Files for One {
///     fn open(&self, _name: &str) -> Result<String, Unreadable> {
///         Ok("language: 1\ncatalog: notes\n".to_owned())
///     }
/// }
/// let reading = read("catalog.yaml", &One);
/// assert!(reading.findings.is_empty());
/// assert_eq!(reading.catalog.name, "notes");
/// ```
pub fn read(name: &str, files: &dyn Files) -> Reading {
    let loaded = files::load(name, files);
    let mut reader = syntax::Reader::new(&loaded.sources, loaded.findings);
    let unreadable = loaded.unreadable;
    reader.comments(&loaded.documents);
    entities::read(&mut reader, &loaded.documents, unreadable);
    let (catalog, places, findings) = reader.finish();
    Reading { sources: loaded.sources, catalog, places, findings, unreadable }
}
