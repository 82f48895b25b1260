//! Looking names up: what a path in an expression stands for.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use keyloom_finding::{Finding, Place};
use keyloom_model::{Catalog, Entity, Field, Member, Path, Pattern, Root, Type, Unique};

use super::naming::{Case, nearest};
use super::syntax::{SUGGESTIONS_MAX, Snapshot};
use crate::fault::Fault;
use crate::parse::expr::{PathStep, Word};
use crate::rules::{ambiguous_name, more_than_one_hop, unknown_name};
use crate::text::Text;

/// All names of a catalog, found quickly.
pub(super) struct Names<'c> {
    pub(super) catalog: &'c Catalog,
    entities: HashMap<&'c str, &'c Entity>,
    misread: &'c HashSet<String>,
    entity_names: Vec<&'c str>,
    /// How many more names are compared with what there is.
    suggestions: Cell<usize>,
}

/// Why a name was not found; nothing when it is written down but was not understood, which a finding says already.
type NotFound = Option<Finding>;

impl<'c> Names<'c> {
    pub(super) fn new(known: &'c Snapshot) -> Self {
        Self::of(&known.catalog, &known.misread)
    }

    /// The names of a catalog of which these paths were not understood.
    pub(super) fn of(catalog: &'c Catalog, misread: &'c HashSet<String>) -> Self {
        let entities = catalog.entities.iter().map(|entity| (entity.name.as_str(), entity)).collect();
        let entity_names = catalog.entities.iter().map(|entity| entity.name.as_str()).collect();
        Self { catalog, entities, misread, entity_names, suggestions: Cell::new(SUGGESTIONS_MAX) }
    }

    /// The name that was probably meant, for the first names that are not found.
    fn suggest(&self, name: &str, known: &[&'c str]) -> Option<&'c str> {
        let left = self.suggestions.get().checked_sub(1)?;
        self.suggestions.set(left);
        nearest(name, known.iter().copied())
    }

    pub(super) fn entity(&self, name: &str) -> Option<&'c Entity> {
        self.entities.get(name).copied()
    }

    /// The entity of that name, or the finding that there is none.
    pub(super) fn find_entity(&self, name: &str, place: Place) -> Result<&'c Entity, NotFound> {
        self.entity(name).ok_or_else(|| {
            if self.misread.contains(&entity_path(name)) {
                return None;
            }
            let all = &self.entity_names;
            Some(unknown_name::finding(place, "entity", name, "", self.suggest(name, all), all))
        })
    }

    /// The pattern of that name, or the finding that there is none.
    pub(super) fn find_pattern(&self, name: &str, place: Place) -> Result<&'c Pattern, NotFound> {
        self.catalog.pattern(name).ok_or_else(|| {
            let all: Vec<&str> = self.catalog.patterns.iter().map(|pattern| pattern.name.as_str()).collect();
            let is_misread = self.misread.contains(&format!("patterns.{name}"));
            (!is_misread).then(|| unknown_name::finding(place, "pattern", name, "", self.suggest(name, &all), &all))
        })
    }

    /// An entity's unique, or the finding that there is none.
    pub(super) fn find_unique(&self, entity: &'c Entity, name: &str, place: Place) -> Result<&'c Unique, NotFound> {
        entity.unique.iter().find(|unique| unique.name == name).ok_or_else(|| {
            let all: Vec<&str> = entity.unique.iter().map(|unique| unique.name.as_str()).collect();
            let within = format!(" in {}", entity.name);
            let is_misread = self.misread.contains(&format!("{}.unique", entity_path(&entity.name)));
            (!is_misread).then(|| unknown_name::finding(place, "unique", name, &within, self.suggest(name, &all), &all))
        })
    }

    /// An entity's own field, or the finding that there is none.
    pub(super) fn find_field(&self, entity: &'c Entity, name: &str, place: Place) -> Result<&'c Field, NotFound> {
        entity.field(name).ok_or_else(|| {
            if self.field_is_misread(entity, name) {
                return None;
            }
            let all = field_names(entity, self.misread);
            let within = format!(" in {}", entity.name);
            Some(unknown_name::finding(place, "field", name, &within, self.suggest(name, &all), &all))
        })
    }

    /// Whether a field, or what fills it, is written down but was not understood.
    pub(super) fn field_is_misread(&self, entity: &Entity, name: &str) -> bool {
        self.misread.contains(&field_path(&entity.name, name)) || self.misread.contains(&fields_path(&entity.name))
    }
}

/// The fields of an entity; behind those that were understood come those that are there all the same.
pub(super) fn field_names<'c>(entity: &'c Entity, misread: &'c HashSet<String>) -> Vec<&'c str> {
    let mut all: Vec<&str> = entity.fields.iter().map(|field| field.name.as_str()).collect();
    // After so many faults nobody reads the lists any more, and making them all would take long.
    if misread.len() < SUGGESTIONS_MAX {
        let path = field_path(&entity.name, "");
        let mut others: Vec<&str> = misread.iter().filter_map(|other| other.strip_prefix(&path)).collect();
        others.retain(|other| entity.field(other).is_none());
        others.sort_unstable();
        all.extend(others);
    }
    all
}

/// The path of the tenant.
pub(super) const TENANT_PATH: &str = "tenant";

/// The path of an entity.
pub(super) fn entity_path(entity: &str) -> String {
    format!("entities.{entity}")
}

/// The path of an entity's fields.
pub(super) fn fields_path(entity: &str) -> String {
    format!("entities.{entity}.fields")
}

/// The path of one field.
pub(super) fn field_path(entity: &str, field: &str) -> String {
    format!("entities.{entity}.fields.{field}")
}

/// The path of a struct, or of its member.
pub(super) fn struct_path(name: &str, member: Option<&str>) -> String {
    match member {
        Some(member) => format!("types.{name}.{member}"),
        None => format!("types.{name}"),
    }
}

/// What a path stands for.
pub(super) struct Found {
    pub(super) path: Path,
    pub(super) ty: Type,
    pub(super) optional: bool,
}

/// The row whose names an expression may use.
#[derive(Clone, Copy)]
pub(super) struct Row<'c> {
    pub(super) entity: &'c Entity,
    /// `version`, `lease`, `created` and `updated` may be used.
    pub(super) built_in: bool,
}

