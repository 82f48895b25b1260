//! Sizes in a sentence, for whoever argues with them.

use std::fmt;

use keyloom_model::Engine;

use crate::limits::Break;
use crate::quantity::{Between, Quantity};
use crate::say::{between, bytes, count, dollars, nanos, quantity, thousandths, three};
use crate::table::TableSize;
use crate::text::{cores, said};
use crate::time::{MONTH_MS, YEAR_MS, span_text};
use crate::{Effort, PatternSize};

/// How much it is of what, and above which limit: `200k rows in the worst partition, above 100k (rule of thumb)`.
impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, what) = said(self);
        write!(f, "{value} {what} ({})", self.limit.kind.name())
    }
}

impl PatternSize {
    /// How often it is called, what one call takes, and what that comes to: `900/s x 41 us = 0.037 cores`. Nothing is multiplied by a
    /// rate that nobody stated.
    pub fn arithmetic(&self, engine: Engine) -> String {
        let call = call(&self.effort, engine);
        let Some(month) = self.calls.month.value() else { return format!("{call} a call; its rate is not stated") };
        let whole = match (&self.month, engine) {
            (Some(month), _) => format!("{} a month", between(month, |of| quantity(of, dollars))),
            (None, Engine::DynamoDb) => return format!("{} x {call}", rate(month)),
            (None, _) => format!("{} cores", between(&self.effort, |of| cores(self, of.nanos))),
        };
        format!("{} x {call} = {whole}", rate(month))
    }
}

impl TableSize {
    /// What stands in a partition, typical / p99 / worst: `40 / 5k / 200k rows x 281 B = 11 KB / 1.34 MB / 53.6 MB`. Partitions
    /// that grow, after as long as rows stay, or a year. `None` where each is one row.
    pub fn held(&self) -> Option<String> {
        let partition = self.partition.as_ref()?;
        let open = [&partition.rows.typical, &partition.rows.p99, &partition.rows.worst];
        if open.iter().all(|rows| rows.value().is_none()) {
            let names: Vec<&str> = partition.rows.worst.without().collect();
            return Some(format!("how many rows, nobody says ({} is not stated)", names.join(", ")));
        }
        let span_ms = partition.kept_ms.unwrap_or(YEAR_MS);
        let after = partition.per_ms.map_or_else(String::new, |_| format!(" after {}", span_text(span_ms)));
        let rows = three(&partition.after(span_ms), count);
        let stored = self.partition_bytes_after(span_ms).map_or_else(String::new, |of| three(&of, bytes));
        Some(format!("{rows} rows x {} = {stored}{after}", bytes(self.row_stored())))
    }
}

/// Calls in a thousand seconds, as so many a second.
pub fn peak(kilosecond: &Quantity) -> String {
    format!("{}/s", quantity(kilosecond, thousandths))
}

/// What one call takes.
fn call(effort: &Between<Effort>, engine: Engine) -> String {
    if engine != Engine::DynamoDb {
        return between(effort, |of| nanos(of.nanos / 1_000));
    }
    let units = |of: fn(&Effort) -> u128, what: &str| {
        let any = of(&effort.high) > 0;
        any.then(|| format!("{} {what} units", between(effort, |each| thousandths(of(each)))))
    };
    let both = [units(|of| of.read_half_units / 2, "read"), units(|of| of.write_units, "write")];
    let both: Vec<String> = both.into_iter().flatten().collect();
    if both.is_empty() { "nothing".to_owned() } else { format!("({})", both.join(" + ")) }
}

/// Calls in a month, as so many a second, or a day where that is less than one in ten seconds.
pub fn rate(calls_in_month: u128) -> String {
    let month_seconds = u128::from(MONTH_MS / 1_000);
    match calls_in_month.saturating_mul(10) < month_seconds {
        true => {
            let day = calls_in_month.saturating_mul(86_400_000).saturating_add(month_seconds / 2) / month_seconds;
            format!("{}/day", thousandths(day))
        }
        false => {
            let second = calls_in_month.saturating_mul(1_000).saturating_add(month_seconds / 2) / month_seconds;
            format!("{}/s", if second < 10_000 { thousandths(second) } else { count(second / 1_000) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_said_by_the_second_or_by_the_day() {
        let a_second = u128::from(MONTH_MS / 1_000);
        assert_eq!(rate(900 * a_second), "900/s");
        assert_eq!(rate(a_second * 3 / 2), "1.5/s");
        assert_eq!(rate(a_second / 60), "1.44k/day");
        assert_eq!(rate(0), "0/day");
    }
}
