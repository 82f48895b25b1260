use std::time::{SystemTime, UNIX_EPOCH};

use keyloom::model::Date;

/// Today by the clock, in UTC; the first day of 1970 where the clock stands before it.
pub(crate) fn today() -> Date {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = i64::try_from(seconds / 86_400).unwrap_or(0);
    Date::from_days_since_1970(days).unwrap_or(Date { year: 1970, month: 1, day: 1 })
}
