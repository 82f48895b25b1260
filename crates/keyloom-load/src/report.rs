//! What a load was like, for people and for programs.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::{Value as Json, json};

use crate::{
    drive::{Load, Pace},
    mix::Mix,
    scrape::Visits,
    tally::Tally,
};

/// What a load was like.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The catalog.
    pub catalog: String,
    /// How long calls were made.
    pub seconds: f64,
    /// Rows that were made first.
    pub rows_made: u64,
    /// Each pattern that was to be called.
    pub patterns: Vec<OfPattern>,
    /// The partitions that were asked most.
    pub tables: Vec<OfTable>,
    /// What the reader must know: what was assumed, and what was not driven.
    pub notes: Vec<String>,
    /// Times are from the moment at which a call was due; else from the moment at which it was sent.
    pub open: bool,
}

/// One pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct OfPattern {
    /// Its name.
    pub name: String,
    /// Calls a second: wanted, if it has a rate, and made.
    pub wanted: Option<f64>,
    /// So many calls came to their end.
    pub calls: u64,
    /// Half of the calls, 99 and 99.9 of a hundred, and all of them took no longer, in microseconds.
    pub times_us: [u64; 4],
    /// How they ended.
    pub outcomes: BTreeMap<String, u64>,
    /// Trips to the store and rows that were read, by a call in the mean.
    pub trips_mean: f64,
    /// Rows.
    pub rows_mean: f64,
    /// The most rows that one call read, and what was promised.
    pub rows: (u64, Option<u64>),
    /// The same of partitions.
    pub partitions: (u64, Option<u64>),
    /// Calls that read more than they promised.
    pub above_bound: u64,
}

/// The busiest partition of one table.
#[derive(Debug, Clone, PartialEq)]
pub struct OfTable {
    /// Its name.
    pub name: String,
    /// How often its partitions were read or written.
    pub visits: u64,
    /// The part that fell on the busiest one.
    pub measured: f64,
    /// The part that was to be expected, where the catalog says so.
    pub predicted: Option<f64>,
}

impl Report {
    pub(crate) fn new(
        load: &Load<'_>,
        rows_made: u64,
        seconds: f64,
        mix: &Mix,
        tallies: Vec<Tally>,
        visits: Option<Visits>,
        notes: Vec<String>,
    ) -> Self {
        let open = load.pace != Pace::Max;
        let mut patterns = Vec::new();
        for ((pattern, tally), rate) in load.catalog.patterns.iter().zip(tallies).zip(&mix.rates) {
            let (times, work) = (&tally.times_us, tally.work);
            if *rate == 0.0 {
                continue;
            }
            let mean = |sum: u64| if work.calls == 0 { 0.0 } else { sum as f64 / work.calls as f64 };
            patterns.push(OfPattern {
                name: pattern.name.clone(),
                wanted: open.then_some(*rate),
                calls: times.len(),
                times_us: [
                    times.value_at_quantile(0.5),
                    times.value_at_quantile(0.99),
                    times.value_at_quantile(0.999),
                    times.max(),
                ],
                outcomes: tally.outcomes,
                trips_mean: mean(work.trips),
                rows_mean: mean(work.rows),
                rows: (work.rows_most, work.rows_promised),
                partitions: (work.partitions_most, work.partitions_promised),
                above_bound: work.above,
            });
        }
        let mut tables: Vec<OfTable> = visits
            .map(|visits| visits.0)
            .unwrap_or_default()
            .into_iter()
            .filter(|(_, (all, _))| *all > 0.0)
            .map(|(name, (all, busiest))| OfTable {
                predicted: load.predicted.get(&name).copied(),
                name,
                visits: all as u64,
                measured: busiest / all,
            })
            .collect();
        tables.sort_by(|one, other| {
            (other.measured * other.visits as f64).total_cmp(&(one.measured * one.visits as f64))
        });
        Self { catalog: load.catalog.name.clone(), seconds, rows_made, patterns, tables, notes, open }
    }

    /// Whether every call kept what its path promised.
    pub fn is_kept(&self) -> bool {
        self.patterns.iter().all(|pattern| pattern.above_bound == 0)
    }

