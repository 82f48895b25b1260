//! Where the rows of a table stand and what they hold: partition, sort, columns, copies.

use std::collections::HashMap;

use keyloom_finding::Place;
use keyloom_model::layout::{Bucket, Copied, CopyRule, Part, Partition, SortItem};
use keyloom_model::{Direction, Entity, Path, Root, Type};

use super::super::scope::{Found, Names, Row, find_path};
use super::super::syntax::{Grammar, Keys, Reader, join};
use super::tables::words_of;
use crate::parse::expr::{self as written, ExprKind, PathStep, Word};
use crate::rules::{bad_reference, bad_value, duplicate_name, type_mismatch, unfit_key};
use crate::text::Text;
use crate::yaml::{Kind, Node};

/// Reads `partition`.
pub(super) fn partition(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, node: &Node) -> Option<Partition> {
    const EXAMPLE: &str = "partition: [case_id, month(at)]";
    let before = reader.faults();
    let items = reader.bracketed(node, "`partition`", EXAMPLE).into_owned();
    let mut parts = Vec::new();
    for item in &items {
        let Some(text) = reader.text(item, "`partition`", EXAMPLE) else { continue };
        if text.text == "all" {
            if items.len() == 1 {
                return Some(Partition::All);
            }
            let message = "`all` is one partition for all rows, so it stands alone";
            reader.push(bad_value::finding(
                text.whole(),
                message,
                Some("write `partition: [all]`, or leave it out".into()),
            ));
            continue;
        }
        parts.extend(part(reader, names, row, &text));
    }
    if parts.is_empty() && reader.faults() == before {
        let help = "one partition for all rows is `partition: [all]`".to_owned();
        reader.push(bad_value::finding(node.place, "a partition without components", Some(help)));
    }
    (reader.faults() == before).then_some(Partition::By(parts))
}

fn part(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, text: &Text) -> Option<Part> {
    let written = reader.parse_text(text, Grammar::Expression, written::expr)?;
    match &written.kind {
        ExprKind::Path(first, steps) => {
            let found = own(reader, names, row, first, steps, text)?;
            Some(Part::Field(found.path.field))
        }
        ExprKind::Call(function, arguments) => {
            let bucket = Bucket::ALL.iter().copied().find(|bucket| bucket.name() == function.name());
            let (Some(bucket), [written::Expr { kind: ExprKind::Path(first, steps), .. }]) =
                (bucket, arguments.as_slice())
            else {
                reader.push(no_component(text));
                return None;
            };
            let found = own(reader, names, row, first, steps, text)?;
            let fits = match found.ty {
                Type::Timestamp { .. } | Type::Uuid7 => true,
                Type::Date => bucket != Bucket::Hour,
                _ => false,
            };
            if !fits {
                let message = format!("`{}` is {}, which has no {}", found.path, found.ty.word(), bucket.name());
                let help = "time buckets are cut from a timestamp, a date or a uuid7".to_owned();
                reader.push(type_mismatch::finding(text.place(first.range.clone()), message, help));
                return None;
            }
            Some(Part::Bucket(bucket, found.path.field))
        }
        _ => {
            reader.push(no_component(text));
            None
        }
    }
}

fn no_component(text: &Text) -> keyloom_finding::Finding {
    let message = format!("`{}` is no component of a partition", text.text);
    let help = "a component is a field, or a time bucket: `hour(at)`, `day(at)`, `month(at)`, `year(at)`".to_owned();
    bad_value::finding(text.whole(), message, Some(help))
}

/// A field of the row itself that may stand in a key; the tenant is one.
fn own(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    row: &Entity,
    first: &Word,
    steps: &[PathStep],
    text: &Text,
) -> Option<Found> {
    let found = path(reader, names, row, false, (first, steps), text)?;
    let place = text.place(first.range.clone());
    if found.path.root != Root::Own || !found.path.members.is_empty() {
        let message = format!("`{}` is no field of {} itself", found.path, row.name);
        reader.push(bad_value::finding(text.whole(), message, Some("a key is made of the row's own fields".into())));
        return None;
    }
    if let Some(why) = found.ty.unordered() {
        reader.push(unfit_key::finding(place, &found.path.field, "be part of a key", why));
        return None;
    }
    Some(found)
}

fn path(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    row: &Entity,
    built_in: bool,
    (first, steps): (&Word, &[PathStep]),
    text: &Text,
) -> Option<Found> {
    // The entity of the catalog, which lives as long as the names do.
    let entity = names.entity(&row.name)?;
    reader.found(find_path(names, Row { entity, built_in }, first, steps, text))
}

