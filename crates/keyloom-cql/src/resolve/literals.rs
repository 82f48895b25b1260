//! Which constants the server takes for a value of a type, which it decides when the statement is prepared.

use std::net::Ipv6Addr;

use super::context::Context;
use super::temporal::{is_date, is_duration, is_time, is_timestamp};
use super::typed::{Fit, Typed, nested};
use crate::ast::{Literal, LiteralKind, Native};
use crate::schema::Type;

/// The type that a constant has where none is asked.
pub(super) fn preferred(literal: &Literal) -> Option<Native> {
    let text = literal.text.as_str();
    match literal.kind {
        LiteralKind::String if text.is_ascii() => Some(Native::Ascii),
        LiteralKind::String => Some(Native::Text),
        LiteralKind::Integer if text.parse::<i32>().is_ok() => Some(Native::Int),
        LiteralKind::Integer if text.parse::<i64>().is_ok() => Some(Native::Bigint),
        LiteralKind::Integer => Some(Native::Varint),
        LiteralKind::Float => Some(if is_double(text) { Native::Double } else { Native::Decimal }),
        LiteralKind::Boolean => Some(Native::Boolean),
        LiteralKind::Uuid if version(text) == Some(b'1') => Some(Native::Timeuuid),
        LiteralKind::Uuid => Some(Native::Uuid),
        // The server's own slip: it takes hexadecimal constants for a tinyint.
        LiteralKind::Blob => Some(Native::Tinyint),
        LiteralKind::Duration => Some(Native::Duration),
        LiteralKind::Null => None,
    }
}

/// How the kind of a constant fits a type; whether its text does is for [`Context::parses`] to say.
pub(super) fn fit(literal: &Literal, asked: &Typed<'_>) -> Fit {
    use Native::{
        Ascii, Bigint, Blob, Boolean, Counter, Date, Decimal, Double, Duration, Float, Inet, Int, Smallint, Text, Time,
        Timestamp, Timeuuid, Tinyint, Uuid, Varint,
    };
    if literal.kind == LiteralKind::Null {
        return if asked.is(Counter) { Fit::No } else { Fit::Weak };
    }
    if literal.unknown || asked.is_unknown() {
        return Fit::Weak;
    }
    let native = match *asked.of {
        Type::Native(native) => native,
        Type::Tuple(_) => return Fit::Weak,
        _ => return Fit::No,
    };
    if preferred(literal) == Some(native) {
        return Fit::Exact;
    }
    let fits = match literal.kind {
        LiteralKind::String => matches!(native, Ascii | Text | Inet | Date | Time | Timestamp),
        LiteralKind::Integer => matches!(
            native,
            Bigint
                | Counter
                | Date
                | Decimal
                | Double
                | Duration
                | Float
                | Int
                | Smallint
                | Time
                | Timestamp
                | Tinyint
                | Varint
        ),
        LiteralKind::Uuid => matches!(native, Uuid | Timeuuid),
        LiteralKind::Float => matches!(native, Decimal | Double | Float),
        LiteralKind::Boolean => native == Boolean,
        LiteralKind::Blob => native == Blob,
        LiteralKind::Duration => native == Duration,
        LiteralKind::Null => true,
    };
    if fits { Fit::Weak } else { Fit::No }
}

/// Whether the server can read the constant at all, whatever it is for.
pub(super) fn is_readable(literal: &Literal) -> bool {
    if literal.kind != LiteralKind::Float || literal.unknown {
        return true;
    }
    let text = literal.text.trim_start_matches('-');
    text.eq_ignore_ascii_case("nan")
        || text.eq_ignore_ascii_case("infinity")
        || text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether the constant has no bytes, though a value of the type has some. Text and blobs may be empty.
pub(super) fn is_empty(literal: &Literal, of: &Typed<'_>) -> bool {
    let has_no_bytes = match literal.kind {
        LiteralKind::String => literal.text.is_empty(),
        LiteralKind::Blob => literal.text.eq_ignore_ascii_case("0x"),
        _ => false,
    };
    has_no_bytes && !matches!(*of.of, Type::Native(Native::Text | Native::Ascii | Native::Blob))
}

impl Context<'_> {
    /// Whether the text of a constant is one of the type.
    pub(super) fn parses(&self, literal: &Literal, of: &Typed<'_>) -> bool {
        if literal.unknown {
            return true;
        }
        match literal.kind {
            LiteralKind::Null => true,
            LiteralKind::Blob => literal.text.len().is_multiple_of(2),
            _ => self.parses_text(&literal.text, of),
        }
    }

    /// Whether a string is the text of a value of the type.
    pub(super) fn parses_text(&self, text: &str, of: &Typed<'_>) -> bool {
        match &*of.of {
            Type::Native(native) => parses_native(text, *native),
            Type::Tuple(parts) => self.parses_parts(text, parts.iter()),
            Type::User(name) => match self.user_type(name) {
                Some(user) => self.parses_parts(text, user.fields.iter().map(|(_, of)| of)),
                None => true,
            },
            Type::Custom(_) | Type::Unknown(_) => true,
            _ => is_hexadecimal(text),
        }
    }

    /// A tuple as a string: its parts between colons, `@` for none.
    fn parses_parts<'t>(&self, text: &str, parts: impl ExactSizeIterator<Item = &'t Type>) -> bool {
        if text.is_empty() {
            return true;
        }
        let given = split_parts(text);
        given.len() <= parts.len()
            && given.iter().zip(parts).all(|(text, of)| {
                text == "@" || self.parses_text(&text.replace("\\:", ":").replace("\\@", "@"), &nested(of))
            })
    }
}

