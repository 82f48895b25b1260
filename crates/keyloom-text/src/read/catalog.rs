//! The file's own keys, and the order in which everything is read.

use std::collections::HashSet;

use keyloom_finding::{FileId, Place};
use keyloom_model::{Scenario, Tenant, Type};

use super::naming::Case;
use super::scope::{Names, TENANT_PATH};
use super::syntax::{Grammar, Keys, Name, Reader};
use super::{allow, entities, fields, patterns, rollups, structs};
use crate::parse::{types, units};
use crate::rules::{bad_value, language_version, unknown_name};
use crate::vocabulary::{FILE, TENANT};
use crate::yaml::{Document, Node};

/// Reads all files of a catalog into the reader's catalog.
pub(super) fn read(reader: &mut Reader<'_>, documents: &[(FileId, Document)], unreadable: bool) {
    let words: Vec<_> = FILE.iter().collect();
    let mut files = Vec::new();
    for (at, (_, document)) in documents.iter().enumerate() {
        let Some(root) = &document.root else { continue };
        let Some(keys) = reader.keys(root, "", "a catalog file", &words, "language: 1") else { continue };
        read_head(reader, &keys, at == 0, root);
        files.push(keys);
    }
    for keys in &files {
        reader.key_types.extend(keys.get("entities").map_or_else(Vec::new, entities::key_types));
    }
    for keys in &files {
        if let Some(node) = keys.get("types") {
            structs::read_structs(reader, node);
        }
    }
    structs::check_structs(reader);

    let (mut references, mut fills) = (Vec::new(), Vec::new());
    let mut pending = Vec::new();
    let mut declared: Vec<(Name, &str)> = Vec::new();
    let mut known = HashSet::new();
    for keys in &files {
        if let Some(node) = keys.get("entities") {
            for (name, value) in
                reader.entries(node, "entities", "`entities`", "entities: { Task: { key: [task_id], fields: { .. } } }")
            {
                declared.push((name.clone(), "entity"));
                if !known.insert(name.text.clone()) {
                    continue;
                }
                entities::declare(reader, name, value, &mut pending, (&mut references, &mut fills));
            }
        }
    }
    structs::check_named_types(reader);
    let snapshot = reader.snapshot();
    let mut waiting = Vec::new();
    for keys in &files {
        if let Some(node) = keys.get("rollups") {
            rollups::declare(reader, node, &Names::new(&snapshot), &mut declared, &mut waiting);
        }
    }
    entities::declare_histories(reader, &pending);
    let mut read_patterns = Vec::new();
    for keys in &files {
        if let Some(node) = keys.get("patterns") {
            read_patterns.extend(reader.entries(
                node,
                "patterns",
                "`patterns`",
                "patterns: { get_task: { get: Task, by: [task_id] } }",
            ));
        }
    }
    patterns::declare_events(reader, &read_patterns);
    fields::unique_names(reader, &declared);

    let snapshot = reader.snapshot();
    fields::resolve_references(reader, &references, &snapshot);
    fields::resolve_fills(reader, fills, &snapshot);
    let snapshot = reader.snapshot();
    let names = Names::new(&snapshot);
    for entity in pending {
        entities::resolve(reader, &names, entity);
    }
    rollups::resolve(reader, &names, waiting);

    let snapshot = reader.snapshot();
    patterns::read(reader, &Names::new(&snapshot), &read_patterns);
    for keys in &files {
        if let Some(node) = keys.get("scenarios") {
            scenarios(reader, node);
        }
        if let Some(node) = keys.get("allow") {
            allow::read(reader, node, "");
        }
    }
    if unreadable {
        // Something is missing that might have written, read or sized anything.
        reader.catalog.complete = false;
    }
}

