//! Types of the catalog as JSON Schema, as `keyloom_value::json` reads and writes them.

use keyloom_model::{Catalog, Type};
use keyloom_value::{Kind, json::names_of_one_of};
use serde_json::{Value as Json, json};

use super::Object;

/// A uuid of version 7.
pub(super) const UUID_7: &str = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";

/// Who writes a value. What is taken is said in its one best form, though others are taken too: a number as text, `null` for
/// absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The server.
    Given,
    /// The caller.
    Taken,
}

impl Side {
    /// The name of a struct's schema.
    fn of_struct(self, name: &str) -> String {
        match self {
            Self::Given => name.to_owned(),
            Self::Taken => format!("{name}.input"),
        }
    }
}

/// The structs of a catalog.
pub(super) fn structs(catalog: &Catalog, side: Side) -> Object {
    let schema = |holder: &keyloom_model::Struct| {
        let members =
            holder.members.iter().map(|(name, ty, optional)| (name.as_str(), of(ty, catalog, side), !optional));
        (side.of_struct(&holder.name), object(members, side))
    };
    catalog.types.iter().map(schema).collect()
}

/// A reference to a schema of the document.
pub(super) fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// An object of members, each with its name, its schema and whether it is required.
pub(super) fn object<'a>(members: impl Iterator<Item = (&'a str, Json, bool)>, side: Side) -> Json {
    let (mut properties, mut required) = (Object::new(), Vec::new());
    for (name, schema, is_required) in members {
        properties.insert(name.to_owned(), schema);
        if is_required {
            required.push(json!(name));
        }
    }
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = Json::Array(required);
    }
    // Answers may gain members; what nobody knows is refused.
    if side == Side::Taken {
        object["additionalProperties"] = json!(false);
    }
    object
}

/// A type.
pub(super) fn of(ty: &Type, catalog: &Catalog, side: Side) -> Json {
    match ty {
        Type::Uuid => json!({ "type": "string", "format": "uuid" }),
        Type::Uuid7 => {
            json!({ "type": "string", "format": "uuid", "pattern": format!("^{UUID_7}$") })
        }
        Type::Text(size) => {
            // JSON Schema counts characters: no more of them than bytes.
            let words = format!("at most {} bytes of UTF-8", size.max);
            json!({ "type": "string", "maxLength": size.max, "description": words })
        }
        Type::Bytes(size) => {
            let pattern = "^([0-9A-Za-z+/]{4})*([0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$";
            let length = size.max.div_ceil(3).saturating_mul(4);
            json!({ "type": "string", "contentEncoding": "base64", "pattern": pattern, "maxLength": length })
        }
        Type::Json(size) => {
            let words = format!("any JSON but null, at most {} bytes", size.max);
            json!({ "type": ["boolean", "number", "string", "array", "object"], "description": words })
        }
        Type::Int => json!({ "type": "integer", "format": "int64", "minimum": i64::MIN, "maximum": i64::MAX }),
        Type::Float => json!({ "anyOf": [
            { "type": "number", "format": "double" },
            { "type": "string", "enum": ["Infinity", "-Infinity"] },
        ] }),
        Type::Decimal { scale } => json!({ "type": "string", "pattern": decimal_pattern(*scale, side) }),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Date => json!({ "type": "string", "format": "date" }),
        Type::Timestamp { micros } => {
            json!({ "type": "string", "format": "date-time", "pattern": timestamp_pattern(*micros, side) })
        }
        Type::Duration => json!({ "type": "string", "format": "duration" }),
        Type::Ip => json!({ "anyOf": [
            { "type": "string", "format": "ipv4" },
            { "type": "string", "format": "ipv6" },
        ] }),
        Type::Enum(variants) => {
            json!({ "type": "string", "enum": variants.iter().map(|variant| &variant.name).collect::<Vec<_>>() })
        }
        Type::List(item, count) => array(of(item, catalog, side), count.worst, false),
        Type::Set(item, count) => array(of(item, catalog, side), count.worst, side == Side::Given),
        Type::Map(key, value, count) => {
            let values = of(value, catalog, side);
            let mut map = json!({ "type": "object", "additionalProperties": values, "propertyNames": name(key, side) });
            if let Some(most) = count.worst {
                map["maxProperties"] = json!(most);
            }
            map
        }
        Type::Struct(name) => reference(&side.of_struct(name)),
        Type::OneOf(types) => {
            let schemas = types.iter().map(|ty| of(ty, catalog, side));
            let kinds: Vec<Kind> = types.iter().map(|ty| Kind::of(ty, catalog)).collect();
            let named = match names_of_one_of(&kinds) {
                None => schemas.collect(),
                Some(names) => {
                    let wrapped = |(name, schema): (&String, Json)| {
                        object(std::iter::once((name.as_str(), schema, true)), Side::Taken)
                    };
                    names.iter().zip(schemas).map(wrapped).collect::<Vec<_>>()
                }
            };
            json!({ "anyOf": named })
        }
    }
}

/// An array of at most so many.
pub(super) fn array(items: Json, most: Option<u64>, each_once: bool) -> Json {
    let mut array = json!({ "type": "array", "items": items });
    if let Some(most) = most {
        array["maxItems"] = json!(most);
    }
    if each_once {
        array["uniqueItems"] = json!(true);
    }
    array
}

/// What may also be `null`.
pub(super) fn or_null(schema: Json) -> Json {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

/// A type as the name of a member, which is text.
fn name(ty: &Type, side: Side) -> Json {
    match ty {
        Type::Bool => json!({ "enum": ["true", "false"] }),
        Type::Int => json!({ "pattern": "^-?[0-9]{1,19}$" }),
        Type::Decimal { scale } => json!({ "pattern": decimal_pattern(*scale, side) }),
        Type::Uuid | Type::Uuid7 => json!({ "format": "uuid" }),
        Type::Text(size) => json!({ "maxLength": size.max }),
        Type::Date => json!({ "format": "date" }),
        Type::Timestamp { micros } => json!({ "pattern": timestamp_pattern(*micros, side) }),
        Type::Enum(variants) => json!({ "enum": variants.iter().map(|variant| &variant.name).collect::<Vec<_>>() }),
        _ => json!({ "type": "string" }),
    }
}

/// A decimal has 38 digits at most, and is given out with exactly its scale.
fn decimal_pattern(scale: u8, side: Side) -> String {
    let whole = 38u8.saturating_sub(scale).max(1);
    match (scale, side) {
        (0, _) => format!("^-?[0-9]{{1,{whole}}}$"),
        (_, Side::Given) => format!("^-?[0-9]{{1,{whole}}}\\.[0-9]{{{scale}}}$"),
        (_, Side::Taken) => format!("^-?[0-9]{{1,{whole}}}(\\.[0-9]{{1,{scale}}})?$"),
    }
}

/// RFC 3339 without what would be lost: further digits, leap seconds.
fn timestamp_pattern(micros: bool, side: Side) -> String {
    let digits = if micros { 6 } else { 3 };
    let moment = "^[0-9]{4}-[0-9]{2}-[0-9]{2}";
    match side {
        Side::Given => format!("{moment}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}\\.[0-9]{{{digits}}}Z$"),
        Side::Taken => format!(
            "{moment}[Tt][0-9]{{2}}:[0-9]{{2}}:[0-5][0-9](\\.[0-9]{{1,{digits}}})?([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})$"
        ),
    }
}
