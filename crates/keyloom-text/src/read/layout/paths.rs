//! Paths: which table answers which question.

use std::collections::HashMap;

use keyloom_finding::Place;
use keyloom_model::layout::{Form, Holds, Path, Question, ReadsAtMost, Table};
use keyloom_model::{Action, Entity, Fill, Pattern, Root, Selection, With};

use super::super::patterns::check_words;
use super::super::scope::Names;
use super::super::syntax::{Grammar, Keys, Reader, join};
use super::count;
use super::keys::lone_path;
use super::tables::{find_table, one_kind};
use crate::parse::address::{Address, address};
use crate::parse::expr::Word;
use crate::rules::{bad_value, duplicate_name, unknown_name};
use crate::text::Text;
use crate::vocabulary::{LAYOUT_PATH, READS_AT_MOST, path_forms, path_words};
use crate::yaml::Node;

/// Reads `paths`. A path that was not understood is left out and misread.
pub(super) fn read(reader: &mut Reader<'_>, names: &Names<'_>, tables: &[Table], node: &Node) -> Vec<Path> {
    const EXAMPLE: &str = "paths: { get_task: { get: task } }";
    let mut paths = Vec::new();
    let mut asked: HashMap<Question, Place> = HashMap::new();
    for (text, value) in reader.parsed_entries(node, "paths", "`paths`", EXAMPLE) {
        let before = reader.faults();
        let found = question(reader, names, &text).and_then(|(question, row)| {
            if let Some(first) = asked.get(&question) {
                reader.push(duplicate_name::finding(text.whole(), *first, "the path of", &text.text));
            }
            asked.entry(question.clone()).or_insert(text.whole());
            path(reader, names, tables, (&text, value), question, row)
        });
        match found.filter(|_| reader.faults() == before) {
            Some(path) => paths.push(path),
            None => reader.misread(join("paths", &text.text)),
        }
    }
    paths
}

/// The question of an address, and the entity whose rows answer it.
fn question<'c>(reader: &mut Reader<'_>, names: &Names<'c>, text: &Text) -> Option<(Question, &'c Entity)> {
    match reader.parse_text(text, Grammar::Value, address)? {
        Address::Support { entity, field } => support(reader, names, text, &entity, &field),
        Address::Pattern { pattern, with, order, sent } => {
            let found = reader.found(names.find_pattern(&pattern.text, text.place(pattern.range.clone())))?;
            let with = match &with {
                Some(with) => Some(find_with(reader, text, found, with)?),
                None => None,
            };
            let (entity, selection) = asked_rows(reader, text, found, with, &pattern)?;
            if let Some(order) = &order {
                find_order(reader, text, selection, order)?;
            }
            let mut inputs: Vec<usize> = Vec::new();
            for (at, input) in sent.iter().enumerate() {
                if let Some(first) = sent[..at].iter().find(|other| other.text == input.text) {
                    let [first, again] = [first, input].map(|input| text.place(input.range.clone()));
                    reader.push(duplicate_name::finding(again, first, "input", &input.text));
                    return None;
                }
                inputs.push(find_input(reader, text, found, input)?);
            }
            inputs.sort_unstable();
            let question = Question::Pattern {
                pattern: found.name.clone(),
                with: with.map(|with| with.name.clone()),
                order: order.map(|order| order.text),
                sent: inputs.into_iter().map(|at| found.inputs[at].name.clone()).collect(),
            };
            // An entity of a pattern that was understood was understood too.
            Some((question, names.entity(entity)?))
        }
    }
}

fn support<'c>(
    reader: &mut Reader<'_>,
    names: &Names<'c>,
    text: &Text,
    entity: &Word,
    field: &Word,
) -> Option<(Question, &'c Entity)> {
    let entity = reader.found(names.find_entity(&entity.text, text.place(entity.range.clone())))?;
    let place = text.place(field.range.clone());
    let found = reader.found(names.find_field(entity, &field.text, place))?;
    Some((Question::Support { entity: entity.name.clone(), field: found.name.clone() }, entity))
}

