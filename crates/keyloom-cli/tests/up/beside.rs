//! The layout that is searched for beside the plain one, on a real Cassandra under the same load: what each call of a pattern did
//! to the store and how long it took, and what `size` said before that it would do.
#![allow(clippy::print_stdout, reason = "it says what it saw")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use keyloom::design::design;
use keyloom::finding::Sources;
use keyloom::model::layout::{Layout, Question};
use keyloom::model::{Catalog, Engine, Entity, Expr, Group, Literal, Path as FieldPath, Share, Type};
use keyloom::plan::{Program, ReadPlan};
use keyloom::serve::{abilities, designed, dialect};
use keyloom::size::{Ground, Visit, Visits};
use keyloom::text::{Files, Unreadable, print_layout, read};
use keyloom_engines::{Cassandra, announce, available, cassandra};
use serde_json::{Map, Value as Json};

use crate::process::{Up, ended, example, keyloom};

/// How much is driven.
struct Drive {
    rounds: u64,
    seconds: u64,
    rate: u64,
    rows: u64,
}

/// What one call of a pattern does to the store, in the mean.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    /// Partitions that are read, a row by its key among them.
    partitions: f64,
    /// Rows that are read.
    rows: f64,
    decisions: f64,
    placements: f64,
}

impl Work {
    fn each(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            partitions: of(self.partitions, other.partitions),
            rows: of(self.rows, other.rows),
            decisions: of(self.decisions, other.decisions),
            placements: of(self.placements, other.placements),
        }
    }

    fn plus(self, other: Self) -> Self {
        self.each(other, |one, other| one + other)
    }

    fn times(self, factor: f64) -> Self {
        self.each(self, |one, _| one * factor)
    }
}

/// What was measured of a pattern.
#[derive(Debug, Clone, Default)]
struct Measured {
    calls: f64,
    work: Work,
    /// Of each round, in microseconds.
    p50: Vec<f64>,
    p99: Vec<f64>,
}

impl Measured {
    fn add(&mut self, of: &Json) {
        let number = |of: &Json| of.as_f64().unwrap_or(0.0);
        let (calls, work) = (number(&of["calls"]), &of["work"]);
        let round = Work {
            partitions: number(&work["partitions_mean"]),
            rows: number(&work["rows_mean"]),
            decisions: number(&work["decisions_mean"]),
            placements: number(&work["placements_mean"]),
        };
        if calls > 0.0 {
            let all = self.work.times(self.calls).plus(round.times(calls));
            self.calls += calls;
            self.work = all.times(1.0 / self.calls);
            self.p50.push(number(&of["p50_us"]));
            self.p99.push(number(&of["p99_us"]));
        }
    }
}

/// One of the two layouts, served.
struct Side {
    layout: Layout,
    store: String,
    up: Up,
    measured: BTreeMap<String, Measured>,
}

struct OneFile(PathBuf);

impl Files for OneFile {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(std::fs::read_to_string(&self.0).unwrap())
    }
}

fn cases_core() -> Catalog {
    let path = example("cases-core").join("catalog.yaml");
    read("catalog.yaml", &OneFile(path), &mut Sources::default()).catalog
}

impl Side {
    fn start(name: &str, layout: Layout, node: &Cassandra, folder: &Path) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("layout.yaml");
        std::fs::write(&file, print_layout(&layout)).unwrap();
        let store = format!("cassandra://{}/{name}", node.contact_point());
        let more = ["--layout", file.to_str().unwrap(), "--store", &store, "--create-keyspace", "1"];
        let up = Up::start(&example("cases-core"), &folder, &more);
        Self { layout, store, up, measured: BTreeMap::new() }
    }

    /// Drives it for a round.
    fn drive(&mut self, drive: &Drive, round: u64, folder: &Path) {
        let target = format!("http://{}", self.up.address);
        let key = self.up.operator_key().unwrap();
        let catalog = example("cases-core");
        let (seconds, rate) = (format!("{}s", drive.seconds), format!("{}/s", drive.rate));
        let (rows, seed) = (drive.rows.to_string(), round.to_string());
        let arguments = [
            &["load", catalog.to_str().unwrap(), "--format", "json", "--target", &target, "--key", &key][..],
            &["--for", &seconds, "--rate", &rate, "--rows", &rows, "--seed", &seed][..],
        ];
        let output = keyloom(&arguments.concat(), folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        let report: Json = serde_json::from_slice(&output.stdout).unwrap();
        for of in report["patterns"].as_array().unwrap() {
            for broken in ["bad_input", "broken", "no_answer", "not_sent", "no_page"] {
                assert_eq!(of["outcomes"].get(broken), None, "{of:#}");
            }
            self.measured.entry(of["pattern"].as_str().unwrap().to_owned()).or_default().add(of);
        }
    }

    /// The rows that are there, by entity.
    fn rows(&self, folder: &Path) -> BTreeMap<String, Vec<Map<String, Json>>> {
        let catalog = example("cases-core");
        let (code, text) = ended(&["export", catalog.to_str().unwrap(), "--store", &self.store], folder);
        assert_eq!(code, 0, "{text}");
        let mut rows: BTreeMap<String, Vec<Map<String, Json>>> = BTreeMap::new();
        for line in text.lines() {
            let line: Json = serde_json::from_str(line).unwrap();
            let entity = line["entity"].as_str().unwrap().to_owned();
            rows.entry(entity).or_default().push(line["row"].as_object().unwrap().clone());
        }
        rows
    }
}

