//! The file's own keys and its entities.

use std::collections::HashSet;

use keyloom_finding::{FileId, Place};
use keyloom_model::{
    Distribution, Drift, Entity, Expiry, Expr, Field, Fill, Group, History, Origin, Scenario, States, Tenant, Type,
    Unique, Volume,
};

use super::fields::{self, PendingFill, PendingReference};
use super::scope::{Names, Row, field_path, fields_path};
use super::syntax::{Case, Grammar, Keys, Name, Reader, join};
use super::typing::{Scope, Typing};
use super::{allow, patterns, rollups};
use crate::parse::{expr as written, types, units};
use crate::rules::{
    bad_name, bad_reference, bad_value, duplicate_name, language_version, missing_key, not_yet, unfit_key,
    unknown_name, wrong_shape,
};
use crate::text::Text;
use crate::vocabulary::{self, DISTRIBUTION, ENTITY, FILE, GROUP, HISTORY, TENANT, VOLUME};
use crate::yaml::{Document, Kind, Node};

/// An entity whose expressions wait until all names are known.
struct Pending<'n> {
    at: usize,
    name: Name,
    keys: Keys<'n>,
}

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
        if let Some(node) = keys.get("types") {
            fields::read_structs(reader, node);
        }
    }
    fields::check_structs(reader);

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
                declare(reader, name, value, &mut pending, (&mut references, &mut fills));
            }
        }
    }
    fields::check_named_types(reader);
    let snapshot = reader.snapshot();
    let mut waiting = Vec::new();
    for keys in &files {
        if let Some(node) = keys.get("rollups") {
            rollups::declare(reader, node, &Names::new(&snapshot), &mut declared, &mut waiting);
        }
    }
    histories(reader, &pending);
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
        resolve(reader, &names, entity);
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
        None if first => reader.push(missing_key::finding(Some(start), "this file", "language", "language: 1")),
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

/// Makes an entity known by its name, key and fields.
fn declare<'n>(
    reader: &mut Reader<'_>,
    name: Name,
    node: &'n Node,
    pending: &mut Vec<Pending<'n>>,
    waiting: (&mut Vec<PendingReference>, &mut Vec<PendingFill>),
) {
    const EXAMPLE: &str = "Task: { key: [task_id], fields: { task_id: uuid = new } }";
    reader.check_name(&name, "an entity", Case::Entity);
    let path = format!("entities.{}", name.text);
    let words: Vec<_> = ENTITY.iter().collect();
    let Some(keys) = reader.keys(node, &path, "an entity", &words, EXAMPLE) else {
        reader.misread(path);
        return;
    };
    let at = reader.catalog.entities.len();
    let shared =
        keys.get("tenant").and_then(|node| reader.one_of(node, "an entity's `tenant`", &[("none", ())])).is_some();
    let mut entity = blank(&name.text, reader.catalog.tenant.is_some() && !shared);
    if let Some(node) = keys.get("source")
        && reader.one_of(node, "`source`", &[("elsewhere", ())]).is_some()
    {
        entity.origin = Origin::Elsewhere;
    }
    let what = format!("entity `{}`", name.text);
    if let Some(fields) = reader.required(&keys, "fields", &what, name.place, "fields: { task_id: uuid = new }") {
        entity.fields = fields::read_fields(reader, fields, (at, &name.text), waiting);
    } else {
        reader.misread(fields_path(&name.text));
    }
    let first = entity.fields.first().map_or("task_id", |field| field.name.as_str());
    if let Some(key) = reader.required(&keys, "key", &what, name.place, &format!("key: [{first}]")) {
        entity.key = read_key(reader, key, &entity);
    }
    entity.doc = reader.prose(&keys, "doc");
    entity.owner = reader.prose(&keys, "owner");
    entity.append_only = keys.get("append_only").and_then(|node| reader.flag(node, "`append_only`")).unwrap_or(false);
    reader.catalog.entities.push(entity);
    pending.push(Pending { at, name, keys });
}

/// An entity of which nothing but its name is known.
pub(super) fn blank(name: &str, per_tenant: bool) -> Entity {
    Entity {
        name: name.to_owned(),
        origin: Origin::Declared,
        per_tenant,
        key: Vec::new(),
        fields: Vec::new(),
        volume: None,
        groups: Vec::new(),
        part_of: None,
        append_only: false,
        unique: Vec::new(),
        states: Vec::new(),
        expires: None,
        history: None,
        drift: Vec::new(),
        secret: Vec::new(),
        doc: None,
        owner: None,
    }
}

