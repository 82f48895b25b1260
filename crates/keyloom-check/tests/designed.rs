//! A layout that `design` wrote has no errors, on any engine, but for what no layout could hold there.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "examples are files, and a broken one must stop the test"
)]

use std::path::Path;

use keyloom_check::{Config, Laid, review_all};
use keyloom_design::design;
use keyloom_finding::{Level, Sources};
use keyloom_model::{Date, Engine};
use keyloom_plan::{Because, Program};
use keyloom_sample::{Size, catalog};
use keyloom_text::{Files, Unreadable, print_layout, read, read_layout};

mod support;

/// A partition that outgrows Cassandra is cut by time only where its order begins with one and its rows end. Random catalogs have
/// groups of any size whose rows have no time, or never end: nothing is cut there, and the numbers break the limit in every
/// layout by rule.
const UNCUT: &[(Engine, &str)] =
    &[(Engine::Cassandra, "oversized-partition"), (Engine::Cassandra, "unbounded-partition")];

/// The texts of a review, by name.
struct Texts<'a>(Vec<(&'a str, &'a str)>);

impl Files for Texts<'_> {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        let text = self.0.iter().find(|(known, _)| *known == name);
        text.map(|(_, text)| (*text).to_owned()).ok_or(Unreadable::Missing)
    }
}

/// The errors that a review finds in designed layouts of a catalog, and not in the catalog itself, but for those that no
/// layout could avoid.
fn faults(catalog: &str, uncut: &[(Engine, &str)]) -> Vec<String> {
    let mut all = Vec::new();
    for engine in [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb] {
        let abilities = support::abilities(engine).unwrap();
        let mut sources = Sources::default();
        let reading = read("catalog.yaml", &Texts(vec![("catalog.yaml", catalog)]), &mut sources);
        let designed = design(&reading.catalog, engine, &abilities);
        let refusals = Program::compile(&reading.catalog, &designed, &abilities).refusals;
        let impossible = refusals.into_iter().filter(|refusal| refusal.because == Because::Engine);
        let impossible: Vec<String> = impossible.map(|refusal| refusal.what.to_string()).collect();
        let designed = print_layout(&designed);
        let layout = read_layout("layout.yaml", &Texts(vec![("layout.yaml", &designed)]), &mut sources, &reading);
        let laid = Laid { catalog: 0, reading: layout, abilities: Some(abilities) };
        let today = Date { year: 2026, month: 11, day: 16 };
        let review = |layouts: &[Laid]| {
            let found = review_all(std::slice::from_ref(&reading), layouts, &[], &sources, &Config::default(), today);
            found.into_iter().filter(|finding| finding.level == Level::Error).collect::<Vec<_>>()
        };
        let alone: Vec<String> = review(&[]).into_iter().map(|finding| finding.message).collect();
        for finding in review(&[laid]).into_iter().filter(|finding| !alone.contains(&finding.message)) {
            let (rule, message) = (finding.rule.name, &finding.message);
            // The traffic of one item meets in one place, whatever the layout.
            let excused = rule == "hot-partition"
                || impossible.iter().any(|what| message.contains(what.as_str()))
                || uncut.contains(&(engine, rule));
            if !excused {
                all.push(format!("{}: {rule}: {message}", engine.name()));
            }
        }
    }
    all
}

#[test]
fn a_designed_layout_of_an_example_has_no_errors() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for example in ["shop", "chat", "sensors", "cases"] {
        let text = std::fs::read_to_string(examples.join(example).join("catalog.yaml")).unwrap();
        let faults = faults(&text, &[]);
        assert!(faults.is_empty(), "{example}\n{}", faults.join("\n"));
    }
}

#[test]
fn a_designed_layout_of_any_catalog_has_no_errors() {
    const CATALOGS: u64 = 300;
    let of = |seed: u64| {
        let found = faults(&catalog(seed, Size::of(seed)), UNCUT);
        found.into_iter().map(move |fault| format!("seed {seed}, {fault}"))
    };
    let faults: Vec<String> = (0..CATALOGS).flat_map(of).collect();
    assert!(faults.is_empty(), "{} errors\n{}", faults.len(), faults.join("\n"));
}