/// The catalog with the sizes that its rows have: of each group what a call meets that is about any row of it, and how the values of
/// enums are spread. So `size` says what it would say had these numbers been stated.
fn as_they_are(catalog: &Catalog, rows: &BTreeMap<String, Vec<Map<String, Json>>>) -> Catalog {
    let mut catalog = catalog.clone();
    for entity in &mut catalog.entities {
        let Some(rows) = rows.get(&entity.name) else { continue };
        let sizes: Vec<Option<u64>> = entity.groups.iter().map(|group| met(group, rows)).collect();
        for (group, size) in entity.groups.iter_mut().zip(sizes) {
            (group.rows.typical, group.rows.per) = (size, None);
        }
        shares(entity, rows);
    }
    catalog
}

/// How many rows the group of a row has, in the mean over all rows that are in one.
fn met(group: &Group, rows: &[Map<String, Json>]) -> Option<u64> {
    let mut sizes: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for row in rows.iter().filter(|row| group.filter.as_ref().is_none_or(|test| passes(test, row))) {
        let key: Option<Vec<String>> = group.by.iter().map(|field| row.get(field).map(Json::to_string)).collect();
        *sizes.entry(key.unwrap_or_default()).or_default() += 1;
    }
    sizes.remove(&Vec::new());
    let (all, squares) = sizes.values().fold((0, 0), |(all, squares), size| (all + size, squares + size * size));
    (all > 0).then(|| (squares + all / 2) / all)
}

/// Whether a row has the one value that a test asks for.
fn passes(test: &Expr, row: &Map<String, Json>) -> bool {
    let Expr::Compare(_, field, value) = test else { panic!("{test}") };
    match (&**field, &**value) {
        (Expr::Path(FieldPath { field, .. }), Expr::Literal(Literal::Variant(value))) => row[field] == **value,
        _ => panic!("{test}"),
    }
}

fn shares(entity: &mut Entity, rows: &[Map<String, Json>]) {
    for field in &mut entity.fields {
        let Type::Enum(variants) = &mut field.ty else { continue };
        for variant in variants {
            let count =
                rows.iter().filter(|row| row.get(&field.name).is_some_and(|value| *value == *variant.name)).count();
            let millionths = count as u64 * 1_000_000 / rows.len().max(1) as u64;
            variant.share = Some(Share { millionths: u32::try_from(millionths).unwrap() });
        }
    }
}

/// What `size` says that one call of each pattern does.
fn predicted(catalog: &Catalog, layout: &Layout) -> BTreeMap<String, Work> {
    let (abilities, dialect) = (abilities(Engine::Cassandra).unwrap(), dialect(Engine::Cassandra, 1).unwrap());
    let program = Program::compile(catalog, layout, &abilities);
    let ground = Ground::new(&program, &*dialect);
    // Optional inputs are not sent, and of several orders the first is asked for.
    let is_base = |plan: &&ReadPlan| match &plan.asked.question {
        Question::Pattern { sent, .. } => sent.is_empty(),
        Question::Support { .. } => false,
    };
    let of = |pattern: &keyloom::model::Pattern| {
        let mut parts: BTreeMap<Option<String>, Work> = BTreeMap::new();
        for plan in program.reads_of(&pattern.name).filter(is_base) {
            let Question::Pattern { with, .. } = &plan.asked.question else { continue };
            parts.entry(with.clone()).or_insert_with(|| work(&ground.read(plan)));
        }
        let write = work(&ground.write(pattern));
        (pattern.name.clone(), parts.into_values().fold(write, Work::plus))
    };
    catalog.patterns.iter().map(of).collect()
}

