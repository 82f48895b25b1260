//! Reading a layout: one file in, the model and all findings out, against a catalog that was read before.

mod horizons;
mod keys;
mod paths;
mod ranks;
mod tables;

use std::collections::HashSet;

use keyloom_finding::{FileId, Finding, Level, Place, Places, Sources};
use keyloom_model::layout::Layout;
use keyloom_model::{Catalog, Engine, TimeSpan};

use super::files::{self, Files, Unreadable};
use super::scope::{Names, entity_path};
use super::syntax::{Grammar, Keys, Reader};
use super::{Reading, naming::nearest};
use crate::parse::units;
use crate::rules::{bad_value, language_version, unknown_name};
use crate::vocabulary::LAYOUT;
use crate::yaml::Node;

/// What was understood of a layout, and what was not.
#[derive(Debug)]
pub struct LayoutReading {
    /// The file, if it could be opened.
    pub file: Option<FileId>,
    /// What was understood. Where the engine was not, the embedded one stands for it and `engine` is misread.
    pub layout: Layout,
    /// Where each thing is written.
    pub places: Places,
    /// What was not understood; not sorted yet.
    pub findings: Vec<Finding>,
    /// The paths of what is written down but was not understood: a finding says so, and nothing follows from them.
    pub misread: HashSet<String>,
    /// The file could not be read at all.
    pub unreadable: bool,
}

/// Reads the layout in the file `name` against a catalog, and adds the file to `sources`. What was misread in the catalog
/// causes no findings here.
///
/// ```
/// use keyloom_finding::Sources;
/// use keyloom_text::{Files, Unreadable, read, read_layout};
///
/// struct Two;
/// impl Files for Two {
///     fn open(&self, name: &str) -> Result<String, Unreadable> {
///         let first = if name == "layout.yaml" { "layout: 1\nengine: embedded\nepoch: 1\n" } else { "language: 1\n" };
///         Ok(format!("{first}catalog: notes\n"))
///     }
/// }
/// let mut sources = Sources::default();
/// let catalog = read("catalog.yaml", &Two, &mut sources);
/// let reading = read_layout("layout.yaml", &Two, &mut sources, &catalog);
/// assert!(reading.findings.is_empty());
/// assert_eq!(reading.layout.catalog, "notes");
/// ```
pub fn read_layout(name: &str, files: &dyn Files, sources: &mut Sources, catalog: &Reading) -> LayoutReading {
    let loaded = files::load_layout(name, files, sources);
    let mut reader = Reader::new(sources, loaded.findings);
    reader.stores = true;
    reader.comments(&loaded.documents);
    let names = Names::of(&catalog.catalog, &catalog.misread);
    let mut layout = Layout::new(&catalog.catalog.name, Engine::Embedded);
    let file = loaded.documents.first();
    if let Some(root) = file.and_then(|(_, document)| document.root.as_ref()) {
        read_file(&mut reader, &names, root, &mut layout);
    }
    let (_, places, mut findings, misread) = reader.finish();
    if catalog.unreadable || layout.catalog != catalog.catalog.name {
        // What is not known may stand in the part of the catalog that nobody could read, or in another catalog.
        findings.retain(|finding| finding.rule.name != unknown_name::RULE.name);
    }
    LayoutReading {
        file: file.map(|(file, _)| *file),
        layout,
        places,
        findings,
        misread,
        unreadable: loaded.unreadable,
    }
}

/// Reads a layout that no file holds, against a catalog that is understood as a whole. It names these entities; what it says
/// of those that the catalog lacks is left out.
///
/// # Errors
/// With what is wrong with it.
pub fn layout_of_text(text: &str, entities: &[String], catalog: &Catalog) -> Result<Layout, Vec<String>> {
    struct One<'a>(&'a str);
    impl Files for One<'_> {
        fn open(&self, _: &str) -> Result<String, Unreadable> {
            Ok(self.0.to_owned())
        }
    }
    let lacking = entities.iter().filter(|entity| catalog.entity(entity).is_none());
    let misread = lacking.map(|entity| entity_path(entity)).collect();
    let whole = Reading { catalog: catalog.clone(), misread, ..Reading::default() };
    let read = read_layout("layout.yaml", &One(text), &mut Sources::default(), &whole);
    let errors = read.findings.into_iter().filter(|finding| finding.level == Level::Error);
    let wrong: Vec<String> = errors.map(|finding| finding.message).collect();
    if wrong.is_empty() && !read.unreadable { Ok(read.layout) } else { Err(wrong) }
}

