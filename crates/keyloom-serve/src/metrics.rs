//! What is counted, and its text for Prometheus.
//!
//! Patterns, outcomes and tables are closed lists that are known when it starts, so every count has its place in an array: a
//! request waits for nobody, and no label can grow without end. That is why there is no library
//! behind it. No value of any field is ever a label.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use keyloom_limits::{Counts, Meter, Warning};
use keyloom_model::{Catalog, Endpoint};
use keyloom_run::{Run, Settled, Work};

use crate::{
    busiest::Busiest,
    limits::{CALLS_MAX, CONNECTIONS_MAX},
    problem,
};

/// The upper ends of the buckets of latencies, in microseconds.
const BUCKETS_US: [u64; 15] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    10_000_000,
];
/// What answers that are no problem are called.
const FINE: [&str; 6] = ["row", "rows", "count", "applied", "applied_not_visible", "unknown"];

/// All counts of a process.
pub(crate) struct Metrics {
    patterns: Vec<OfPattern>,
    busiest: Busiest,
    /// Connections that are open, and those that found no place.
    pub(crate) connections: AtomicU64,
    pub(crate) connections_refused: AtomicU64,
    settling: Settling,
    /// What the limits of an engine count, where there are such.
    meter: Option<Arc<Meter>>,
}

/// What is counted of one pattern.
struct OfPattern {
    name: String,
    /// Every outcome that it may have.
    outcomes: Vec<(String, AtomicU64)>,
    buckets: [AtomicU64; BUCKETS_US.len()],
    calls: AtomicU64,
    micros: AtomicU64,
    work: OfWork,
    above_bound: AtomicU64,
}

#[derive(Default)]
struct OfWork {
    trips: AtomicU64,
    partitions: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
    decisions: AtomicU64,
    placements: AtomicU64,
}

/// What passes over the dirty log did.
#[derive(Default)]
struct Settling {
    passes: AtomicU64,
    failures: AtomicU64,
    settled: AtomicU64,
    left: AtomicU64,
    /// By entity, how old the oldest mark is that the last pass left, in milliseconds.
    behind_ms: Mutex<BTreeMap<String, i64>>,
}

impl Metrics {
    pub(crate) fn new(run: &Run, meter: Option<Arc<Meter>>) -> Self {
        let catalog = run.catalog();
        let of = |pattern| OfPattern::new(catalog, pattern);
        Self {
            patterns: catalog.patterns.iter().map(of).collect(),
            busiest: Busiest::new(run),
            connections: AtomicU64::new(0),
            connections_refused: AtomicU64::new(0),
            settling: Settling::default(),
            meter,
        }
    }

