//! Terms, relations, assignments and types, as the Java drivers' builders name them and as CQL writes them.

use std::ops::Range;

use super::calls::Given;
use crate::value::{Kind, Shared, Value};

/// What a value reads as within a statement: a fragment as it is, a text as a name.
pub(super) fn text_of(value: &Shared) -> Shared {
    match &value.kind {
        Kind::Built(inner) => inner.text(),
        _ => value.clone(),
    }
}

/// What a value reads as where a term stands: texts are quoted, what is not known would be a literal of its own.
pub(super) fn term_of(value: &Shared, at: &Range<u32>) -> Shared {
    match &value.kind {
        Kind::Text(_) | Kind::Join(_) | Kind::Format { .. } => {
            let quote = || Value::meant("'", at.clone());
            Value::join(vec![quote(), value.clone(), quote()])
        }
        Kind::Null => Value::meant("null", at.clone()),
        Kind::Name(name) if !name.call => Value::new(Kind::Quoted { value: value.clone(), at: at.clone() }),
        Kind::List(items) => {
            let items: Vec<Shared> = items.iter().map(|item| term_of(item, at)).collect();
            listed(&items, ("(", ", ", ")"), at)
        }
        _ => text_of(value),
    }
}

pub(super) fn listed(items: &[Shared], (open, comma, close): (&str, &str, &str), at: &Range<u32>) -> Shared {
    let say = |text: &str| Value::meant(text, at.clone());
    let mut all = vec![say(open)];
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            all.push(say(comma));
        }
        all.push(item.clone());
    }
    all.push(say(close));
    Value::join(all)
}

