//! How often, and how long, in whole numbers.

use keyloom_model::{Date, Frequency, Rate, TimeUnit};

use crate::quantity::{Quantity, share};

/// A month and a year for sizing, in milliseconds.
pub(crate) const MONTH_MS: u64 = 86_400_000 * 3044 / 100;
/// See above.
pub(crate) const YEAR_MS: u64 = 86_400_000 * 36525 / 100;
const DAY_MS: u64 = 86_400_000;

/// How often a pattern is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// In a month, on average: for money.
    pub month: Quantity,
    /// In a thousand seconds, at peak: for limits.
    pub peak_kilosecond: Quantity,
    /// The mean is not stated, and taken to be the peak.
    pub mean_assumed: bool,
    /// The peak is not stated, and taken to be ten times the mean.
    pub peak_assumed: bool,
}

/// What stands for `rare`.
const RARE: Rate = Rate { events: 1, per: keyloom_model::TimeSpan::new(1, TimeUnit::Minute) };

impl Calls {
    /// How often the pattern of that name is called.
    pub fn of(pattern: &str, frequency: Frequency) -> Self {
        let (mean, peak) = match frequency {
            Frequency::Unknown => (None, None),
            Frequency::Rare => (Some(RARE), Some(RARE)),
            Frequency::Stated { mean, peak } => (mean, peak),
        };
        let name = || format!("patterns.{pattern}.rate");
        let month = mean.or(peak).map(|rate| in_span(rate, MONTH_MS));
        let peak_kilosecond = peak.map(|rate| in_span(rate, 1_000_000));
        let tenfold = mean.map(|rate| in_span(rate, 10_000_000));
        Self {
            month: Quantity::stated(month, name),
            peak_kilosecond: Quantity::stated(peak_kilosecond.or(tenfold), name),
            mean_assumed: mean.is_none() && peak.is_some(),
            peak_assumed: peak.is_none() && mean.is_some(),
        }
    }
}

/// How many events there are in a span.
pub(crate) fn in_span(rate: Rate, span_ms: u64) -> u128 {
    share(rate.events.into(), span_ms.into(), rate.per.milliseconds().max(1).into())
}

/// A day so long after another; `None` behind the year 9999.
pub(crate) fn later(day: Date, after_ms: u64) -> Option<Date> {
    let days = i64::try_from(after_ms / DAY_MS).ok()?;
    Date::from_days_since_1970(day.days_since_1970().checked_add(days)?)
}

/// A span as people say it, rounded down: `14 months`, `3 days`.
pub(crate) fn span_text(span_ms: u64) -> String {
    let units = [
        (YEAR_MS, "year", 2),
        (MONTH_MS, "month", 4),
        (DAY_MS, "day", 2),
        (3_600_000, "hour", 2),
        (60_000, "minute", 1),
    ];
    for (unit, name, least) in units {
        let count = span_ms / unit;
        if count >= least {
            return if count > 1_000 { "more than 1,000 years".to_owned() } else { plural(count, name) };
        }
    }
    "less than a minute".to_owned()
}

pub(crate) fn plural(count: u64, name: &str) -> String {
    format!("{} {name}{}", keyloom_model::count_text(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use keyloom_model::TimeSpan;

    use super::*;

    #[test]
    fn spans_are_said_in_their_unit() {
        let said =
            [30_000, 60_000, 7_200_000, 2 * DAY_MS, 90 * DAY_MS, 14 * MONTH_MS, 40 * MONTH_MS, u64::MAX].map(span_text);
        let expected = [
            "less than a minute",
            "1 minute",
            "2 hours",
            "2 days",
            "90 days",
            "14 months",
            "3 years",
            "more than 1,000 years",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_peak_is_ten_times_the_mean_where_it_is_not_stated() {
        let mean = Rate { events: 86_400, per: TimeSpan::new(1, TimeUnit::Day) };
        let calls = Calls::of("p", Frequency::Stated { mean: Some(mean), peak: None });
        assert_eq!((calls.peak_kilosecond.whole(), calls.peak_assumed), (Some(10_000), true));
        assert_eq!(calls.month.whole(), Some(86_400 * 3044 / 100));
        assert_eq!(Calls::of("p", Frequency::Unknown).month, Quantity::open("patterns.p.rate"));
    }
}
