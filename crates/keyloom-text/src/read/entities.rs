//! Entities: declared by name, key and fields; resolved when all names are known.

use keyloom_model::{Drift, Entity, Expiry, Field, Fill, History, Origin, States, Type, Unique, Volume};

use super::allow;
use super::fields::{self, PendingFill, PendingReference};
use super::groups::{fields_where, groups};
use super::naming::Case;
use super::scope::{Names, Row, entity_path, field_names, field_path, fields_path};
use super::syntax::{Grammar, Keys, Name, Reader, join};
use super::typing::{Scope, Typing};
use crate::parse::types::{self, TypeKind};
use crate::parse::{expr as written, units};
use crate::rules::{bad_name, bad_reference, bad_value, duplicate_name, unfit_key, unknown_name};
use crate::vocabulary::{ENTITY, HISTORY, VOLUME};
use crate::yaml::{Kind, Node};

/// An entity whose expressions wait until all names are known.
pub(super) struct Pending<'n> {
    at: usize,
    name: Name,
    keys: Keys<'n>,
}

/// The names of the entities, each with the type of its key where that is one field: what a reference to it holds.
pub(super) fn key_types(entities: &Node) -> Vec<(String, Option<String>)> {
    let key_type = |entity: &Node| {
        let key = match &entity.value_of("key")?.kind {
            Kind::List { items, .. } => items.first().filter(|_| items.len() == 1)?.scalar()?,
            Kind::Scalar(scalar) => scalar,
            Kind::Map { .. } => return None,
        };
        let field = entity.value_of("fields")?.value_of(&key.text)?.scalar()?;
        let ty = types::field(&field.text).ok()?.ty;
        let is_plain = !matches!(ty.kind, TypeKind::Named(_));
        field.text.get(ty.range).filter(|_| is_plain).map(str::to_owned)
    };
    let Kind::Map { entries, .. } = &entities.kind else { return Vec::new() };
    entries.iter().filter_map(|entry| Some((entry.key.scalar()?.text.clone(), key_type(&entry.value)))).collect()
}

/// Makes an entity known by its name, key and fields.
pub(super) fn declare<'n>(
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
    let flat = flat_key(node, reader.sources);
    if let Some(flat) = flat {
        let help =
            format!("a key is identity only, the layout decides what is stored together: `key: [{}]`", flat.join(", "));
        reader.push(bad_value::finding(node.place, "a key has no partition part", Some(help)));
        return flat.into_iter().filter(|name| entity.field(name).is_some()).collect();
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

/// The names in a key that is written in parts: `[[case_id], at]`, `((case_id), at)`, `{ partition: case_id, sort: at }`.
fn flat_key(node: &Node, sources: &keyloom_finding::Sources) -> Option<Vec<String>> {
    let in_parts = match &node.kind {
        Kind::List { items, .. } => items.iter().any(|item| item.scalar().is_none()),
        Kind::Scalar(scalar) => scalar.text.starts_with('('),
        Kind::Map { .. } => true,
    };
    let text = sources.text(node.place);
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).filter(|word| !word.is_empty());
    in_parts.then(|| words.filter(|word| !word.ends_with(':')).map(str::to_owned).collect())
}

/// A field of an entity that is being read.
pub(super) fn own_field<'e>(reader: &mut Reader<'_>, entity: &'e Entity, name: &Name) -> Option<&'e Field> {
    let found = entity.field(&name.text);
    if found.is_some() {
        return found;
    }
    if reader.is_misread(&field_path(&entity.name, &name.text)) || reader.is_misread(&fields_path(&entity.name)) {
        reader.push(None);
    } else if reader.catalog.tenant.as_ref().is_some_and(|tenant| entity.per_tenant && tenant.field == name.text) {
        reader.push(bad_name::tenant(name.place, &name.text));
    } else {
        let all = field_names(entity, reader.misread_paths());
        let within = format!(" in {}", entity.name);
        let nearest = reader.suggest(&name.text, all.iter().copied());
        let finding = unknown_name::finding(name.place, "field", &name.text, &within, nearest, &all);
        reader.push(finding);
    }
    None
}

