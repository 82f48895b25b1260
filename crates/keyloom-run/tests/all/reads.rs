//! Reads of every form, compared with a plain list that is filtered and sorted: rows and calls by chance, pages in both
//! directions.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and the catalog is a file"
)]

mod compare;
mod desk;
mod plain;

use std::sync::Arc;

use compare::compare;
use desk::{Asked, Desk};
use keyloom_model::Engine;
use keyloom_run::{Answer, Problem};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::clock;

const SEEDS: u64 = 40;

/// A desk on one of three stores, by the seed.
fn desk(seed: u64) -> Desk {
    let runtime = Arc::new(tokio::runtime::Builder::new_current_thread().build().unwrap());
    match seed % 3 {
        0 => Desk::on("model", Model::new(), Engine::Embedded, runtime, seed),
        1 => Desk::on("simulated wide", AtOnce::new(seed, WideStore::new), Engine::Cassandra, runtime, seed),
        _ => Desk::on("simulated items", AtOnce::new(seed, ItemStore::new), Engine::DynamoDb, runtime, seed),
    }
}

#[test]
fn every_form_of_a_read_answers_as_a_plain_list_does() {
    (0..SEEDS).for_each(|seed| compare(desk(seed), 60));
}

#[test]
#[ignore = "by hand: twenty minutes"]
fn every_form_of_a_read_answers_as_a_plain_list_does_for_long() {
    (SEEDS..10_000).for_each(|seed| compare(desk(seed), 60));
}

#[test]
fn several_keys_are_answered_in_their_order_with_gaps() {
    let mut desk = desk(1);
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
    let mut desk = desk(3);
    // Whichever of the two tests is made by a key, the other one fails forty times before it holds.
    for number in 0..40 {
        desk.add("q0", "WAITING", "LOW", &format!("t{number:02}"), None);
        desk.add("q0", "OPEN", "HIGH", &format!("t{number:02}"), None);
    }
    desk.add("q0", "WAITING", "HIGH", "t99", None);
    let inputs = [("queue_id", json!("q0")), ("status", json!("WAITING")), ("priority", json!("HIGH"))];
    let call = Asked::of("some", &inputs);
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
    let mut desk = desk(4);
    for number in 0..12 {
        desk.add("q0", "OPEN", "LOW", &format!("t{number:02}"), None);
    }
    let asked = |order| Asked { order: Some(order), ..Asked::of("of_queue", &[("queue_id", json!("q0"))]) };
    let Ok(Answer::Rows { next: Some(next), .. }) = desk.ask(&asked("urgent"), None, None) else { panic!("two pages") };
    assert!(matches!(desk.ask(&asked("due"), None, Some(&next)), Err(Problem::Cursor(_))));
    let strange = desk.ask(&asked("newest"), None, None);
    let words = "`order`: there is no order `newest`; it has: due, urgent";
    assert_eq!(strange, Err(Problem::Input(words.into())));
}

#[test]
fn several_ranges_together_look_at_no_more_than_the_page_may() {
    for seed in 0..3 {
        let mut desk = desk(seed);
        let tickets: Vec<String> =
            (0..4).map(|number| format!("0000000{number}-0000-4000-8000-000000000000")).collect();
        for number in 0..120 {
            let ticket = &tickets[number % 4];
            desk.write("note", &json!({"ticket_id": ticket, "number": number, "author": "ann", "words": "some"}));
        }
        // No words begin so: every page looks at as many rows as it may. The desk holds each call to its bound.
        let inputs = [("author", json!("ann")), ("tickets", json!(tickets)), ("begin", json!("x"))];
        let (asked, mut cursor, mut pages) = (Asked::of("said_by", &inputs), None, 0);
        loop {
            let answer = desk.ask(&asked, None, cursor.as_deref());
            let Ok(Answer::Rows { rows, next, partial, .. }) = answer else { panic!("{answer:?}") };
            assert!(rows.is_empty() && partial == next.is_some(), "{}", desk.name);
            pages += 1;
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert!(pages > 2, "{}: {pages} pages", desk.name);
    }
}