fn read_key(reader: &mut Reader<'_>, node: &Node, entity: &Entity) -> Vec<String> {
    if node.scalar().is_some_and(|scalar| scalar.text == "none") {
        return Vec::new();
    }
    let mut key = Vec::new();
    for name in reader.names(node, "`key`", "key: [task_id]") {
        if let Some(field) = own_field(reader, entity, &name) {
            if field.optional {
                let help = format!("drop the `?` of `{}`", field.name);
                reader.push(unfit_key::field(name.place, &field.name, "identity is never absent", &help));
            } else if let Some(why) = field.ty.unordered() {
                reader.push(unfit_key::finding(name.place, &field.name, "be part of a key", why));
            }
            key.push(name.text);
        }
    }
    key
}

/// A field of an entity that is being read.
fn own_field<'e>(reader: &mut Reader<'_>, entity: &'e Entity, name: &Name) -> Option<&'e Field> {
    let found = entity.field(&name.text);
    if found.is_some() {
        return found;
    }
    if reader.is_misread(&field_path(&entity.name, &name.text)) || reader.is_misread(&fields_path(&entity.name)) {
        reader.push(None);
    } else if reader.catalog.tenant.as_ref().is_some_and(|tenant| entity.per_tenant && tenant.field == name.text) {
        reader.push(bad_name::tenant(name.place, &name.text));
    } else {
        let all: Vec<&str> = entity.fields.iter().map(|field| field.name.as_str()).collect();
        let within = format!(" in {}", entity.name);
        let nearest = reader.suggest(&name.text, all.iter().copied());
        reader.push(unknown_name::finding(name.place, "field", &name.text, &within, nearest, &all));
    }
    None
}

/// `CaseHistory`: key, version, moment, field, old and new value.
fn histories(reader: &mut Reader<'_>, pending: &[Pending<'_>]) {
    for waiting in pending {
        let Some(node) = waiting.keys.get("history") else { continue };
        let words: Vec<_> = HISTORY.iter().collect();
        let path = format!("entities.{}.history", waiting.name.text);
        let Some(keys) = reader.keys(node, &path, "`history`", &words, "history: { of: [status], keep: 7 years }")
        else {
            continue;
        };
        let Some(of) = reader.required(&keys, "of", "`history`", node.place, "of: [status]") else { continue };
        let entity = reader.catalog.entities[waiting.at].clone();
        let names = reader.names(of, "`of`", "of: [status]");
        let of: Vec<String> =
            names.iter().filter_map(|name| own_field(reader, &entity, name)).map(|field| field.name.clone()).collect();
        let keep =
            keys.get("keep").and_then(|node| reader.parse(node, "`keep`", "7 years", Grammar::Value, units::time_span));
        reader.catalog.entities[waiting.at].history = Some(History { of: of.clone(), keep });

        let name = format!("{}History", entity.name);
        if reader.catalog.entity(&name).is_some() {
            let place = reader.places.key(&format!("entities.{name}")).unwrap_or(node.place);
            reader.push(duplicate_name::finding(place, node.place, "entity", &name));
            continue;
        }
        let mut history = blank(&name, entity.per_tenant);
        let field = |name: &str, ty: Type, optional: bool| Field {
            name: name.to_owned(),
            ty,
            optional,
            reference: None,
            fill: Fill::Taken,
        };
        history.fields = entity
            .key
            .iter()
            .filter_map(|key| entity.field(key))
            .map(|f| field(&f.name, f.ty.clone(), false))
            .collect();
        history.fields.push(field("version", Type::Int, false));
        history.fields.push(field("at", Type::Timestamp { micros: false }, false));
        for name in &of {
            if let Some(of) = entity.field(name) {
                history.fields.push(field(&format!("old_{name}"), of.ty.clone(), true));
                history.fields.push(field(&format!("new_{name}"), of.ty.clone(), true));
            }
        }
        history.key = entity.key.iter().cloned().chain(["version".to_owned()]).collect();
        history.append_only = true;
        history.origin = Origin::History { of: entity.name };
        reader.catalog.entities.push(history);
    }
}

