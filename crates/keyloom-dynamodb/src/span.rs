//! A part of a partition as a condition on its sort key.
//!
//! Where the sort key is key form, every part is exactly "between two byte strings": whole keys are no beginnings of each
//! other. Where it stands for itself, a text has no greatest one below another; such a bound is asked for as if it were
//! in, and what is outside is dropped.

use std::{cmp::Ordering, ops::Bound};

use aws_sdk_dynamodb::{primitives::Blob, types::AttributeValue};
use keyloom_store::{Fault, Range};
use keyloom_value::{Kind, Value, compare};

use crate::{
    key::{KeyAttribute, native},
    number,
};

/// As long as a sort key may be; DynamoDB takes no longer one in a condition either.
const SORT_BYTES_MAX: usize = 1_024;

/// What to ask of a sort key, and what to drop of the answer.
#[derive(Debug)]
pub(crate) struct Span<'a> {
    /// From where on; in.
    pub low: Option<AttributeValue>,
    /// To where.
    pub high: Option<AttributeValue>,
    /// Whether the end itself is out. Only when there is no beginning: DynamoDB's `BETWEEN` has both ends in.
    pub below: bool,
    /// Whether the first row of the answer may be one to drop.
    pub one_more: bool,
    /// The bounds that a row must keep, where the condition says less.
    bounds: Option<(Bound<&'a Value<'a>>, Bound<&'a Value<'a>>)>,
}

/// Where a row stands in relation to a span, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    Before,
    Within,
    Behind,
}

impl<'a> Span<'a> {
    /// The span of a range from a cursor on; `None` when nothing can be in it.
    pub(crate) fn of(
        sort: &KeyAttribute,
        within: &'a Range<'a>,
        after: Option<&'a [Value<'a>]>,
        reverse: bool,
    ) -> Result<Option<Self>, Fault> {
        // Looked at whatever the form: a value of another kind is refused, and not just found nowhere.
        let (low, high) = forms(sort, within)?;
        let after_form = after.map(|after| sort.form(after)).transpose()?;
        if sort.native {
            return native_span(&sort.parts[0].kind, within, after, reverse);
        }
        let (mut low, mut high) = (low, high);
        match after_form {
            Some(after) if reverse => high = high.min(before(after)),
            Some(after) => low = low.max(beyond(after)),
            None => {}
        }
        if low.len() > SORT_BYTES_MAX {
            low.truncate(SORT_BYTES_MAX);
            low = beyond(low);
        }
        high.truncate(SORT_BYTES_MAX);
        if low > high {
            return Ok(None);
        }
        let bytes = |bytes| Some(AttributeValue::B(Blob::new(bytes)));
        Ok(Some(Self { low: bytes(low), high: bytes(high), below: false, one_more: false, bounds: None }))
    }

    /// Where a row with these sort values stands.
    pub(crate) fn stands(&self, sort: &[Value<'_>]) -> Stands {
        let (Some((low, high)), [one]) = (&self.bounds, sort) else { return Stands::Within };
        let keeps = |bound: &Bound<&Value<'_>>, wanted: Ordering| match bound {
            Bound::Unbounded => true,
            Bound::Included(bound) => compare(one, bound).is_some_and(|order| order != wanted.reverse()),
            Bound::Excluded(bound) => compare(one, bound) == Some(wanted),
        };
        if !keeps(low, Ordering::Greater) {
            Stands::Before
        } else if keeps(high, Ordering::Less) {
            Stands::Within
        } else {
            Stands::Behind
        }
    }
}

/// The first and the last byte string of a range, both in.
fn forms(sort: &KeyAttribute, within: &Range<'_>) -> Result<(Vec<u8>, Vec<u8>), Fault> {
    let form = |value: &Value<'_>| {
        let mut values = within.equal.to_vec();
        values.push(value.clone());
        sort.form(&values)
    };
    let equal = sort.form(within.equal)?;
    if within.equal.len() == sort.parts.len() {
        return Ok((equal.clone(), equal));
    }
    let whole = within.equal.len() + 1 == sort.parts.len();
    let descending = sort.parts[within.equal.len()].descending;
    let (first, last) = if descending { (within.high, within.low) } else { (within.low, within.high) };
    let low = match first {
        Bound::Included(value) => form(value)?,
        Bound::Excluded(value) => beyond(form(value)?),
        Bound::Unbounded => equal.clone(),
    };
    let high = match last {
        // What begins with it is in, and nothing else: no whole key is the string that comes next.
        Bound::Included(value) if !whole => beyond(form(value)?),
        Bound::Included(value) => form(value)?,
        Bound::Excluded(value) if !whole => form(value)?,
        Bound::Excluded(value) => before(form(value)?),
        Bound::Unbounded => beyond(equal),
    };
    Ok((low, high))
}

/// The first byte string behind all that begin with this one. There always is one: the first byte is the grammar's.
fn beyond(mut form: Vec<u8>) -> Vec<u8> {
    while let Some(last) = form.pop() {
        if last < 0xFF {
            form.push(last + 1);
            break;
        }
    }
    form
}