/// `CaseHistory`: key, version, moment, field, old and new value.
pub(super) fn declare_histories(reader: &mut Reader<'_>, pending: &[Pending<'_>]) {
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
        if let Some(key) = entity.key.iter().find(|key| ["version", "at"].contains(&key.as_str())) {
            let message =
                format!("every history has a field `{key}` of its own, and the key of {} has one too", entity.name);
            let help = "rename the field of the key, or keep no history".to_owned();
            reader.push(bad_value::finding(node.place, message, Some(help)));
            reader.misread(entity_path(&name));
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
pub(super) fn resolve(reader: &mut Reader<'_>, names: &Names<'_>, waiting: Pending<'_>) {
    let Some(entity) = names.entity(&waiting.name.text) else { return };
    let path = format!("entities.{}", waiting.name.text);
    let keys = &waiting.keys;
    let part_of = section(reader, keys, "part_of", |reader, node| part_of(reader, names, entity, node));
    let volume = section(reader, keys, "volume", |reader, node| volume(reader, node, &path));
    let groups = section(reader, keys, "groups", |reader, node| groups(reader, names, entity, node, &path));
    let unique = section(reader, keys, "unique", |reader, node| unique(reader, names, entity, node, &path));
    let states = section(reader, keys, "states", |reader, node| states(reader, entity, node, &path));
    let expires = section(reader, keys, "expires", |reader, node| expires(reader, names, entity, node));
    let drift = section(reader, keys, "drift", |reader, node| drift(reader, entity, node, &path));
    let secret = section(reader, keys, "secret", |reader, node| {
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
    entity.secret = secret;
}

/// Reads one section of an entity. Where a part of it was not understood, nothing is concluded from what it lacks.
fn section<T: Default>(
    reader: &mut Reader<'_>,
    keys: &Keys<'_>,
    key: &str,
    read: impl FnOnce(&mut Reader<'_>, &Node) -> T,
) -> T {
    let Some(node) = keys.get(key) else { return T::default() };
    let before = reader.faults();
    let value = read(reader, node);
    if reader.faults() > before {
        reader.misread(join(keys.path(), key));
    }
    value
}

fn part_of(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node) -> Option<String> {
    let text = reader.text(node, "`part_of`", "part_of: Case")?;
    let parent = reader.found(names.find_entity(&text.text, text.whole()))?;
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
        let before = reader.faults();
        for item in reader.items(value, "`states`", EXAMPLE) {
            let Some(text) = reader.text(item, "a change of state", "OPEN -> CLOSED") else { continue };
            let Some((from, to)) = text.text.split_once("->") else {
                let message = format!("`{}` is not a change of state", text.text);
                reader.push(bad_value::finding(text.whole(), message, Some("write `OPEN -> CLOSED`".into())));
                continue;
            };
            if to.contains("->") || to.contains(',') {
                let message = format!("`{}` is more than one change of state", text.text);
                let help = format!("write each one: `{}: [{}]`", field.name, steps(&text.text));
                reader.push(bad_value::finding(text.whole(), message, Some(help)));
                continue;
            }
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
        // Half of the changes would forbid the other half.
        if reader.faults() == before {
            all.push(States { field: field.name.clone(), changes });
        }
    }
    all
}

/// `A -> B -> C` step by step: `A -> B, B -> C`.
fn steps(text: &str) -> String {
    let chains = text.split(',').map(|chain| chain.split("->").map(str::trim).collect::<Vec<_>>());
    let steps = chains.flat_map(|chain| chain.windows(2).map(|pair| pair.join(" -> ")).collect::<Vec<_>>());
    steps.collect::<Vec<_>>().join(", ")
}

/// Reads `expires`: `forever`, or an expression that gives a moment.
pub(super) fn expires(reader: &mut Reader<'_>, names: &Names<'_>, entity: &Entity, node: &Node) -> Option<Expiry> {
    let text = reader.text(node, "`expires`", "expires: at + 7 years")?;
    if text.text == "forever" {
        return Some(Expiry::Forever);
    }
    let is_field = entity.field(&text.text).is_some();
    if matches!(text.text.as_str(), "never" | "none" | "no" | "null" | "~" | "false") && !is_field {
        let message = format!("`{}` does not say whether rows stay", text.text);
        reader.push(bad_value::finding(text.whole(), message, Some("write `forever` if no row ever ends".to_owned())));
        return None;
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