/// Resolves what an entity says beyond its fields.
fn resolve(reader: &mut Reader<'_>, names: &Names<'_>, waiting: Pending<'_>) {
    let Some(entity) = names.entity(&waiting.name.text) else { return };
    let path = format!("entities.{}", waiting.name.text);
    let keys = &waiting.keys;
    let part_of = keys.get("part_of").and_then(|node| part_of(reader, names, entity, node));
    let volume = keys.get("volume").and_then(|node| volume(reader, node, &path));
    let groups = keys.get("groups").map(|node| groups(reader, names, entity, node, &path)).unwrap_or_default();
    let unique = keys.get("unique").map(|node| unique(reader, names, entity, node, &path)).unwrap_or_default();
    let states = keys.get("states").map(|node| states(reader, entity, node, &path)).unwrap_or_default();
    let expires = keys.get("expires").and_then(|node| expires(reader, names, entity, node));
    let drift = keys.get("drift").map(|node| drift(reader, entity, node, &path)).unwrap_or_default();
    let secret = keys.get("secret").map(|node| {
        let found = reader.names(node, "`secret`", "secret: [token]");
        found.iter().filter_map(|name| own_field(reader, entity, name)).map(|field| field.name.clone()).collect()
    });
    for name in &entity.key {
        if let Some(field) = entity.field(name)
            && matches!(field.fill, Fill::Kept(_) | Fill::NowOnWrite)
        {
            let place = keys.get("key").map_or(waiting.name.place, |key| key.item(name).place);
            reader.push(unfit_key::field(
                place,
                name,
                "its value changes",
                "identity never changes: choose another field",
            ));
        }
    }
    if let Some(node) = keys.get("allow") {
        allow::read(reader, node, &path);
    }
    let entity = &mut reader.catalog.entities[waiting.at];
    entity.part_of = part_of;
    entity.volume = volume;
    entity.groups = groups;
    entity.unique = unique;
    entity.states = states;
    entity.expires = expires;
    entity.drift = drift;
    entity.secret = secret.unwrap_or_default();
}

fn part_of(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node) -> Option<String> {
    let text = reader.text(node, "`part_of`", "part_of: Case")?;
    let parent = match names.find_entity(&text.text, text.whole()) {
        Ok(parent) => parent,
        Err(finding) => {
            reader.push(finding);
            return None;
        }
    };
    if !entity.fields.iter().any(|field| field.reference.as_ref().is_some_and(|r| r.entity == parent.name)) {
        let message = format!("{} is part of {}, and no field points to it", entity.name, parent.name);
        reader.push(bad_reference::missing(text.whole(), message, entity, parent));
        return None;
    }
    Some(parent.name.clone())
}

