//! Tables: what each holds, and by which words that is said.

use std::collections::HashMap;

use keyloom_finding::Place;
use keyloom_model::layout::{Counted, Holds, Keeper, Spread, Table, Upkeep, Way, WhenExpired};
use keyloom_model::{Class, Entity, Fill, Origin};

use super::super::groups::constant_test;
use super::super::naming::Case;
use super::super::patterns::check_words;
use super::super::scope::Names;
use super::super::syntax::{Grammar, Keys, Name, Reader, join};
use super::{count, keys as table_keys, span};
use crate::parse::units;
use crate::rules::{bad_expression, bad_name, bad_value, duplicate_name, missing_key, unknown_key, unknown_name};
use crate::vocabulary::{SPREAD, TABLE, table_kinds, table_words};
use crate::yaml::Node;

/// What a table holds, and the entity whose fields its key and its columns name.
pub(super) struct Held<'c> {
    holds: Holds,
    row: &'c Entity,
}

/// Reads `tables`. A table that was not understood is left out and misread.
pub(super) fn read(reader: &mut Reader<'_>, names: &Names<'_>, node: &Node) -> Vec<Table> {
    const EXAMPLE: &str = "tables: { task: { source: Task, partition: [task_id] } }";
    let mut tables = Vec::new();
    let mut held = HashMap::new();
    for (name, value) in reader.entries(node, "tables", "`tables`", EXAMPLE) {
        let before = reader.faults();
        check_table_name(reader, &name);
        let table = table(reader, names, &name, value, &mut held);
        match table.filter(|_| reader.faults() == before) {
            Some(table) => tables.push(table),
            None => reader.misread(table_path(&name.text)),
        }
    }
    check_recounted(reader, &tables);
    tables
}

/// The path of a table.
pub(super) fn table_path(name: &str) -> String {
    format!("tables.{name}")
}

fn check_table_name(reader: &mut Reader<'_>, name: &Name) {
    if reader.check_name(name, "a table", Case::Snake) && name.text.len() > Table::NAME_MAX {
        reader.push(bad_name::too_long(name.place, "a table", &name.text, Table::NAME_MAX));
    }
}

fn table(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    name: &Name,
    node: &Node,
    held: &mut HashMap<String, Place>,
) -> Option<Table> {
    let words: Vec<_> = TABLE.iter().collect();
    let path = table_path(&name.text);
    let keys = reader.keys(node, &path, "a table", &words, "task: { source: Task, partition: [task_id] }")?;
    let what = format!("table `{}`", name.text);
    let kind = one_kind(reader, &keys, name.place, &what, "what it holds", table_kinds().iter().map(|word| word.name))?;
    check_words(reader, &keys, kind, &table_words(kind), table_kinds(), table_words);
    let partition = reader.required(&keys, "partition", &what, name.place, "partition: [task_id]");
    let keeper = (kind == "of")
        .then(|| reader.required(&keys, "keeper", &what, name.place, "keeper: placed"))
        .flatten()
        .and_then(|node| reader.one_of(node, "`keeper`", &words_of(Keeper::ALL, Keeper::name)));
    let Held { holds, row } = holds(reader, names, &keys, kind, keeper)?;
    only_once(reader, &keys, kind, held);

    let all_tenants = keys.get("tenants").and_then(|node| reader.one_of(node, "`tenants`", &[("all", ())])).is_some();
    let filter = keys.get("where").and_then(|node| {
        let filter = constant_test(reader, names, row, node)?;
        if filter.varies() {
            let help = "a table holds the same rows at every moment; a pattern's `where` tests the rest";
            reader.push(bad_expression::finding(
                node.place,
                "`where` of a table takes constants only",
                Some(help.into()),
            ));
        }
        Some(filter)
    });
    let partition = partition.and_then(|node| table_keys::partition(reader, names, row, node));
    let sort = keys.get("sort").map(|node| table_keys::sort(reader, names, row, node)).unwrap_or_default();
    let columns = keys.get("columns").map(|node| table_keys::columns(reader, names, row, node));
    let copies = keys.get("copies").map(|node| table_keys::copies(reader, names, row, node, &path)).unwrap_or_default();
    let spread = keys.get("spread").and_then(|node| spread(reader, node, &path));
    let expires = keys
        .get("expires")
        .and_then(|node| reader.one_of(node, "`expires` of a table", &words_of(WhenExpired::ALL, WhenExpired::name)));
    let partition = partition?;
    table_keys::check_each_once(reader, &keys, &partition, &sort);
    Some(Table {
        name: name.text.clone(),
        holds,
        all_tenants,
        filter,
        partition,
        sort,
        columns,
        copies,
        spread,
        expires,
    })
}

/// The words for the values of an enumeration.
pub(super) fn words_of<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<(&'static str, T)> {
    all.iter().map(|&value| (name(value), value)).collect()
}