/// A path that stands alone in a text: `title`, `case.title`.
pub(super) fn lone_path(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, text: &Text) -> Option<Path> {
    let written = reader.parse_text(text, Grammar::Expression, written::expr)?;
    let ExprKind::Path(first, steps) = &written.kind else {
        let help = format!("name a field of {}, or of a row that it points to", row.name);
        reader.push(bad_value::finding(text.whole(), format!("`{}` is no field", text.text), Some(help)));
        return None;
    };
    path(reader, names, row, true, (first, steps), text).map(|found| found.path)
}

/// Reads `sort`.
pub(super) fn sort(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, node: &Node) -> Vec<SortItem> {
    const EXAMPLE: &str = "sort: [due_at asc, task_id asc]";
    let mut items = Vec::new();
    for item in reader.bracketed(node, "`sort`", EXAMPLE).iter() {
        let Some(text) = reader.text(item, "`sort`", EXAMPLE) else { continue };
        let Some(written) = reader.parse_text(&text, Grammar::Expression, written::order) else { continue };
        let [written::OrderItem { of, descending, nulls_last }] = written.as_slice() else {
            let message = format!("one item of `sort` is one field, and here is `{}`", text.text);
            reader.push(bad_value::finding(text.whole(), message, Some(format!("write `{EXAMPLE}`"))));
            continue;
        };
        // The parser lets nothing but paths through.
        let ExprKind::Path(first, steps) = &of.kind else { continue };
        let Some(found) = own(reader, names, row, first, steps, &text) else { continue };
        let direction = if *descending { Direction::Descending } else { Direction::Ascending };
        items.push(SortItem { field: found.path.field, direction, nulls_last: *nulls_last });
    }
    items
}

/// Reads `columns`.
pub(super) fn columns(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, node: &Node) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    let mut seen: HashMap<String, Place> = HashMap::new();
    for item in reader.bracketed(node, "`columns`", "columns: [title, status]").iter() {
        let Some(text) = reader.text(item, "`columns`", "columns: [title, status]") else { continue };
        let Some(found) = lone_path(reader, names, row, &text) else { continue };
        if found.root != Root::Own || !found.members.is_empty() {
            let message = format!("`{found}` is no field of {} itself", row.name);
            let help = format!("a copy of it is stated under `copies: {{ {found}: copy }}`");
            reader.push(bad_value::finding(text.whole(), message, Some(help)));
        } else if let Some(first) = seen.get(&found.field) {
            reader.push(duplicate_name::finding(text.whole(), *first, "column", &found.field));
        } else {
            seen.insert(found.field.clone(), text.whole());
            columns.push(found.field);
        }
    }
    columns
}

/// Reads `copies`.
pub(super) fn copies(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, node: &Node, path: &str) -> Vec<Copied> {
    let mut copies = Vec::new();
    for (text, value) in reader.parsed_entries(node, &join(path, "copies"), "`copies`", "copies: { case.title: copy }")
    {
        let path = lone_path(reader, names, row, &text);
        let rule = reader.one_of(value, "a copy", &words_of(CopyRule::ALL, CopyRule::name));
        let Some(path) = path else { continue };
        if path.root == Root::Own {
            let message = format!("`{path}` stands in {} itself", row.name);
            reader.push(bad_reference::finding(text.whole(), message, "state it under `columns`"));
            continue;
        }
        copies.extend(rule.map(|rule| Copied { path, rule }));
    }
    copies
}

/// A field stands in a key once. A bucket of it may stand beside it: it says less.
pub(super) fn check_each_once(reader: &mut Reader<'_>, keys: &Keys<'_>, partition: &Partition, sort: &[SortItem]) {
    let place = |key: &str, at: usize| match &keys.get(key)?.kind {
        Kind::List { items, .. } => items.get(at).map(|item| item.place),
        _ => keys.get(key).map(|node| node.place),
    };
    let parts = partition.parts().iter().enumerate().map(|(at, part)| match part {
        Part::Field(field) => (field.clone(), place("partition", at)),
        Part::Bucket(bucket, field) => (format!("{}({field})", bucket.name()), place("partition", at)),
    });
    let sorted = sort.iter().enumerate().map(|(at, item)| (item.field.clone(), place("sort", at)));
    let mut seen: HashMap<String, Place> = HashMap::new();
    for (name, place) in parts.chain(sorted) {
        let Some(place) = place else { continue };
        match seen.get(&name) {
            Some(first) => reader.push(duplicate_name::in_key(place, *first, &name)),
            None => {
                seen.insert(name, place);
            }
        }
    }
}
