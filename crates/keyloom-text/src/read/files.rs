//! Loading a catalog's files, one `include` after the other.

use std::collections::HashSet;

use keyloom_finding::{FileId, Finding, Place, Sources};

use super::stranger;
use crate::rules::{cyclic_include, unreadable_file, wrong_shape, yaml_ate_it};
use crate::yaml::{self, Document, Kind, Node};

/// Where files come from. A name uses `/`; a folder stands for its `catalog.yaml`.
pub trait Files {
    /// The text of a file.
    ///
    /// # Errors
    /// Says why there is none.
    fn open(&self, name: &str) -> Result<String, Unreadable>;

    /// The file that a name stands for: `catalog.yaml` below it, where it is a folder's.
    fn resolve(&self, name: &str) -> String {
        name.to_owned()
    }
}

/// Why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// There is no such file.
    Missing,
    /// It holds no bytes at all.
    Empty,
    /// It holds nothing but blanks and comments.
    OnlyComments,
    /// It holds NUL bytes.
    Binary,
    /// It begins as a text in UTF-16 does.
    Utf16,
    /// It is text in another encoding; the first wrong byte stands here.
    NotUtf8 {
        /// Counted from 0.
        at: usize,
    },
    /// It is larger than a catalog file may be.
    TooLarge {
        /// How large it is.
        bytes: u64,
    },
    /// Too many files were read before it.
    TooMany,
    /// It is something else than a catalog, perhaps in a language that its name or its first words tell.
    NotACatalog(Option<&'static str>),
    /// It is something else than a layout.
    NotALayout(Option<&'static str>),
    /// It is a folder, a device, a pipe: nothing that has an end and a content.
    NotAFile,
    /// The system refused, in its own words.
    Refused(String),
}

impl Unreadable {
    /// The largest file that is read: a catalog of ten thousand patterns has about 3 MB.
    pub const BYTES_MAX: u64 = 16 << 20;

    /// Takes a file's bytes as text.
    ///
    /// # Errors
    /// When they are too many, none, binary, or in another encoding.
    pub fn text(bytes: Vec<u8>) -> Result<String, Self> {
        if bytes.len() as u64 > Self::BYTES_MAX {
            return Err(Self::TooLarge { bytes: bytes.len() as u64 });
        }
        if bytes.is_empty() {
            return Err(Self::Empty);
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(Self::Utf16);
        }
        if bytes.contains(&0) {
            return Err(Self::Binary);
        }
        String::from_utf8(bytes).map_err(|error| Self::NotUtf8 { at: error.utf8_error().valid_up_to() })
    }

    /// The finding that says so of a file that was to be a layout.
    pub(super) fn layout_finding(&self, name: &str) -> Finding {
        const BEGINS: &str = "a layout begins with `layout: 1` and `catalog: name`";
        let finding = self.finding(None, name);
        match self {
            Self::Missing => finding.help("check the name"),
            Self::Empty | Self::OnlyComments => finding.help(BEGINS),
            Self::TooLarge { .. } => finding.help("a layout is one file, and far smaller than that"),
            _ => finding,
        }
    }

    /// The finding that says so; `place` is the `include` that names the file, if any.
    pub fn finding(&self, place: Option<Place>, name: &str) -> Finding {
        let (why, help) = match self {
            Self::Missing if place.is_some() => (
                "there is no such file".to_owned(),
                "a name is seen from the file that includes it; a folder stands for its `catalog.yaml`",
            ),
            Self::Missing => (
                "there is no such file".to_owned(),
                "check the name; a folder stands for its `catalog.yaml`; `keyloom init` writes an example",
            ),
            Self::Empty => (
                "the file is empty".to_owned(),
                "a catalog begins with `language: 1` and `catalog: name`; `keyloom init` writes an example",
            ),
            Self::OnlyComments => (
                "the file holds nothing but blanks and comments".to_owned(),
                "a catalog begins with `language: 1` and `catalog: name`; `keyloom init` writes an example",
            ),
            Self::Binary => ("this is a binary file, not a text".to_owned(), "name the file of text: YAML or CQL"),
            Self::Utf16 => ("the text is UTF-16".to_owned(), "save it as UTF-8"),
            Self::NotUtf8 { at } => {
                (format!("the text is not UTF-8: byte {at} is the first wrong one"), "save it as UTF-8")
            }
            Self::TooLarge { bytes } => (
                format!(
                    "the file has {} and a file may have {}",
                    keyloom_model::bytes_text(*bytes),
                    keyloom_model::bytes_text(Self::BYTES_MAX)
                ),
                "split it with `include:`",
            ),
            Self::TooMany => (
                format!("a catalog may have {FILES_MAX} files, and this would be one more"),
                "put what belongs together into one file",
            ),
            Self::NotACatalog(language) => (
                match language {
                    Some(language) => format!("this looks like {language}, not like a catalog"),
                    None => "this is not a catalog: it has none of a catalog's keys".to_owned(),
                },
                "a catalog is YAML that begins with `language: 1` and `catalog: name`; `keyloom init` writes an example",
            ),
            Self::NotALayout(language) => (
                match language {
                    Some(language) => format!("this looks like {language}, not like a layout"),
                    None => "this is not a layout: it has none of a layout's keys".to_owned(),
                },
                "a layout is YAML that begins with `layout: 1` and `catalog: name`",
            ),
            Self::NotAFile => ("this is not a regular file".to_owned(), "name the file of text: YAML or CQL"),
            Self::Refused(words) => (format!("the file can't be opened: {words}"), "check its permissions"),
        };
        unreadable_file::finding(place, name, &why, help)
    }
}

/// The files of a catalog as trees.
pub(super) struct Loaded {
    /// In the order in which they are read: a file before what it includes.
    pub(super) documents: Vec<(FileId, Document)>,
    pub(super) findings: Vec<Finding>,
    pub(super) unreadable: bool,
}

/// How many files one catalog may have; far above what people write, far below what hangs a machine.
const FILES_MAX: usize = 1000;

pub(super) fn load(name: &str, files: &dyn Files, sources: &mut Sources) -> Loaded {
    let mut loaded = Loaded { documents: Vec::new(), findings: Vec::new(), unreadable: false };
    // Files still to be read: name, the include that asks for it, and the chain of files that leads to it.
    let mut waiting: Vec<(String, Option<Place>, Vec<String>)> = vec![(files.resolve(name), None, Vec::new())];
    let mut known: HashSet<String> = HashSet::new();
    while let Some((name, place, chain)) = waiting.pop() {
        if let (Some(at), Some(place)) = (chain.iter().position(|above| *above == name), place) {
            let circle = chain[at..].iter().chain([&name]).cloned().collect::<Vec<_>>().join(" -> ");
            loaded.findings.push(cyclic_include::finding(place, &circle));
            loaded.unreadable = true;
            continue;
        }
        if known.contains(&name) {
            continue;
        }
        if known.len() >= FILES_MAX {
            loaded.findings.push(Unreadable::TooMany.finding(place, &name));
            loaded.unreadable = true;
            break;
        }
        known.insert(name.clone());
        let text = match files.open(&name) {
            Ok(text) => text,
            Err(unreadable) => {
                loaded.findings.push(unreadable.finding(place, &name));
                loaded.unreadable = true;
                continue;
            }
        };
        let file = sources.add(&name, text);
        let before = loaded.findings.len();
        let text = sources.file(file).text();
        let mut document = yaml::parse(file, text, &mut loaded.findings);
        if let Some(stranger) = stranger::instead_of_catalog(&name, text, document.root.as_ref()) {
            loaded.findings.truncate(before);
            loaded.findings.push(stranger.finding(place, &name));
            document = Document::default();
        }
        if document.root.is_none() {
            loaded.unreadable = true;
            if loaded.findings.len() == before {
                loaded.findings.push(Unreadable::OnlyComments.finding(place, &name));
            }
        }
        let mut chain = chain;
        chain.push(name.clone());
        let includes = includes(&document, &mut loaded.findings);
        // The last one is taken first, so they are pushed in reverse.
        for (included, place) in includes.into_iter().rev() {
            waiting.push((files.resolve(&beside(&name, &included)), Some(place), chain.clone()));
        }
        loaded.documents.push((file, document));
    }
    loaded
}

/// Loads a layout, which is one file.
pub(super) fn load_layout(name: &str, files: &dyn Files, sources: &mut Sources) -> Loaded {
    let mut loaded = Loaded { documents: Vec::new(), findings: Vec::new(), unreadable: true };
    let text = match files.open(name) {
        Ok(text) => text,
        Err(unreadable) => {
            loaded.findings.push(unreadable.layout_finding(name));
            return loaded;
        }
    };
    let file = sources.add(name, text);
    let text = sources.file(file).text();
    let document = yaml::parse(file, text, &mut loaded.findings);
    if let Some(stranger) = stranger::instead_of_layout(name, text, document.root.as_ref()) {
        loaded.findings = vec![stranger.layout_finding(name)];
    } else if document.root.is_none() && loaded.findings.is_empty() {
        loaded.findings.push(Unreadable::OnlyComments.layout_finding(name));
    } else {
        loaded.unreadable = document.root.is_none();
    }
    loaded.documents.push((file, if loaded.unreadable { Document::default() } else { document }));
    loaded
}

/// The files that a document includes.
fn includes(document: &Document, findings: &mut Vec<Finding>) -> Vec<(String, Place)> {
    let Some(Node { kind: Kind::Map { entries, .. }, .. }) = &document.root else { return Vec::new() };
    let Some(entry) = entries.iter().find(|entry| entry.key.scalar().is_some_and(|key| key.text == "include")) else {
        return Vec::new();
    };
    let items = match &entry.value.kind {
        Kind::List { items, .. } => items.as_slice(),
        _ => std::slice::from_ref(&entry.value),
    };
    let mut names = Vec::new();
    for item in items {
        match item.scalar().filter(|scalar| !scalar.text.is_empty()) {
            Some(scalar) => names.push((scalar.text.clone(), item.place)),
            None => findings.push(wrong_shape::finding(
                item.place,
                "`include`",
                "file names",
                item.word(),
                "include: [orders.yaml]",
            )),
        }
    }
    names
}

/// The name of a file that stands in `name`, as seen from where `name` itself stands.
fn beside(name: &str, included: &str) -> String {
    if included.starts_with('/') {
        return included.to_owned();
    }
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in included.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// Values that lost their end to a comment: an open quote or parenthesis, and a `#` behind it on the same line.
pub(super) fn eaten_by_comments(
    sources: &Sources,
    documents: &[(FileId, Document)],
    findings: &mut Vec<Finding>,
) -> Vec<Place> {
    let mut eaten = Vec::new();
    for (_, document) in documents {
        let Some(root) = &document.root else { continue };
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            match &node.kind {
                Kind::List { items, .. } => stack.extend(items),
                Kind::Map { entries, .. } => {
                    stack.extend(entries.iter().flat_map(|entry| [&entry.key, &entry.value]));
                }
                Kind::Scalar(scalar) if scalar.plain => {
                    let Some(missing) = unclosed(&scalar.text) else { continue };
                    let next = document.comments.partition_point(|comment| comment.place.start < node.place.end);
                    let Some(comment) = document.comments.get(next) else { continue };
                    let between = Place { start: node.place.end, end: comment.place.start, ..node.place };
                    if sources.text(between).chars().all(|c| c == ' ' || c == '\t') {
                        findings.push(yaml_ate_it::comment(node.place, comment.place, missing));
                        eaten.push(node.place);
                    }
                }
                Kind::Scalar(_) => {}
            }
        }
    }
    eaten
}

/// The closing character that a text lacks.
pub(super) fn unclosed(text: &str) -> Option<char> {
    let mut open = Open::default();
    open.read(text);
    open.missing()
}

/// What is open after some text: a quote, or parentheses.
#[derive(Default)]
pub(super) struct Open {
    parentheses: usize,
    quoted: bool,
}

impl Open {
    /// Reads on.
    pub(super) fn read(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\'' => self.quoted = !self.quoted,
                '(' if !self.quoted => self.parentheses += 1,
                ')' if !self.quoted => self.parentheses = self.parentheses.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// The character that would close it.
    pub(super) fn missing(&self) -> Option<char> {
        if self.quoted { Some('\'') } else { (self.parentheses > 0).then_some(')') }
    }
}