fn volume(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<Volume> {
    let words: Vec<_> = VOLUME.iter().collect();
    let keys =
        reader.keys(node, &join(path, "volume"), "`volume`", &words, "volume: { rows: 50M, growth: 120k/day }")?;
    let rows = keys.get("rows").and_then(|node| reader.parse(node, "`rows`", "50M", Grammar::Value, units::count));
    let growth =
        keys.get("growth").and_then(|node| reader.parse(node, "`growth`", "120k/day", Grammar::Value, units::rate));
    Some(Volume { rows, growth })
}

fn groups(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node, path: &str) -> Vec<Group> {
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
fn fields_where(
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

fn unique(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node, path: &str) -> Vec<Unique> {
    let mut uniques = Vec::new();
    for (name, value) in reader.entries(node, &join(path, "unique"), "`unique`", "unique: { email_taken: email }") {
        if !reader.check_name(&name, "the reason", Case::Snake) {
            continue;
        }
        let (fields, filter) = if value.scalar().is_some() {
            let Some(text) = reader.text(value, "`unique`", "email_taken: email") else { continue };
            let Some(parts) = fields_where(reader, names, entity, &text) else { continue };
            parts
        } else {
            let found = reader.names(value, "`unique`", "email_taken: [email]");
            let fields =
                found.iter().filter_map(|name| own_field(reader, entity, name)).map(|field| field.name.clone());
            (fields.collect(), None)
        };
        for field in fields.iter().filter_map(|name| entity.field(name)) {
            if let Some(why) = field.ty.unordered() {
                reader.push(unfit_key::finding(value.place, &field.name, "be unique", why));
            }
        }
        uniques.push(Unique { name: name.text, fields, filter });
    }
    uniques
}

fn states(reader: &mut Reader<'_>, entity: &Entity, node: &Node, path: &str) -> Vec<States> {
    const EXAMPLE: &str = "states: { status: [OPEN -> CLOSED] }";
    let mut all = Vec::new();
    for (name, value) in reader.entries(node, &join(path, "states"), "`states`", EXAMPLE) {
        let Some(field) = own_field(reader, entity, &name) else { continue };
        let Type::Enum(variants) = &field.ty else {
            let message = format!("`{}` is {}; states are the values of an enum", field.name, field.ty.word());
            let help = format!("make it one: `{}: enum(OPEN | CLOSED)`", field.name);
            reader.push(crate::rules::type_mismatch::finding(name.place, message, help));
            continue;
        };
        let known: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
        let mut changes = Vec::new();
        for item in reader.items(value, "`states`", EXAMPLE) {
            let Some(text) = reader.text(item, "a change of state", "OPEN -> CLOSED") else { continue };
            let Some((from, to)) = text.text.split_once("->") else {
                let message = format!("`{}` is not a change of state", text.text);
                reader.push(bad_value::finding(text.whole(), message, Some("write `OPEN -> CLOSED`".into())));
                continue;
            };
            let to_start = from.len() + 2;
            let mut ends = Vec::new();
            for (part, start) in [(from, 0), (to, to_start)] {
                let start = start + (part.len() - part.trim_start().len());
                let part = part.trim();
                if known.contains(&part) {
                    ends.push(part.to_owned());
                } else {
                    let place = text.place(start..start + part.len());
                    let within = format!(" in `{}`", field.name);
                    let nearest = reader.suggest(part, known.iter().copied());
                    reader.push(unknown_name::finding(place, "value", part, &within, nearest, &known));
                }
            }
            if let [from, to] = ends.as_slice() {
                changes.push((from.clone(), to.clone()));
            }
        }
        all.push(States { field: field.name.clone(), changes });
    }
    all
}

/// Reads `expires`: `forever`, or an expression that gives a moment.
pub(super) fn expires(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node) -> Option<Expiry> {
    let text = reader.text(node, "`expires`", "expires: at + 7 years")?;
    if text.text == "forever" {
        return Some(Expiry::Forever);
    }
    let written = reader.parse_text(&text, Grammar::Expression, written::expr)?;
    let row = Row { entity: names.entity(&entity.name)?, built_in: false };
    let mut scope = Scope { names, row: Some(row), item: None, inputs: None };
    let typed = Typing { reader, scope: &mut scope, text: &text }.any(&written)?;
    match typed.ty {
        Some(Type::Timestamp { .. } | Type::Date) => {}
        Some(Type::Duration) => {
            let help = Some(format!("add it to a moment of the row: `{} + {}`", moment(entity), text.text));
            reader.push(bad_value::finding(text.whole(), "this is a span of time: counted from when?", help));
            return None;
        }
        _ => {
            let help = Some("write a timestamp field, or a rule such as `at + 7 years`, or `forever`".to_owned());
            reader.push(bad_value::finding(text.whole(), "`expires` is a moment", help));
            return None;
        }
    }
    if let Some(path) = typed.expr.paths().iter().find(|path| path.root != keyloom_model::Root::Own) {
        let help = Some("use a field of the row itself".to_owned());
        reader.push(bad_value::finding(
            text.whole(),
            format!("`{path}` belongs to another row; expiry is not inherited"),
            help,
        ));
        return None;
    }
    Some(Expiry::At(typed.expr))
}

/// How the first moment of an entity's rows is written.
fn moment(entity: &Entity) -> String {
    let first = |fits: fn(&Type) -> bool| entity.fields.iter().find(|field| fits(&field.ty)).map(|field| &field.name);
    match (first(|ty| matches!(ty, Type::Timestamp { .. } | Type::Date)), first(|ty| *ty == Type::Uuid7)) {
        (Some(field), _) => field.clone(),
        (None, Some(field)) => format!("time({field})"),
        (None, None) => "at".to_owned(),
    }
}

fn drift(reader: &mut Reader<'_>, entity: &Entity, node: &Node, path: &str) -> Vec<Drift> {
    let mut all = Vec::new();
    for (name, value) in reader.entries(node, &join(path, "drift"), "`drift`", "drift: { title: 1h, status: never }") {
        let Some(field) = own_field(reader, entity, &name) else { continue };
        let Some(text) = reader.text(value, "`drift`", "1h") else { continue };
        let at_most = if text.text == "never" {
            None
        } else {
            match reader.parse_text(&text, Grammar::Value, units::time_span) {
                Some(span) => Some(span),
                None => continue,
            }
        };
        all.push(Drift { field: field.name.clone(), at_most });
    }
    all
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
            match text.text.strip_suffix('x').and_then(thousandths) {
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

/// Reads a decimal number with up to three digits behind the point.
pub(super) fn thousandths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || fraction.len() > 3 || (text.contains('.') && !digits(fraction)) {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<3}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(fraction)
}

/// A second-stage word, refused with a way to do without it.
pub(super) fn refuse_second_stage(reader: &mut Reader<'_>, keys: &Keys<'_>) -> bool {
    let mut refused = false;
    for (name, entry) in keys.names() {
        if vocabulary::PATTERN.iter().any(|word| word.name == name && word.stage == vocabulary::Stage::Second) {
            let instead = match name {
                "summarize" => "keep the totals in a rollup, or say `outside: why`",
                "rank" => "keep the position elsewhere and say `outside: why`, or list the top with `first: N`",
                "watch" => "let the writes `emits:` an event and `list` it by cursor",
                "scan" => "say `outside: why`; a list with `by: all` and pages reads everything that is bounded",
                _ => "do it row by row: `list` the group, then `update` or `delete` each row",
            };
            reader.push(not_yet::finding(entry.key.place, name, instead));
            refused = true;
        }
    }
    refused
}
