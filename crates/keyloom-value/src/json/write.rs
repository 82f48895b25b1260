//! Values as the text of JSON, written straight into an answer: a page has thousands of them.

use std::fmt::Write;

use serde::de::IgnoredAny;
use serde_json::Number;

use super::{names, sorted, told_apart_by_form};
use crate::{
    kind::Kind,
    text::{to_text, variant_name, write_text},
    value::{Mismatch, Value},
};

/// Writes a value as JSON behind what is there. An absent one is `null`; whoever writes an object leaves it out.
///
/// ```
/// use keyloom_value::{Kind, Value, json::write_json};
///
/// let mut text = String::new();
/// write_json(&Value::from("a \"b\""), &Kind::Text, &mut text)?;
/// assert_eq!(text, r#""a \"b\"""#);
/// # Ok::<(), keyloom_value::Mismatch>(())
/// ```
///
/// # Errors
/// When the value is none of its kind, or a moment outside the years that can be written. Then what was written is of no use.
pub fn write_json(value: &Value<'_>, kind: &Kind, out: &mut String) -> Result<(), Mismatch> {
    match (value, kind) {
        (Value::Null, _) => out.push_str("null"),
        (Value::Bool(_), Kind::Bool) | (Value::Int(_), Kind::Int) => write_text(value, kind, out)?,
        (Value::Float(float), Kind::Float) => match Number::from_f64(*float) {
            Some(number) => drop(write!(out, "{number}")),
            None => quoted(value, kind, out)?,
        },
        (Value::Json(text), Kind::Json) => {
            // What somebody else has put there must not break the answer.
            serde_json::from_str::<IgnoredAny>(text).map_err(|_| Mismatch("stored JSON can't be read".into()))?;
            out.push_str(text);
        }
        (Value::Text(text), Kind::Text) => escaped(text, out),
        (Value::Enum(rank), Kind::Enum(variants)) => escaped(variant_name(*rank, variants)?, out),
        (Value::List(items), Kind::List(kind)) => {
            all('[', items.iter(), ']', out, |item, out| write_json(item, kind, out))?;
        }
        (Value::Set(items), Kind::Set(kind)) => {
            let sorted = sorted(items.iter().map(|item| (item, ())), kind)?;
            all('[', sorted.into_iter(), ']', out, |(item, ()), out| write_json(item, kind, out))?;
        }
        (Value::Map(entries), Kind::Map(key_kind, value_kind)) => {
            let sorted = sorted(entries.iter().map(|(key, value)| (key, value)), key_kind)?;
            all('{', sorted.into_iter(), '}', out, |(key, value), out| {
                write_name(&to_text(key, key_kind)?, out);
                write_json(value, value_kind, out)
            })?;
        }
        (Value::Struct(values), Kind::Struct(members)) => {
            if values.len() != members.len() {
                return Err(Mismatch(format!("{} members where {} are expected", values.len(), members.len())));
            }
            let there = values.iter().zip(members).filter(|(value, _)| !value.is_null());
            all('{', there, '}', out, |(value, member), out| {
                write_name(&member.name, out);
                write_json(value, &member.kind, out)
            })?;
        }
        (Value::OneOf(which, value), Kind::OneOf(kinds)) => {
            let at = usize::from(*which);
            let kind = kinds.get(at).ok_or_else(|| Mismatch(format!("there is no kind {which}")))?;
            if told_apart_by_form(kinds) {
                write_json(value, kind, out)?;
            } else {
                out.push('{');
                write_name(&names(kinds)[at], out);
                write_json(value, kind, out)?;
                out.push('}');
            }
        }
        (value, kind) => quoted(value, kind, out)?,
    }
    Ok(())
}

/// Writes the name of a member and its colon.
pub fn write_name(name: &str, out: &mut String) {
    escaped(name, out);
    out.push(':');
}

/// One after the other, between commas.
fn all<T>(
    open: char,
    items: impl Iterator<Item = T>,
    close: char,
    out: &mut String,
    mut each: impl FnMut(T, &mut String) -> Result<(), Mismatch>,
) -> Result<(), Mismatch> {
    out.push(open);
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        each(item, out)?;
    }
    out.push(close);
    Ok(())
}

/// A text without anything that has to be escaped.
fn quoted(value: &Value<'_>, kind: &Kind, out: &mut String) -> Result<(), Mismatch> {
    out.push('"');
    write_text(value, kind, out)?;
    out.push('"');
    Ok(())
}

fn escaped(text: &str, out: &mut String) {
    let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    out.push('"');
    let mut rest = text;
    // Most texts have nothing of it, and are looked through once without a stop at each byte.
    let any = text.bytes().fold(false, |any, byte| any | is_special(byte));
    while any && let Some(at) = rest.bytes().position(is_special) {
        // What is escaped is one byte of ASCII, so both halves are text.
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        match special.as_bytes()[0] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            other => drop(write!(out, "\\u{other:04x}")),
        }
        rest = &special[1..];
    }
    out.push_str(rest);
    out.push('"');
}
