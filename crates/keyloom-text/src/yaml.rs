//! The tree of a YAML file: every scalar is still text, every node knows its bytes, comments are kept.
//!
//! Only the part of YAML that a catalog needs is let in. Anchors, aliases, tags, directives and further documents are
//! refused with a finding each; nothing is ever typed by YAML, so `NO` and `12:30` stay what they are.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};
use keyloom_finding::{FileId, Finding, Place};

use crate::rules::{not_yaml, yaml_feature};

/// A node of the tree.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
}

/// What a node is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar(Scalar),
    List { items: Vec<Node>, flow: bool },
    Map { entries: Vec<Entry>, flow: bool },
}

/// A scalar, as text.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    /// Written without quotes and not as a block.
    pub(crate) plain: bool,
    /// Written as a block, with `|` or `>`.
    pub(crate) block: bool,
    /// Written as a block with `>`: the author broke the lines, the text has them not.
    pub(crate) folded: bool,
}

/// One `key: value` of a map.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: Node,
    pub(crate) value: Node,
}

/// A comment, `#` included.
#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) place: Place,
    pub(crate) text: String,
}

/// A file as a tree.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// `None` when the file holds nothing but comments, or is not YAML.
    pub(crate) root: Option<Node>,
    pub(crate) comments: Vec<Comment>,
    /// Scalars that stand for something the language does not have; a finding says so.
    pub(crate) refused: Vec<Place>,
}

impl Node {
    /// Its text, if it is a scalar.
    pub(crate) fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Its item of that text, if it is a list that has one; else itself.
    pub(crate) fn item(&self, text: &str) -> &Self {
        let Kind::List { items, .. } = &self.kind else { return self };
        items.iter().find(|item| item.scalar().is_some_and(|scalar| scalar.text == text)).unwrap_or(self)
    }

    /// The texts of its keys, if it is a mapping.
    pub(crate) fn keys(&self) -> Vec<&str> {
        let Kind::Map { entries, .. } = &self.kind else { return Vec::new() };
        entries.iter().filter_map(|entry| entry.key.scalar()).map(|key| key.text.as_str()).collect()
    }

    /// What stands behind a key, if it is a mapping that has it.
    pub(crate) fn value_of(&self, key: &str) -> Option<&Self> {
        let Kind::Map { entries, .. } = &self.kind else { return None };
        let entry = entries.iter().find(|entry| entry.key.scalar().is_some_and(|scalar| scalar.text == key))?;
        Some(&entry.value)
    }

    /// Whether it is nothing: `key:` with no value behind it.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.plain && scalar.text.is_empty())
    }

    /// The word for it in messages.
    pub(crate) fn word(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(_) if self.is_empty() => "nothing",
            Kind::Scalar(_) => "a single value",
            Kind::List { .. } => "a list",
            Kind::Map { .. } => "a mapping",
        }
    }
}

/// How deep a file may nest; a catalog needs ten. The tree is walked recursively, so this also bounds the stack.
const NESTING_MAX: usize = 64;

/// Reads a file's text into a tree. A syntax error ends the tree where it stands: what follows is not judged.
pub(crate) fn parse(file: FileId, text: &str, findings: &mut Vec<Finding>) -> Document {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        disallow_directives: true,
        block_nesting_limit: NESTING_MAX,
        flow_nesting_limit: NESTING_MAX,
        max_buffered_comment_events: usize::MAX,
    };
    let mut builder = Builder { file, text, document: Document::default(), open: Vec::new(), documents: 0 };
    for next in Parser::new_from_str_with_options(text, options) {
        match next {
            Ok((event, span)) => {
                if !builder.event(event, span, findings) {
                    break;
                }
            }
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
                findings.push(not_yaml::finding(file, text, at, error.kind()));
                builder.document.root = None;
                return builder.document;
            }
        }
    }
    builder.document
}

/// A collection that is still being read.
enum Open {
    List { start: usize, items: Vec<Node>, flow: bool },
    Map { start: usize, entries: Vec<Entry>, key: Option<Node>, flow: bool },
}

struct Builder<'a> {
    file: FileId,
    text: &'a str,
    document: Document,
    open: Vec<Open>,
    documents: usize,
}

