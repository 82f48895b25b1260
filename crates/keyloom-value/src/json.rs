//! Values as JSON, as the endpoints speak it.
//!
//! | kind | in an answer | also taken |
//! |---|---|---|
//! | bool | `true` | |
//! | int | `42` | `"42"`, `42.0` |
//! | float | `20.5`; `"Infinity"`, `"-Infinity"` | `"20.5"` |
//! | decimal | `"12.50"`, with exactly its scale | `"12.5"`; a number of at most 15 digits, which every reader of JSON keeps exactly |
//! | text, ip, enum | `"abc"`, `"192.0.2.1"`, `"OPEN"` | |
//! | uuid, uuid7 | `"0190d3f2-..."`, lower case | upper case |
//! | timestamp | `"2026-11-15T09:30:00.000Z"`; six digits for `timestamp(us)` | any offset; fewer digits |
//! | date, duration | `"2026-11-15"`, `"P1Y2M3DT4H5M6.5S"` | |
//! | bytes | base64 with padding | |
//! | json | as it is | |
//! | list | an array | |
//! | set | a sorted array, each once | any order |
//! | map | an object, its keys as text | |
//! | struct | an object without its absent members | `null` for absent |
//! | oneof | see below | |
//!
//! A `oneof` whose kinds are all written in different forms of JSON (boolean, number, text, array, object) is written as
//! the value itself, and the form tells which it is: in `oneof(int | text(9..9))`, `5` is the int and `"5"` the text.
//! Otherwise it is an object with one member, named after the kind: `{"float": 20}` in `oneof(int | float)`. A second
//! kind of one name is counted: `struct`, `struct_2`. A float counts as a number and as a text, for the infinite ones.

mod parse;
mod write;

use serde_json::{Number, Value as Json};

use crate::{
    canonical,
    kind::Kind,
    order::compare,
    text::{decimal, from_text, shown, to_text},
    value::{Mismatch, Value},
};

pub use parse::parse;
pub use write::{write_json, write_name};

/// How deep opaque JSON may be nested.
pub const DEPTH_MAX: usize = 64;

/// JSON that is no value of its kind: where in it, and what to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// `items[2].qty`; empty for the whole value.
    pub path: String,
    /// What is wrong, and what to write.
    pub words: String,
}

impl Unfit {
    /// The whole value does not fit.
    pub fn new(words: impl Into<String>) -> Self {
        Self { path: String::new(), words: words.into() }
    }

    /// The same, seen from outside: `name` leads to the value.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{name}{joint}{}", self.path);
        self
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() { f.write_str(&self.words) } else { write!(f, "`{}`: {}", self.path, self.words) }
    }
}

impl std::error::Error for Unfit {}

impl From<Mismatch> for Unfit {
    fn from(mismatch: Mismatch) -> Self {
        Self::new(mismatch.to_string())
    }
}

/// The forms that JSON has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
}