/// Calls of the store as work, in the middle between the least and the most.
fn work(visits: &Visits) -> Work {
    let of = |visit: &Visit| match visit {
        Visit::Get { .. } => Work { partitions: 1.0, rows: 1.0, ..Work::default() },
        Visit::Slice { rows, .. } => Work { partitions: 1.0, rows: *rows as f64, ..Work::default() },
        Visit::Decide { rows } => Work { decisions: rows.len() as f64, ..Work::default() },
        Visit::Place { .. } => Work { placements: 1.0, ..Work::default() },
    };
    let mut all = Work::default();
    for row in &visits.decision {
        let often = (row.millionths.low + row.millionths.high) as f64 / 2e6;
        all = all.plus(Work { decisions: often, ..Work::default() });
    }
    for beside in &visits.beside {
        let (low, high) = (beside.visit.millionths.low as f64 / 1e6, beside.visit.millionths.high as f64 / 1e6);
        all = all.plus(of(&beside.visit.least).times(low / 2.0)).plus(of(&beside.visit.most).times(high / 2.0));
    }
    all
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What was measured of both layouts under the same load, in turns: the searched one first. `None` where there is no Cassandra.
fn compared(drive: &Drive) -> Option<[BTreeMap<String, Measured>; 2]> {
    let started = Cassandra::start(&cassandra::Options::default());
    let node = available("layouts beside each other", "Cassandra", started)?;
    let folder = tempfile::tempdir().unwrap();
    let catalog = cases_core();
    let plain = design(&catalog, Engine::Cassandra, &abilities(Engine::Cassandra).unwrap());
    let searched = designed(&catalog, Engine::Cassandra).unwrap();
    assert_ne!(plain, searched, "there is something to compare");
    let mut sides =
        [Side::start("searched", searched, &node, folder.path()), Side::start("plain", plain, &node, folder.path())];
    for round in 0..drive.rounds {
        // Who is second finds a warmer machine, so they take turns in that, too.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        order.into_iter().for_each(|at| sides[at].drive(drive, round + 1, folder.path()));
    }
    let both = sides.map(|side| {
        let predicted = predicted(&as_they_are(&catalog, &side.rows(folder.path())), &side.layout);
        (side, predicted)
    });
    print_beside(&catalog, &both);
    announce("layouts beside each other", "Cassandra", 1, 0);
    Some(both.map(|(side, _)| side.measured))
}

fn print_beside(catalog: &Catalog, both: &[(Side, BTreeMap<String, Work>); 2]) {
    println!("work of a call as predicted > measured: partitions read, rows read, rows decided, rows placed");
    for pattern in &catalog.patterns {
        for ((side, predicted), name) in both.iter().zip(["searched", "plain"]) {
            let Some(measured) = side.measured.get(&pattern.name) else { continue };
            let (said, did) = (&predicted[&pattern.name], &measured.work);
            let pair = |said: f64, did: f64| format!("{said:.1} > {did:.1}");
            println!(
                "{:<30} {name:<9} {:>6} calls  {:>14} {:>16} {:>12} {:>12}  p50 {:>7.2} ms  p99 {:>8.2} ms",
                pattern.name,
                measured.calls,
                pair(said.partitions, did.partitions),
                pair(said.rows, did.rows),
                pair(said.decisions, did.decisions),
                pair(said.placements, did.placements),
                median(&measured.p50) / 1e3,
                median(&measured.p99) / 1e3,
            );
        }
    }
}

/// The searched layout copies what the plain one looks up for each row of a page.
#[test]
fn the_searched_layout_reads_fewer_partitions_than_the_plain_one() {
    let drive = Drive { rounds: 1, seconds: 5, rate: 40, rows: 60 };
    let Some([searched, plain]) = compared(&drive) else { return };
    let partitions = |measured: &BTreeMap<String, Measured>| measured["list_open_tasks_for_assignee"].work.partitions;
    assert!(partitions(&searched) * 2.0 < partitions(&plain), "{searched:#?} {plain:#?}");
}

#[test]
#[ignore = "some minutes; the command stands in CONTRIBUTING.md"]
fn the_searched_layout_and_the_plain_one_side_by_side() {
    let number = |name: &str, default: u64| std::env::var(name).ok().map_or(default, |number| number.parse().unwrap());
    let drive = Drive {
        rounds: number("KEYLOOM_ROUNDS", 3),
        seconds: number("KEYLOOM_SECONDS", 30),
        rate: number("KEYLOOM_RATE", 60),
        rows: number("KEYLOOM_ROWS", 1_500),
    };
    assert!(compared(&drive).is_some(), "there is no Cassandra");
}
