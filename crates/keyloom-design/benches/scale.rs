//! How long a search takes and how much memory, against the number of patterns.
//!
//! `cargo bench -p keyloom-design --bench scale`. Each line is a process of its own, so that its memory is its own too.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark that can't go on has failed, says what it saw, and measures"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/many.rs"]
mod many;

use std::process::Command;
use std::time::{Duration, Instant};

use common::{ENGINES, catalog_of, example, on};
use keyloom_design::search::{Progress, Terms, search};
use keyloom_model::{Catalog, Engine};
use many::{Part, many, parts};

/// After how long a search takes the best that it has.
const BUDGET: Duration = Duration::from_secs(30);

/// What is searched: how many entities, and the parts that they come in.
const SIZES: [(usize, Part); 9] = [
    (3, Part { entities: 3, patterns: 15 }),
    (10, Part { entities: 3, patterns: 15 }),
    (20, Part { entities: 3, patterns: 15 }),
    (40, Part { entities: 3, patterns: 15 }),
    (80, Part { entities: 3, patterns: 15 }),
    (40, Part { entities: 1, patterns: 5 }),
    (14, Part { entities: 1, patterns: 15 }),
    (4, Part { entities: 4, patterns: 40 }),
    (1, Part { entities: 1, patterns: 40 }),
];

const EXAMPLES: [&str; 5] = ["shop", "chat", "sensors", "cases-core", "cases"];

fn main() {
    let own: Vec<String> = std::env::args().collect();
    if let [_, engine, what] = own.as_slice()
        && let Some(engine) = ENGINES.into_iter().find(|known| known.name() == engine)
    {
        measure(engine, what);
        return;
    }
    println!(
        "{:<12} {:<10} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8}",
        "catalog", "engine", "patterns", "entities", "together", "tables", "seconds", "MB", "gap"
    );
    let sizes = (0..SIZES.len()).map(|at| at.to_string());
    for what in EXAMPLES.into_iter().map(str::to_owned).chain(sizes) {
        for engine in ENGINES {
            let status = Command::new(std::env::current_exe().unwrap()).args([engine.name(), &what]).status().unwrap();
            assert!(status.success());
        }
    }
}

/// Searches for one catalog, and prints a line.
fn measure(engine: Engine, what: &str) {
    let (name, catalog): (&str, Catalog) = match what.parse::<usize>() {
        Ok(at) => {
            let (entities, part) = SIZES[at];
            ("made", catalog_of(&many(&parts(entities, part))))
        }
        Err(_) => (what, example(what)),
    };
    let began = Instant::now();
    let is_over = |_: &Progress| began.elapsed() > BUDGET;
    let found = on(engine, |terms| search(&catalog, &Terms { is_over: &is_over, ..*terms }));
    let seconds = began.elapsed().as_secs_f64();
    let gap = match (found.gap.is_closed(), found.gap.share()) {
        (true, _) => "0".to_owned(),
        (false, Some(share)) => format!("{:.2} %", share * 100.0),
        (false, None) => "limits".to_owned(),
    };
    println!(
        "{name:<12} {:<10} {:>8} {:>8} {:>9} {:>8} {seconds:>8.3} {:>8.1} {gap:>8}",
        engine.name(),
        catalog.patterns.len(),
        catalog.entities.len(),
        found.parts.iter().map(|part| part.assigned.len()).max().unwrap_or(0),
        found.shapes,
        peak_mb().unwrap_or(f64::NAN),
    );
}

/// The most memory that this process ever had, where the system says it.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}