impl Form {
    fn of(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Boolean,
            Json::Number(_) => Self::Number,
            Json::String(_) => Self::Text,
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Object,
        }
    }

    /// The forms in which values of a kind are written.
    fn written(kind: &Kind) -> &'static [Self] {
        match kind {
            Kind::Bool => &[Self::Boolean],
            Kind::Int => &[Self::Number],
            Kind::Float => &[Self::Number, Self::Text],
            Kind::List(_) | Kind::Set(_) => &[Self::Array],
            Kind::Map(..) | Kind::Struct(_) => &[Self::Object],
            // Nothing can stand beside these: they take any form, or the form of what they hold.
            Kind::Json | Kind::OneOf(_) => {
                &[Self::Null, Self::Boolean, Self::Number, Self::Text, Self::Array, Self::Object]
            }
            _ => &[Self::Text],
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// A value as JSON. An absent one is `null`; whoever writes an object leaves it out.
///
/// # Errors
/// When the value is none of its kind, or a moment outside the years that can be written.
pub fn to_json(value: &Value<'_>, kind: &Kind) -> Result<Json, Mismatch> {
    if Form::written(kind) == [Form::Text] && !value.is_null() {
        return to_text(value, kind).map(Json::String);
    }
    let mut text = String::new();
    write_json(value, kind, &mut text)?;
    parse(text.as_bytes()).map_err(|_| Mismatch("it is no JSON that could be read again".into()))
}

/// Reads a value from JSON. `null` is none: it means absent, and whoever holds the value knows whether it may be.
///
/// # Errors
/// When it is none of this kind, with the path inside it.
pub fn from_json(json: &Json, kind: &Kind) -> Result<Value<'static>, Unfit> {
    let expected = |what: &str| Unfit::new(format!("{} where {what} is expected", Form::of(json).word()));
    Ok(match (kind, json) {
        (Kind::Json, json) => {
            if !within_depth(json, DEPTH_MAX) {
                return Err(Unfit::new(format!("JSON is nested more than {DEPTH_MAX} deep")));
            }
            Value::Json(json.to_string().into())
        }
        (_, Json::Null) => return Err(Unfit::new(format!("nothing where {} is expected", article(kind)))),
        (Kind::Bool, Json::Bool(value)) => Value::Bool(*value),
        (Kind::Int, Json::Number(number)) => match number.as_i64().or_else(|| whole(number)) {
            Some(value) => Value::Int(value),
            None => return Err(Unfit::new(format!("{number} is no int: write a whole number of 64 bits, such as 42"))),
        },
        (Kind::Float, Json::Number(number)) => match number.as_f64().filter(|value| value.is_finite()) {
            Some(value) => Value::Float(value),
            None => return Err(Unfit::new(format!("{number} is no float"))),
        },
        (Kind::Decimal { scale }, Json::Number(number)) => Value::Decimal(exact(number, *scale)?),
        (Kind::List(kind), Json::Array(items)) => Value::List(all(items, kind)?),
        (Kind::Set(kind), Json::Array(items)) => {
            let mut items = sorted(all(items, kind)?.into_iter().map(|item| (item, ())), kind)?;
            items.dedup();
            Value::Set(items.into_iter().map(|(item, ())| item).collect())
        }
        (Kind::Map(key_kind, value_kind), Json::Object(object)) => {
            let mut entries = Vec::with_capacity(object.len());
            for (name, json) in object {
                let key = from_text(name, key_kind).map_err(|fault| Unfit::from(fault).within(&shown_name(name)))?;
                let value = from_json(json, value_kind).map_err(|fault| fault.within(&shown_name(name)))?;
                entries.push((key, value));
            }
            let entries = sorted(entries.into_iter(), key_kind)?;
            if let Some(twice) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Unfit::new(format!("{} is there twice", shown(&to_text(&twice[0].0, key_kind)?))));
            }
            Value::Map(entries)
        }
        (Kind::Struct(members), Json::Object(object)) => {
            if let Some(name) = object.keys().find(|name| !members.iter().any(|member| member.name == **name)) {
                let known: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                return Err(Unfit::new(format!("there is no member {}; there are: {}", shown(name), known.join(", "))));
            }
            let member = |member: &crate::Member| match object.get(&member.name) {
                None | Some(Json::Null) if member.optional => Ok(Value::Null),
                None | Some(Json::Null) => {
                    Err(Unfit::new(format!("it is missing: write {}", article(&member.kind))).within(&member.name))
                }
                Some(json) => from_json(json, &member.kind).map_err(|fault| fault.within(&member.name)),
            };
            Value::Struct(members.iter().map(member).collect::<Result<_, _>>()?)
        }
        (Kind::OneOf(kinds), json) => one_of(json, kinds)?,
        (Kind::List(_) | Kind::Set(_) | Kind::Map(..) | Kind::Struct(_) | Kind::Bool, _) => {
            return Err(expected(&article(kind)));
        }
        (kind, Json::String(text)) => from_text(text, kind)?,
        (kind, _) => return Err(expected(&article(kind))),
    })
}

/// `42.0`, which is 42 for JSON, if no digit can have been lost on the way.
fn whole(number: &Number) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < EXACT)?;
    // A whole number of at most 53 bits stays what it is.
    #[expect(clippy::cast_possible_truncation, reason = "it was looked at")]
    Some(value as i64)
}