/// Looks a path up. `place` covers all of it.
pub(super) fn find_path<'c>(
    names: &Names<'c>,
    row: Row<'c>,
    first: &Word,
    steps: &[PathStep],
    text: &Text,
) -> Result<Found, NotFound> {
    let entity = row.entity;
    let own = entity.field(&first.text);
    let reference_name = format!("{}_id", first.text);
    let reference = entity.field(&reference_name).filter(|field| field.reference.is_some());
    let first_place = text.place(first.range.clone());
    if steps.is_empty() {
        if let Some(field) = own {
            return Ok(Found { path: Path::own(&field.name), ty: field.ty.clone(), optional: field.optional });
        }
        if let Some(found) = implied(names, row, &first.text) {
            return Ok(found);
        }
        return Err(unknown_field(names, row, &first.text, first_place));
    }
    match (own, reference) {
        (Some(field), Some(_)) if matches!(field.ty, Type::Struct(_) | Type::Map(..)) => {
            Err(Some(ambiguous_name::path(first_place, &first.text)))
        }
        (Some(field), _) if field.reference.is_some() => follow(names, entity, field, steps, text, first),
        (_, Some(field)) => follow(names, entity, field, steps, text, first),
        (Some(field), None) => members(names, entity, field, steps, text),
        (None, None) => {
            let target = Case::Entity.convert(&first.text).and_then(|name| names.entity(&name));
            let help = target.and_then(|target| through_reference(entity, target, path_behind(text, first)));
            Err(unknown_field(names, row, &first.text, first_place).map(|finding| match help {
                Some(help) => finding.label("").help(help),
                None => finding,
            }))
        }
    }
}

/// The same fault with a better way out, where the row points to the entity that stands at its place: `Book.title`.
pub(super) fn entity_in_path(names: &Names<'_>, entity: &Entity, text: &str, fault: Fault) -> Fault {
    let target = text.get(fault.range.clone()).and_then(|word| names.entity(word));
    let behind = path_end(text.get(fault.range.end..).unwrap_or(""));
    match target.filter(|_| !behind.is_empty()).and_then(|target| through_reference(entity, target, behind)) {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// How a row reaches what stands behind another entity's name: through the one field that points to it.
fn through_reference(entity: &Entity, target: &Entity, behind: &str) -> Option<String> {
    if target.name == entity.name {
        return Some(format!(
            "a field of {} itself stands alone: write `{}`",
            entity.name,
            behind.trim_start_matches('.')
        ));
    }
    let points = |field: &&Field| field.reference.as_ref().is_some_and(|reference| reference.entity == target.name);
    let mut pointing = entity.fields.iter().filter(points);
    let (Some(field), None) = (pointing.next(), pointing.next()) else { return None };
    let short = field.name.strip_suffix("_id").filter(|short| entity.field(short).is_none());
    let path = short.unwrap_or(&field.name);
    Some(format!("{} points to {} through `{}`: write `{path}{behind}`", entity.name, target.name, field.name))
}

/// The steps of a path behind its first word: `.title`.
fn path_behind<'t>(text: &'t Text, first: &Word) -> &'t str {
    path_end(text.text.get(first.range.end..).unwrap_or(""))
}

/// Where a text that begins with the steps of a path leaves it.
fn path_end(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_')).unwrap_or(text.len());
    if text.starts_with('.') { &text[..end] } else { "" }
}

