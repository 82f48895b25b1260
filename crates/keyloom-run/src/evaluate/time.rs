//! Times: parts of them, and spans added to them. All are UTC; months and years are those of the calendar.

use keyloom_model::{Arithmetic, Date, Function, TimeSpan, TimeUnit};
use keyloom_value::{Duration, Value, json::Unfit};

use crate::idempotency::born;

type Owned = Value<'static>;

const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;

/// A span as a value.
pub(super) fn duration(span: TimeSpan) -> Result<Owned, Unfit> {
    let amount = i64::try_from(span.amount).map_err(|_| too_large())?;
    let whole = |amount: i64| i32::try_from(amount).map_err(|_| too_large());
    let times = |factor: i64| amount.checked_mul(factor).ok_or_else(too_large);
    let none = Duration { months: 0, days: 0, micros: 0 };
    Ok(Value::Duration(match span.unit {
        TimeUnit::Year => Duration { months: whole(times(12)?)?, ..none },
        TimeUnit::Month => Duration { months: whole(amount)?, ..none },
        TimeUnit::Week => Duration { days: whole(times(7)?)?, ..none },
        TimeUnit::Day => Duration { days: whole(amount)?, ..none },
        TimeUnit::Hour | TimeUnit::Minute | TimeUnit::Second | TimeUnit::Millisecond => {
            let unit = i64::try_from(span.unit.milliseconds()).map_err(|_| too_large())?;
            Duration { micros: times(unit.checked_mul(1_000).ok_or_else(too_large)?)?, ..none }
        }
    }))
}

/// A moment that lies a span later or earlier; its unit is a microsecond, or a millisecond.
pub(super) fn moment_after(moment: i64, span: Duration, operation: Arithmetic, micros: bool) -> Result<Owned, Unfit> {
    let (scale, span) = (if micros { 1 } else { 1_000 }, directed(span, operation)?);
    let day_units = DAY_MS * 1_000 / scale;
    let (day, rest) = (moment.div_euclid(day_units), moment.rem_euclid(day_units));
    let day = day_after(day, span)?;
    let moved = day.checked_mul(day_units).and_then(|day| day.checked_add(rest));
    let moved = moved.and_then(|moved| moved.checked_add(span.micros / scale));
    Ok(Value::Timestamp(moved.ok_or_else(too_large)?))
}

/// A day that lies a span later or earlier.
pub(super) fn date_after(date: i32, span: Duration, operation: Arithmetic) -> Result<Owned, Unfit> {
    let span = directed(span, operation)?;
    let day = day_after(i64::from(date), span)?.checked_add(span.micros.div_euclid(DAY_MS * 1_000));
    day.and_then(|day| i32::try_from(day).ok()).map(Value::Date).ok_or_else(too_large)
}

/// The span between two moments of the same unit.
pub(super) fn between(later: i64, earlier: i64, micros: bool) -> Result<Owned, Unfit> {
    let span = later.checked_sub(earlier).and_then(|span| span.checked_mul(if micros { 1 } else { 1_000 }));
    Ok(Value::Duration(Duration { months: 0, days: 0, micros: span.ok_or_else(too_large)? }))
}

/// Two spans added up, or one taken from the other.
pub(super) fn sum(a: Duration, b: Duration, operation: Arithmetic) -> Result<Owned, Unfit> {
    let b = directed(b, operation)?;
    let months = a.months.checked_add(b.months).ok_or_else(too_large)?;
    let days = a.days.checked_add(b.days).ok_or_else(too_large)?;
    let micros = a.micros.checked_add(b.micros).ok_or_else(too_large)?;
    Ok(Value::Duration(Duration { months, days, micros }))
}

/// A span so many times.
pub(super) fn product(span: Duration, times: i64) -> Result<Owned, Unfit> {
    let few = i32::try_from(times).map_err(|_| too_large())?;
    let months = span.months.checked_mul(few).ok_or_else(too_large)?;
    let days = span.days.checked_mul(few).ok_or_else(too_large)?;
    let micros = span.micros.checked_mul(times).ok_or_else(too_large)?;
    Ok(Value::Duration(Duration { months, days, micros }))
}

/// How long a span is, in microseconds; a month as long as the mean of all.
pub(super) fn length(span: Duration) -> i128 {
    const DAY_MICROS: i128 = DAY_MS as i128 * 1_000;
    // 400 years have 146,097 days and 4,800 months.
    let months = i128::from(span.months) * 146_097 * DAY_MICROS / 4_800;
    months + i128::from(span.days) * DAY_MICROS + i128::from(span.micros)
}

/// A part of a moment, in milliseconds, or of a day.
pub(super) fn part(function: Function, of: &Value<'_>, micros: bool) -> Result<Owned, Unfit> {
    let millis = match of {
        Value::Timestamp(moment) if micros => moment.div_euclid(1_000),
        Value::Timestamp(moment) => *moment,
        Value::Date(day) => i64::from(*day) * DAY_MS,
        Value::Uuid(uuid) => born(uuid),
        _ => return Err(Unfit::new(format!("`{}` can't be applied here", function.name()))),
    };
    let day = millis.div_euclid(DAY_MS);
    let date = || Date::from_days_since_1970(day).ok_or_else(too_large);
    let days = |days: i64| i32::try_from(days).map(Value::Date).map_err(|_| too_large());
    match function {
        Function::Time => Ok(Value::Timestamp(millis)),
        Function::Hour => Ok(Value::Timestamp(millis.div_euclid(HOUR_MS) * HOUR_MS)),
        Function::Day => days(day),
        Function::Month => days(Date { day: 1, ..date()? }.days_since_1970()),
        Function::Year => Ok(Value::Int(date()?.year.into())),
        _ => Err(Unfit::new(format!("`{}` is no part of a time", function.name()))),
    }
}

