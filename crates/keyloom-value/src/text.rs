//! Values as text: in query parameters, as keys of JSON objects, and inside JSON where JSON has no form of its own.

use std::{borrow::Cow, fmt::Write, net::IpAddr};

use base64::{Engine, engine::general_purpose::STANDARD};
use keyloom_model::Date;

use crate::{
    canonical::{version_7, within_38_digits},
    kind::{Kind, Variant},
    value::{Duration, Mismatch, Value},
};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// A value as text.
///
/// # Errors
/// When the value is none of its kind, or its kind has no text: lists, sets, maps, structs.
pub fn to_text(value: &Value<'_>, kind: &Kind) -> Result<String, Mismatch> {
    let mut text = String::new();
    write_text(value, kind, &mut text)?;
    Ok(text)
}

/// Writes a value as text behind what is there.
pub(crate) fn write_text(value: &Value<'_>, kind: &Kind, out: &mut String) -> Result<(), Mismatch> {
    // Writing to a text can't fail.
    match (value, kind) {
        (Value::Bool(value), Kind::Bool) => out.push_str(if *value { "true" } else { "false" }),
        (Value::Int(value), Kind::Int) => {
            if *value < 0 {
                out.push('-');
            }
            write_number(value.unsigned_abs(), out);
        }
        (Value::Float(value), Kind::Float) if value.is_infinite() => {
            out.push_str(if *value > 0.0 { "Infinity" } else { "-Infinity" });
        }
        (Value::Float(value), Kind::Float) => drop(write!(out, "{value}")),
        (Value::Decimal(value), Kind::Decimal { scale }) => out.push_str(&decimal_text(*value, *scale)),
        (Value::Text(value), Kind::Text) | (Value::Json(value), Kind::Json) => out.push_str(value),
        (Value::Bytes(value), Kind::Bytes) => STANDARD.encode_string(value, out),
        (Value::Uuid(value), Kind::Uuid | Kind::Uuid7) => write_uuid(value, out),
        (Value::Date(days), Kind::Date) => write_date((*days).into(), out)?,
        (Value::Timestamp(value), Kind::Timestamp { micros }) => write_timestamp(*value, *micros, out)?,
        (Value::Duration(value), Kind::Duration) => out.push_str(&duration_text(*value)),
        (Value::Ip(value), Kind::Ip) => drop(write!(out, "{value}")),
        (Value::Enum(rank), Kind::Enum(variants)) => out.push_str(variant_name(*rank, variants)?),
        (value, kind) => return Err(Mismatch::between(value, kind)),
    }
    Ok(())
}

/// What the variant of an enum with this rank is called.
pub(crate) fn variant_name(rank: u16, variants: &[Variant]) -> Result<&str, Mismatch> {
    let found = variants.iter().find(|variant| variant.rank == rank);
    found.map(|variant| variant.name.as_str()).ok_or_else(|| Mismatch(format!("{rank} is no rank of this enum")))
}

/// Reads a value from its text.
///
/// # Errors
/// When it is none of this kind; the words say what to write.
pub fn from_text(text: &str, kind: &Kind) -> Result<Value<'static>, Mismatch> {
    let write = |what: &str| Mismatch(format!("{} is no {}: write {what}", shown(text), kind.word()));
    Ok(match kind {
        Kind::Bool => match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => return Err(write("true or false")),
        },
        Kind::Int => Value::Int(int(text).ok_or_else(|| write("a whole number of 64 bits, such as 42"))?),
        Kind::Float => Value::Float(float(text).ok_or_else(|| write("a number, such as 20.5"))?),
        Kind::Decimal { scale } => Value::Decimal(decimal(text, *scale).ok_or_else(|| {
            write(&format!("up to 38 digits, {scale} of them behind the point, such as {}", decimal_text(1250, *scale)))
        })?),
        Kind::Text => Value::Text(Cow::Owned(text.to_owned())),
        Kind::Json => Value::Json(Cow::Owned(
            crate::json::parse(text.as_bytes()).map_err(|fault| write(&format!("JSON ({fault})")))?.to_string(),
        )),
        Kind::Bytes => Value::Bytes(Cow::Owned(
            STANDARD.decode(text).map_err(|_| write("base64 with its padding, such as aGVsbG8="))?,
        )),
        Kind::Uuid | Kind::Uuid7 => {
            let uuid = uuid(text).ok_or_else(|| write("32 hexadecimal digits as 8-4-4-4-12"))?;
            if *kind == Kind::Uuid7 {
                version_7(&uuid).map_err(|_| write("a uuid of version 7"))?;
            }
            Value::Uuid(uuid)
        }
        Kind::Date => {
            let date = Date::parse(text).ok_or_else(|| write("a day of the years 0001 to 9999, as 2026-11-15"))?;
            Value::Date(i32::try_from(date.days_since_1970()).map_err(|_| write("a day"))?)
        }
        Kind::Timestamp { micros } => Value::Timestamp(timestamp(text, *micros).map_err(write)?),
        Kind::Duration => Value::Duration(duration(text).ok_or_else(|| write("ISO 8601, such as P1Y2M3DT4H5M6.5S"))?),
        Kind::Ip => {
            Value::Ip(text.parse::<IpAddr>().map_err(|_| write("an address, such as 192.0.2.1 or 2001:db8::1"))?)
        }
        Kind::Enum(variants) => match variants.iter().find(|variant| variant.name == text) {
            Some(variant) => Value::Enum(variant.rank),
            None => {
                let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
                return Err(Mismatch(format!("{} is none of {}", shown(text), names.join(", "))));
            }
        },
        Kind::List(_) | Kind::Set(_) | Kind::Map(..) | Kind::Struct(_) | Kind::OneOf(_) => {
            return Err(Mismatch(format!("a {} has no text of its own", kind.word())));
        }
    })
}

