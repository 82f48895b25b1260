//! Days, months and years, counted plainly.

use keyloom_model::{TimeSpan, TimeUnit};
use keyloom_value::Duration;

pub(super) const DAY_MS: i64 = 86_400_000;

/// Year, month and day of a day since 1970, found by walking: nothing to get wrong.
pub(super) fn date(day: i64) -> (i64, i64, i64) {
    let (mut year, mut rest) = (1970, day);
    while rest < 0 {
        year -= 1;
        rest += year_days(year);
    }
    while rest >= year_days(year) {
        rest -= year_days(year);
        year += 1;
    }
    let mut month = 1;
    while rest >= month_days(year, month) {
        rest -= month_days(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

/// The way back.
pub(super) fn day(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 =
        if year >= 1970 { (1970..year).map(year_days).sum() } else { -(year..1970).map(year_days).sum::<i64>() };
    years + (1..month).map(|month| month_days(year, month)).sum::<i64>() + day - 1
}

/// A moment, in milliseconds, and a span later; a month that is too short ends with its last day.
pub(super) fn later(moment: i64, span: TimeSpan, sign: i64) -> i64 {
    let amount = sign * i64::try_from(span.amount).unwrap_or(i64::MAX);
    let months = match span.unit {
        TimeUnit::Year => amount * 12,
        TimeUnit::Month => amount,
        unit => return moment + amount * i64::try_from(unit.milliseconds()).unwrap_or(0),
    };
    let (day_at, rest) = (moment.div_euclid(DAY_MS), moment.rem_euclid(DAY_MS));
    let (year, month, of_month) = date(day_at);
    let count = year * 12 + month - 1 + months;
    let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
    day(year, month, of_month.min(month_days(year, month))) * DAY_MS + rest
}

/// A span as a value: months, days and the rest are kept apart.
pub(super) fn duration(span: TimeSpan) -> Option<Duration> {
    let amount = i64::try_from(span.amount).ok()?;
    let (months, days, micros) = match span.unit {
        TimeUnit::Year => (amount * 12, 0, 0),
        TimeUnit::Month => (amount, 0, 0),
        TimeUnit::Week => (0, amount * 7, 0),
        TimeUnit::Day => (0, amount, 0),
        unit => (0, 0, amount * i64::try_from(unit.milliseconds()).ok()? * 1_000),
    };
    Some(Duration { months: i32::try_from(months).ok()?, days: i32::try_from(days).ok()?, micros })
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn year_days(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
