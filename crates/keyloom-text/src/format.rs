//! Canonical text: what `keyloom fmt` prints.
//!
//! The form, in short:
//! - two blanks of indentation, `\n` line ends, one at the end of the file, no byte order mark;
//! - a file whose first key is `layout` is a layout, any other a catalog;
//! - keys that the language knows come in the order of the [vocabulary](crate::vocabulary), others after them; names
//!   that authors give keep their order;
//! - `{ a: b }` and `[a, b]` stay on their line while they fit into [`WIDTH_MAX`] columns and hold no comments, else
//!   they become blocks; blocks stay blocks;
//! - quotes only where YAML would otherwise read something else, see [`scalar`]; no value is ever folded, and what the
//!   author folded with `>` stays so;
//! - a comment stays with what it is about: before the entry, behind the value, or at the end of the block. Behind a
//!   value it keeps its column where the author aligned it (three blanks or more), else two blanks stand before it;
//! - one blank line stays where there were some, but none at the start of a block.
//!
//! It works in three passes: [`attach`] turns the tree and the comments beside it into one tree, [`settle`] decides
//! order and line breaks, [`print`] writes it down.

mod attach;
mod layout;
mod order;
mod print;
#[cfg(test)]
mod property_tests;
mod scalar;
mod settle;
#[cfg(test)]
mod tests;

pub use layout::print_layout;

use keyloom_finding::{FileId, Finding, Sources};

use crate::yaml;

/// A mapping or list in braces or brackets stays on its line up to this column.
const WIDTH_MAX: usize = 120;

/// The blanks of one level.
const INDENT: usize = 2;

/// Prints a file canonically. It says the same as before, comments included, and printing it again changes nothing.
///
/// # Errors
///
/// A file that is not YAML, or uses parts of YAML that the language has not, is not printed: the findings say why.
///
/// ```
/// use keyloom_finding::Sources;
///
/// let mut sources = Sources::default();
/// let file = sources.add("catalog.yaml", "catalog:   'shop' # ours\nlanguage: 1\n");
/// assert_eq!(keyloom_text::format(&sources, file).unwrap(), "language: 1\ncatalog: shop  # ours\n");
/// ```
pub fn format(sources: &Sources, file: FileId) -> Result<String, Vec<Finding>> {
    let text = sources.file(file).text();
    let mut findings = Vec::new();
    let document = yaml::parse(file, text, &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut page = attach::attach(&document, text);
    settle::settle(&mut page);
    Ok(print::print(&page))
}

/// Whether a file is a layout: its first key says so.
///
/// ```
/// assert!(keyloom_text::is_layout("# of our shop\nlayout: 1\ncatalog: shop\n"));
/// assert!(!keyloom_text::is_layout("language: 1\ncatalog: shop\n"));
/// ```
pub fn is_layout(text: &str) -> bool {
    let mut sources = Sources::default();
    let file = sources.add("", text);
    let root = yaml::parse(file, text, &mut Vec::new()).root;
    let first = root.as_ref().and_then(|root| root.keys().first().copied());
    matches!(order::Shape::of_file(first), order::Shape::Layout)
}

/// A whole file, ready to be printed.
struct Page<'a> {
    /// What the file holds, as if it were the value of an entry; nothing for a file of comments.
    root: Option<Item<'a>>,
    /// Comments after everything.
    closing: Vec<Line>,
}

/// A comment on a line of its own.
#[derive(Debug)]
struct Line {
    text: String,
    blank_before: bool,
}

/// A comment behind something.
#[derive(Debug)]
struct Tail {
    text: String,
    /// Where the author aligned it, if so.
    column: Option<usize>,
}

/// An entry of a mapping or an item of a list, with the comments about it.
struct Item<'a> {
    leading: Vec<Line>,
    /// Whether a blank line stands between it (below its leading comments) and what is above.
    blank_before: bool,
    /// `None` for an item of a list.
    key: Option<&'a yaml::Scalar>,
    value: Value<'a>,
    /// Behind the value; behind the key, if the value is a block.
    tail: Option<Tail>,
}

enum Value<'a> {
    /// Nothing, and the comments that stand in its place.
    Nothing(Vec<Line>),
    Scalar {
        scalar: &'a yaml::Scalar,
        /// The author's own lines, of a folded scalar.
        folded: Option<Vec<&'a str>>,
    },
    Collection(Collection<'a>),
    /// Settled: a text for the rest of the line.
    Inline(String),
    /// Settled: a block scalar, with its header and its lines.
    Lines {
        header: String,
        lines: Vec<String>,
    },
}

/// A mapping or a list.
struct Collection<'a> {
    list: bool,
    flow: bool,
    /// Comments at its start that a blank line sets apart from the first entry: they stay there.
    header: Vec<Line>,
    items: Vec<Item<'a>>,
    /// Comments at its end.
    closing: Vec<Line>,
}

impl Item<'_> {
    /// Moves a comment to the lines above this item.
    fn hoist(&mut self, line: Line) {
        let blank_before = line.blank_before || std::mem::take(&mut self.blank_before);
        self.leading.push(Line { blank_before, ..line });
    }
}
