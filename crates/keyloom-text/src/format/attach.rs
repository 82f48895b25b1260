//! Which comment belongs to what: the tree of the file and the comments beside it become one tree.

use std::iter::Peekable;
use std::slice::Iter;

use super::{Collection, Item, Line, Page, Tail, Value};
use crate::yaml::{Comment, Document, Entry, Kind, Node, Scalar};

/// Behind a value, so many blanks before a comment are no accident.
const ALIGNED_MIN: usize = 3;

pub(super) fn attach<'a>(document: &'a Document, text: &'a str) -> Page<'a> {
    let mut attacher = Attacher { text, comments: document.comments.iter().peekable() };
    let end = Bounds { column: None, next: text.len() };
    let root = document.root.as_ref().map(|root| attacher.root(root, end));
    Page { root, closing: attacher.lines_before(usize::MAX) }
}

/// Where the comments of a node end.
#[derive(Clone, Copy)]
struct Bounds {
    /// The column of the block around it; `None` within braces and brackets, and around the root.
    column: Option<usize>,
    /// The byte where the next thing begins.
    next: usize,
}

struct Attacher<'a> {
    text: &'a str,
    /// Those that have no owner yet, in the order of the file.
    comments: Peekable<Iter<'a, Comment>>,
}

impl<'a> Attacher<'a> {
    fn root(&mut self, node: &'a Node, bounds: Bounds) -> Item<'a> {
        // The first entry of a block takes the comments above it; above anything else they are the root's.
        let begin = if is_block(node) { 0 } else { start(node) };
        let item = self.begin(begin, None);
        self.finish(item, begin, node, bounds)
    }

    /// An item of a list whose dash stands at `begin`; within brackets that is the item itself.
    fn list_item(&mut self, begin: usize, node: &'a Node, bounds: Bounds) -> Item<'a> {
        let mut item = self.begin(begin, None);
        if node.scalar().is_some_and(|scalar| scalar.block) {
            item.tail = self.tail_of(begin, start(node));
        }
        if !node.is_empty() {
            self.lines_before(start(node)).into_iter().for_each(|line| item.hoist(line));
        }
        self.finish(item, begin, node, bounds)
    }

    fn entry(&mut self, entry: &'a Entry, bounds: Bounds) -> Item<'a> {
        let (key, node) = (&entry.key, &entry.value);
        let mut item = self.begin(start(key), key.scalar());
        item.tail = self.tail_of(end(key), start(node));
        if !is_block(node) {
            self.lines_before(start(node)).into_iter().for_each(|line| item.hoist(line));
        }
        self.finish(item, end(key), node, bounds)
    }

    /// An item that begins at this byte, with the comments above it.
    fn begin(&mut self, at: usize, key: Option<&'a Scalar>) -> Item<'a> {
        let leading = self.lines_before(at);
        Item { leading, blank_before: self.blank_above(at), key, value: Value::Nothing(Vec::new()), tail: None }
    }

    /// Fills in the value and what is said behind it. A value that is not there ends where its key or dash does.
    fn finish(&mut self, mut item: Item<'a>, head: usize, node: &'a Node, bounds: Bounds) -> Item<'a> {
        item.value = self.value(node, head, bounds, &mut item);
        let multi_line = is_block(node) || node.scalar().is_some_and(|scalar| scalar.block);
        let value_end = if node.is_empty() { head } else { end(node) };
        if !multi_line && let Some(tail) = self.tail_of(value_end, bounds.next) {
            // Only one comment has room behind a value: the one that stands there.
            if let Some(Tail { text, .. }) = item.tail.replace(tail) {
                item.hoist(Line { text, blank_before: false });
            }
        }
        if let Value::Nothing(inner) = &mut item.value
            && bounds.column.is_some()
        {
            *inner = self.lines_right_of(bounds.column, bounds.next);
        }
        item
    }

    fn value(&mut self, node: &'a Node, head: usize, bounds: Bounds, item: &mut Item<'a>) -> Value<'a> {
        let mut collection = match &node.kind {
            Kind::Scalar(_) if node.is_empty() => return Value::Nothing(Vec::new()),
            Kind::Scalar(scalar) => {
                return Value::Scalar { scalar, folded: scalar.folded.then(|| self.own_lines(node)) };
            }
            Kind::List { items, flow } => {
                let begins = self.list_begins(node, items, item.key.map(|_| head));
                let inner = self.within(node, begins.first().copied(), bounds);
                let nexts = begins.iter().copied().skip(1).chain([inner.next]);
                let items = (items.iter().zip(&begins).zip(nexts))
                    .map(|((item, &begin), next)| self.list_item(begin, item, Bounds { next, ..inner }))
                    .collect();
                Collection { list: true, flow: *flow, header: Vec::new(), items, closing: Vec::new() }
            }
            Kind::Map { entries, flow } => {
                let inner = self.within(node, Some(start(node)), bounds);
                let nexts = entries.iter().skip(1).map(|entry| start(&entry.key)).chain([inner.next]);
                let mut items: Vec<_> = (entries.iter().zip(nexts))
                    .map(|(entry, next)| self.entry(entry, Bounds { next, ..inner }))
                    .collect();
                let header = items.first_mut().filter(|_| !flow).map_or(Vec::new(), split_header);
                Collection { list: false, flow: *flow, header, items, closing: Vec::new() }
            }
        };
        let outer = if is_block(node) { bounds } else { self.within(node, None, bounds) };
        let closing = self.lines_right_of(outer.column, outer.next);
        if collection.items.is_empty() {
            // `{}` has no room for comments.
            item.leading.extend(closing);
        } else {
            collection.closing = closing;
        }
        Value::Collection(collection)
    }

    /// The bounds within a collection that begins at this byte.
    fn within(&self, node: &Node, begin: Option<usize>, bounds: Bounds) -> Bounds {
        if is_block(node) {
            Bounds { column: begin.map(|begin| self.column(begin)), ..bounds }
        } else {
            Bounds { column: None, next: end(node) }
        }
    }

    /// Where each item of a list begins: at its dash, or within brackets at itself. A list under a key may stand in the
    /// column of that key, and then the parser has its first item begin behind the dash.
    fn list_begins(&self, node: &Node, items: &[Node], key_end: Option<usize>) -> Vec<usize> {
        if !is_block(node) {
            return items.iter().map(start).collect();
        }
        let first = key_end.map_or(start(node), |key_end| self.dash_after(key_end));
        let later = items.windows(2).map(|pair| self.dash_after(end(&pair[0])));
        std::iter::once(first).chain(later).collect()
    }

    /// Takes the next comment, if it begins before `limit` on the line on which `from` stands.
    fn tail_of(&mut self, from: usize, limit: usize) -> Option<Tail> {
        let text = self.text;
        let comment = self.comments.next_if(|comment| {
            let at = comment.place.start as usize;
            from <= at && at < limit && text.get(from..at).is_some_and(|between| !between.contains(['\n', '\r']))
        })?;
        let at = comment.place.start as usize;
        let gap = text[..at].len() - text[..at].trim_end_matches([' ', '\t']).len();
        let column = (gap >= ALIGNED_MIN && !text[at - gap..at].contains('\t')).then(|| self.column(at));
        Some(Tail { text: comment.text.clone(), column })
    }

    /// Takes the comments before `limit`.
    fn lines_before(&mut self, limit: usize) -> Vec<Line> {
        self.lines_right_of(None, limit)
    }

    /// Takes the comments before `limit` as long as they stand right of `column`.
    fn lines_right_of(&mut self, column: Option<usize>, limit: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(&comment) = self.comments.peek() {
            let at = comment.place.start as usize;
            if at >= limit || column.is_some_and(|column| self.column(at) <= column) {
                break;
            }
            lines.push(Line { text: comment.text.clone(), blank_before: self.blank_above(at) });
            self.comments.next();
        }
        lines
    }

    /// The dash that follows an item of a block list: what comes next but blanks and comments, and the colon of a key
    /// without a value, where the item ends with that.
    fn dash_after(&self, item_end: usize) -> usize {
        let skip = |rest: &'a str| rest.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
        let mut rest = skip(self.text.get(item_end..).unwrap_or(""));
        while rest.starts_with('#') {
            rest = skip(&rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..]);
        }
        self.text.len() - rest.len()
    }

    /// Whether this byte is the first of its line, but for blanks, and the line above is blank.
    fn blank_above(&self, at: usize) -> bool {
        // The mark of an explicit key stands before it.
        let before = self.text.get(..at).unwrap_or("").trim_end_matches([' ', '\t', '?']);
        let above = before.strip_suffix("\r\n").or_else(|| before.strip_suffix(['\n', '\r']));
        above.is_some_and(|above| {
            let content = above.trim_end_matches([' ', '\t', '\u{feff}']);
            content.is_empty() || content.ends_with(['\n', '\r'])
        })
    }

    /// The column of a byte, from 0, in characters.
    fn column(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or("");
        let line = &before[before.rfind(['\n', '\r']).map_or(0, |end| end + 1)..];
        line.trim_start_matches('\u{feff}').chars().count()
    }

    /// The lines of a block scalar as the author broke them, without their common indentation.
    fn own_lines(&self, node: &Node) -> Vec<&'a str> {
        let before = &self.text[..start(node)];
        let from = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let lines: Vec<_> = self.text[from..end(node)].trim_end().lines().collect();
        let indentation = |line: &&str| line.len() - line.trim_start_matches(' ').len();
        let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
        lines.into_iter().map(|line| line.get(common..).unwrap_or("")).collect()
    }
}

/// Takes from a first entry the comments that a blank line sets apart from it.
fn split_header(first: &mut Item<'_>) -> Vec<Line> {
    let blank_below = |at: usize| first.leading.get(at + 1).map_or(first.blank_before, |line| line.blank_before);
    let length = (0..first.leading.len()).rev().find(|&at| blank_below(at)).map_or(0, |at| at + 1);
    first.leading.drain(..length).collect()
}

fn is_block(node: &Node) -> bool {
    matches!(&node.kind, Kind::List { flow: false, .. } | Kind::Map { flow: false, .. })
}

fn start(node: &Node) -> usize {
    node.place.start as usize
}

fn end(node: &Node) -> usize {
    node.place.end as usize
}
