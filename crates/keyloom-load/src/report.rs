//! What a load was like, for people and for programs.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::{Value as Json, json};

use crate::{
    drive::{Load, Pace},
    mix::Mix,
    scrape::Scraped,
    tally::Tally,
};

/// How many reasons for calls that were held up are said.
const HELD_UP_MAX: usize = 5;

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
    /// The partitions that took most units, where the server has the limits of an engine that meters.
    pub units: Vec<OfUnits>,
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
    /// What held calls up, and how many of them.
    pub held_up: BTreeMap<String, u64>,
    /// Trips to the store, by a call in the mean.
    pub trips_mean: f64,
    /// The same of partitions that were read.
    pub partitions_mean: f64,
    /// Rows that were read.
    pub rows_mean: f64,
    /// Rows that were decided.
    pub decisions_mean: f64,
    /// Rows that were placed, or rode along with a decision.
    pub placements_mean: f64,
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

/// The partition of one table that took most units of one sort.
#[derive(Debug, Clone, PartialEq)]
pub struct OfUnits {
    /// The table or index.
    pub table: String,
    /// `read` or `write`.
    pub kind: &'static str,
    /// Units a second that it was to be asked for, where the catalog says enough.
    pub predicted: Option<f64>,
    /// Units a second that it can give.
    pub most: f64,
    /// Units a second that it gave.
    pub measured: f64,
    /// Calls that its table throttled.
    pub throttled: u64,
}

impl OfUnits {
    /// What is to be expected of it: what it is asked for, as far as it can give that.
    pub fn expected(&self) -> Option<f64> {
        self.predicted.map(|predicted| predicted.min(self.most))
    }
}

impl Report {
    pub(crate) fn new(
        load: &Load<'_>,
        rows_made: u64,
        seconds: f64,
        mix: &Mix,
        tallies: Vec<Tally>,
        scraped: Option<Scraped>,
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
                held_up: tally.held_up,
                trips_mean: mean(work.trips),
                partitions_mean: mean(work.partitions),
                rows_mean: mean(work.rows),
                decisions_mean: mean(work.decisions),
                placements_mean: mean(work.placements),
                rows: (work.rows_most, work.rows_promised),
                partitions: (work.partitions_most, work.partitions_promised),
                above_bound: work.above,
            });
        }
        let scraped = scraped.unwrap_or_default();
        let units = units(&scraped, load, seconds);
        let mut tables: Vec<OfTable> = scraped
            .tables
            .into_iter()
            .map(|(name, of)| (name, of.visits))
            .filter(|(_, (all, _))| *all > 0.0)
            .map(|(name, (all, busiest))| OfTable {
                predicted: load.predicted.get(&name).and_then(|predicted| predicted.share),
                name,
                visits: all as u64,
                measured: busiest / all,
            })
            .collect();
        tables.sort_by(|one, other| {
            (other.measured * other.visits as f64).total_cmp(&(one.measured * one.visits as f64))
        });
        Self { catalog: load.catalog.name.clone(), seconds, rows_made, patterns, tables, units, notes, open }
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
        text.push_str(&self.units_text());
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

    fn units_text(&self) -> String {
        if self.units.is_empty() {
            return String::new();
        }
        let mut text = "\nbusiest partition of each table: units a second\n".to_owned();
        let mut lines =
            vec![["table", "kind", "predicted", "limit", "measured", "throttled"].map(str::to_owned).to_vec()];
        for of in &self.units {
            let predicted = of.predicted.map_or("?".to_owned(), |predicted| format!("{predicted:.0}"));
            let (most, measured) = (format!("{:.0}", of.most), format!("{:.0}", of.measured));
            lines.push(vec![of.table.clone(), of.kind.to_owned(), predicted, most, measured, of.throttled.to_string()]);
        }
        text.push_str(&table(&lines));
        let held_up = self.patterns.iter().flat_map(|of| of.held_up.iter().map(|(why, calls)| (&of.name, why, *calls)));
        let mut held_up: Vec<(&String, &String, u64)> = held_up.collect();
        held_up.sort_by_key(|(_, _, calls)| std::cmp::Reverse(*calls));
        if !held_up.is_empty() {
            text.push_str("\nheld up\n");
        }
        for (pattern, why, calls) in held_up.iter().take(HELD_UP_MAX) {
            let _ = writeln!(text, "  {pattern}: {calls} calls: {why}");
        }
        if held_up.len() > HELD_UP_MAX {
            let more: u64 = held_up[HELD_UP_MAX..].iter().map(|(_, _, calls)| calls).sum();
            let _ = writeln!(text, "  and {more} calls by {} others", held_up.len() - HELD_UP_MAX);
        }
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
                "held_up": of.held_up,
                "work": {
                    "trips_mean": of.trips_mean, "partitions_mean": of.partitions_mean, "rows_mean": of.rows_mean,
                    "decisions_mean": of.decisions_mean, "placements_mean": of.placements_mean,
                    "rows_most": of.rows.0, "rows_promised": of.rows.1,
                    "partitions_most": of.partitions.0, "partitions_promised": of.partitions.1,
                    "calls_above_bound": of.above_bound,
                },
            })
        };
        let table = |of: &OfTable| json!({ "table": of.name, "visits": of.visits, "busiest_measured": of.measured, "busiest_predicted": of.predicted });
        let units = |of: &OfUnits| json!({ "table": of.table, "kind": of.kind, "predicted": of.predicted, "limit": of.most, "expected": of.expected(), "measured": of.measured, "throttled": of.throttled });
        json!({
            "catalog": self.catalog, "seconds": self.seconds, "rows_made": self.rows_made,
            "times_from": if self.open { "due" } else { "sent" },
            "patterns": self.patterns.iter().map(pattern).collect::<Vec<_>>(),
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "units": self.units.iter().map(units).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// The partitions that took most, the busiest first.
fn units(scraped: &Scraped, load: &Load<'_>, seconds: f64) -> Vec<OfUnits> {
    let mut units = Vec::new();
    for (side, kind) in ["read", "write"].into_iter().enumerate() {
        let Some(most) = scraped.units_max[side] else { continue };
        let taken = scraped.tables.iter().filter(|(_, of)| of.busiest_units[side] > 0.0 || of.throttled[side] > 0.0);
        units.extend(taken.map(|(table, of)| OfUnits {
            table: table.clone(),
            kind,
            predicted: load.predicted.get(table).and_then(|predicted| predicted.units[side]),
            most,
            measured: of.busiest_units[side] / seconds.max(0.001),
            throttled: of.throttled[side] as u64,
        }));
    }
    units.sort_by(|one, other| (other.measured / other.most).total_cmp(&(one.measured / one.most)));
    units
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