/// What was sent, cut to a length that fits into a message.
pub(crate) fn shown(text: &str) -> String {
    const CHARS: usize = 40;
    let mut cut: String =
        text.chars().take(CHARS).map(|char| if char.is_control() { '\u{FFFD}' } else { char }).collect();
    if text.chars().nth(CHARS).is_some() {
        cut.push('…');
    }
    format!("`{cut}`")
}

fn int(text: &str) -> Option<i64> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}

fn float(text: &str) -> Option<f64> {
    match text {
        "Infinity" => return Some(f64::INFINITY),
        "-Infinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    text.parse().ok().filter(|value: &f64| plain && value.is_finite())
}

fn decimal_text(value: i128, scale: u8) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = usize::from(scale) + 1);
    let (whole, behind) = digits.split_at(digits.len() - usize::from(scale));
    if behind.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{behind}") }
}

/// A decimal that has no more digits behind the point than its scale, but for zeros.
pub(crate) fn decimal(text: &str, scale: u8) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, behind) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty()
        || digits.ends_with('.')
        || !whole.bytes().chain(behind.bytes()).all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let behind = behind.trim_end_matches('0');
    if behind.len() > usize::from(scale) || whole.trim_start_matches('0').len() > 38 {
        return None;
    }
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(behind.bytes()).chain(std::iter::repeat_n(b'0', usize::from(scale) - behind.len()))
    {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    within_38_digits(if negative { -value } else { value }).ok()
}

/// Where the digits of each byte of a uuid stand in its text.
const UUID_PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// Every row has such values, so they are written without the machinery of formats.
fn write_uuid(uuid: &[u8; 16], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [b'-'; 36];
    for (byte, at) in uuid.iter().zip(UUID_PLACES) {
        text[at] = DIGITS[usize::from(byte >> 4)];
        text[at + 1] = DIGITS[usize::from(byte & 15)];
    }
    push_ascii(&text, out);
}

/// Writes a number. A page has thousands, and each takes the formatter as long as a text.
pub fn write_number(mut number: u64, out: &mut String) {
    let (mut text, mut first) = ([b'0'; 20], 20);
    loop {
        first -= 1;
        text[first] = digit(number);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    push_ascii(&text[first..], out);
}

/// Puts bytes behind a text that are all ASCII.
fn push_ascii(bytes: &[u8], out: &mut String) {
    out.push_str(std::str::from_utf8(bytes).unwrap_or_default());
}

/// The last digit of a number.
fn digit(number: u64) -> u8 {
    // It is below ten.
    b'0' + u8::try_from(number % 10).unwrap_or(0)
}

/// Puts the last digits of a number into these places, with zeros before it.
fn put_digits(mut number: u64, places: &mut [u8]) {
    for place in places.iter_mut().rev() {
        *place = digit(number);
        number /= 10;
    }
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.as_bytes().try_into().ok()?;
    if [8, 13, 18, 23].iter().any(|at| text[*at] != b'-') {
        return None;
    }
    let mut uuid = [0; 16];
    for (byte, at) in uuid.iter_mut().zip(UUID_PLACES) {
        *byte = hex_digit(text[at])? << 4 | hex_digit(text[at + 1])?;
    }
    Some(uuid)
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn write_date(days: i64, out: &mut String) -> Result<(), Mismatch> {
    let mut text = *b"0000-00-00";
    put_date(days, &mut text)?;
    push_ascii(&text, out);
    Ok(())
}

/// Puts a day where `0000-00-00` stands.
fn put_date(days: i64, text: &mut [u8]) -> Result<(), Mismatch> {
    let date = Date::from_days_since_1970(days);
    let date = date.ok_or_else(|| Mismatch("a day outside the years 1 to 9999".into()))?;
    put_digits(date.year.into(), &mut text[..4]);
    put_digits(date.month.into(), &mut text[5..7]);
    put_digits(date.day.into(), &mut text[8..10]);
    Ok(())
}

fn write_timestamp(value: i64, micros: bool, out: &mut String) -> Result<(), Mismatch> {
    let (per_second, end) = if micros { (1_000_000, 26) } else { (1_000, 23) };
    let (seconds, fraction) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400).unsigned_abs());
    // All of it in one piece: a text that grows digit by digit takes several times as long.
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    put_date(days, &mut text[..10])?;
    put_digits(second / 3600, &mut text[11..13]);
    put_digits(second / 60 % 60, &mut text[14..16]);
    put_digits(second % 60, &mut text[17..19]);
    put_digits(fraction.unsigned_abs(), &mut text[20..end]);
    text[end] = b'Z';
    push_ascii(&text[..=end], out);
    Ok(())
}

