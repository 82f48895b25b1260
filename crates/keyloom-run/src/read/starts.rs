//! Ranges of what a function makes of a time: from where on it is at least, or more than, a value.

use keyloom_model::{Date, Function};
use keyloom_value::{Kind, Value, json::Unfit};

use crate::idempotency::uuid7;

type Owned = Value<'static>;

const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;

/// The first value of a field at which a function of it is at least this one, or above it.
pub(super) fn start(function: Function, value: &Owned, above: bool, kind: &Kind) -> Result<Owned, Unfit> {
    let moment = match (function, value) {
        (Function::Time, Value::Timestamp(moment)) => moment.checked_add(above.into()),
        (Function::Hour, Value::Timestamp(moment)) => {
            let whole = moment.div_euclid(HOUR_MS) * HOUR_MS;
            if above || whole < *moment { whole.checked_add(HOUR_MS) } else { Some(whole) }
        }
        (Function::Day, Value::Date(day)) => (i64::from(*day) + i64::from(above)).checked_mul(DAY_MS),
        (Function::Month, Value::Date(day)) => month(i64::from(*day), above),
        (Function::Year, Value::Int(year)) => {
            let year = year.checked_add(above.into()).and_then(|year| u16::try_from(year).ok());
            year.and_then(|year| Date { year, month: 1, day: 1 }.days_since_1970().checked_mul(DAY_MS))
        }
        _ => return Err(Unfit::new(format!("no range of `{}`", function.name()))),
    };
    let moment = moment.ok_or_else(|| Unfit::new("the time is out of range"))?;
    Ok(match kind {
        Kind::Uuid7 => Value::Uuid(uuid7(moment, [0; 10])),
        Kind::Timestamp { micros: true } => Value::Timestamp(moment.saturating_mul(1_000)),
        Kind::Date => Value::Date(i32::try_from(moment.div_euclid(DAY_MS)).unwrap_or(i32::MAX)),
        _ => Value::Timestamp(moment),
    })
}

/// Where the first month begins that is not before this day, or is behind its month.
fn month(day: i64, above: bool) -> Option<i64> {
    let date = Date::from_days_since_1970(day)?;
    let next = above || date.day > 1;
    let (year, month) = match (date.month, next) {
        (12, true) => (date.year.checked_add(1)?, 1),
        (month, true) => (date.year, month + 1),
        (month, false) => (date.year, month),
    };
    Date { year, month, day: 1 }.days_since_1970().checked_mul(DAY_MS)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
mod tests {
    use keyloom_value::{from_text, to_text};

    use super::*;

    fn from(function: Function, value: &str, kind: &Kind, above: bool) -> String {
        let moments = Kind::Timestamp { micros: false };
        to_text(&start(function, &from_text(value, kind).unwrap(), above, &moments).unwrap(), &moments).unwrap()
    }

    #[test]
    fn spans_begin_where_the_function_does() {
        let moments = Kind::Timestamp { micros: false };
        for (function, value, kind, at_least, above) in [
            (Function::Day, "2026-11-15", &Kind::Date, "2026-11-15T00:00:00.000Z", "2026-11-16T00:00:00.000Z"),
            (Function::Month, "2026-12-01", &Kind::Date, "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
            (Function::Month, "2026-11-15", &Kind::Date, "2026-12-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
            (Function::Year, "2026", &Kind::Int, "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
            (
                Function::Hour,
                "2026-11-15T09:30:00.000Z",
                &moments,
                "2026-11-15T10:00:00.000Z",
                "2026-11-15T10:00:00.000Z",
            ),
            (
                Function::Time,
                "2026-11-15T09:30:00.000Z",
                &moments,
                "2026-11-15T09:30:00.000Z",
                "2026-11-15T09:30:00.001Z",
            ),
        ] {
            assert_eq!(from(function, value, kind, false), at_least, "{value}");
            assert_eq!(from(function, value, kind, true), above, "{value}");
        }
    }

    #[test]
    fn the_first_id_of_a_moment_is_before_all_of_it() {
        let at = Value::Timestamp(1_794_735_000_000);
        let first = start(Function::Time, &at, false, &Kind::Uuid7).unwrap();
        let later = Value::Uuid(uuid7(1_794_735_000_000, [9; 10]));
        assert_eq!(keyloom_value::compare(&first, &later), Some(std::cmp::Ordering::Less));
    }
}