    /// A call came to its end.
    pub(crate) fn called(&self, pattern: &str, outcomes: &[Cow<'static, str>], work: &Work, took: Duration) {
        let Some(of) = self.patterns.iter().find(|of| of.name == pattern) else { return };
        for outcome in outcomes {
            if let Some((_, count)) = of.outcomes.iter().find(|(known, _)| known == outcome) {
                count.fetch_add(1, Relaxed);
            }
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        of.calls.fetch_add(1, Relaxed);
        of.micros.fetch_add(micros, Relaxed);
        if let Some(bucket) = BUCKETS_US.iter().position(|end| micros <= *end) {
            of.buckets[bucket].fetch_add(1, Relaxed);
        }
        of.work.trips.fetch_add(work.trips, Relaxed);
        of.work.partitions.fetch_add(work.partitions, Relaxed);
        of.work.rows.fetch_add(work.rows, Relaxed);
        of.work.bytes.fetch_add(work.bytes, Relaxed);
        of.work.decisions.fetch_add(work.decisions, Relaxed);
        of.work.placements.fetch_add(work.placements, Relaxed);
        of.above_bound.fetch_add(work.is_above_bound().into(), Relaxed);
        self.busiest.touched(&work.touched);
    }

    /// A pass over the dirty log came to its end.
    pub(crate) fn settled(&self, pass: Option<&Settled>) {
        self.settling.passes.fetch_add(1, Relaxed);
        let Some(pass) = pass else {
            self.settling.failures.fetch_add(1, Relaxed);
            return;
        };
        self.settling.settled.fetch_add(pass.settled, Relaxed);
        self.settling.left.store(pass.left, Relaxed);
        self.settling.behind_ms.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&pass.behind_ms);
    }

    /// All of it as Prometheus reads it; so many calls wait for no turn now.
    pub(crate) fn text(&self, run: &Run, turns_free: usize) -> String {
        let mut text = String::new();
        let page = &mut text;
        head(page, "keyloom_call_seconds", "histogram", "How long calls took until their answers began.");
        for of in &self.patterns {
            of.histogram(page);
        }
        head(page, "keyloom_outcomes_total", "counter", "How calls ended; each item of a batch counts.");
        for of in &self.patterns {
            for (outcome, count) in &of.outcomes {
                let _ = writeln!(
                    page,
                    "keyloom_outcomes_total{{pattern=\"{}\",outcome=\"{outcome}\"}} {}",
                    of.name,
                    count.load(Relaxed)
                );
            }
        }
        type OfCount = fn(&OfPattern) -> &AtomicU64;
        let counts: [(&str, &str, OfCount); 7] = [
            ("keyloom_store_trips_total", "How often the store was asked for something.", |of| &of.work.trips),
            ("keyloom_partitions_read_total", "Partitions that were read.", |of| &of.work.partitions),
            ("keyloom_rows_read_total", "Rows that were looked at, as the engine counts them.", |of| &of.work.rows),
            ("keyloom_bytes_read_total", "Bytes of them.", |of| &of.work.bytes),
            ("keyloom_decisions_total", "Guarded changes of a row.", |of| &of.work.decisions),
            ("keyloom_placements_total", "Rows that were placed, or rode along with a decision.", |of| {
                &of.work.placements
            }),
            (
                "keyloom_calls_above_bound_total",
                "Calls that read more than their path promised. A fault of Keyloom.",
                |of| &of.above_bound,
            ),
        ];
        for (name, help, count) in counts {
            head(page, name, "counter", help);
            for of in &self.patterns {
                let _ = writeln!(page, "{name}{{pattern=\"{}\"}} {}", of.name, count(of).load(Relaxed));
            }
        }
        self.busiest.write(page);
        let turns = (CALLS_MAX.saturating_sub(turns_free)) as u64;
        one(page, "keyloom_turns", "gauge", "Calls that are being run.", turns);
        one(page, "keyloom_turns_max", "gauge", "How many may be run at once.", CALLS_MAX as u64);
        one(page, "keyloom_connections", "gauge", "Connections that are open.", self.connections.load(Relaxed));
        one(page, "keyloom_connections_max", "gauge", "How many there may be.", CONNECTIONS_MAX as u64);
        let refused = self.connections_refused.load(Relaxed);
        one(page, "keyloom_connections_refused_total", "counter", "Connections that found no place.", refused);
        self.settling.write(page, run);
        if let Some(meter) = &self.meter {
            write_meter(page, meter);
        }
        text
    }
}

/// Writes what the limits of an engine count.
fn write_meter(page: &mut String, meter: &Meter) {
    const SIDES: [&str; 2] = ["read", "write"];
    let counts = meter.counts();
    if let Some(units) = meter.units() {
        let most = "keyloom_partition_units_max";
        head(page, most, "gauge", "Units that one partition gives in a second.");
        for (side, units) in SIDES.iter().zip([units.read, units.write]) {
            let _ = writeln!(page, "{most}{{kind=\"{side}\"}} {units}");
        }
        type OfTable = fn(&Counts) -> [f64; 2];
        let series: [(&str, &str, &str, OfTable); 3] = [
            ("keyloom_units_total", "counter", "Units that were taken of the table.", |of| {
                of.milliunits.map(|milliunits| milliunits as f64 / 1_000.0)
            }),
            ("keyloom_busiest_partition_units", "gauge", "The same of the partition that took most, at least.", |of| {
                of.busiest_milliunits.map(|milliunits| milliunits as f64 / 1_000.0)
            }),
            ("keyloom_throttled_total", "counter", "Calls that a partition of the table throttled.", |of| {
                of.throttled.map(|calls| calls as f64)
            }),
        ];
        for (name, kind, help, of) in series {
            head(page, name, kind, help);
            for count in &counts {
                for (side, value) in SIDES.iter().zip(of(count)) {
                    let _ = writeln!(page, "{name}{{table=\"{}\",kind=\"{side}\"}} {value}", count.table);
                }
            }
        }
    }
    let warnings = "keyloom_engine_warnings_total";
    head(page, warnings, "counter", "What a node of the engine would have written into its log.");
    for count in &counts {
        for (warning, times) in Warning::ALL.iter().zip(count.warnings).filter(|(_, times)| *times > 0) {
            let _ = writeln!(page, "{warnings}{{table=\"{}\",warning=\"{}\"}} {times}", count.table, warning.name());
        }
    }
}

impl Settling {
    fn write(&self, page: &mut String, run: &Run) {
        let load = |count: &AtomicU64| count.load(Relaxed);
        let counts = [
            ("keyloom_settle_passes_total", "Passes over the dirty log.", &self.passes),
            ("keyloom_settle_failures_total", "Those that could not be made.", &self.failures),
            ("keyloom_marks_settled_total", "Marks that other writers had left and that were settled.", &self.settled),
        ];
        for (name, help, count) in counts {
            one(page, name, "counter", help, load(count));
        }
        one(page, "keyloom_marks_left", "gauge", "Marks that the last pass could not settle yet.", load(&self.left));
        one(
            page,
            "keyloom_marks_owed",
            "gauge",
            "Marks that are done and not yet said to be.",
            run.marks_owed() as u64,
        );
        if run.followers().next().is_none() {
            return;
        }
        // A mark names a row, and all that is derived from it may be behind.
        let lag = "keyloom_projection_lag_seconds";
        head(page, lag, "gauge", "How old the oldest mark is that the last pass left undone; 0 where it left none.");
        let behind_ms = self.behind_ms.lock().unwrap_or_else(PoisonError::into_inner);
        for (entity, table) in run.followers() {
            let seconds = behind_ms.get(entity).map_or(0.0, |behind| *behind as f64 / 1_000.0);
            let _ = writeln!(page, "{lag}{{table=\"{table}\"}} {seconds}");
        }
    }
}

impl OfPattern {
    fn new(catalog: &Catalog, pattern: &keyloom_model::Pattern) -> Self {
        let reasons = Endpoint::of(catalog, pattern).map(|endpoint| endpoint.reasons).unwrap_or_default();
        let mut outcomes: Vec<String> = FINE.iter().map(|name| (*name).to_owned()).collect();
        outcomes.extend(reasons);
        outcomes.extend(problem::ALL.iter().map(|kind| kind.name.to_owned()));
        Self {
            name: pattern.name.clone(),
            outcomes: outcomes.into_iter().map(|name| (name, AtomicU64::new(0))).collect(),
            buckets: Default::default(),
            calls: AtomicU64::new(0),
            micros: AtomicU64::new(0),
            work: OfWork::default(),
            above_bound: AtomicU64::new(0),
        }
    }

    fn histogram(&self, page: &mut String) {
        let name = &self.name;
        let mut below = 0;
        for (end, count) in BUCKETS_US.iter().zip(&self.buckets) {
            below += count.load(Relaxed);
            let end = *end as f64 / 1e6;
            let _ = writeln!(page, "keyloom_call_seconds_bucket{{pattern=\"{name}\",le=\"{end}\"}} {below}");
        }
        // The total is not behind the buckets, whatever is counted meanwhile.
        let calls = self.calls.load(Relaxed).max(below);
        let _ = writeln!(page, "keyloom_call_seconds_bucket{{pattern=\"{name}\",le=\"+Inf\"}} {calls}");
        let sum = self.micros.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(page, "keyloom_call_seconds_sum{{pattern=\"{name}\"}} {sum}");
        let _ = writeln!(page, "keyloom_call_seconds_count{{pattern=\"{name}\"}} {calls}");
    }
}

pub(crate) fn head(page: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn one(page: &mut String, name: &str, kind: &str, help: &str, value: u64) {
    head(page, name, kind, help);
    let _ = writeln!(page, "{name} {value}");
}
