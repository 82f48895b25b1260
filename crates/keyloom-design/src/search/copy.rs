//! Fields of rows that others point to: looked up by every read, or copied into the lists that show them.

use keyloom_model::layout::{Copied, CopyRule, Holds, Layout, Table};
use keyloom_model::{Catalog, Class, Entity, Path, Root, TimeSpan};
use keyloom_plan::{Asked, copied_kind};

use super::choice::Choice;

/// A reference whose fields lists show, and may copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The entity whose rows point.
    pub entity: String,
    /// The field that does.
    pub field: String,
    /// The entity that it points to.
    pub to: String,
    /// What lists show of it.
    pub paths: Vec<Path>,
}

/// The references whose fields lists show and may copy: somebody says how long a copy may differ, and that is no less than what a
/// copy may take to follow.
pub(crate) fn references(catalog: &Catalog, layout: &Layout, choices: &[Choice]) -> Vec<Reference> {
    let mut all: Vec<Reference> = Vec::new();
    let settle = layout.horizons.settle().milliseconds();
    for choice in choices {
        let asked = choice.base();
        let Some(entity) = catalog.entity(&asked.entity) else { continue };
        if entity.class(catalog).0 != Class::Decided || !asked.one_per.is_empty() || asked.all_tenants {
            continue;
        }
        for path in &asked.returns {
            let Root::Reference { field, entity: to } = &path.root else { continue };
            let other =
                catalog.entity(to).filter(|other| other.class(catalog).0 == Class::Decided && *to != entity.name);
            let may = other.is_some_and(|other| may_differ(other, &path.field) >= Some(settle));
            if !may || copied_kind(catalog, layout, path).is_none() {
                continue;
            }
            let same = |known: &&mut Reference| known.entity == entity.name && known.field == *field;
            match all.iter_mut().find(same) {
                Some(known) if known.paths.contains(path) => {}
                Some(known) => known.paths.push(path.clone()),
                None => all.push(Reference {
                    entity: entity.name.clone(),
                    field: field.clone(),
                    to: to.clone(),
                    paths: vec![path.clone()],
                }),
            }
        }
    }
    all
}

/// How long a copy of a field may differ, in milliseconds.
fn may_differ(entity: &Entity, field: &str) -> Option<u64> {
    let drift = entity.drift.iter().find(|drift| drift.field == field)?;
    drift.at_most.map(TimeSpan::milliseconds)
}

/// What a table copies when it answers these questions, and fields of these references are copied.
pub(crate) fn copies<'a>(
    references: &[Reference],
    table: &Table,
    asked: impl Iterator<Item = &'a Asked>,
) -> Vec<Copied> {
    let Holds::Projection { entity, .. } = &table.holds else { return Vec::new() };
    let own: Vec<&Reference> = references.iter().filter(|known| known.entity == *entity).collect();
    let mut all = table.copies.clone();
    if own.is_empty() || keyloom_plan::is_index(table) {
        return all;
    }
    for path in asked.flat_map(|asked| &asked.returns) {
        let copied = own.iter().any(|known| known.paths.contains(path));
        if copied && all.iter().all(|known| known.path != *path) {
            all.push(Copied { path: path.clone(), rule: CopyRule::Copy });
        }
    }
    all
}

/// A layout whose lists copy all that may be copied: for what is the same whichever of them do.
pub(crate) fn copying(layout: &Layout, references: &[Reference]) -> Layout {
    let mut layout = layout.clone();
    for table in &mut layout.tables {
        let Holds::Projection { entity, .. } = &table.holds else { continue };
        let paths = references.iter().filter(|known| known.entity == *entity).flat_map(|known| &known.paths);
        let copied = paths.map(|path| Copied { path: path.clone(), rule: CopyRule::Copy });
        table.copies.extend(copied.filter(|copied| !table.copies.contains(copied)).collect::<Vec<_>>());
    }
    layout
}

/// The references whose fields a layout copies.
pub(crate) fn copied_by(layout: &Layout, references: &[Reference]) -> Vec<Reference> {
    let copies = |table: &Table, known: &Reference| {
        let own = matches!(&table.holds, Holds::Projection { entity, .. } if *entity == known.entity);
        own && table.copies.iter().any(|copied| copied.path.own_field() == Some(&known.field))
    };
    let is_copied = |known: &&Reference| layout.tables.iter().any(|table| copies(table, known));
    references.iter().filter(is_copied).cloned().collect()
}