/// A byte string below this whole key and not below any whole key before it: keys that differ from it in their last byte
/// alone have nothing behind that byte, or a byte there that is lower by more than one.
fn before(mut form: Vec<u8>) -> Vec<u8> {
    if let Some(last) = form.pop()
        && last > 0
    {
        form.push(last - 1);
    }
    form
}

/// The span of a sort key that stands for itself.
fn native_span<'a>(
    kind: &Kind,
    within: &'a Range<'a>,
    after: Option<&'a [Value<'a>]>,
    reverse: bool,
) -> Result<Option<Span<'a>>, Fault> {
    let (mut low, mut high) = match within.equal.first() {
        Some(value) => (Bound::Included(value), Bound::Included(value)),
        None => (within.low, within.high),
    };
    if let Some([after]) = after {
        let inner = |bound: &Bound<&Value<'_>>, outward: Ordering| match bound {
            Bound::Unbounded => true,
            Bound::Included(value) | Bound::Excluded(value) => compare(value, after) != Some(outward.reverse()),
        };
        if reverse && inner(&high, Ordering::Greater) {
            high = Bound::Excluded(after);
        } else if !reverse && inner(&low, Ordering::Less) {
            low = Bound::Excluded(after);
        }
    }
    if is_empty(low, high, kind) {
        return Ok(None);
    }
    let first = match low {
        Bound::Included(value) => Some(native(value, kind)?),
        Bound::Excluded(value) => Some(next(value, kind)?),
        Bound::Unbounded => None,
    };
    let (last, exact) = match high {
        Bound::Included(value) => (Some(native(value, kind)?), true),
        Bound::Excluded(value) => match previous(value, kind) {
            Some(previous) => (Some(previous), true),
            None => (Some(native(value, kind)?), first.is_none()),
        },
        Bound::Unbounded => (None, true),
    };
    let below = exact && matches!(high, Bound::Excluded(value) if previous(value, kind).is_none());
    Ok(Some(Span {
        low: first.map(|first| shortened(first, false)),
        high: last.map(|last| shortened(last, true)),
        below,
        one_more: reverse && !exact,
        bounds: Some((low, high)),
    }))
}

/// Whether nothing can lie between two bounds, or DynamoDB would be asked for what lies between a larger and a smaller
/// value, which it refuses.
fn is_empty(low: Bound<&Value<'_>>, high: Bound<&Value<'_>>, kind: &Kind) -> bool {
    let (Bound::Included(first) | Bound::Excluded(first), Bound::Included(last) | Bound::Excluded(last)) = (low, high)
    else {
        return false;
    };
    let out = [low, high].iter().filter(|bound| matches!(bound, Bound::Excluded(_))).count();
    match (crate::value::units(first, kind), crate::value::units(last, kind)) {
        // Numbers here are whole numbers of units: between two that are next to each other is nothing.
        (Some((first, _)), Some((last, _))) => last - first < out as i128,
        _ => match compare(first, last) {
            Some(Ordering::Less) => false,
            Some(Ordering::Equal) => out > 0,
            _ => true,
        },
    }
}

/// The attribute that comes next behind a value.
fn next(value: &Value<'_>, kind: &Kind) -> Result<AttributeValue, Fault> {
    if let Some(number) = moved(value, kind, 1) {
        return Ok(number);
    }
    Ok(match native(value, kind)? {
        AttributeValue::S(text) => AttributeValue::S(text + "\0"),
        AttributeValue::B(bytes) => AttributeValue::B(Blob::new([bytes.as_ref(), &[0]].concat())),
        other => other,
    })
}

/// The attribute that comes just before a value; `None` where there is no last one.
fn previous(value: &Value<'_>, kind: &Kind) -> Option<AttributeValue> {
    moved(value, kind, -1)
}

/// A number, so many units on.
fn moved(value: &Value<'_>, kind: &Kind, by: i128) -> Option<AttributeValue> {
    let (units, scale) = crate::value::units(value, kind)?;
    Some(AttributeValue::N(number::text(units.checked_add(by)?, scale)))
}