fn read_file(reader: &mut Reader<'_>, names: &Names<'_>, root: &Node, layout: &mut Layout) {
    let words: Vec<_> = LAYOUT.iter().collect();
    let Some(keys) = reader.keys(root, "", "a layout", &words, "layout: 1") else { return };
    read_head(reader, names, &keys, root, layout);
    if let Some(node) = keys.get("horizons") {
        layout.horizons = horizons::read(reader, node, names.catalog.retries);
    }
    if let Some(node) = keys.get("tables") {
        layout.tables = tables::read(reader, names, node);
    }
    if let Some(node) = keys.get("ranks") {
        layout.ranks = ranks::read(reader, names, node);
    }
    if let Some(node) = keys.get("paths") {
        layout.paths = paths::read(reader, names, &layout.tables, node);
    }
}

/// The keys of the file that are no lists of things.
fn read_head(reader: &mut Reader<'_>, names: &Names<'_>, keys: &Keys<'_>, root: &Node, layout: &mut Layout) {
    let start = Place { end: root.place.start, ..root.place };
    let mut required = |key: &str, example: &str| {
        let node = reader.required(keys, key, "this layout", start, example)?;
        reader.text(node, &format!("`{key}`"), example)
    };
    let version = required("layout", "layout: 1");
    let catalog = required("catalog", &format!("catalog: {}", names.catalog.name));
    let engine = required("engine", "engine: embedded");
    let epoch = required("epoch", "epoch: 1");
    if let Some(text) = version.filter(|text| text.text != Layout::VERSION.to_string()) {
        reader.push(language_version::layout(text.whole(), &text.text, Layout::VERSION));
    }
    if let Some(text) = catalog {
        let known = &names.catalog.name;
        if !known.is_empty() && text.text != *known {
            let message = format!("this is a layout of `{}`, and the catalog is `{known}`", text.text);
            let help = format!("write `catalog: {known}`, or name the catalog that it belongs to");
            reader.push(bad_value::finding(text.whole(), message, Some(help)));
        }
        layout.catalog = text.text;
    }
    match engine.as_ref().map(|text| Engine::from_name(&text.text)) {
        Some(Some(engine)) => layout.engine = engine,
        _ => reader.misread("engine"),
    }
    if let Some(text) = engine.filter(|text| Engine::from_name(&text.text).is_none()) {
        let all = Engine::ALL.map(Engine::name);
        let help = match nearest(&text.text, all.into_iter()) {
            Some(meant) => format!("write `{meant}`"),
            None => format!("there is: `{}`", all.join("`, `")),
        };
        reader.push(bad_value::finding(text.whole(), format!("there is no engine `{}`", text.text), Some(help)));
    }
    if let Some(text) = epoch {
        match text.text.parse() {
            Ok(epoch @ 1..) if text.text.bytes().all(|byte| byte.is_ascii_digit()) => layout.epoch = epoch,
            _ => {
                let message = format!("`{}` is no epoch", text.text);
                let help = "epochs are counted from 1: one more with every change of a key, a table or a keeper";
                reader.push(bad_value::finding(text.whole(), message, Some(help.into())));
                reader.misread("epoch");
            }
        }
    }
}

/// A span of time under a key.
fn span(reader: &mut Reader<'_>, keys: &Keys<'_>, key: &str, example: &str) -> Option<TimeSpan> {
    reader.parse(keys.get(key)?, &format!("`{key}`"), example, Grammar::Value, units::time_span)
}

/// A count under a key.
fn count(reader: &mut Reader<'_>, keys: &Keys<'_>, key: &str, example: &str) -> Option<u64> {
    reader.parse(keys.get(key)?, &format!("`{key}`"), example, Grammar::Value, units::count)
}