/// The keys of a file that are not lists of things.
fn read_head(reader: &mut Reader<'_>, keys: &Keys<'_>, first: bool, root: &Node) {
    let start = Place { end: root.place.start, ..root.place };
    match keys.get("language") {
        Some(node) => {
            if let Some(text) = reader.text(node, "`language`", "language: 1")
                && text.text != "1"
            {
                reader.push(language_version::finding(text.whole(), &text.text));
            }
        }
        None if first => {
            reader.required(keys, "language", "this file", start, "language: 1");
        }
        None => {}
    }
    if first
        && let Some(node) = reader.required(keys, "catalog", "this file", start, "catalog: my-service")
        && let Some(text) = reader.text(node, "`catalog`", "catalog: my-service")
    {
        reader.catalog.name = text.text;
    }
    if let Some(node) = keys.get("tenant") {
        read_tenant(reader, node);
        if reader.catalog.tenant.is_none() {
            reader.misread(TENANT_PATH);
        }
    }
    if let Some(node) = keys.get("as_of") {
        reader.catalog.as_of = reader.date(node, "`as_of`");
    }
    if let Some(node) = keys.get("retries") {
        reader.catalog.retries = reader.parse(node, "`retries`", "24h", Grammar::Value, units::time_span);
    }
    if let Some(node) = keys.get("complete")
        && let Some(complete) = reader.flag(node, "`complete`")
    {
        reader.catalog.complete = complete;
    }
}

fn read_tenant(reader: &mut Reader<'_>, node: &Node) {
    const EXAMPLE: &str = "tenant: { field: tenant_id, type: uuid, count: 300 }";
    if node.scalar().is_some() {
        if let Some(text) = reader.text(node, "`tenant`", EXAMPLE) {
            let name = Name { place: text.whole(), text: text.text };
            if reader.check_name(&name, "the tenant's field", Case::Snake) {
                reader.catalog.tenant = Some(Tenant { field: name.text, ty: Type::Uuid, count: None, busiest: None });
            }
        }
        return;
    }
    let words: Vec<_> = TENANT.iter().collect();
    let Some(keys) = reader.keys(node, "tenant", "`tenant`", &words, EXAMPLE) else { return };
    let Some(field) = reader.required(&keys, "field", "`tenant`", node.place, "field: tenant_id") else { return };
    let Some(field) = reader.text(field, "`field`", "tenant_id") else { return };
    let ty = match keys.get("type").and_then(|node| reader.text(node, "`type`", "uuid")) {
        Some(text) => {
            let ty = reader.parse_text(&text, Grammar::Type, types::type_alone);
            ty.and_then(|(ty, _)| fields::lower_type(reader, &ty, &text)).unwrap_or(Type::Uuid)
        }
        None => Type::Uuid,
    };
    let count = keys.get("count").and_then(|node| reader.parse(node, "`count`", "300", Grammar::Value, units::count));
    let busiest =
        keys.get("busiest").and_then(|node| reader.parse(node, "`busiest`", "40%", Grammar::Value, units::share));
    reader.catalog.tenant = Some(Tenant { field: field.text, ty, count, busiest });
}

fn scenarios(reader: &mut Reader<'_>, node: &Node) {
    const EXAMPLE: &str = "scenarios: { sale: { place_order: 20x } }";
    for (name, value) in reader.entries(node, "scenarios", "`scenarios`", EXAMPLE) {
        reader.check_name(&name, "a scenario", Case::Snake);
        let mut factors = Vec::new();
        for (pattern, value) in reader.entries(value, &format!("scenarios.{}", name.text), "a scenario", EXAMPLE) {
            if reader.is_misread(&format!("patterns.{}", pattern.text)) {
                continue;
            }
            if reader.catalog.pattern(&pattern.text).is_none() {
                let all: Vec<&str> = reader.catalog.patterns.iter().map(|pattern| pattern.name.as_str()).collect();
                let nearest = reader.suggest(&pattern.text, all.iter().copied());
                let finding = unknown_name::finding(pattern.place, "pattern", &pattern.text, "", nearest, &all);
                reader.push(finding);
                continue;
            }
            let Some(text) = reader.text(value, "a factor", "20x") else { continue };
            match text.text.strip_suffix('x').and_then(units::thousandths) {
                Some(factor) => factors.push((pattern.text, factor)),
                None => {
                    let message = format!("`{}` is not a factor", text.text);
                    reader.push(bad_value::finding(text.whole(), message, Some("write `20x`, or `0.5x`".into())));
                }
            }
        }
        reader.catalog.scenarios.push(Scenario { name: name.text, factors });
    }
}
