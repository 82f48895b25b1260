//! Rollups: entities kept from another.

use keyloom_model::{Entity, Field, Fill, Origin, Rollup, RollupValue, TimeSpan, TimeUnit, Type};

use super::allow;
use super::entities::{blank, expires};
use super::fields::{aggregate, aggregate_type};
use super::groups::{self, constant_test, split_where};
use super::naming::Case;
use super::scope::{Names, entity_path, field_path, fields_path};
use super::syntax::{Grammar, Keys, Name, Reader, join};
use crate::parse::{expr as written, units};
use crate::rules::{bad_value, missing_key, type_mismatch};
use crate::text::Text;
use crate::vocabulary::ROLLUP;
use crate::yaml::Node;

/// A rollup whose expressions wait until all names are known.
pub(super) struct Pending<'n> {
    at: usize,
    name: String,
    of: String,
    keys: Keys<'n>,
}

const EXAMPLE: &str = "HourlyTemp: { of: Reading, by: [device_id], every: 1h of at, values: { n: count } }";

/// Makes rollups known by name and fields.
pub(super) fn declare<'n>(
    reader: &mut Reader<'_>,
    node: &'n Node,
    names: &Names<'_>,
    declared: &mut Vec<(Name, &str)>,
    waiting: &mut Vec<Pending<'n>>,
) {
    for (name, value) in reader.entries(node, "rollups", "`rollups`", EXAMPLE) {
        declared.push((name.clone(), "rollup"));
        if reader.catalog.entity(&name.text).is_some() {
            continue;
        }
        reader.check_name(&name, "a rollup", Case::Entity);
        let path = format!("rollups.{}", name.text);
        let words: Vec<_> = ROLLUP.iter().collect();
        let Some(keys) = reader.keys(value, &path, "a rollup", &words, EXAMPLE) else {
            reader.misread(entity_path(&name.text));
            continue;
        };
        let what = format!("rollup `{}`", name.text);
        let Some(source) = source(reader, names, &keys, &name, &what) else {
            reader.misread(entity_path(&name.text));
            continue;
        };
        let mut entity = blank(&name.text, source.per_tenant);
        let before = reader.faults();
        let plain = |field: &Field| Field { reference: field.reference.clone(), fill: Fill::Taken, ..field.clone() };
        let mut by = Vec::new();
        for found in keys.get("by").map(|node| reader.names(node, "`by`", "by: [device_id]")).unwrap_or_default() {
            match names.find_field(source, &found.text, found.place) {
                Ok(field) => {
                    entity.fields.push(plain(field));
                    by.push(field.name.clone());
                }
                Err(finding) => reader.push(finding),
            }
        }
        entity.key.clone_from(&by);
        let every = keys.get("every").and_then(|node| every(reader, names, source, node));
        if reader.faults() > before {
            reader.misread(fields_path(&name.text));
        }
        if let Some((step, of, slot)) = &every {
            let ty = if step.unit >= TimeUnit::Day {
                Type::Date
            } else {
                source.field(of).map_or(Type::Date, |field| field.ty.clone())
            };
            entity.fields.push(Field { name: slot.clone(), ty, optional: false, reference: None, fill: Fill::Taken });
            entity.key.push(slot.clone());
        }
        let mut values = Vec::new();
        match keys.get("values") {
            Some(node) => {
                for (value_name, node) in
                    reader.entries(node, &join(&path, "values"), "`values`", "values: { n: count }")
                {
                    reader.check_field_name(&value_name, "a value");
                    let Some((value, ty)) = rollup_value(reader, names, source, &value_name.text, node) else {
                        reader.misread(field_path(&name.text, &value_name.text));
                        continue;
                    };
                    let name = value.name.clone();
                    entity.fields.push(Field { name, ty, optional: false, reference: None, fill: Fill::Taken });
                    values.push(value);
                }
            }
            None => reader.push(missing_key::finding(Some(name.place), &what, "values", "values: { n: count }")),
        }
        let late =
            keys.get("late").and_then(|node| reader.parse(node, "`late`", "10min", Grammar::Value, units::time_span));
        let freshness = keys
            .get("freshness")
            .and_then(|node| reader.parse(node, "`freshness`", "1min", Grammar::Value, units::time_span));
        entity.doc = reader.prose(&keys, "doc");
        entity.owner = reader.prose(&keys, "owner");
        entity.origin =
            Origin::Rollup(Rollup { of: source.name.clone(), by, every, values, filter: None, late, freshness });
        waiting.push(Pending {
            at: reader.catalog.entities.len(),
            name: name.text.clone(),
            of: source.name.clone(),
            keys,
        });
        reader.catalog.entities.push(entity);
    }
}

/// The entity that a rollup is kept from.
fn source<'c>(
    reader: &mut Reader<'_>,
    names: &Names<'c>,
    keys: &Keys<'_>,
    name: &Name,
    what: &str,
) -> Option<&'c Entity> {
    let of = reader.required(keys, "of", what, name.place, "of: Reading")?;
    let of = reader.text(of, "`of`", "of: Reading")?;
    reader.found(names.find_entity(&of.text, of.whole()))
}