/// An attribute that is no longer than a key may be: not above the bound for a first one, not below it for a last one.
fn shortened(attribute: AttributeValue, up: bool) -> AttributeValue {
    match attribute {
        AttributeValue::S(text) if text.len() > SORT_BYTES_MAX => {
            let mut short = text[..text.floor_char_boundary(SORT_BYTES_MAX - 4)].to_owned();
            if up {
                short.push(char::MAX);
            }
            AttributeValue::S(short)
        }
        AttributeValue::B(bytes) if bytes.as_ref().len() > SORT_BYTES_MAX => {
            let mut short = bytes.as_ref()[..SORT_BYTES_MAX - 1].to_vec();
            if up {
                short.push(0xFF);
            }
            AttributeValue::B(Blob::new(short))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use keyloom_value::key::Part;

    use super::*;
    use crate::key::is_native;

    fn sort(parts: Vec<Part>) -> KeyAttribute {
        let native = parts.len() == 1 && is_native(&parts[0], true);
        KeyAttribute { name: "kl_s".to_owned(), parts, native }
    }

    /// Where a stored key stands, as DynamoDB would say by the condition, and then we by the rest.
    fn holds(sort: &KeyAttribute, span: &Span<'_>, values: &[Value<'_>]) -> bool {
        let stored = sort.attribute(values).unwrap();
        let order = |bound: &AttributeValue| match (&stored, bound) {
            (AttributeValue::B(one), AttributeValue::B(other)) => one.as_ref().cmp(other.as_ref()),
            (AttributeValue::S(one), AttributeValue::S(other)) => one.cmp(other),
            (AttributeValue::N(one), AttributeValue::N(other)) => {
                number::units(one, 0).unwrap().cmp(&number::units(other, 0).unwrap())
            }
            other => panic!("two types: {other:?}"),
        };
        span.low.as_ref().is_none_or(|low| order(low).is_ge())
            && span.high.as_ref().is_none_or(|high| if span.below { order(high).is_lt() } else { order(high).is_le() })
            && span.stands(values) == Stands::Within
    }

    fn texts() -> Vec<Value<'static>> {
        let long = ["x".repeat(1_020), "x".repeat(1_021) + "y", "x".repeat(3_000), "ä".repeat(700)];
        let all = ["", "\0", "\0\0", "a", "a\0", "a\0\0", "ab", "b", "\u{10FFFF}"].map(str::to_owned);
        all.into_iter().chain(long).map(Value::from).collect()
    }

    /// Every pair of bounds, in both directions, with and without a cursor, holds exactly the values between them.
    fn all_spans(part: &Part, values: &[Value<'static>]) {
        let attribute = sort(vec![part.clone()]);
        let storable = |value: &Value<'static>| {
            let stored = attribute.attribute(std::slice::from_ref(value)).unwrap();
            crate::key::size(&stored) <= SORT_BYTES_MAX
        };
        let bounds = || {
            let ends = values.iter().flat_map(|value| [Bound::Included(value), Bound::Excluded(value)]);
            ends.chain([Bound::Unbounded])
        };
        let before = |one: &Value<'_>, other: &Value<'_>| {
            let order = compare(one, other).unwrap();
            if part.descending { order.reverse() } else { order }
        };
        for (low, high) in bounds().flat_map(|low| bounds().map(move |high| (low, high))) {
            for (cursor, reverse) in values.iter().map(Some).chain([None]).flat_map(|at| [(at, false), (at, true)]) {
                let within = Range { equal: &[], low, high };
                let after = cursor.map(std::slice::from_ref);
                let span = Span::of(&attribute, &within, after, reverse).unwrap();
                for value in values.iter().filter(|value| storable(value)) {
                    let above = match low {
                        Bound::Included(low) => compare(value, low).unwrap().is_ge(),
                        Bound::Excluded(low) => compare(value, low).unwrap().is_gt(),
                        Bound::Unbounded => true,
                    };
                    let below = match high {
                        Bound::Included(high) => compare(value, high).unwrap().is_le(),
                        Bound::Excluded(high) => compare(value, high).unwrap().is_lt(),
                        Bound::Unbounded => true,
                    };
                    let behind = cursor
                        .is_none_or(|at| if reverse { before(value, at).is_lt() } else { before(value, at).is_gt() });
                    let held = span.as_ref().is_some_and(|span| holds(&attribute, span, std::slice::from_ref(value)));
                    assert_eq!(held, above && below && behind, "{value:?} in {within:?} after {cursor:?} ({reverse})");
                }
                if let Some(Span { low: Some(AttributeValue::N(low)), high: Some(AttributeValue::N(high)), .. }) = span
                {
                    assert!(
                        number::units(&low, 0).unwrap() <= number::units(&high, 0).unwrap(),
                        "DynamoDB refuses {low} to {high}"
                    );
                }
            }
        }
    }

    #[test]
    fn spans_of_texts_hold_what_is_between_their_bounds() {
        for descending in [false, true] {
            all_spans(&Part { kind: Kind::Text, descending }, &texts());
        }
    }

    #[test]
    fn spans_of_numbers_hold_what_is_between_their_bounds() {
        let numbers = [i64::MIN, -256, -1, 0, 1, 2, 255, i64::MAX].map(Value::Int);
        for descending in [false, true] {
            all_spans(&Part { kind: Kind::Int, descending }, &numbers);
        }
    }

    #[test]
    fn spans_of_bytes_hold_what_is_between_their_bounds() {
        let bytes = [vec![], vec![0], vec![0, 0], vec![0, 255], vec![1], vec![255], vec![255; 2_000]].map(Value::from);
        for descending in [false, true] {
            all_spans(&Part { kind: Kind::Bytes, descending }, &bytes);
        }
    }
}