    /// For people.
    pub fn text(&self) -> String {
        let calls: u64 = self.patterns.iter().map(|pattern| pattern.calls).sum();
        let mut text = format!(
            "{}: {calls} calls in {:.1} s ({:.0}/s), after {} rows were made\n",
            self.catalog,
            self.seconds,
            calls as f64 / self.seconds.max(0.001),
            self.rows_made
        );
        let from = if self.open { "when a call was due" } else { "when a call was sent" };
        let _ = writeln!(text, "times are from {from} to the end of its answer\n");
        let mut lines = vec![
            ["pattern", "calls", "rate", "wanted", "p50", "p99", "p99.9", "max", "trips", "rows", "most", "promised"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for of in &self.patterns {
            let wanted = of.wanted.map_or("-".to_owned(), |wanted| format!("{wanted:.1}/s"));
            let promised = of.rows.1.map_or("-".to_owned(), |most| most.to_string());
            let mut line = vec![
                of.name.clone(),
                of.calls.to_string(),
                format!("{:.1}/s", of.calls as f64 / self.seconds.max(0.001)),
                wanted,
            ];
            line.extend(of.times_us.iter().map(|micros| if of.calls == 0 { "-".to_owned() } else { time(*micros) }));
            line.extend([
                format!("{:.1}", of.trips_mean),
                format!("{:.1}", of.rows_mean),
                of.rows.0.to_string(),
                promised,
            ]);
            lines.push(line);
        }
        text.push_str(&table(&lines));
        text.push_str("\noutcomes\n");
        for of in self.patterns.iter().filter(|of| !of.outcomes.is_empty()) {
            let said: Vec<String> = of.outcomes.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect();
            let _ = writeln!(text, "  {}: {}", of.name, said.join(", "));
        }
        if !self.tables.is_empty() {
            text.push_str("\nbusiest partition of each table: its part of all visits\n");
            let mut lines = vec![["table", "visits", "measured", "predicted"].map(str::to_owned).to_vec()];
            for of in &self.tables {
                let predicted = of.predicted.map_or("?".to_owned(), percent);
                lines.push(vec![of.name.clone(), of.visits.to_string(), percent(of.measured), predicted]);
            }
            text.push_str(&table(&lines));
        }
        if !self.notes.is_empty() {
            text.push_str("\nto know\n");
            for note in &self.notes {
                let _ = writeln!(text, "  {note}");
            }
        }
        let above: u64 = self.patterns.iter().map(|pattern| pattern.above_bound).sum();
        text.push_str(&match above {
            0 => "\nno call read more than its path promised\n".to_owned(),
            above => format!("\n{above} calls read more than their paths promised, which is a fault of Keyloom\n"),
        });
        text
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let pattern = |of: &OfPattern| {
            let [p50, p99, p999, max] = of.times_us;
            json!({
                "pattern": of.name, "calls": of.calls, "per_second": of.calls as f64 / self.seconds.max(0.001),
                "wanted_per_second": of.wanted,
                "p50_us": p50, "p99_us": p99, "p99.9_us": p999, "max_us": max, "outcomes": of.outcomes,
                "work": {
                    "trips_mean": of.trips_mean, "rows_mean": of.rows_mean,
                    "rows_most": of.rows.0, "rows_promised": of.rows.1,
                    "partitions_most": of.partitions.0, "partitions_promised": of.partitions.1,
                    "calls_above_bound": of.above_bound,
                },
            })
        };
        let table = |of: &OfTable| json!({ "table": of.name, "visits": of.visits, "busiest_measured": of.measured, "busiest_predicted": of.predicted });
        json!({
            "catalog": self.catalog, "seconds": self.seconds, "rows_made": self.rows_made,
            "times_from": if self.open { "due" } else { "sent" },
            "patterns": self.patterns.iter().map(pattern).collect::<Vec<_>>(),
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A time in three digits.
fn time(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} us"),
        1_000..10_000 => format!("{:.2} ms", micros as f64 / 1e3),
        10_000..100_000 => format!("{:.1} ms", micros as f64 / 1e3),
        100_000..1_000_000 => format!("{:.0} ms", micros as f64 / 1e3),
        _ => format!("{:.2} s", micros as f64 / 1e6),
    }
}

/// Columns: the first to the left, the others to the right.
fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = if at == 0 { write!(text, "  {cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
