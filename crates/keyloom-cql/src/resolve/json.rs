//! The document of an INSERT JSON, which the server reads when the statement is prepared.

mod parse;

use super::context::Context;
use super::typed::{Typed, nested};
use crate::ast::Native;
use crate::schema::Type;
use parse::{Number, Value};

/// Whether the document is an object of columns of the table, each with a value of its type.
pub(super) fn check(context: &Context<'_>, text: &str) -> Result<(), String> {
    let value = parse::parse(text)?;
    let Value::Object(entries) = value else { return Err("the document is no JSON object".to_owned()) };
    for (key, value) in entries {
        let name = column_name(&key);
        let Some(column) = context.table.column(&name) else {
            return Err(format!("the document names {name}, which is no column"));
        };
        if !matches!(value, Value::Null) && !context.takes(&value, &Typed::new(&column.of)) {
            return Err(format!("the document's {name} is no value of type {}", Typed::new(&column.of).name()));
        }
    }
    Ok(())
}

/// A key as the server reads it: in lower case unless it stands in quotes of its own.
fn column_name(key: &str) -> String {
    match key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) {
        Some(quoted) => quoted.to_owned(),
        None => key.to_lowercase(),
    }
}

impl Context<'_> {
    /// Whether a JSON value that is not null can be one of the type.
    fn takes(&self, value: &Value, of: &Typed<'_>) -> bool {
        // Anything but a scalar may also come as JSON within a string.
        if let Value::String(text) = value
            && !matches!(*of.of, Type::Native(_) | Type::Custom(_) | Type::Unknown(_))
        {
            return parse::parse(text).is_ok_and(|value| !matches!(value, Value::String(_)) && self.takes(&value, of));
        }
        match &*of.of {
            Type::Native(native) => self.takes_native(value, *native, of),
            Type::List(element) | Type::Set(element) => match value {
                Value::Array(values) => {
                    values.iter().all(|value| !matches!(value, Value::Null) && self.takes(value, &nested(element)))
                }
                _ => false,
            },
            Type::Vector(element, size) => match value {
                Value::Array(values) => {
                    usize::try_from(*size).ok() == Some(values.len())
                        && values
                            .iter()
                            .all(|value| !matches!(value, Value::Null) && self.takes(value, &nested(element)))
                }
                _ => false,
            },
            Type::Map(key_type, value_type) => match value {
                Value::Object(entries) => entries.iter().all(|(key, value)| {
                    !matches!(value, Value::Null)
                        && self.takes(&Value::String(key.clone()), &nested(key_type))
                        && self.takes(value, &nested(value_type))
                }),
                _ => false,
            },
            Type::Tuple(types) => match value {
                Value::Array(values) => {
                    values.len() == types.len()
                        && values
                            .iter()
                            .zip(types)
                            .all(|(value, of)| matches!(value, Value::Null) || self.takes(value, &nested(of)))
                }
                _ => false,
            },
            Type::User(_) => match value {
                Value::Object(entries) => entries.iter().all(|(key, value)| {
                    self.field(of, &column_name(key))
                        .is_some_and(|field| matches!(value, Value::Null) || self.takes(value, &field))
                }),
                _ => false,
            },
            Type::Frozen(_) | Type::Custom(_) | Type::Unknown(_) => true,
        }
    }

    fn takes_native(&self, value: &Value, native: Native, of: &Typed<'_>) -> bool {
        match (native, value) {
            (Native::Counter, _) => false,
            (Native::Text | Native::Ascii | Native::Inet | Native::Date | Native::Time, Value::String(text))
            | (Native::Uuid | Native::Timeuuid | Native::Duration, Value::String(text))
            | (Native::Boolean | Native::Int | Native::Bigint | Native::Float | Native::Double, Value::String(text))
            | (Native::Timestamp | Native::Tinyint | Native::Smallint | Native::Empty, Value::String(text)) => {
                self.parses_text(text, of)
            }
            (Native::Blob, Value::String(text)) => {
                text.strip_prefix("0x").is_some_and(|digits| self.parses_text(digits, of))
            }
            (Native::Varint, Value::String(text)) => !text.is_empty() && self.parses_text(text, of),
            (Native::Decimal, Value::String(text)) => self.parses_text(text, of),
            (Native::Boolean, Value::Boolean) => true,
            (Native::Tinyint | Native::Smallint, Value::Number(number)) => {
                number.is_whole && self.parses_text(&number.text, of)
            }
            (Native::Int, Value::Number(number)) => number.is_whole && number.text.parse::<i32>().is_ok(),
            (Native::Bigint, Value::Number(number)) => number.is_whole && number.text.parse::<i64>().is_ok(),
            // The server takes numbers for a timestamp only when they do not fit four bytes.
            (Native::Timestamp, Value::Number(number)) => {
                number.is_whole && number.text.parse::<i64>().is_ok() && number.text.parse::<i32>().is_err()
            }
            (Native::Float | Native::Double | Native::Decimal, Value::Number(_)) => true,
            (Native::Varint, Value::Number(Number { is_whole, .. })) => *is_whole,
            _ => false,
        }
    }
}
