//! Designs that others have published, beside ours for the same questions under the same numbers: ours serve every pattern and cost
//! no more. `worked/` has a catalog and the published tables of each domain, and `worked/exceptions.txt` what is otherwise, and why.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, says what it saw, and is told to write it down"
)]

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use common::{One, on};
use keyloom_design::search::{Score, Terms, check, check_patterns, search};
use keyloom_finding::{Level, Sources};
use keyloom_model::layout::Layout;
use keyloom_model::{Action, Catalog, Engine, Pattern};
use keyloom_plan::Program;
use keyloom_size::{Tariff, calls_in_month};
use keyloom_text::{read, read_layout};

/// A catalog, and the published layout of it.
struct Worked {
    domain: String,
    catalog: Catalog,
    published: Layout,
}

/// What of a pattern is not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exception {
    /// No layout serves it on this engine.
    Refused,
    /// Ours costs more than the published one.
    Dearer,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worked")
}

/// All of them, in the order of their names.
fn all() -> Vec<Worked> {
    let mut domains: Vec<PathBuf> =
        folder().read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    domains.sort();
    domains.iter().map(|path| worked(path)).collect()
}

fn worked(path: &Path) -> Worked {
    let text = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    let domain = path.file_name().unwrap().to_str().unwrap().to_owned();
    let reading = read("catalog.yaml", &One(&text("catalog.yaml")), &mut Sources::default());
    let wrong: Vec<&str> = reading
        .findings
        .iter()
        .filter(|found| found.level == Level::Error)
        .map(|found| found.message.as_str())
        .collect();
    assert!(wrong.is_empty(), "{domain}: {wrong:#?}");
    let published =
        read_layout("layout.yaml", &One(&text("published.cassandra.yaml")), &mut Sources::default(), &reading);
    assert!(published.findings.is_empty(), "{domain}: {:#?}", published.findings);
    Worked { domain, catalog: reading.catalog, published: published.layout }
}

/// The exceptions that are known, each a line `domain pattern what: why`.
fn known() -> Vec<(String, Exception)> {
    let text = std::fs::read_to_string(folder().join("exceptions.txt")).unwrap();
    let known = |line: &str| {
        let (what, why) = line.split_once(": ")?;
        assert!(why.len() > 40, "an exception is explained: {line}");
        let mut words = what.split(' ');
        let (domain, pattern) = (words.next()?, words.next()?);
        let exception = match words.next()? {
            "refused" => Exception::Refused,
            "dearer" => Exception::Dearer,
            _ => return None,
        };
        Some((format!("{domain}/{pattern}"), exception))
    };
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| known(line).unwrap_or_else(|| panic!("not understood: {line}"))).collect()
}

/// A weight as microseconds of processor for one call.
fn micros(weight: u128, calls: u128) -> f64 {
    Tariff::nanos(weight) as f64 / calls.max(1) as f64 / 1e3
}

/// A weight as milliseconds of processor in a second.
fn load(weight: u128) -> f64 {
    const MONTH_S: f64 = 30.44 * 86_400.0;
    Tariff::nanos(weight) as f64 / MONTH_S / 1e6
}

/// What the publication states: all reads, and these writes.
const PUBLISHED_WRITES: [&str; 3] = ["cancel_order", "switch_active_cart", "add_to_cart"];

fn is_published(pattern: &Pattern) -> bool {
    matches!(pattern.action, Action::Read(_)) || PUBLISHED_WRITES.contains(&pattern.name.as_str())
}

/// What is seen when both are priced.
#[derive(Default)]
struct Seen {
    table: String,
    patterns: usize,
    published: usize,
    exceptions: Vec<(String, Exception)>,
}

impl Seen {
    /// Designs a catalog and prices both layouts.
    fn look(&mut self, Worked { domain, catalog, published }: &Worked, terms: &Terms<'_>) {
        let ours = search(catalog, terms).layout;
        for refusal in Program::compile(catalog, &ours, terms.abilities).refusals {
            let pattern = refusal.at.strip_prefix("patterns.").unwrap_or_else(|| panic!("{domain}: {refusal}"));
            self.exceptions.push((format!("{domain}/{pattern}"), Exception::Refused));
        }
        let price = |layout: &Layout| (check(catalog, layout, terms), check_patterns(catalog, layout, terms));
        let ((all, own), (all_published, theirs)) = (price(&ours), price(published));
        let _ = writeln!(self.table, "{domain:<40} {:>10} {:>10}", "ours", "published");
        for pattern in &catalog.patterns {
            let (own, theirs, calls) = (own[&pattern.name], theirs[&pattern.name], calls_in_month(pattern));
            let mark = if is_published(pattern) { '+' } else { ' ' };
            let said = if own > theirs { "  dearer" } else { "" };
            let (own_us, theirs_us) = (micros(own, calls), micros(theirs, calls));
            let _ = writeln!(self.table, "  {mark} {:<36} {own_us:>10.1} {theirs_us:>10.1}{said}", pattern.name);
            self.patterns += 1;
            self.published += usize::from(is_published(pattern));
            if own > theirs {
                self.exceptions.push((format!("{domain}/{}", pattern.name), Exception::Dearer));
            }
        }
        let (ms, ms_published) = (load(all.weight), load(all_published.weight));
        let _ = writeln!(self.table, "  in all {:<33} {ms:>10.2} {ms_published:>10.2}", "");
        let (tables, tables_published) = (ours.tables.len(), published.tables.len());
        let _ = writeln!(self.table, "  tables {:<33} {tables:>10} {tables_published:>10}", "");
        let broken = |score: Score| score.by_kind()[..4].iter().sum::<u64>();
        let (limits, limits_published) = (broken(all), broken(all_published));
        let _ = writeln!(self.table, "  limits crossed {:<25} {limits:>10} {limits_published:>10}\n", "");
        // Designs within a hundredth of each other count as equal, and the one with fewer tables is taken.
        assert!(all.weight <= all_published.weight + all_published.weight / 100, "{domain}: ours costs more in all");
    }
}

#[test]
fn our_designs_cost_no_more_than_published_ones() {
    let mut seen = Seen::default();
    let all = all();
    assert!(all.len() >= 5);
    for worked in &all {
        on(Engine::Cassandra, |terms| seen.look(worked, terms));
    }
    println!("{}{} patterns, {} of them published", seen.table, seen.patterns, seen.published);
    assert!(seen.published >= 30);
    assert!(seen.exceptions.len() * 10 <= seen.patterns, "{:#?}", seen.exceptions);
    let mut known = known();
    known.sort();
    seen.exceptions.sort();
    assert_eq!(seen.exceptions, known, "worked/exceptions.txt says which are known, and why");
    is_documented(seen.table.trim_end());
}

/// Compares the table with the one that is shown in the documentation.
fn is_documented(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/worked.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("```text\n").unwrap();
    let (shown, after) = rest.split_once("\n```").unwrap();
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        std::fs::write(&path, format!("{before}```text\n{table}\n```{after}")).unwrap();
    } else {
        assert!(shown == table, "docs/worked.md shows another table; KEYLOOM_UPDATE=1 rewrites it");
    }
}
