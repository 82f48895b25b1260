//! Writes down what is settled.

use super::scalar::{self, Context};
use super::{Collection, INDENT, Item, Line, Page, Tail, Value};

/// YAML reads a key without `? ` only if it ends within 1,024 characters.
const SIMPLE_KEY_MAX: usize = 1000;

pub(super) fn print(page: &Page<'_>) -> String {
    let mut printer = Printer { out: String::new(), fresh: true };
    if let Some(root) = &page.root {
        printer.lines(&root.leading, 0);
        match &root.value {
            Value::Collection(collection) => printer.collection(collection, 0, false),
            _ => {
                printer.blank_line(root.blank_before);
                printer.value(root, 0);
            }
        }
    }
    printer.lines(&page.closing, 0);
    printer.out
}

struct Printer {
    out: String,
    /// Whether nothing stands above in this block, so that a blank line would be lost.
    fresh: bool,
}

impl Printer {
    fn blank_line(&mut self, wanted: bool) {
        if wanted && !self.fresh {
            self.out.push('\n');
        }
        self.fresh = false;
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn lines(&mut self, lines: &[Line], indent: usize) {
        for line in lines {
            self.blank_line(line.blank_before);
            self.indent(indent);
            self.out.push_str(&line.text);
            self.out.push('\n');
        }
    }

    /// Ends the line, with the comment behind it if there is one.
    fn end_line(&mut self, tail: Option<&Tail>) {
        if let Some(tail) = tail {
            let width = self.out[self.out.rfind('\n').map_or(0, |end| end + 1)..].chars().count();
            let column = tail.column.unwrap_or(0).max(width + 2);
            self.indent(column - width);
            self.out.push_str(&tail.text);
        }
        self.out.push('\n');
    }

    /// The entries of a block. After a dash the first one continues the line.
    fn collection(&mut self, collection: &Collection<'_>, indent: usize, after_dash: bool) {
        self.fresh = true;
        self.lines(&collection.header, indent);
        for (at, item) in collection.items.iter().enumerate() {
            if after_dash && at == 0 {
                self.fresh = false;
            } else {
                if at == 0 && !collection.header.is_empty() {
                    self.out.push('\n');
                    self.fresh = true;
                }
                self.lines(&item.leading, indent);
                self.blank_line(item.blank_before);
                self.indent(indent);
            }
            self.item(item, indent);
        }
        self.lines(&collection.closing, indent);
    }

    fn item(&mut self, item: &Item<'_>, indent: usize) {
        match item.key {
            None => self.out.push('-'),
            Some(key) => {
                let key = scalar::on_one_line(key, Context::Block);
                if key.chars().count() > SIMPLE_KEY_MAX {
                    self.out.push_str("? ");
                    self.out.push_str(&key);
                    self.out.push('\n');
                    self.indent(indent);
                } else {
                    self.out.push_str(&key);
                }
                self.out.push(':');
            }
        }
        if matches!(item.value, Value::Scalar { .. } | Value::Inline(_) | Value::Lines { .. }) {
            self.out.push(' ');
        }
        self.value(item, indent + INDENT);
    }

    /// The value and the comment behind it; what needs lines of its own stands at this indentation.
    fn value(&mut self, item: &Item<'_>, indent: usize) {
        let tail = item.tail.as_ref();
        match &item.value {
            Value::Inline(text) => {
                self.out.push_str(text);
                self.end_line(tail);
            }
            Value::Lines { header, lines } => {
                self.out.push_str(header);
                self.end_line(tail);
                for line in lines {
                    if !line.is_empty() {
                        self.indent(indent.max(INDENT));
                        self.out.push_str(line);
                    }
                    self.out.push('\n');
                }
            }
            Value::Collection(collection) if item.key.is_none() => {
                self.out.push(' ');
                self.collection(collection, indent, true);
            }
            Value::Collection(collection) => {
                self.end_line(tail);
                self.collection(collection, indent, false);
            }
            Value::Nothing(lines) => {
                self.end_line(tail);
                self.fresh = true;
                self.lines(lines, indent);
                self.fresh = false;
            }
            Value::Scalar { scalar, .. } => {
                self.out.push_str(&scalar::on_one_line(scalar, Context::Block));
                self.end_line(tail);
            }
        }
    }
}
