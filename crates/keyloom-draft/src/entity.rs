//! Entities before they are written down.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, Type};

use crate::kinship::{Family, Kinship};
use crate::names::{Names, capitalised, field_name, words};
use crate::source::Sources;
use crate::types::{Kind, Structs};

/// A thing with identity, as one family of tables holds it.
pub(crate) struct Entity {
    pub(crate) name: String,
    /// The words of its name: `delivery`, `slot`.
    pub(crate) words: Vec<String>,
    /// The table that stands for it.
    pub(crate) base: usize,
    pub(crate) fields: Vec<Field>,
    /// Positions in `fields`.
    pub(crate) key: Vec<usize>,
    /// Fields that stand in the key of some table that holds every row, so that no row lacks them.
    pub(crate) always: Vec<usize>,
    /// The reason a write gives, the fields, and the table that leads from them to the key.
    pub(crate) unique: Vec<(String, Vec<usize>, usize)>,
    /// When a row ends, as the language says it, where the schema or all statements agree.
    pub(crate) expires: Option<String>,
    by_column: BTreeMap<String, usize>,
}

pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Its values are made for new rows: its type or its name says so.
    pub(crate) is_own_id: bool,
    pub(crate) optional: bool,
    pub(crate) reference: Option<String>,
    /// What stands behind `=`.
    pub(crate) fill: Option<&'static str>,
    pub(crate) note: Option<String>,
}

/// The language takes no more fields than these.
const FIELDS_MAX: usize = 1000;

impl Entity {
    /// The field of a column.
    pub(crate) fn field(&self, column: &str) -> Option<usize> {
        self.by_column.get(column).copied()
    }

    /// The field at the end of the key that is made for each new row.
    pub(crate) fn own_id(&self) -> Option<usize> {
        self.key.last().copied().filter(|last| self.fields[*last].is_own_id && self.fields[*last].reference.is_none())
    }

    /// A field that no column has.
    pub(crate) fn add(&mut self, field: Field) -> usize {
        self.fields.push(field);
        self.fields.len() - 1
    }

    /// The fields of a unique that all are among these.
    pub(crate) fn unique_among(&self, given: &dyn Fn(usize) -> bool) -> Option<&[usize]> {
        self.unique.iter().map(|(_, fields, _)| fields.as_slice()).find(|fields| fields.iter().all(|at| given(*at)))
    }
}

/// One entity for each family, in the same order.
pub(crate) fn entities(sources: &Sources<'_>, families: &[Family<'_>], structs: &mut Structs) -> Vec<Entity> {
    let drafts: Vec<Entity> = families.iter().map(|family| entity(sources, family, structs)).collect();
    let mut given = Names::default();
    drafts
        .into_iter()
        .map(|mut entity| {
            let base = &sources.all[entity.base];
            let is_free = |given: &Names, name: &str| given.is_free(name) && !structs.has(name);
            let short = capitalised(&entity.words, "Row");
            let long = capitalised(&words(base.name()), "Row");
            let wanted = if is_free(&given, &short) {
                short
            } else if is_free(&given, &long) {
                long
            } else {
                format!("{long}Row")
            };
            // What the short name would not tell apart, the names of patterns do not either.
            if wanted != capitalised(&entity.words, "Row") {
                entity.words = words(base.name());
            }
            let mut name = given.give(wanted, "");
            while structs.has(&name) {
                name = given.give(format!("{name}Row"), "");
            }
            entity.name = name;
            entity
        })
        .collect()
}

fn entity(sources: &Sources<'_>, family: &Family<'_>, structs: &mut Structs) -> Entity {
    let base = &sources.all[family.base];
    let in_key = |name: &str| {
        let members = std::iter::once(family.base).chain(family.others.iter().map(|(at, _)| *at));
        members.into_iter().any(|at| sources.all[at].key.iter().any(|column| column.name == name))
    };
    let mut given = Names::default();
    let mut fields = Vec::new();
    let mut by_column = BTreeMap::new();
    let is_identity = |column: &&&Column| family.identity.contains(&column.name.as_str());
    let rest = family.columns.iter().filter(|column| !is_identity(column));
    for column in family.columns.iter().filter(is_identity).chain(rest).take(FIELDS_MAX) {
        let (kind, note) = if in_key(&column.name) {
            structs.key_kind(base.keyspace, &column.of)
        } else {
            structs.kind(base.keyspace, &column.of)
        };
        by_column.insert(column.name.clone(), fields.len());
        let name = given.give(field_name(&column.name), "_");
        // What the letters of the language can't say is said beside it.
        let renamed = (name != column.name).then(|| format!("column {:?}", column.name));
        let notes: Vec<String> = renamed.into_iter().chain(note.map(str::to_owned)).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let is_own_id = column.of == Type::Native(Native::Timeuuid)
            || (kind == Kind::Uuid && is_named_as_id(&name, &base.stem.join("_")));
        fields.push(Field { name, kind, is_own_id, optional: true, reference: None, fill: None, note });
    }
    let at = |name: &&str| by_column.get(*name).copied();
    let key: Vec<usize> = family.identity.iter().filter_map(at).collect();
    for field in &key {
        fields[*field].optional = false;
    }
    let holds_all = family.others.iter().filter(|(_, kinship)| !matches!(kinship, Kinship::View | Kinship::Lookup));
    let always: BTreeSet<usize> = std::iter::once(family.base)
        .chain(holds_all.map(|(at, _)| *at))
        .flat_map(|at| &sources.all[at].key)
        .filter_map(|column| by_column.get(&column.name).copied())
        .collect();
    let always = always.into_iter().collect();
    let mut reasons = Names::default();
    let unique = family.unique.iter().map(|(columns, table)| {
        let columns: Vec<usize> = columns.iter().filter_map(at).collect();
        let names: Vec<&str> = columns.iter().map(|at| fields[*at].name.as_str()).collect();
        (reasons.give(format!("{}_taken", names.join("_and_")), "_"), columns, *table)
    });
    let unique: Vec<_> = unique.collect();
    let mut words = base.stem.clone();
    if base.is_static {
        words.push("head".to_owned());
    }
    Entity { name: String::new(), words, base: family.base, fields, key, always, unique, expires: None, by_column }
}

/// `id`, and `parcel_id` of parcels.
fn is_named_as_id(field: &str, stem: &str) -> bool {
    let short = ["_id", "_uuid", "_guid"].iter().find_map(|end| field.strip_suffix(end));
    matches!(field, "id" | "uuid" | "guid")
        || short.is_some_and(|short| stem == short || stem.ends_with(&format!("_{short}")))
}