/// The one key that says of which kind a thing is; `asks` is what it answers: "what it holds".
pub(super) fn one_kind(
    reader: &mut Reader<'_>,
    keys: &Keys<'_>,
    place: Place,
    what: &str,
    asks: &str,
    kinds: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let kinds: Vec<&str> = kinds.collect();
    let mut found = kinds.iter().copied().filter(|kind| keys.has(kind));
    match (found.next(), found.next()) {
        (Some(kind), None) => Some(kind),
        (Some(first), Some(second)) => {
            let place = keys.entry(second).map_or(place, |entry| entry.key.place);
            reader.push(unknown_key::second_kind(place, first, second));
            None
        }
        (None, _) => {
            let said = kinds.iter().any(|kind| keys.is_misspelt(kind));
            let finding = missing_key::kind(place, what, asks, &kinds.join(", "));
            reader.push((!said).then_some(finding));
            None
        }
    }
}

fn holds<'c>(
    reader: &mut Reader<'_>,
    names: &Names<'c>,
    keys: &Keys<'_>,
    kind: &str,
    keeper: Option<Keeper>,
) -> Option<Held<'c>> {
    let node = keys.get(kind)?;
    Some(match kind {
        "source" => {
            let row = entity(reader, names, node, kind)?;
            let class =
                keys.get("class").and_then(|node| reader.one_of(node, "`class`", &words_of(Class::ALL, Class::name)));
            let upkeep = upkeep(reader, keys);
            if upkeep != Upkeep::default() && !matches!(row.origin, Origin::Rollup(_)) {
                let place = ["way", "from", "every"].iter().find_map(|key| keys.entry(key));
                let place = place.map_or(node.place, |entry| entry.key.place);
                let message = format!("{} is no rollup: its rows follow no others", row.name);
                let help = "`way`, `from` and `every` go with rollups and with `keeps`".to_owned();
                reader.push(bad_value::finding(place, message, Some(help)));
            }
            Held { holds: Holds::Source { entity: row.name.clone(), class, upkeep }, row }
        }
        "of" => {
            let row = entity(reader, names, node, kind)?;
            // Without a keeper the table is left out in the end, but what else it says is still looked at.
            let keeper = keeper.unwrap_or(Keeper::Placed);
            Held { holds: Holds::Projection { entity: row.name.clone(), keeper }, row }
        }
        "newest" => {
            let row = entity(reader, names, node, kind)?;
            Held { holds: Holds::Newest { entity: row.name.clone() }, row }
        }
        "reserves" => {
            let (row, unique) = member(reader, names, node, kind, "User.email_taken")?;
            let unique = reader.found(names.find_unique(row, &unique.text, unique.place))?;
            Held { holds: Holds::Reservations { entity: row.name.clone(), unique: unique.name.clone() }, row }
        }
        "keeps" => {
            let (row, field) = member(reader, names, node, kind, "Case.open_tasks")?;
            filled(reader, names, row, &field, "kept from other rows", |fill| matches!(fill, Fill::Kept(_)))?;
            let holds = Holds::Kept { entity: row.name.clone(), field: field.text, upkeep: upkeep(reader, keys) };
            Held { holds, row }
        }
        "counts" => counts(reader, names, node)?,
        _ => {
            let (row, field) = member(reader, names, node, kind, "Ticket.no")?;
            filled(reader, names, row, &field, "a number of a sequence", |fill| matches!(fill, Fill::Next { .. }))?;
            Held { holds: Holds::Numbers { entity: row.name.clone(), field: field.text }, row }
        }
    })
}

/// Contributions are rows of the entity that is counted.
fn counts<'c>(reader: &mut Reader<'_>, names: &Names<'c>, node: &Node) -> Option<Held<'c>> {
    let is_field = node.scalar().is_some_and(|scalar| scalar.text.contains('.'));
    let (counted, of) = if is_field {
        let (entity, field) = member(reader, names, node, "counts", "Case.open_tasks")?;
        let is_kept = |fill: &Fill| matches!(fill, Fill::Kept(_));
        let Fill::Kept(kept) = filled(reader, names, entity, &field, "kept from other rows", is_kept)? else {
            return None;
        };
        (Counted::Field { entity: entity.name.clone(), field: field.text }, &kept.entity)
    } else {
        let entity = entity(reader, names, node, "counts")?;
        let Origin::Rollup(rollup) = &entity.origin else {
            let message = format!("{} is no rollup", entity.name);
            let help = format!("name a rollup, or a kept field: `counts: {}.field`", entity.name);
            reader.push(bad_value::finding(node.place, message, Some(help)));
            return None;
        };
        (Counted::Rollup(entity.name.clone()), &rollup.of)
    };
    // Of a field or rollup that was understood, the entity it is kept from was too.
    Some(Held { holds: Holds::Contributions(counted), row: names.entity(of)? })
}