/// A JSON number as a decimal, if no digit can have been lost on the way: a reader of JSON keeps 15.
fn exact(number: &Number, scale: u8) -> Result<i128, Unfit> {
    let text = number.to_string();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let whole = number.is_i64() || number.is_u64();
    decimal(&text, scale).filter(|_| whole || digits <= 15).ok_or_else(|| {
        Unfit::new(format!("{text} is no decimal of scale {scale} that JSON keeps exactly: write it as a text"))
    })
}

fn all(items: &[Json], kind: &Kind) -> Result<Vec<Value<'static>>, Unfit> {
    let item = |(at, item)| from_json(item, kind).map_err(|fault| fault.within(&format!("[{at}]")));
    items.iter().enumerate().map(item).collect()
}

fn one_of(json: &Json, kinds: &[Kind]) -> Result<Value<'static>, Unfit> {
    let names = names(kinds);
    let (at, json) = if told_apart_by_form(kinds) {
        let form = Form::of(json);
        let at = kinds
            .iter()
            .position(|kind| Form::written(kind).contains(&form))
            .ok_or_else(|| Unfit::new(format!("{} where one of {} is expected", form.word(), names.join(", "))))?;
        (at, json)
    } else {
        let member = json.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
        let found = member.and_then(|(name, json)| Some((names.iter().position(|known| known == name)?, json)));
        found.ok_or_else(|| {
            let example = names.first().map_or("int", String::as_str);
            Unfit::new(format!("write an object with one member of {}: {{\"{example}\": ..}}", names.join(", ")))
        })?
    };
    let which = u8::try_from(at).map_err(|_| Unfit::new("too many kinds"))?;
    Ok(Value::OneOf(which, Box::new(from_json(json, &kinds[at])?)))
}

/// The names under which the values of a `oneof` stand, in the order of its kinds; `None` where the form of JSON tells them
/// apart, so that each stands for itself.
pub fn names_of_one_of(kinds: &[Kind]) -> Option<Vec<String>> {
    (!told_apart_by_form(kinds)).then(|| names(kinds))
}

fn told_apart_by_form(kinds: &[Kind]) -> bool {
    kinds.iter().enumerate().all(|(at, kind)| {
        kinds[..at].iter().all(|other| !Form::written(other).iter().any(|form| Form::written(kind).contains(form)))
    })
}

/// The words of kinds, a repeated one with its number.
fn names(kinds: &[Kind]) -> Vec<String> {
    let mut names = Vec::with_capacity(kinds.len());
    for (at, kind) in kinds.iter().enumerate() {
        let before = kinds[..at].iter().filter(|other| other.word() == kind.word()).count();
        names.push(if before == 0 { kind.word().to_owned() } else { format!("{}_{}", kind.word(), before + 1) });
    }
    names
}

/// In the order of the values; those without one in the order of their bytes.
fn sorted<'v, V: std::borrow::Borrow<Value<'v>>, T>(
    items: impl Iterator<Item = (V, T)>,
    kind: &Kind,
) -> Result<Vec<(V, T)>, Mismatch> {
    let mut keyed = Vec::new();
    for (value, rest) in items {
        let mut bytes = Vec::new();
        canonical::encode(value.borrow(), kind, &mut bytes)?;
        keyed.push((bytes, value, rest));
    }
    keyed.sort_by(|a, b| compare(a.1.borrow(), b.1.borrow()).unwrap_or_else(|| a.0.cmp(&b.0)));
    Ok(keyed.into_iter().map(|(_, value, rest)| (value, rest)).collect())
}

fn within_depth(json: &Json, depth: usize) -> bool {
    let below = |json: &Json| depth > 0 && within_depth(json, depth - 1);
    match json {
        Json::Array(items) => items.iter().all(below),
        Json::Object(object) => object.values().all(below),
        _ => true,
    }
}

fn article(kind: &Kind) -> String {
    let vowel = kind.word().starts_with(['a', 'e', 'i', 'o']);
    format!("{} {}", if vowel { "an" } else { "a" }, kind.word())
}

fn shown_name(name: &str) -> String {
    shown(name).trim_matches('`').to_owned()
}
