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
    if let (Bound::Included(first) | Bound::Excluded(first), Bound::Included(last) | Bound::Excluded(last)) =
        (low, high)
    {
        let both_in = matches!((low, high), (Bound::Included(_), Bound::Included(_)));
        match compare(first, last) {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) if both_in => {}
            _ => return Ok(None),
        }
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

/// A number, so many units on. Numbers here are whole numbers of units, so there is none between.
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
