//! What a catalog means: plain maps, and an evaluator that shares nothing with the one that is run.
//!
//! It knows neither programs nor layouts. What it can't evaluate it says before anything is run ([`is_known`]), so that
//! nobody is judged by it.

mod calendar;
mod expression;
mod reading;
mod writing;

use std::collections::BTreeMap;

use keyloom_model::{Catalog, Entity};
use keyloom_value::{Kind, Value, json::to_json};
use serde_json::{Map, Value as Json};

pub(crate) use expression::{Scope, is_known};
pub(crate) use reading::{Expected, Library, Reader, answer, belongs, shows};
pub(crate) use writing::{Next, Wish, becomes, ends_ms, reference_key, reference_reason};

pub(crate) type Owned = Value<'static>;
/// The fields of a row, of those that are there.
pub(crate) type Fields = BTreeMap<String, Owned>;

/// What a caller sent with one call, and who he is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sent {
    pub(crate) values: BTreeMap<String, Owned>,
    pub(crate) tenant: Option<String>,
    pub(crate) subject: Option<String>,
}

/// The kind of a field; the tenant is one, too.
pub(crate) fn field_kind(catalog: &Catalog, entity: &Entity, name: &str) -> Option<Kind> {
    match entity.field(name) {
        Some(field) => Some(Kind::of(&field.ty, catalog)),
        None => tenant_field(catalog, entity).filter(|(field, _)| *field == name).map(|(_, kind)| kind),
    }
}

/// The field that says whose row it is, where rows are somebody's.
pub(crate) fn tenant_field<'a>(catalog: &'a Catalog, entity: &Entity) -> Option<(&'a str, Kind)> {
    let tenant = catalog.tenant.as_ref().filter(|_| entity.per_tenant)?;
    Some((&tenant.field, Kind::of(&tenant.ty, catalog)))
}

/// The fields that say which row it is.
pub(crate) fn identity_fields<'a>(catalog: &'a Catalog, entity: &'a Entity) -> Vec<&'a str> {
    tenant_field(catalog, entity)
        .map(|(name, _)| name)
        .into_iter()
        .chain(entity.key.iter().map(String::as_str))
        .collect()
}

/// A row as JSON, without what is absent.
pub(crate) fn shown(catalog: &Catalog, entity: &Entity, fields: &Fields) -> Json {
    let mut object = Map::new();
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        if let Some(json) = field_kind(catalog, entity, name).and_then(|kind| to_json(value, &kind).ok()) {
            object.insert(name.clone(), json);
        }
    }
    Json::Object(object)
}