impl Builder<'_> {
    /// Takes one event; false when the rest of the file is not to be read.
    fn event(&mut self, event: Event<'_>, span: Span, findings: &mut Vec<Finding>) -> bool {
        let bytes = span.byte_range().unwrap_or(0..0);
        if let Some(tag) = span.tag_span().and_then(|tag| tag.byte_range()) {
            findings.push(yaml_feature::tag(self.place(tag.clone()), &self.text[tag]));
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    findings.push(yaml_feature::second_document(self.place(bytes)));
                    return false;
                }
            }
            Event::Comment(..) => {
                let text = self.text.get(bytes.clone()).unwrap_or("").trim_end().to_owned();
                self.document.comments.push(Comment { place: self.place(bytes), text });
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                findings.push(yaml_feature::alias(self.place(bytes.clone()), &self.text[bytes.clone()]));
                self.document.refused.push(self.place(bytes.clone()));
                let text = self.text[bytes.clone()].to_owned();
                self.add(bytes, Kind::Scalar(Scalar { text, plain: true, block: false, folded: false }));
            }
            Event::Scalar(text, style, anchor, _) => {
                self.refuse_anchor(anchor, &bytes, findings);
                let plain = style == ScalarStyle::Plain;
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let folded = style == ScalarStyle::Folded;
                // The parser says `~` for a value that is not there at all; only its empty span tells.
                let missing = plain && bytes.is_empty();
                if missing {
                    self.refuse_as_key("nothing", &bytes, findings);
                }
                let text = if missing { String::new() } else { text.into_owned() };
                self.add(bytes, Kind::Scalar(Scalar { text, plain, block, folded }));
            }
            Event::SequenceStart(style, anchor, _) => {
                self.refuse_as_key("a list", &bytes, findings);
                self.refuse_anchor(anchor, &bytes, findings);
                let flow = style == StructureStyle::Flow;
                self.open.push(Open::List { start: bytes.start, items: Vec::new(), flow });
            }
            Event::MappingStart(style, anchor, _) => {
                self.refuse_as_key("a mapping", &bytes, findings);
                self.refuse_anchor(anchor, &bytes, findings);
                let flow = style == StructureStyle::Flow;
                self.open.push(Open::Map { start: bytes.start, entries: Vec::new(), key: None, flow });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(&bytes),
            _ => {}
        }
        true
    }

    fn place(&self, bytes: Range<usize>) -> Place {
        Place::new(self.file, bytes)
    }

    fn refuse_anchor(&self, anchor: usize, node: &Range<usize>, findings: &mut Vec<Finding>) {
        if anchor != 0 {
            // The anchor stands before its node on the same line, or on the line before a block collection.
            let before = &self.text[..node.start];
            let start = before.rfind('&').unwrap_or(node.start);
            let end = before[start..].find(char::is_whitespace).map_or(node.start, |length| start + length);
            findings.push(yaml_feature::anchor(self.place(start..end), &self.text[start..end]));
        }
    }

    /// Only a text can be a key.
    fn refuse_as_key(&self, what: &str, bytes: &Range<usize>, findings: &mut Vec<Finding>) {
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            findings.push(yaml_feature::not_a_key(self.place(bytes.clone()), what));
        }
    }

    fn close(&mut self, end: &Range<usize>) {
        let Some(open) = self.open.pop() else { return };
        // A block collection "ends" where the next thing begins; its last child says where its text ends.
        let (start, last, flow) = match &open {
            Open::List { start, items, flow } => (*start, items.last().map(|node| node.place.end), *flow),
            Open::Map { start, entries, flow, .. } => {
                (*start, entries.last().map(|entry| entry.value.place.end), *flow)
            }
        };
        let end = if flow { end.end } else { last.map_or(start, |last| last as usize) };
        let kind = match open {
            Open::List { items, flow, .. } => Kind::List { items, flow },
            Open::Map { entries, flow, .. } => Kind::Map { entries, flow },
        };
        self.add(start..end, kind);
    }

    fn add(&mut self, bytes: Range<usize>, kind: Kind) {
        let node = Node { place: self.place(bytes), kind };
        match self.open.last_mut() {
            // `---` with nothing behind it is still a file that holds nothing.
            None => self.document.root = Some(node).filter(|node| !node.is_empty()),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => match key.take() {
                None => *key = Some(node),
                Some(key) => {
                    let mut node = node;
                    if node.is_empty() && node.place.start < key.place.end {
                        node.place = Place { start: key.place.end, end: key.place.end, ..key.place };
                    }
                    entries.push(Entry { key, value: node });
                }
            },
        }
    }
}
