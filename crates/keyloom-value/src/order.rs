//! The order of values, said plainly: what keys as bytes, and every engine's native keys, must agree with.

use std::cmp::Ordering;

use crate::value::Value;

/// Compares two values of one ordered kind; `None` when they are of different kinds or have no order.
///
/// ```
/// use std::cmp::Ordering;
/// use keyloom_value::{Value, compare};
///
/// assert_eq!(compare(&Value::from("Z"), &Value::from("a")), Some(Ordering::Less), "by code point, no locale");
/// assert_eq!(compare(&Value::from("1"), &Value::from(1)), None);
/// ```
pub fn compare(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    Some(match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) | (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b)?,
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.chars().cmp(b.chars()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => (a[6] >> 4).cmp(&(b[6] >> 4)).then(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Ip(a), Value::Ip(b)) => a.cmp(b),
        (Value::Enum(a), Value::Enum(b)) => a.cmp(b),
        _ => return None,
    })
}