fn find_with<'c>(reader: &mut Reader<'_>, text: &Text, pattern: &'c Pattern, name: &Word) -> Option<&'c With> {
    let lists = pattern.read().map_or(&[][..], |read| &read.with);
    let found = lists.iter().find(|with| with.name == name.text);
    if found.is_none() {
        let all = lists.iter().map(|with| with.name.as_str()).collect();
        unknown(reader, "list", text, name, &format!(" in the `with` of `{}`", pattern.name), all);
    }
    found
}

/// The rows that a pattern asks for: their entity, and how they are selected if it is a list.
fn asked_rows<'c>(
    reader: &mut Reader<'_>,
    text: &Text,
    pattern: &'c Pattern,
    with: Option<&'c With>,
    name: &Word,
) -> Option<(&'c str, Option<&'c Selection>)> {
    if let Some(selection) = with.map(|with| &with.read.selection).or(pattern.selection()) {
        return Some((&selection.entity, Some(selection)));
    }
    match &pattern.action {
        Action::Write(write) if !write.by.is_empty() => Some((&write.entity, None)),
        _ => {
            let message = format!("`{}` asks for no rows", pattern.name);
            let help = "a path belongs to a read, a claim, or a write of a row that is found by its `by`".to_owned();
            reader.push(bad_value::finding(text.place(name.range.clone()), message, Some(help)));
            None
        }
    }
}

fn find_order(reader: &mut Reader<'_>, text: &Text, selection: Option<&Selection>, name: &Word) -> Option<()> {
    let orders = selection.map_or(&[][..], |selection| &selection.orders);
    if orders.iter().any(|order| order.name == name.text) {
        return Some(());
    }
    let all = orders.iter().map(|order| order.name.as_str()).filter(|name| !name.is_empty()).collect();
    let asking = text.text.split(Question::ORDER).next().unwrap_or("");
    unknown(reader, "named order", text, name, &format!(" in `{asking}`"), all);
    None
}

/// The number of an optional input among the inputs of the pattern.
fn find_input(reader: &mut Reader<'_>, text: &Text, pattern: &Pattern, name: &Word) -> Option<usize> {
    let Some(at) = pattern.inputs.iter().position(|input| input.name == name.text) else {
        let all = pattern.inputs.iter().filter(|input| input.optional).map(|input| input.name.as_str()).collect();
        unknown(reader, "optional input", text, name, &format!(" in `{}`", pattern.name), all);
        return None;
    };
    if !pattern.inputs[at].optional {
        let message = format!("`{}` is sent with every call of `{}`", name.text, pattern.name);
        let help = "an address names the optional inputs that are sent, and only those".to_owned();
        reader.push(bad_value::finding(text.place(name.range.clone()), message, Some(help)));
        return None;
    }
    Some(at)
}

/// The finding that a pattern, which was understood, has no such part.
fn unknown(reader: &mut Reader<'_>, what: &str, text: &Text, name: &Word, within: &str, all: Vec<&str>) {
    let nearest = reader.suggest(&name.text, all.iter().copied());
    let place = text.place(name.range.clone());
    reader.push(unknown_name::finding(place, what, &name.text, within, nearest, &all));
}

