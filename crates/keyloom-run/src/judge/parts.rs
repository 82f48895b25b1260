//! Changes of parts of a value: members of structs, entries of maps, elements of sets and lists.

use std::cmp::Ordering;

use keyloom_model::{Change, Member};
use keyloom_value::{Kind, Value, compare, from_text, json::Unfit, to_text};

use crate::inputs::Inputs;

type Owned = Value<'static>;

/// Changes what stands at a path inside a value.
pub(super) fn change(
    of: &mut Owned,
    kind: &Kind,
    members: &[Member],
    change: Change,
    value: Owned,
    inputs: &Inputs,
) -> Result<(), Unfit> {
    let Some((first, rest)) = members.split_first() else { return changed(of, change, value) };
    match (first, kind) {
        (Member::Field(name), Kind::Struct(known)) => {
            let at = known.iter().position(|member| member.name == *name);
            let at = at.ok_or_else(|| Unfit::new(format!("there is no member `{name}`")))?;
            if of.is_null() {
                *of = Value::Struct(vec![Value::Null; known.len()]);
            }
            let Value::Struct(values) = of else { return Err(odd(of)) };
            self::change(&mut values[at], &known[at].kind, rest, change, value, inputs)
        }
        (Member::Input(name), Kind::Map(key, inner)) => {
            let named = key_of(&inputs.value(name), inputs.kind(name).as_ref(), key)?;
            if of.is_null() {
                *of = Value::Map(Vec::new());
            }
            let Value::Map(entries) = of else { return Err(odd(of)) };
            if rest.is_empty() && change == Change::Set && value.is_null() {
                entries.retain(|(known, _)| *known != named);
                return Ok(());
            }
            match entries.binary_search_by(|(known, _)| order(known, &named)) {
                Ok(at) => self::change(&mut entries[at].1, inner, rest, change, value, inputs),
                Err(at) => {
                    let mut fresh = Value::Null;
                    self::change(&mut fresh, inner, rest, change, value, inputs)?;
                    entries.insert(at, (named, fresh));
                    Ok(())
                }
            }
        }
        _ => Err(odd(of)),
    }
}

fn changed(of: &mut Owned, change: Change, value: Owned) -> Result<(), Unfit> {
    match (change, &mut *of) {
        (Change::Set, of) => *of = value,
        (_, _) if value.is_null() => {}
        (Change::Add, Value::Null) => *of = Value::Set(vec![value]),
        (Change::Add, Value::Set(items)) => {
            if let Err(at) = items.binary_search_by(|known| order(known, &value)) {
                items.insert(at, value);
            }
        }
        (Change::Append, Value::Null) => *of = Value::List(vec![value]),
        (Change::Append, Value::List(items)) => items.push(value),
        (Change::Remove, Value::Null) => {}
        (Change::Remove, Value::Set(items)) => items.retain(|known| *known != value),
        (Change::Remove, Value::Map(entries)) => entries.retain(|(known, _)| *known != value),
        (_, of) => return Err(odd(of)),
    }
    Ok(())
}

/// The key of an entry, of the kind that the map has.
fn key_of(sent: &Owned, kind: Option<&Kind>, wanted: &Kind) -> Result<Owned, Unfit> {
    match kind {
        Some(kind) if kind != wanted => Ok(from_text(&to_text(sent, kind)?, wanted)?),
        _ => Ok(sent.clone()),
    }
}

/// Elements and entries stand in their order, as they are stored.
fn order(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    compare(a, b).unwrap_or(Ordering::Equal)
}

fn odd(of: &Value<'_>) -> Unfit {
    Unfit::new(format!("a part of {} can't be changed", of.word()))
}