/// Splits at colons that no backslash precedes.
fn split_parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut previous = ' ';
    for letter in text.chars() {
        if letter == ':' && previous != '\\' {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
        previous = letter;
    }
    parts
}

fn parses_native(text: &str, native: Native) -> bool {
    match native {
        Native::Ascii => text.is_ascii(),
        Native::Text => true,
        Native::Boolean => text.is_empty() || text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false"),
        Native::Tinyint => text.is_empty() || text.parse::<i8>().is_ok(),
        Native::Smallint => text.is_empty() || text.parse::<i16>().is_ok(),
        Native::Int => text.is_empty() || text.parse::<i32>().is_ok(),
        Native::Bigint | Native::Counter => text.is_empty() || text.parse::<i64>().is_ok(),
        Native::Varint => text.is_empty() || is_integer(text),
        Native::Decimal => text.is_empty() || is_decimal(text),
        Native::Float | Native::Double => text.is_empty() || is_floating(text),
        Native::Inet => text.is_empty() || is_address(text),
        Native::Date => is_date(text),
        Native::Time => is_time(text),
        Native::Timestamp => is_timestamp(text),
        Native::Uuid => text.is_empty() || is_uuid(text),
        Native::Timeuuid => text.is_empty() || (is_uuid(text) && version(text) == Some(b'1')),
        Native::Duration => text.is_empty() || is_duration(text),
        Native::Blob => is_hexadecimal(text),
        Native::Empty => text.is_empty(),
    }
}

fn is_hexadecimal(text: &str) -> bool {
    text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits with at most one point among them, and an exponent of at most ten digits.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    !(whole.is_empty() && fraction.is_empty())
        && all_digits(whole)
        && all_digits(fraction)
        && exponent.is_none_or(|exponent| is_integer(exponent) && exponent.parse::<i32>().is_ok())
}

fn is_floating(text: &str) -> bool {
    let text = text.trim();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, "NaN" | "Infinity") || is_decimal(text.trim_end_matches(['f', 'F', 'd', 'D']))
}

/// Whether a number is held by a double without loss, as the server finds out: by printing the double again.
fn is_double(text: &str) -> bool {
    let unsigned = text.trim_start_matches('-');
    if unsigned.eq_ignore_ascii_case("nan") || unsigned.eq_ignore_ascii_case("infinity") {
        return true;
    }
    let Ok(value) = text.parse::<f64>() else { return false };
    digits_and_exponent(text) == digits_and_exponent(&format!("{value:e}"))
}

/// A number as its digits without zeros at either end, and the power of ten of the last of them.
fn digits_and_exponent(text: &str) -> Option<(bool, String, i64)> {
    let negative = text.starts_with('-');
    let text = text.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let mut exponent = exponent.parse::<i64>().ok()? - i64::try_from(fraction.len()).ok()?;
    let short = digits.trim_end_matches('0');
    exponent += i64::try_from(digits.len() - short.len()).ok()?;
    let short = short.trim_start_matches('0');
    if short.is_empty() {
        return Some((false, String::new(), 0));
    }
    Some((negative, short.to_owned(), exponent))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.len() == 5
        && groups
            .iter()
            .zip([8, 4, 4, 4, 12])
            .all(|(group, length)| group.len() == length && group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The digit of a UUID that says how it was made.
fn version(text: &str) -> Option<u8> {
    text.as_bytes().get(14).copied()
}

/// Whether the server takes the string for an address. It also asks the network about names; one that could be a name with
/// a domain is let through, for only the server's own network knows it.
fn is_address(text: &str) -> bool {
    if is_version_four(text) {
        return true;
    }
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let unscoped = inner.split_once('%').map_or(inner, |(address, _)| address);
    if unscoped.contains(':') {
        return unscoped.parse::<Ipv6Addr>().is_ok();
    }
    let named = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    let lettered = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    text.eq_ignore_ascii_case("localhost") || (named && lettered && text.trim_end_matches('.').contains('.'))
}

/// One to four numbers between points; the last fills the bytes that are left.
fn is_version_four(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let count = parts.len();
    if count > 4 || text.len() > 15 {
        return false;
    }
    parts.iter().enumerate().all(|(index, part)| {
        let limit = if index + 1 == count { 1_u64 << (8 * (5 - count)) } else { 256 };
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u64>().is_ok_and(|value| value < limit)
    })
}
