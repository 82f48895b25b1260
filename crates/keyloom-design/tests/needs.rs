//! What would keep broken limits: found by trying, and said to need what whoever runs a layout says that he lacks.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails, and reads the examples"
)]

mod common;

use keyloom_design::search::{Lack, Need, Remedy, Terms, needs, search};
use keyloom_model::layout::{Bucket, Part};
use keyloom_model::{Catalog, Engine};
use keyloom_plan::Program;

/// A run time that knows neither buckets nor spreads.
fn plain_run_time(program: &Program) -> Vec<Lack> {
    let mut lacks = Vec::new();
    for table in &program.layout.tables {
        let mut say = |what: &str| lacks.push(Lack { at: format!("tables.{}", table.name), what: what.to_owned() });
        if table.partition.parts().iter().any(|part| matches!(part, Part::Bucket(..))) {
            say("time buckets");
        }
        if table.spread.is_some() {
            say("spread");
        }
    }
    lacks
}

fn found(catalog: &Catalog, engine: Engine, not_run: &dyn Fn(&Program) -> Vec<Lack>) -> Vec<Need> {
    common::on(engine, |terms| {
        let terms = Terms { not_run, ..*terms };
        needs(catalog, &search(catalog, &terms), &terms)
    })
}

fn of<'a>(needs: &'a [Need], table: &str) -> &'a Need {
    needs.iter().find(|need| need.table == table).unwrap()
}

#[test]
fn heavy_groups_need_a_spread_and_what_is_too_much_for_any_is_said() {
    let needs = found(&common::example("cases"), Engine::Cassandra, &plain_run_time);
    let assignees = of(&needs, "task_open_by_assignee_due");
    assert_eq!(assignees.by, Some(Remedy::Spread { over: 2 }), "200k rows above 100k");
    assert_eq!(assignees.lacks, ["spread"]);
    assert_eq!(of(&needs, "task_open_by_team").by, Some(Remedy::Spread { over: 8 }), "600k rows above 100k");
    // One actor writes 4M rows a day: too much for any step with few partitions, and for a spread of 64.
    assert_eq!(of(&needs, "audit_event").by, None);
}

#[test]
fn rows_that_come_with_time_need_a_step_of_it() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cases/catalog.yaml"),
    )
    .unwrap();
    // Of a timeline whose moments the caller sends, nobody knows in which month the newest row stands.
    let sent = found(&common::catalog_of(&text), Engine::Cassandra, &plain_run_time);
    let by_month = Some(Remedy::Step { step: Bucket::Month, field: "at".to_owned(), partitions: 1 });
    let same_step = |need: &Need| match (&need.by, &by_month) {
        (Some(Remedy::Step { step, field, .. }), Some(Remedy::Step { step: known, field: of, .. })) => {
            (step, field) == (known, of)
        }
        _ => false,
    };
    let timeline = of(&sent, "case_event");
    assert!(same_step(timeline), "{timeline:?}");
    assert_eq!(timeline.lacks.len(), 2, "{:?}", timeline.lacks);
    assert!(timeline.lacks[1].contains("given by the clock"), "{:?}", timeline.lacks);
    // Where the clock gives them, all that is missing is who runs it.
    let given = text.replacen("      at: timestamp\n", "      at: timestamp = now\n", 1);
    let given = found(&common::catalog_of(&given), Engine::Cassandra, &plain_run_time);
    assert_eq!(of(&given, "case_event").lacks, ["time buckets"]);
}

#[test]
fn what_is_run_needs_nothing_but_what_a_catalog_states() {
    for engine in common::ENGINES {
        let needs = found(&common::example("cases"), engine, &|_| Vec::new());
        let lacks: Vec<&String> = needs.iter().flat_map(|need| &need.lacks).collect();
        assert!(lacks.iter().all(|lack| lack.contains("given by the clock")), "{lacks:?}");
    }
}

#[test]
fn a_catalog_that_breaks_nothing_needs_nothing() {
    assert_eq!(found(&common::example("shop"), Engine::DynamoDb, &plain_run_time), []);
}
