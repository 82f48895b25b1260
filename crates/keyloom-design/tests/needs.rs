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
    let needs = found(&common::example("cases"), Engine::Cassandra, &plain_run_time);
    let timeline = of(&needs, "case_event");
    let by_month = matches!(&timeline.by, Some(Remedy::Step { step: Bucket::Month, field, .. }) if field == "at");
    assert!(by_month, "{timeline:?}");
    assert_eq!(timeline.lacks, ["time buckets"]);
}

#[test]
fn what_is_run_needs_nothing() {
    for engine in common::ENGINES {
        let needs = found(&common::example("cases"), engine, &|_| Vec::new());
        assert!(needs.iter().all(|need| need.lacks.is_empty()), "{needs:?}");
    }
}

#[test]
fn a_catalog_that_breaks_nothing_needs_nothing() {
    assert_eq!(found(&common::example("shop"), Engine::DynamoDb, &plain_run_time), []);
}