fn path(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    tables: &[Table],
    (address, node): (&Text, &Node),
    question: Question,
    row: &Entity,
) -> Option<Path> {
    let words: Vec<_> = LAYOUT_PATH.iter().collect();
    let at = join("paths", &address.text);
    let keys = reader.keys(node, &at, "a path", &words, "get_task: { get: task }")?;
    let what = format!("the path of `{}`", address.text);
    let forms = path_forms();
    let form =
        one_kind(reader, &keys, address.whole(), &what, "which table it reads", forms.iter().map(|word| word.name))?;
    check_words(reader, &keys, form, &path_words(form), forms, path_words);
    let table = named_table(reader, &keys, tables, form);
    let via = keys.get("via").map(|node| (node.place, named_table(reader, &keys, tables, "via")));
    if let Some((place, Some(via))) = &via
        && !matches!(via.holds, Holds::Reservations { .. })
    {
        let message = format!("`{}` holds no reservations", via.name);
        let help = "`via` names a table that `reserves` a unique: it says which row has the value".to_owned();
        reader.push(bad_value::finding(*place, message, Some(help)));
    }
    let looks_up = keys.get("looks_up").map(|node| looks_up(reader, names, row, node)).unwrap_or_default();
    let remains = keys.get("remains").map(|node| fields(reader, names, row, node, "remains", "[kind]"));
    let reads_at_most = keys.get("reads_at_most").and_then(|node| reads_at_most(reader, node, &at));
    let table = table?.name.clone();
    let form = match form {
        "get" => Form::Get { table, via: via.and_then(|(_, via)| via).map(|via| via.name.clone()) },
        _ => Form::Slice { table },
    };
    let remains = remains.unwrap_or_default().into_iter().map(|(path, _)| path).collect();
    Some(Path { question, form, looks_up, remains, reads_at_most })
}

/// The table that a key names.
fn named_table<'t>(reader: &mut Reader<'_>, keys: &Keys<'_>, tables: &'t [Table], key: &str) -> Option<&'t Table> {
    let text = reader.text(keys.get(key)?, &format!("`{key}`"), "task")?;
    find_table(reader, tables, &text.text, text.whole())
}

/// What is not in the row: fields of rows that it points to, and kept values, which stand in tables of their own.
fn looks_up(reader: &mut Reader<'_>, names: &Names<'_>, row: &Entity, node: &Node) -> Vec<keyloom_model::Path> {
    let mut paths = Vec::new();
    for (path, place) in fields(reader, names, row, node, "looks_up", "[case.title]") {
        let is_kept = row.field(&path.field).is_some_and(|field| matches!(field.fill, Fill::Kept(_)));
        if path.root == Root::Own && !is_kept {
            let message = format!("`{path}` stands in {} itself", row.name);
            let help = "only fields of other rows, and kept values, are looked up".to_owned();
            let finding = bad_value::finding(place, message, Some(help));
            reader.push((!names.field_is_misread(row, &path.field)).then_some(finding));
            continue;
        }
        paths.push(path);
    }
    paths
}

/// A list of fields of the row or of rows that it points to, each with its place.
fn fields(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    row: &Entity,
    node: &Node,
    key: &str,
    example: &str,
) -> Vec<(keyloom_model::Path, Place)> {
    let what = format!("`{key}`");
    let mut paths: Vec<(keyloom_model::Path, Place)> = Vec::new();
    for item in reader.bracketed(node, &what, &format!("{key}: {example}")).iter() {
        let Some(text) = reader.text(item, &what, example) else { continue };
        let Some(path) = lone_path(reader, names, row, &text) else { continue };
        match paths.iter().find(|(other, _)| *other == path) {
            Some((_, first)) => reader.push(duplicate_name::finding(text.whole(), *first, "field", &text.text)),
            None => paths.push((path, text.whole())),
        }
    }
    paths
}

fn reads_at_most(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<ReadsAtMost> {
    const WHAT: &str = "`reads_at_most`";
    let words: Vec<_> = READS_AT_MOST.iter().collect();
    let example = "reads_at_most: { partitions: 1, rows: 51 }";
    let keys = reader.keys(node, &join(path, "reads_at_most"), WHAT, &words, example)?;
    let mut bound = |key: &str, example: &str| {
        reader.required(&keys, key, WHAT, node.place, &format!("{key}: {example}"))?;
        count(reader, &keys, key, example)
    };
    let (partitions, rows) = (bound("partitions", "1"), bound("rows", "51"));
    Some(ReadsAtMost { partitions: partitions?, rows: rows? })
}