/// RFC 3339 with any offset; what would be lost is refused.
fn timestamp(text: &str, micros: bool) -> Result<i64, &'static str> {
    const FORM: &str = "RFC 3339, such as 2026-11-15T09:30:00.000Z";
    let number = |range: std::ops::Range<usize>, max: i64| -> Result<i64, &'static str> {
        let digits = text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit())).ok_or(FORM)?;
        digits.parse().ok().filter(|value| *value <= max).ok_or(FORM)
    };
    let is = |at: usize, marks: &[u8]| text.as_bytes().get(at).is_some_and(|byte| marks.contains(byte));
    let date = text.get(..10).and_then(Date::parse).ok_or(FORM)?;
    if !(is(10, b"Tt") && is(13, b":") && is(16, b":")) {
        return Err(FORM);
    }
    let (hour, minute) = (number(11..13, 23)?, number(14..16, 59)?);
    if text.get(17..19) == Some("60") {
        return Err("it without a leap second: :59 or the next minute");
    }
    let second = number(17..19, 59)?;
    let rest = text.get(19..).ok_or(FORM)?;
    let (fraction, offset) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("0", rest),
    };
    if fraction.is_empty() {
        return Err(FORM);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > if micros { 6 } else { 3 } {
        return Err(if micros { "at most 6 digits behind the second" } else { "at most 3 digits behind the second" });
    }
    let fraction = format!("{fraction:0<6}").parse::<i64>().map_err(|_| FORM)?;
    let offset = match offset.as_bytes() {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let at = text.len() - 5;
            let minutes = number(at..at + 2, 23)? * 60 + number(at + 3..at + 5, 59)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return Err("it with Z or an offset, such as 2026-11-15T09:30:00Z or 2026-11-15T10:30:00+01:00"),
    };
    let seconds = (hour * 60 + minute - offset) * 60 + second;
    let value = date.days_since_1970() * MICROS_PER_DAY + seconds * 1_000_000 + fraction;
    if Date::from_days_since_1970(value.div_euclid(MICROS_PER_DAY)).is_none() {
        return Err("a moment of the years 0001 to 9999 UTC");
    }
    Ok(if micros { value } else { value.div_euclid(1_000) })
}

fn duration_text(value: Duration) -> String {
    let mut text = String::from("P");
    let mut part = |amount: i64, unit: char, mark: &mut bool| {
        if amount != 0 {
            if *mark {
                text.push('T');
                *mark = false;
            }
            let _ = write!(text, "{amount}{unit}");
        }
    };
    let (mut none, mut time) = (false, true);
    part((value.months / 12).into(), 'Y', &mut none);
    part((value.months % 12).into(), 'M', &mut none);
    part(value.days.into(), 'D', &mut none);
    part(value.micros / 3_600_000_000, 'H', &mut time);
    part(value.micros / 60_000_000 % 60, 'M', &mut time);
    let rest = value.micros % 60_000_000;
    if rest != 0 || text == "P" {
        let sign = if rest < 0 { "-" } else { "" };
        let (second, fraction) = (rest.abs() / 1_000_000, rest.abs() % 1_000_000);
        let fraction = format!("{fraction:06}");
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        let _ = write!(text, "{}{sign}{second}{point}{fraction}S", if time { "T" } else { "" });
    }
    text
}

/// ISO 8601: `P`, then amounts, each with a sign of its own if it is negative; only seconds have a fraction.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('P')?;
    let (mut months, mut days, mut micros) = (0i64, 0i64, 0i64);
    let (mut in_time, mut last, mut any) = (false, 0, false);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('T') {
            if in_time || after.is_empty() {
                return None;
            }
            (in_time, rest) = (true, after);
            continue;
        }
        let end = rest.find(|char: char| char.is_ascii_alphabetic())?;
        let (amount, after) = rest.split_at(end);
        let unit = after.bytes().next()?;
        rest = &after[1..];
        // Each unit once, the largest first.
        let place = 1 + match in_time {
            false => b"YMWD".iter().position(|known| *known == unit)?,
            true => 4 + b"HMS".iter().position(|known| *known == unit)?,
        };
        if place <= last {
            return None;
        }
        (last, any) = (place, true);
        if (in_time, unit) == (true, b'S') {
            micros = micros.checked_add(i64::try_from(decimal(amount, 6)?).ok()?)?;
            continue;
        }
        let amount = int(amount)?;
        let (total, factor) = match (in_time, unit) {
            (false, b'Y') => (&mut months, 12),
            (false, b'M') => (&mut months, 1),
            (false, b'W') => (&mut days, 7),
            (false, _) => (&mut days, 1),
            (true, b'H') => (&mut micros, 3_600_000_000),
            (true, _) => (&mut micros, 60_000_000),
        };
        *total = total.checked_add(amount.checked_mul(factor)?)?;
    }
    any.then_some(Duration { months: i32::try_from(months).ok()?, days: i32::try_from(days).ok()?, micros })
}
