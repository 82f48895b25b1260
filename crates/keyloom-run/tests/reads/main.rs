//! Reads of every form, compared with a plain list that is filtered and sorted: rows and calls by chance, pages in both
//! directions.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and the catalog is a file"
)]

mod desk;
mod plain;

use desk::Desk;
use keyloom_run::{Answer, Problem};
use plain::Plain;
use serde_json::{Value as Json, json};

const SEEDS: u64 = 40;

/// One seed: some rows, some of them moved, then many calls.
fn compare(seed: u64) {
    let mut desk = Desk::new(seed);
    for _ in 0..10 + desk.dice.below(60) {
        desk.change();
    }
    for _ in 0..60 {
        let call = desk.call();
        let expected = Plain(&desk).answer(&call);
        let told = |what: &str, found: &dyn std::fmt::Debug| {
            panic!("seed {seed}, {}: {call:?}: {what}\nexpected {expected:#?}\nfound {found:#?}", desk.name)
        };
        match &expected {
            plain::Expected::Row(row) => {
                let found = desk.row(&call);
                if found != *row {
                    told("another row", &found);
                }
            }
            plain::Expected::Count(count, at_least) => {
                let answer = desk.ask(&call, None, None);
                if answer != Ok(Answer::Count { count: *count, at_least: *at_least }) {
                    told("another count", &answer);
                }
            }
            plain::Expected::Rows(rows) => {
                let there = desk.all_pages(&call);
                if there != *rows {
                    told("other rows", &there);
                }
                let back = desk.all_pages_back(&call);
                if back != *rows {
                    told("other rows on the way back", &back);
                }
            }
        }
    }
}

#[test]
fn every_form_of_a_read_answers_as_a_plain_list_does() {
    (0..SEEDS).for_each(compare);
}

#[test]
#[ignore = "by hand: twenty minutes"]
fn every_form_of_a_read_answers_as_a_plain_list_does_for_long() {
    (SEEDS..10_000).for_each(compare);
}

#[test]
fn several_keys_are_answered_in_their_order_with_gaps() {
    let mut desk = Desk::new(1);
    (0..30).for_each(|_| desk.change());
    let ids: Vec<Json> = desk.tickets.iter().take(3).map(|ticket| ticket["ticket_id"].clone()).collect();
    let nobody = json!("00000000-0000-4000-8000-000000000000");
    let asked = [ids[2].clone(), nobody, ids[0].clone(), ids[2].clone()];
    let found = desk.get_some(&asked).unwrap();
    let found: Vec<Option<Json>> = found.into_iter().map(|answer| answer.map(|row| row["ticket_id"].clone())).collect();
    assert_eq!(found, [Some(ids[2].clone()), None, Some(ids[0].clone()), Some(ids[2].clone())]);
    let many = vec![ids[0].clone(); 21];
    assert_eq!(desk.get_some(&many), Err(Problem::Input("21 items, but at most 20 are taken at a time".into())));
}

#[test]
fn a_page_that_finds_little_is_short_and_goes_on() {
    let mut desk = Desk::new(3);
    // Whichever of the two tests is made by a key, the other one fails forty times before it holds.
    for number in 0..40 {
        desk.add("q0", "WAITING", "LOW", &format!("t{number:02}"), None);
        desk.add("q0", "OPEN", "HIGH", &format!("t{number:02}"), None);
    }
    desk.add("q0", "WAITING", "HIGH", "t99", None);
    let inputs = [("queue_id", json!("q0")), ("status", json!("WAITING")), ("priority", json!("HIGH"))];
    let call = desk::Asked::of("some", &inputs);
    let first = desk.ask(&call, None, None);
    let Ok(Answer::Rows { rows, next: Some(next), partial: true, .. }) = first else {
        panic!("thirty rows are looked at, and none of them fits: {first:?}")
    };
    assert!(rows.is_empty());
    let Ok(Answer::Rows { rows, next: None, partial: false, .. }) = desk.ask(&call, None, Some(&next)) else {
        panic!("the rest is within the bound")
    };
    assert_eq!(rows.len(), 1);
}

#[test]
fn a_cursor_belongs_to_its_order() {
    let mut desk = Desk::new(4);
    for number in 0..12 {
        desk.add("q0", "OPEN", "LOW", &format!("t{number:02}"), None);
    }
    let asked = |order| desk::Asked { order: Some(order), ..desk::Asked::of("of_queue", &[("queue_id", json!("q0"))]) };
    let Ok(Answer::Rows { next: Some(next), .. }) = desk.ask(&asked("urgent"), None, None) else { panic!("two pages") };
    assert!(matches!(desk.ask(&asked("due"), None, Some(&next)), Err(Problem::Cursor(_))));
    let strange = desk.ask(&asked("newest"), None, None);
    let words = "`order`: there is no order `newest`; it has: due, urgent";
    assert_eq!(strange, Err(Problem::Input(words.into())));
}
