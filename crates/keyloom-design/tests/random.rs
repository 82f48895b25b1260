//! Random catalogs have layouts that hold: nothing is refused but what no layout could hold.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;

use std::collections::BTreeMap;

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_model::layout::Table;
use keyloom_plan::{Because, Program};
use keyloom_sample::{Size, catalog};
use keyloom_store::Shape;
use keyloom_text::{print_layout, read, read_layout};
use support::{One, abilities};

/// Designs the catalog of a seed for three engines; says what is wrong.
fn wrong(seed: u64) -> Vec<String> {
    let text = catalog(seed, Size::of(seed));
    let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
    let mut found = Vec::new();
    for engine in [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb] {
        let abilities = abilities(engine);
        let layout = design(&reading.catalog, engine, &abilities);
        let mut say = |what: String| found.push(format!("seed {seed} on {}: {what}", engine.name()));
        if layout != design(&reading.catalog, engine, &abilities) {
            say("another time it is another layout".to_owned());
        }
        let program = Program::compile(&reading.catalog, &layout, &abilities);
        for refusal in program.refusals.iter().filter(|refusal| refusal.because == Because::Layout) {
            say(refusal.to_string());
        }
        if program.layout != layout {
            say("compiled again it says something else".to_owned());
        }
        for table in &program.tables {
            if let Err(fault) = Shape::of(table.clone()) {
                say(fault.cause().to_owned());
            }
        }
        for table in layout.tables.iter().filter(|table| table.name.len() > Table::NAME_MAX) {
            say(format!("the name `{}` is too long", table.name));
        }
        let written = print_layout(&layout);
        let again = read_layout("layout.yaml", &One(&written), &mut Sources::default(), &reading);
        for finding in &again.findings {
            say(format!("{}\n{written}", finding.message));
        }
        if again.findings.is_empty() && again.layout != layout {
            say("read again it is another layout".to_owned());
        }
    }
    found
}

fn all_hold(seeds: std::ops::Range<u64>) {
    let mut found: Vec<String> = seeds.flat_map(wrong).collect();
    let count = found.len();
    found.truncate(10);
    assert!(found.is_empty(), "{count} in all:\n{}", found.join("\n"));
}

#[test]
fn layouts_of_random_catalogs_hold() {
    all_hold(0..100);
}

#[test]
#[ignore = "a minute: for changes of the designer or the finder"]
fn layouts_of_a_thousand_random_catalogs_hold() {
    all_hold(0..1_000);
}

/// Every kind of table and every way to answer comes up, so that the tests above test them.
#[test]
fn every_kind_of_table_comes_up() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..100 {
        let text = catalog(seed, Size::of(seed));
        let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
        let abilities = abilities(Engine::Cassandra);
        let layout = design(&reading.catalog, Engine::Cassandra, &abilities);
        for table in &layout.tables {
            let kind = format!("{:?}", table.holds);
            let kind = kind.split([' ', '(']).next().unwrap_or_default().to_owned();
            *kinds.entry(kind).or_default() += 1;
            *kinds.entry("where".to_owned()).or_default() += usize::from(table.filter.is_some());
            *kinds.entry("all tenants".to_owned()).or_default() += usize::from(table.all_tenants);
            let nulls = table.sort.iter().any(|item| item.nulls_last);
            *kinds.entry("nulls last".to_owned()).or_default() += usize::from(nulls);
        }
        let program = Program::compile(&reading.catalog, &layout, &abilities);
        for plan in &program.reads {
            let reach = format!("{:?}", plan.access.reach);
            *kinds.entry(reach.split([' ', '(']).next().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    let wanted = ["Source", "Projection", "Reservations", "Kept", "Contributions", "Newest", "Numbers"];
    for kind in wanted.into_iter().chain(["where", "all tenants", "nulls last", "Get", "Via", "Slice"]) {
        assert!(kinds.get(kind).is_some_and(|count| *count >= 5), "{kind}: {kinds:?}");
    }
}