/// What every row has without its being written down: the tenant and the built-in fields.
fn implied(names: &Names<'_>, row: Row<'_>, name: &str) -> Option<Found> {
    let found = |ty: Type, optional| Some(Found { path: Path::own(name), ty, optional });
    if let Some(tenant) = names.catalog.tenant.as_ref().filter(|tenant| tenant.field == name && row.entity.per_tenant) {
        return found(tenant.ty.clone(), false);
    }
    let (ty, optional) = Entity::built_in(name).filter(|_| row.built_in)?;
    found(ty, optional)
}

fn unknown_field<'c>(names: &Names<'c>, row: Row<'c>, name: &str, place: Place) -> NotFound {
    if names.field_is_misread(row.entity, name) || names.field_is_misread(row.entity, &format!("{name}_id")) {
        return None;
    }
    // Every row has the tenant's field, and nobody knows its name.
    if names.misread.contains(TENANT_PATH) {
        return None;
    }
    if Entity::built_in(name).is_some() {
        return Some(unknown_name::built_in(place, name));
    }
    let mut all = field_names(row.entity, names.misread);
    all.extend(names.catalog.tenant.as_ref().filter(|_| row.entity.per_tenant).map(|tenant| tenant.field.as_str()));
    let within = format!(" in {}", row.entity.name);
    Some(unknown_name::finding(place, "field", name, &within, names.suggest(name, &all), &all))
}

/// One step over a reference.
fn follow(
    names: &Names<'_>,
    entity: &Entity,
    reference: &Field,
    steps: &[PathStep],
    text: &Text,
    first: &Word,
) -> Result<Found, NotFound> {
    let target = reference.reference.as_ref().map_or("", |reference| reference.entity.as_str());
    // An unknown target is reported where the reference is written.
    let Some(other) = names.entity(target) else { return Err(None) };
    let (Some(PathStep::Name(name)) | Some(PathStep::Input(name))) = steps.first() else { return Err(None) };
    let place = text.place(name.range.clone());
    let Some(field) = other.field(&name.text) else {
        let two_hops = steps.len() > 1 && other.field(&format!("{}_id", name.text)).is_some();
        return Err(if two_hops {
            Some(too_far(text, first, steps, &other.name))
        } else {
            unknown_field(names, Row { entity: other, built_in: false }, &name.text, place)
        });
    };
    let root = Root::Reference { field: reference.name.clone(), entity: target.to_owned() };
    if steps.len() > 1 && field.reference.is_some() {
        return Err(Some(too_far(text, first, steps, &other.name)));
    }
    let inner = members(names, other, field, &steps[1..], text)?;
    let optional = inner.optional || entity.field(&reference.name).is_some_and(|field| field.optional);
    Ok(Found { path: Path { root, ..inner.path }, ty: inner.ty, optional })
}

fn too_far(text: &Text, first: &Word, steps: &[PathStep], between: &str) -> Finding {
    let end = steps.last().map_or(first.range.end, |step| match step {
        PathStep::Name(word) | PathStep::Input(word) => word.range.end,
    });
    let path = |from: usize| text.text.get(from..end).unwrap_or("");
    let rest = path(first.range.end + 1);
    more_than_one_hop::finding(text.place(first.range.start..end), path(first.range.start), between, &first.text, rest)
}

/// Steps inside a struct or a map.
fn members(
    names: &Names<'_>,
    entity: &Entity,
    field: &Field,
    steps: &[PathStep],
    text: &Text,
) -> Result<Found, NotFound> {
    let mut ty = field.ty.clone();
    let mut optional = field.optional;
    let mut path = Path::own(&field.name);
    for step in steps {
        match (&ty, step) {
            (Type::Map(_, value, _), PathStep::Input(word)) => {
                path.members.push(Member::Input(word.text.clone()));
                ty = (**value).clone();
                optional = true;
            }
            (Type::Struct(name), PathStep::Name(word)) => {
                let members = names.catalog.struct_type(name).map_or(&[][..], |ty| &ty.members);
                let Some((_, member, absent)) = members.iter().find(|(member, ..)| *member == word.text) else {
                    let known = [struct_path(name, None), struct_path(name, Some(&word.text))];
                    if known.iter().any(|path| names.misread.contains(path)) {
                        return Err(None);
                    }
                    let all: Vec<&str> = members.iter().map(|(name, ..)| name.as_str()).collect();
                    let place = text.place(word.range.clone());
                    let nearest = names.suggest(&word.text, &all);
                    let within = format!(" in {name}");
                    return Err(Some(unknown_name::finding(place, "member", &word.text, &within, nearest, &all)));
                };
                path.members.push(Member::Field(word.text.clone()));
                optional |= absent;
                ty = member.clone();
            }
            (_, PathStep::Name(word) | PathStep::Input(word)) => {
                let place = text.place(word.range.clone());
                return Err(Some(unknown_name::no_members(place, &word.text, &entity.name, &field.name, &ty.word())));
            }
        }
    }
    Ok(Found { path, ty, optional })
}