fn entity<'c>(reader: &mut Reader<'_>, names: &Names<'c>, node: &Node, kind: &str) -> Option<&'c Entity> {
    let text = reader.text(node, &format!("`{kind}`"), "Task")?;
    reader.found(names.find_entity(&text.text, text.whole()))
}

/// `Entity.name`
fn member<'c>(
    reader: &mut Reader<'_>,
    names: &Names<'c>,
    node: &Node,
    kind: &str,
    example: &str,
) -> Option<(&'c Entity, Name)> {
    let text = reader.text(node, &format!("`{kind}`"), example)?;
    let Some(dot) = text.text.find('.') else {
        let message = format!("`{kind}` takes an entity and a name of it, and here is `{}`", text.text);
        reader.push(bad_value::finding(text.whole(), message, Some(format!("for example `{example}`"))));
        return None;
    };
    let entity = reader.found(names.find_entity(&text.text[..dot], text.place(0..dot)))?;
    let name = text.text[dot + 1..].to_owned();
    Some((entity, Name { place: text.place(dot + 1..text.text.len()), text: name }))
}

/// What fills a field that must be filled in a certain way.
fn filled<'c>(
    reader: &mut Reader<'_>,
    names: &Names<'c>,
    entity: &'c Entity,
    name: &Name,
    must: &str,
    is_so: impl Fn(&Fill) -> bool,
) -> Option<&'c Fill> {
    let field = reader.found(names.find_field(entity, &name.text, name.place))?;
    if is_so(&field.fill) {
        return Some(&field.fill);
    }
    if names.field_is_misread(entity, &name.text) {
        reader.push(None);
        return None;
    }
    let so: Vec<_> = entity.fields.iter().filter(|field| is_so(&field.fill)).map(|field| field.name.as_str()).collect();
    let help = if so.is_empty() { "no field of it is".to_owned() } else { format!("there is: `{}`", so.join("`, `")) };
    let message = format!("{}.{} is not {must}", entity.name, field.name);
    reader.push(bad_value::finding(name.place, message, Some(help)));
    None
}

fn upkeep(reader: &mut Reader<'_>, keys: &Keys<'_>) -> Upkeep {
    let way = keys.get("way").and_then(|node| reader.one_of(node, "`way`", &words_of(Way::ALL, Way::name)));
    let from = keys.get("from").and_then(|node| reader.text(node, "`from`", "reading")).map(|text| text.text);
    Upkeep { way, from, every: span(reader, keys, "every", "1min") }
}

/// The truth about a thing stands in one table.
fn only_once(reader: &mut Reader<'_>, keys: &Keys<'_>, kind: &str, held: &mut HashMap<String, Place>) {
    let Some(text) = keys.get(kind).and_then(Node::scalar).map(|scalar| scalar.text.as_str()) else { return };
    let Some(place) = keys.get(kind).map(|node| node.place).filter(|_| !matches!(kind, "of" | "newest")) else {
        return;
    };
    if let Some(first) = held.get(&format!("{kind} {text}")) {
        let what = if kind == "source" { "the source of".to_owned() } else { format!("a table that {kind}") };
        reader.push(duplicate_name::finding(place, *first, &what, text));
    } else {
        held.insert(format!("{kind} {text}"), place);
    }
}

fn spread(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<Spread> {
    const EXAMPLE: &str = "spread: { rows: 50k, reads: 500/s, at_most: 64 }";
    let words: Vec<_> = SPREAD.iter().collect();
    let keys = reader.keys(node, &join(path, "spread"), "`spread`", &words, EXAMPLE)?;
    let rows = count(reader, &keys, "rows", "50k");
    let reads = keys.get("reads").and_then(|node| reader.parse(node, "`reads`", "500/s", Grammar::Value, units::rate));
    reader.required(&keys, "at_most", "`spread`", node.place, "at_most: 64")?;
    let at_most = count(reader, &keys, "at_most", "64")?;
    Some(Spread { rows, reads, at_most })
}

/// `from` may name a table further down, so it is looked up when all are known.
fn check_recounted(reader: &mut Reader<'_>, tables: &[Table]) {
    for table in tables {
        let (Holds::Source { upkeep, .. } | Holds::Kept { upkeep, .. }) = &table.holds else { continue };
        let (Some(from), Some(place)) = (&upkeep.from, reader.places.value(&join(&table_path(&table.name), "from")))
        else {
            continue;
        };
        find_table(reader, tables, from, place);
    }
}

/// The table of that name; a finding, unless it is written down and was not understood.
pub(super) fn find_table<'t>(
    reader: &mut Reader<'_>,
    tables: &'t [Table],
    name: &str,
    place: Place,
) -> Option<&'t Table> {
    let found = tables.iter().find(|table| table.name == name);
    if found.is_none() && reader.is_misread(&table_path(name)) {
        reader.push(None);
    } else if found.is_none() {
        let all: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        let nearest = reader.suggest(name, all.iter().copied());
        reader.push(unknown_name::finding(place, "table", name, "", nearest, &all));
    }
    found
}