fn directed(span: Duration, operation: Arithmetic) -> Result<Duration, Unfit> {
    match operation {
        Arithmetic::Add => Ok(span),
        Arithmetic::Subtract => {
            let months = span.months.checked_neg().ok_or_else(too_large)?;
            let days = span.days.checked_neg().ok_or_else(too_large)?;
            Ok(Duration { months, days, micros: span.micros.checked_neg().ok_or_else(too_large)? })
        }
        Arithmetic::Multiply => Err(Unfit::new("times are added and subtracted, not multiplied")),
    }
}

/// The day after some months, then some days. A month that is too short ends with its last day.
fn day_after(day: i64, span: Duration) -> Result<i64, Unfit> {
    let mut day = day;
    if span.months != 0 {
        let date = Date::from_days_since_1970(day).ok_or_else(too_large)?;
        let months = i64::from(date.year) * 12 + i64::from(date.month) - 1 + i64::from(span.months);
        let year = u16::try_from(months.div_euclid(12)).ok().filter(|year| (1..=9_999).contains(year));
        let month = u8::try_from(months.rem_euclid(12) + 1).map_err(|_| too_large())?;
        let first = Date { year: year.ok_or_else(too_large)?, month, day: 1 }.days_since_1970();
        let next = if month == 12 {
            first + 31
        } else {
            Date { year: year.ok_or_else(too_large)?, month: month + 1, day: 1 }.days_since_1970()
        };
        day = (first + i64::from(date.day) - 1).min(next - 1);
    }
    day.checked_add(i64::from(span.days)).ok_or_else(too_large)
}

fn too_large() -> Unfit {
    Unfit::new("the time is out of range")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
mod tests {
    use keyloom_value::{Kind, from_text, to_text};

    use super::*;

    fn shifted(moment: &str, amount: u64, unit: TimeUnit, operation: Arithmetic) -> String {
        let kind = Kind::Timestamp { micros: false };
        let Value::Timestamp(moment) = from_text(moment, &kind).unwrap() else { return String::new() };
        let Value::Duration(span) = duration(TimeSpan::new(amount, unit)).unwrap() else { return String::new() };
        to_text(&moment_after(moment, span, operation, false).unwrap(), &kind).unwrap()
    }

    #[test]
    fn months_and_years_are_those_of_the_calendar() {
        use Arithmetic::{Add, Subtract};
        let at = "2024-01-31T10:20:30.400Z";
        assert_eq!(shifted(at, 1, TimeUnit::Month, Add), "2024-02-29T10:20:30.400Z");
        assert_eq!(shifted(at, 13, TimeUnit::Month, Add), "2025-02-28T10:20:30.400Z");
        assert_eq!(shifted(at, 7, TimeUnit::Year, Add), "2031-01-31T10:20:30.400Z");
        assert_eq!(shifted(at, 2, TimeUnit::Month, Subtract), "2023-11-30T10:20:30.400Z");
        assert_eq!(shifted(at, 36, TimeUnit::Hour, Add), "2024-02-01T22:20:30.400Z");
        assert_eq!(shifted("2024-02-29T00:00:00.000Z", 1, TimeUnit::Year, Add), "2025-02-28T00:00:00.000Z");
        assert_eq!(shifted("1969-12-31T23:00:00.000Z", 1, TimeUnit::Week, Subtract), "1969-12-24T23:00:00.000Z");
    }

    #[test]
    fn what_has_no_date_is_an_error() {
        let span = |amount, unit| duration(TimeSpan::new(amount, unit));
        assert!(span(u64::MAX, TimeUnit::Second).is_err());
        let Ok(Value::Duration(long)) = span(9_000, TimeUnit::Year) else { return };
        assert!(moment_after(0, long, Arithmetic::Add, false).is_err());
        assert!(moment_after(i64::MAX, long, Arithmetic::Add, true).is_err());
    }

    #[test]
    fn parts_of_a_time() {
        let at = Value::Timestamp(1_794_735_123_456);
        let text = |function, kind: &Kind| to_text(&part(function, &at, false).unwrap(), kind).unwrap();
        assert_eq!(text(Function::Day, &Kind::Date), "2026-11-15");
        assert_eq!(text(Function::Month, &Kind::Date), "2026-11-01");
        assert_eq!(text(Function::Hour, &Kind::Timestamp { micros: false }), "2026-11-15T09:00:00.000Z");
        assert_eq!(part(Function::Year, &at, false), Ok(Value::Int(2026)));
        let id = crate::idempotency::uuid7(1_794_735_123_456, [9; 10]);
        assert_eq!(part(Function::Time, &Value::Uuid(id), false), Ok(at));
    }
}
