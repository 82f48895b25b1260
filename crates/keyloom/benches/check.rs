//! What a check costs, and how that grows: `cargo bench -p keyloom`.
//!
//! Catalogs of 100, 1,000 and 10,000 patterns are read, reviewed and rendered. Beside each time stands a floor of the
//! same run: the bare YAML parser walking over the same bytes. A plain program instead of a benchmark library: the
//! table is what is wanted, and nothing has to be built for it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads the clock and prints its table")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use granit_parser::Parser;
use keyloom::check::{Config, all_rules, review};
use keyloom::finding::Sources;
use keyloom::finding::render::{Format, Report, Style, render};
use keyloom::model::Date;
use keyloom::text::{Files, Unreadable, format, read};

const SIZES: [usize; 3] = [100, 1_000, 10_000];
const TODAY: Date = Date { year: 2026, month: 11, day: 15 };

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn main() {
    println!("patterns        bytes   YAML alone         read       review       render          fmt        check");
    let mut slopes = Vec::new();
    for patterns in SIZES {
        let text = catalog(patterns);
        let yaml = fastest(|| {
            assert!(Parser::new_from_str(&text).all(|event| event.is_ok()), "the catalog is YAML");
        });
        let reading = fastest(|| drop(read("catalog.yaml", &One(&text), &mut Sources::default())));
        let mut sources = Sources::default();
        let readings = [read("catalog.yaml", &One(&text), &mut sources)];
        assert_eq!(readings[0].catalog.patterns.len(), patterns, "{:?}", readings[0].findings.first());
        let reviewing = fastest(|| drop(review(&readings, &sources, &Config::default(), TODAY)));
        let findings = review(&readings, &sources, &Config::default(), TODAY);
        let rules = all_rules();
        let report =
            Report { findings: &findings, sources: &sources, rules: &rules, version: "0", today: None, survey: None };
        let rendering = fastest(|| drop(render(&report, Format::Text, Style { color: false, width: 100 })));
        let file = readings[0].files[0];
        let formatting = fastest(|| drop(format(&sources, file)));
        let check = reading + reviewing + rendering;
        println!(
            "{patterns:>8} {:>12} {yaml:>12.2?} {reading:>12.2?} {reviewing:>12.2?} {rendering:>12.2?} {formatting:>12.2?} {check:>12.2?}   {} findings",
            text.len(),
            findings.len()
        );
        slopes.push((patterns, check.as_nanos() as f64 / patterns as f64, check.as_secs_f64() / yaml.as_secs_f64()));
    }
    println!();
    let mut before = None;
    for (patterns, each, floor) in slopes {
        let slope = before.map_or(String::new(), |before| format!(", {:.2}x of the size before", each / before));
        println!("{patterns:>8} patterns: {each:.0} ns each, {floor:.1}x the YAML parser alone{slope}");
        before = Some(each);
    }
}

/// The fastest of several runs: what else the machine does only ever adds.
fn fastest(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let start = Instant::now();
    for run in 0.. {
        let began = Instant::now();
        black_box(&mut work)();
        best = best.min(began.elapsed());
        if run >= 4 && start.elapsed() > Duration::from_millis(500) {
            break;
        }
    }
    best
}

/// A catalog of so many patterns, ten to an entity, of the kinds that the examples have.
fn catalog(patterns: usize) -> String {
    let mut text = "language: 1\ncatalog: bench\nas_of: 2026-11-01\ntenant: { field: tenant_id, type: uuid, count: 300 }\nentities:\n".to_owned();
    let entities = patterns.div_ceil(10);
    for at in 0..entities {
        let parent = at / 2;
        write!(
            text,
            "  Thing{at}:
    key: [thing_id]
    fields:
      thing_id: uuid = new
      parent_id: uuid -> Thing{parent}
      owner_id: uuid?
      status: enum(OPEN 6% | CLOSED 94%) = OPEN
      priority: enum(LOW | NORMAL | HIGH) = NORMAL
      title: text(80..400)
      title_key: text(80..400) = lower(title)
      due_at: timestamp
      created_at: timestamp = now
      labels: set of text(8..30) (2 / 10 / 40)
      amount: decimal(2)
    states: {{ status: [OPEN -> CLOSED] }}
    drift: {{ title: 1 day }}
    volume: {{ rows: 50M, growth: 120k/day }}
    groups: {{ parent_id: 12 / 400 / 20k, owner_id where status = OPEN: 40 / 5k / 200k }}
"
        )
        .expect("a string takes every text");
    }
    text.push_str("patterns:\n");
    for at in 0..patterns {
        let thing = at / 10;
        let what = match at % 10 {
            0 => "get: ThingN, by: [thing_id], rate: { mean: 100k/day, peak: 20/s }, freshness: latest, latency: 10ms",
            1 => {
                "list: ThingN, by: [parent_id], where: status = OPEN, order: due_at asc, page: 100, freshness: 5s, rate: 80/s"
            }
            2 => {
                "list: ThingN, by: [owner_id], where: status = OPEN and due_at in $from..$to, order: due_at desc, page: 50, span: 1 day / 7 days / 31 days, returns: [thing_id, title, due_at, parent.title], freshness: read_your_writes, rate: 300/s"
            }
            3 => "create: ThingN, takes: [parent_id, title, due_at, amount, labels], rate: { mean: 120k/day }",
            4 => "update: ThingN, by: [thing_id], set: { status: CLOSED }, rate: { mean: 110k/day }",
            5 => {
                "update: ThingN, by: [thing_id], set: { owner_id: $user_id }, if: owner_id is null and status = OPEN else taken, rate: 30/s"
            }
            6 => {
                "update: ThingN, by: [thing_id], set: { due_at: $due_at }, if: version = $version else changed_meanwhile, rate: 4/s"
            }
            7 => {
                "claim: ThingN, tenant: all, by: all, where: status = OPEN and due_at <= now, order: due_at asc, up_to: 50, lease: 60s, rate: 20/s, group: 500 / 20k / 600k"
            }
            8 => "count: ThingN, by: [parent_id], where: status = OPEN, up_to: 100, freshness: 5s, rate: 9/s",
            _ => "delete: ThingN, by: [thing_id], rate: rare",
        };
        let what = what.replace("ThingN", &format!("Thing{thing}"));
        writeln!(text, "  pattern_{at}: {{ {what} }}").expect("a string takes every text");
    }
    text
}
