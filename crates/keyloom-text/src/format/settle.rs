//! Decides, from the inside out: the order of keys, what stays on its line, and which comments must move for that.

use super::order::Shape;
use super::scalar::{self, Context};
use super::{Collection, INDENT, Item, Line, Page, Value, WIDTH_MAX};

pub(super) fn settle(page: &mut Page<'_>) {
    if let Some(root) = &mut page.root {
        let first = match &root.value {
            Value::Collection(collection) => collection.items.first().and_then(|item| item.key),
            _ => None,
        };
        let shape = Shape::of_file(first.map(|key| key.text.as_str()));
        settle_value(root, 0, 0, shape, true);
        // Only a value on one line leaves room for a comment behind it, and says itself where it begins.
        if !matches!(root.value, Value::Inline(_)) {
            hoist_tail(root);
            root.blank_before = false;
        }
    }
}

/// Settles an item that stands at this indentation.
fn settle_item(item: &mut Item<'_>, indent: usize, shape: Shape) {
    let column = match item.key {
        Some(key) => indent + scalar::on_one_line(key, Context::Block).chars().count() + ": ".len(),
        None => indent + "- ".len(),
    };
    settle_value(item, column, indent + INDENT, shape, false);
    if item.key.is_none() {
        hoist_from_first(item);
    }
}

/// Settles a value that begins at this column, or whose entries stand at this indentation.
fn settle_value(item: &mut Item<'_>, column: usize, inner: usize, shape: Shape, is_root: bool) {
    match &mut item.value {
        Value::Scalar { scalar, folded } => item.value = scalar::in_block(scalar, folded.as_deref(), is_root),
        Value::Collection(collection) => {
            sort(collection, shape);
            if let Some(line) = on_one_line(collection, WIDTH_MAX.saturating_sub(column)) {
                item.value = Value::Inline(line);
                return;
            }
            if collection.flow {
                // Comments that stood far behind the line, which is no more, come near.
                let tails = collection.items.iter_mut().map(|item| &mut item.tail).chain([&mut item.tail]);
                tails.flatten().for_each(|tail| tail.column = tail.column.filter(|&column| column <= WIDTH_MAX / 2));
            }
            for item in &mut collection.items {
                settle_item(item, inner, shape_of(item, shape));
            }
        }
        Value::Nothing(_) | Value::Inline(_) | Value::Lines { .. } => {}
    }
}

fn shape_of(item: &Item<'_>, around: Shape) -> Shape {
    item.key.map_or(around.item(), |key| around.under(&key.text))
}

/// Puts the known keys in their order, here and in all that stands on the same line.
fn sort(collection: &mut Collection<'_>, shape: Shape) {
    if !collection.list {
        collection.items.sort_by_key(|item| item.key.map_or(usize::MAX, |key| shape.rank(&key.text)));
    }
    if collection.flow {
        for item in &mut collection.items {
            let shape = shape_of(item, shape);
            if let Value::Collection(inner) = &mut item.value {
                sort(inner, shape);
            }
        }
    }
}

/// The collection in braces or brackets, if the author wrote it so, it has no comments and is no wider than this.
fn on_one_line(collection: &Collection<'_>, width: usize) -> Option<String> {
    if collection.items.is_empty() {
        return Some(if collection.list { "[]" } else { "{}" }.to_owned());
    }
    if !collection.flow || !collection.closing.is_empty() {
        return None;
    }
    let mut line = if collection.list { "[" } else { "{ " }.to_owned();
    for (at, item) in collection.items.iter().enumerate() {
        if !item.leading.is_empty() || item.tail.is_some() {
            return None;
        }
        if at > 0 {
            line.push_str(", ");
        }
        let value = match &item.value {
            Value::Nothing(_) => String::new(),
            Value::Scalar { scalar, .. } => scalar::on_one_line(scalar, Context::Flow),
            Value::Collection(inner) => on_one_line(inner, width)?,
            Value::Inline(_) | Value::Lines { .. } => return None,
        };
        if let Some(key) = item.key {
            let key = scalar::on_one_line(key, Context::Flow);
            line.push_str(&key);
            if !value.is_empty() {
                line.push_str(": ");
            }
        }
        line.push_str(&value);
        if line.chars().count() > width {
            return None;
        }
    }
    line.push_str(if collection.list { "]" } else { " }" });
    (line.chars().count() <= width).then_some(line)
}

/// The first entry of a block shares its line with the dash, so comments above it, or behind the dash, go above that.
fn hoist_from_first(item: &mut Item<'_>) {
    let Value::Collection(collection) = &mut item.value else { return };
    let mut lines = std::mem::take(&mut collection.header);
    if let Some(first) = collection.items.first_mut() {
        lines.append(&mut first.leading);
    }
    hoist_tail(item);
    for line in lines {
        item.hoist(line);
    }
}

fn hoist_tail(item: &mut Item<'_>) {
    if let Some(tail) = item.tail.take() {
        item.hoist(Line { text: tail.text, blank_before: false });
    }
}
