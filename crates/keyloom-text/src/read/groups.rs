//! Which rows, and how many, where no caller is involved: `groups`, `unique .. where`, constant tests, distributions.

use keyloom_model::{Distribution, Entity, Expr, Group};

use super::entities::own_field;
use super::scope::{Names, Row};
use super::syntax::{Grammar, Name, Reader, join};
use super::typing::{Scope, Typing};
use crate::parse::{expr as written, units};
use crate::rules::wrong_shape;
use crate::text::Text;
use crate::vocabulary::{DISTRIBUTION, GROUP};
use crate::yaml::{Kind, Node};

/// Reads `groups`, as a mapping or as a list.
pub(super) fn groups(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    entity: &Entity,
    node: &Node,
    path: &str,
) -> Vec<Group> {
    const EXAMPLE: &str = "groups: { assignee_id where status = OPEN: 40 / 5k / 200k }";
    let path = join(path, "groups");
    let mut groups = Vec::new();
    if let Kind::List { items, .. } = &node.kind {
        let words: Vec<_> = GROUP.iter().collect();
        for (at, item) in items.iter().enumerate() {
            let path = join(&path, &at.to_string());
            reader.places.insert(&path, item.place, item.place);
            let Some(keys) = reader.keys(item, &path, "a group", &words, "{ by: [assignee_id], rows: 40 / 5k / 200k }")
            else {
                continue;
            };
            let Some(by) = reader.required(&keys, "by", "this group", item.place, "by: [assignee_id]") else {
                continue;
            };
            let by = if by.scalar().is_some_and(|scalar| scalar.text == "all") {
                Vec::new()
            } else {
                let found = reader.names(by, "`by`", "by: [assignee_id]");
                found
                    .iter()
                    .filter_map(|name| own_field(reader, entity, name))
                    .map(|field| field.name.clone())
                    .collect()
            };
            let filter = match keys.get("where") {
                Some(node) => match constant_test(reader, names, entity, node) {
                    Some(filter) => Some(filter),
                    None => continue,
                },
                None => None,
            };
            let Some(rows) = reader.required(&keys, "rows", "this group", item.place, "rows: 40 / 5k / 200k") else {
                continue;
            };
            if let Some(rows) = count_distribution(reader, rows, &join(&path, "rows"), "a group's size") {
                groups.push(Group { by, filter, rows });
            }
        }
        return groups;
    }
    let Kind::Map { entries, .. } = &node.kind else {
        reader.push(wrong_shape::finding(node.place, "`groups`", "a mapping or a list", node.word(), EXAMPLE));
        return groups;
    };
    for (at, (name, value)) in reader.entries(node, &path, "`groups`", EXAMPLE).into_iter().enumerate() {
        let Some(entry) = entries.iter().find(|entry| entry.key.place == name.place) else { continue };
        reader.places.insert(join(&path, &at.to_string()), name.place, value.place);
        let text = Text::of(&entry.key, reader.sources);
        let Some((fields, filter)) = fields_where(reader, names, entity, &text) else { continue };
        if let Some(rows) = count_distribution(reader, value, &join(&path, &at.to_string()), "a group's size") {
            groups.push(Group { by: fields, filter, rows });
        }
    }
    groups
}

/// Reads `a, b where status = OPEN`; `all` stands for no field.
pub(super) fn fields_where(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    entity: &Entity,
    text: &Text,
) -> Option<(Vec<String>, Option<Expr>)> {
    let (left, filter) = split_where(&text.text);
    let mut fields = Vec::new();
    let mut start = 0;
    for part in text.text[..left].split(',') {
        let trimmed = part.trim();
        let at = start + (part.len() - part.trim_start().len());
        start += part.len() + 1;
        if trimmed == "all" && fields.is_empty() {
            continue;
        }
        let name = Name { text: trimmed.to_owned(), place: text.place(at..at + trimmed.len()) };
        fields.push(own_field(reader, entity, &name)?.name.clone());
    }
    let filter = match filter {
        Some(at) => {
            let inner = Text::part(text, at);
            let written = reader.parse_text(&inner, Grammar::Expression, written::expr)?;
            Some(test(reader, names, entity, &inner, &written)?)
        }
        None => None,
    };
    Some((fields, filter))
}

/// Where the word `where` cuts a text: the end of what stands before it, the start of what follows it.
pub(super) fn split_where(text: &str) -> (usize, Option<usize>) {
    match text.find(" where ") {
        Some(at) => (at, Some(at + " where ".len())),
        None => (text.len(), None),
    }
}

/// A test over an entity's own row, without inputs.
pub(super) fn test(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    entity: &Entity,
    text: &Text,
    written: &written::Expr,
) -> Option<Expr> {
    let row = Row { entity: names.entity(&entity.name)?, built_in: false };
    let mut scope = Scope { names, row: Some(row), item: None, inputs: None };
    Typing { reader, scope: &mut scope, text }.test(written)
}

/// A test that stands alone in a scalar.
pub(super) fn constant_test(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node) -> Option<Expr> {
    let text = reader.text(node, "`where`", "status = OPEN")?;
    let written = reader.parse_text(&text, Grammar::Expression, written::expr)?;
    test(reader, names, entity, &text, &written)
}

/// A distribution of counts, as text or as a mapping.
pub(super) fn count_distribution(
    reader: &mut Reader<'_>,
    node: &Node,
    path: &str,
    what: &str,
) -> Option<Distribution<u64>> {
    if let Kind::Map { .. } = &node.kind {
        let words: Vec<_> = DISTRIBUTION.iter().collect();
        let keys = reader.keys(node, path, what, &words, "{ typical: 40, p99: 5k, worst: 200k }")?;
        let mut part =
            |key: &str| keys.get(key).and_then(|node| reader.parse(node, key, "40", Grammar::Value, units::count));
        return Some(Distribution { typical: part("typical"), p99: part("p99"), worst: part("worst"), per: None });
    }
    reader.parse(node, what, "40 / 5k / 200k", Grammar::Value, units::count_distribution)
}