/// Arguments, where a list stands for its entries.
pub(super) fn spread(given: &[Given<'_>]) -> Vec<Shared> {
    let mut all = Vec::new();
    for given in given {
        match &given.value.kind {
            Kind::List(items) => all.extend(items.iter().cloned()),
            _ => all.push(given.value.clone()),
        }
    }
    all
}

pub(super) fn joined(given: &[Given<'_>], comma: &str, at: &Range<u32>) -> Shared {
    let items: Vec<Shared> = spread(given).iter().map(text_of).collect();
    listed(&items, ("", comma, ""), at)
}

pub(super) fn tuple(given: &[Given<'_>], at: &Range<u32>) -> Shared {
    let items: Vec<Shared> = spread(given).iter().map(text_of).collect();
    listed(&items, ("(", ", ", ")"), at)
}

pub(super) fn called(function: &str, given: &[Given<'_>], at: &Range<u32>) -> Shared {
    Value::join(vec![Value::meant(function, at.clone()), tuple(given, at)])
}

/// Terms and selectors.
pub(super) fn term(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let say = |text: &str| Value::meant(text, at.clone());
    let first = given.first().map(|given| &given.value);
    Some(match name {
        "bindMarker" => match first {
            Some(marker) => Value::join(vec![say(":"), marker.clone()]),
            None => say("?"),
        },
        "literal" => term_of(first?, at),
        "raw" => first?.clone(),
        "now" | "currentTimestamp" | "currentDate" | "currentTime" | "currentTimeUuid" => {
            let function = name.chars().fold(String::new(), |mut snake, letter| {
                if letter.is_uppercase() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
                snake
            });
            say(&format!("{function}()"))
        }
        "function" | "fcall" => {
            let arguments: Vec<Shared> = spread(given.get(1..)?).iter().map(|value| term_of(value, at)).collect();
            Value::join(vec![text_of(first?), listed(&arguments, ("(", ", ", ")"), at)])
        }
        "tuple" => {
            let items: Vec<Shared> = spread(given).iter().map(|value| term_of(value, at)).collect();
            listed(&items, ("(", ", ", ")"), at)
        }
        "typeHint" => Value::join(vec![say("("), text_of(&given.get(1)?.value), say(")"), text_of(first?)]),
        "toDate" | "toTimestamp" | "toUnixTimestamp" | "minTimeUuid" | "maxTimeUuid" => called(name, given, at),
        "ttl" | "timestamp" if given.len() == 1 => {
            let words = if name == "ttl" { "TTL " } else { "TIMESTAMP " };
            Value::join(vec![say(words), term_of(first?, at)])
        }
        "token" => called("token", given, at),
        "asc" | "desc" => Value::join(vec![first?.clone(), say(if name == "asc" { " ASC" } else { " DESC" })]),
        _ => return None,
    })
}

/// Relations of the older driver: `eq("a", bindMarker())`.
pub(super) fn relation(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let [left, right @ ..] = given else { return None };
    let operator = match name {
        "eq" => " = ",
        "ne" => " != ",
        "gt" => " > ",
        "gte" => " >= ",
        "lt" => " < ",
        "lte" => " <= ",
        "in" => " IN ",
        "like" => " LIKE ",
        "contains" => " CONTAINS ",
        "containsKey" => " CONTAINS KEY ",
        _ => return None,
    };
    let right = match (name, right) {
        (_, []) => return None,
        ("in", [one]) if !matches!(one.value.kind, Kind::List(_) | Kind::Text(_)) => text_of(&one.value),
        ("in", several) => {
            let items: Vec<Shared> = spread(several).iter().map(|value| term_of(value, at)).collect();
            listed(&items, ("(", ", ", ")"), at)
        }
        (_, [one, ..]) => term_of(&one.value, at),
    };
    Some(Value::join(vec![text_of(&left.value), Value::meant(operator, at.clone()), right]))
}

/// Assignments: `set("a", …)`, `setColumn("a", …)`, `increment("n")`, `append("list", …)`.
pub(super) fn assignment(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let say = |text: &str| Value::meant(text, at.clone());
    let column = text_of(&given.first()?.value);
    let value = |index: usize| given.get(index).map(|given| term_of(&given.value, at));
    let change = |sign: &str, open: &str, close: &str, value: Shared| {
        Value::join(vec![column.clone(), say(" = "), column.clone(), say(sign), say(open), value, say(close)])
    };
    let before = |open: &str, close: &str, value: Shared| {
        Value::join(vec![column.clone(), say(" = "), say(open), value, say(close), say(" + "), column.clone()])
    };
    Some(match name {
        "set" | "setColumn" => Value::join(vec![column, say(" = "), value(1)?]),
        "increment" | "incr" => change(" + ", "", "", value(1).unwrap_or_else(|| say("1"))),
        "decrement" | "decr" => change(" - ", "", "", value(1).unwrap_or_else(|| say("1"))),
        "append" | "appendAll" | "addAll" | "putAll" => change(" + ", "", "", value(1)?),
        "appendListElement" => change(" + ", "[", "]", value(1)?),
        "appendSetElement" | "add" => change(" + ", "{", "}", value(1)?),
        "appendMapEntry" | "put" => change(" + ", "{", "}", Value::join(vec![value(1)?, say(": "), value(2)?])),
        "prepend" | "prependAll" => before("", "", value(1)?),
        "prependListElement" => before("[", "]", value(1)?),
        "prependSetElement" => before("{", "}", value(1)?),
        "remove" | "removeAll" | "discardAll" => change(" - ", "", "", value(1)?),
        "removeListElement" | "discard" => change(" - ", "[", "]", value(1)?),
        "removeSetElement" | "removeMapEntry" => change(" - ", "{", "}", value(1)?),
        "setMapValue" | "setListValue" | "setIdx" => {
            Value::join(vec![column, say("["), value(1)?, say("] = "), value(2)?])
        }
        _ => return None,
    })
}

/// The operator that a relation's second call names.
pub(super) fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "isEqualTo" => " = ",
        "isNotEqualTo" => " != ",
        "isLessThan" => " < ",
        "isLessThanOrEqualTo" => " <= ",
        "isGreaterThan" => " > ",
        "isGreaterThanOrEqualTo" => " >= ",
        "like" => " LIKE ",
        "contains" => " CONTAINS ",
        "containsKey" => " CONTAINS KEY ",
        "in" => " IN ",
        "notIn" => " NOT IN ",
        "isNotNull" => " IS NOT NULL",
        _ => return None,
    })
}

/// `ClusteringOrder.DESC`, `Direction.DESC`.
pub(super) fn order(value: &Shared, at: &Range<u32>) -> Shared {
    match &value.kind {
        Kind::Name(name) if name.path.last().is_some_and(|word| matches!(word.as_str(), "ASC" | "DESC")) => {
            Value::meant(name.path.last().map_or("", String::as_str), at.clone())
        }
        _ => text_of(value),
    }
}

/// `DataTypes.TEXT`, or a type made by a call.
pub(super) fn type_of(value: &Shared, at: &Range<u32>) -> Shared {
    match &value.kind {
        Kind::Name(name) if name.path.first().is_some_and(|first| first == "DataTypes") || name.path.len() == 1 => {
            let word = name.path.last().map_or("", String::as_str);
            if word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_') {
                Value::meant(word.to_lowercase(), at.clone())
            } else {
                value.clone()
            }
        }
        _ => text_of(value),
    }
}

pub(super) fn data_type(name: &str, given: &[Given<'_>], at: Range<u32>) -> Option<Shared> {
    let types: Vec<Shared> = given.iter().map(|given| type_of(&given.value, &at)).collect();
    let frozen = name.starts_with("frozen")
        || given.iter().any(|given| matches!(&given.value.kind, Kind::Plain(word) if word == "true"));
    let kind = name.trim_start_matches("frozen").to_lowercase();
    let (open, types) = match kind.as_str() {
        "listof" | "list" => ("list<", &types[..types.len().min(1)]),
        "setof" | "set" => ("set<", &types[..types.len().min(1)]),
        "mapof" | "map" => ("map<", &types[..types.len().min(2)]),
        "tupleof" => ("tuple<", &types[..]),
        "udt" => return given.first().map(|given| given.value.clone()),
        // The older driver's names for words that Java has taken.
        "cint" | "cboolean" | "cdouble" | "cfloat" => return Some(Value::meant(&kind[1..], at)),
        word if given.is_empty() && !word.is_empty() => return Some(Value::meant(word, at)),
        _ => return None,
    };
    let (open, close) = if frozen { (format!("frozen<{open}"), ">>") } else { (open.to_owned(), ">") };
    Some(listed(types, (&open, ", ", close), &at))
}
