//! What becomes of a text that is appended to, stripped, or put together in a loop.

use crate::literal;
use crate::value::{Kind, Shared, Text, Value};

/// Types that collect text.
pub(super) fn is_builder(type_name: &str) -> bool {
    ["StringBuilder", "StringBuffer", "strings.Builder", "bytes.Buffer"].iter().any(|name| type_name.ends_with(name))
}

/// A text with another behind it, or a list with one more entry.
pub(super) fn appended(value: &Shared, more: &Shared) -> Shared {
    match &value.kind {
        Kind::List(items) => {
            let mut items = items.clone();
            match &more.kind {
                Kind::List(more) => items.extend(more.iter().cloned()),
                _ => items.push(more.clone()),
            }
            Value::new(Kind::List(items))
        }
        Kind::Either(choice) if choice.values().any(|value| matches!(value.kind, Kind::List(_))) => {
            choice.map(|value| Some(appended(value, more))).unwrap_or_else(|| more.clone())
        }
        _ => Value::join(vec![value.clone(), more.clone()]),
    }
}

/// What a loop left behind: a text or a list that grew in it.
pub(super) fn repeated(before: Option<&Shared>, value: Shared) -> Shared {
    let grew = match (before.map(|before| &before.kind), &value.kind) {
        (Some(Kind::Text(before)), Kind::Text(after)) => {
            before.text.len() < after.text.len() && after.text.starts_with(&before.text)
        }
        (Some(Kind::Text(before)), Kind::Join(parts)) => {
            matches!(parts.first().map(|part| &part.kind), Some(Kind::Text(first)) if first.text.starts_with(&before.text))
        }
        (Some(Kind::Join(before)), Kind::Join(after)) => match before.split_last() {
            Some((last, most)) => {
                after.starts_with(most) && after.get(most.len()).is_some_and(|part| begins(part, last))
            }
            None => true,
        },
        (Some(Kind::Join(before)), Kind::Text(_)) => before.is_empty(),
        (Some(Kind::List(before)), Kind::List(after)) => after.len() > before.len(),
        (Some(Kind::Built(before)), Kind::Built(after)) => after.values().count() > before.values().count(),
        (Some(_), Kind::Join(parts)) => parts.first() == before,
        _ => false,
    };
    if grew { Value::new(Kind::Repeated(value)) } else { value }
}

fn begins(part: &Shared, with: &Shared) -> bool {
    match (&part.kind, &with.kind) {
        (Kind::Text(part), Kind::Text(with)) => part.text.starts_with(&with.text),
        _ => part == with,
    }
}

/// A change of each text of a value.
fn mapped(value: &Shared, change: &mut impl FnMut(&Text) -> Text) -> Shared {
    match &value.kind {
        Kind::Text(text) => Value::text(change(text)),
        Kind::Join(values) => Value::join(values.iter().map(|value| mapped(value, change)).collect()),
        Kind::Either(choice) => choice.map(|value| Some(mapped(value, change))).unwrap_or_else(|| value.clone()),
        Kind::Format { template, style, arguments } => {
            Value::new(Kind::Format { template: mapped(template, change), style: *style, arguments: arguments.clone() })
        }
        _ => value.clone(),
    }
}

pub(super) fn without_margin(value: &Shared) -> Shared {
    let mut at_start = true;
    mapped(value, &mut |text| literal::without_margin(text, std::mem::take(&mut at_start)))
}

pub(super) fn without_indentation(value: &Shared) -> Shared {
    match &value.kind {
        Kind::Text(text) => Value::text(literal::without_indentation(text)),
        // With holes in between a line may begin in one text and end in another; blanks mean nothing to a statement.
        _ => value.clone(),
    }
}