/// Resolves what waits for all names.
pub(super) fn resolve(reader: &mut Reader<'_>, names: &Names<'_>, waiting: Vec<Pending<'_>>) {
    for pending in waiting {
        let (Some(entity), Some(source)) = (names.entity(&pending.name), names.entity(&pending.of)) else { continue };
        let filter = pending.keys.get("where").and_then(|node| constant_test(reader, names, source, node));
        let expires = pending.keys.get("expires").and_then(|node| expires(reader, names, entity, node));
        if let Some(node) = pending.keys.get("allow") {
            allow::read(reader, node, &format!("rollups.{}", pending.name));
        }
        let entity = &mut reader.catalog.entities[pending.at];
        entity.expires = expires;
        if let Origin::Rollup(rollup) = &mut entity.origin {
            rollup.filter = filter;
        }
    }
}

/// Reads `15min of at as slot`.
fn every(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    source: &Entity,
    node: &Node,
) -> Option<(TimeSpan, String, String)> {
    let text = reader.text(node, "`every`", "1h of at")?;
    let Some((step, rest)) = text.text.split_once(" of ") else {
        let help = Some("write the step and the timestamp it is cut from: `1h of at`".to_owned());
        reader.push(bad_value::finding(text.whole(), "`every` does not say of which field", help));
        return None;
    };
    let lead = step.len() - step.trim_start().len();
    let step = match units::time_span(step.trim()) {
        Ok(step) => step,
        Err(fault) => {
            let place = text.place(lead + fault.range.start..lead + fault.range.end);
            reader.push(bad_value::finding(place, fault.message, fault.help));
            return None;
        }
    };
    let (of, slot) = match rest.split_once(" as ") {
        Some((of, slot)) => (of.trim(), Some(slot.trim())),
        None => (rest.trim(), None),
    };
    let at = text.text.len() - rest.trim_start().len();
    let place = text.place(at..at + of.len());
    let field = reader.found(names.find_field(names.entity(&source.name)?, of, place))?;
    if !matches!(field.ty, Type::Timestamp { .. } | Type::Date) {
        let message = format!("`{of}` is {}; steps are cut from a timestamp or a date", field.ty.word());
        reader.push(type_mismatch::finding(place, message, None));
        return None;
    }
    let slot = match (slot, step) {
        (Some(slot), _) => slot.to_owned(),
        (None, TimeSpan { amount: 1, unit: TimeUnit::Hour }) => "hour".to_owned(),
        (None, TimeSpan { amount: 1, unit: TimeUnit::Day }) => "day".to_owned(),
        (None, TimeSpan { amount: 1, unit: TimeUnit::Month }) => "month".to_owned(),
        (None, step) => {
            let help = Some(format!("name it: `every: {step} of {of} as slot`"));
            reader.push(bad_value::finding(
                text.whole(),
                format!("the field that holds the start of each {step} has no name"),
                help,
            ));
            return None;
        }
    };
    Some((step, of.to_owned(), slot))
}

/// Reads `count where breached = true`, `avg of celsius`, `last of value by at`.
fn rollup_value(
    reader: &mut Reader<'_>,
    names: &Names<'_>,
    source: &Entity,
    name: &str,
    node: &Node,
) -> Option<(RollupValue, Type)> {
    let text = reader.text(node, "a value of a rollup", "avg of celsius")?;
    let (left, filter) = split_where(&text.text);
    let words: Vec<&str> = text.text[..left].split_whitespace().collect();
    let (kind, of, by) = match words.as_slice() {
        [kind] => (*kind, None, None),
        [kind, "of", of] => (*kind, Some(*of), None),
        [kind, "of", of, "by", by] => (*kind, Some(*of), Some(*by)),
        _ => ("", None, None),
    };
    let Some(aggregate) =
        aggregate(kind).filter(|aggregate| (*aggregate == keyloom_model::Aggregate::Count) == of.is_none())
    else {
        let help =
            Some("write `count`, `count where ..`, or `sum | avg | min | max | last | first` `of field`".to_owned());
        reader.push(bad_value::finding(
            text.place(0..left),
            format!("`{}` is not a value of a rollup", text.text[..left].trim()),
            help,
        ));
        return None;
    };
    let source = names.entity(&source.name)?;
    let mut field = |wanted: Option<&str>| -> Option<Option<&Field>> {
        let Some(wanted) = wanted else { return Some(None) };
        let at = text.text.find(wanted).unwrap_or(0);
        reader.found(names.find_field(source, wanted, text.place(at..at + wanted.len()))).map(Some)
    };
    let (of, by) = (field(of)?, field(by)?);
    let filter = match filter {
        Some(at) => {
            let inner = Text::part(&text, at);
            let written = reader.parse_text(&inner, Grammar::Expression, written::expr)?;
            Some(groups::test(reader, names, source, &inner, &written)?)
        }
        None => None,
    };
    let ty = aggregate_type(aggregate, of.map(|field| &field.ty))?;
    let value = RollupValue {
        name: name.to_owned(),
        aggregate,
        field: of.map(|field| field.name.clone()),
        by: by.map(|field| field.name.clone()),
        filter,
    };
    Some((value, ty))
}
