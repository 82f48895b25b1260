//! Tables that are cut by time: callers can't tell, and years without rows are not walked through.

use std::sync::Arc;

use keyloom_model::{Engine, layout::Bucket};
use keyloom_run::{Answer, Call, Caller, Report, Verified, Verify, measured};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::{Define, Model, Store, Sweep};
use serde_json::{Value as Json, json};

use crate::support::{
    house::{House, opened, opened_shared},
    timeline::{CATALOG, cut_by, lists_are_as_without_buckets, verified},
};
use crate::verify::damage::Damaged;

fn house<S: Store + Define + Sweep>(store: S, engine: Engine, step: Bucket) -> House {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    opened(store, engine, runtime, CATALOG, cut_by(step))
}

fn on(seed: u64) -> House {
    let step = [Bucket::Month, Bucket::Day, Bucket::Year, Bucket::Hour][usize::try_from(seed / 3 % 4).unwrap()];
    match seed % 3 {
        0 => house(Model::new(), Engine::Embedded, step),
        1 => house(AtOnce::new(seed, WideStore::new), Engine::Cassandra, step),
        _ => house(AtOnce::new(seed, ItemStore::new), Engine::DynamoDb, step),
    }
}

#[test]
fn lists_answer_as_they_do_without_buckets() {
    for seed in 0..24 {
        lists_are_as_without_buckets(&on(seed), seed, 48);
    }
}

/// What a read asks of the store: partitions and rows.
fn work(house: &House, pattern: &str, body: &Json) -> (u64, u64) {
    let inputs = house.run.inputs_from_object(house.run.pattern(pattern).unwrap(), Caller::NOBODY, body).unwrap();
    let call = Call { pattern, inputs, key: None, order: None, limit: None, cursor: None };
    let (answer, work) = house.wait(measured(house.run.call(&call)));
    assert!(matches!(answer, Ok(Answer::Rows { .. })), "{answer:?}");
    (work.partitions, work.rows)
}

#[test]
fn years_without_rows_are_not_walked_through() {
    let house = on(0);
    let day = 86_400;
    for (number, days) in [0, 1, 40, 2_300].into_iter().enumerate() {
        let at = house.moment(-days * day);
        house.done("record", &json!({"event_id": format!("e{number}"), "file": "a", "at": at, "kind": "NOTE"}));
    }
    let a = json!({"file": "a"});
    assert_eq!(house.list("newest", &a).len(), 4);
    assert_eq!(work(&house, "newest", &a), (4, 3 + 4), "three months of six years, and their names");
    assert_eq!(work(&house, "newest", &json!({"file": "b"})), (1, 0), "a group without rows");
    let (from, to) = (house.moment(-day / 2), house.moment(day / 2));
    assert_eq!(
        work(&house, "between", &json!({"file": "a", "from": from, "to": to})),
        (1, 1),
        "a range says itself which"
    );
}

#[test]
fn a_bucket_is_named_once_by_each_process() {
    let house = on(0);
    let record = |number: u64, at: i64| {
        let body = json!({"event_id": format!("e{number}"), "file": "a", "at": house.moment(at), "kind": "NOTE"});
        let inputs = house.run.inputs_from_object(house.run.pattern("record").unwrap(), Caller::NOBODY, &body).unwrap();
        let key = house.key();
        let call = Call { pattern: "record", inputs, key: Some(&key), order: None, limit: None, cursor: None };
        house.wait(measured(house.run.call(&call))).1.placements
    };
    let first = record(0, 0);
    assert_eq!(record(1, 1), first - 1, "the second row of a bucket finds it named");
    assert_eq!(record(2, -90 * 86_400), first, "another bucket");
}

#[test]
fn rows_of_a_bucket_end_one_by_one() {
    for seed in 0..3 {
        let house = on(seed);
        for (number, days) in [-39, -20, 0].into_iter().enumerate() {
            let at = house.moment(days * 86_400);
            house.done("visit", &json!({"visit_id": format!("v{number}"), "file": "a", "at": at}));
        }
        let shown = || house.list("visits", &json!({"file": "a"})).len();
        for (days, left) in [(0, 3), (2, 2), (20, 1), (20, 0)] {
            house.turn(days * 86_400);
            assert_eq!(shown(), left, "after {days} days more");
            verified(&house);
        }
    }
}

#[test]
fn a_name_that_is_missing_is_found_and_brought_back() {
    damaged(Model::new(), Engine::Embedded);
    damaged(AtOnce::new(1, WideStore::new), Engine::Cassandra);
    damaged(AtOnce::new(2, ItemStore::new), Engine::DynamoDb);
}

/// Names are taken away by hand.
fn damaged<S: Store + Define + Sweep>(store: S, engine: Engine) {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = Arc::new(store);
    let house = opened_shared(store.clone(), engine, runtime(), CATALOG, cut_by(Bucket::Month));
    let at = house.moment(-40 * 86_400);
    house.done("record", &json!({"event_id": "e1", "file": "a", "at": at, "kind": "NOTE"}));
    house.done("plan", &json!({"task_id": "t1", "who": "a", "due": at}));
    let events = || house.list("newest", &json!({"file": "a"})).len();
    let tasks = || house.list("todo", &json!({"who": "a"})).len();
    assert_eq!((events(), tasks()), (1, 1));
    let by_hand = Damaged { store: &*store, clock: &*house.clock, runtime: &runtime() };
    let names = by_hand.rows("kl_bucket");
    assert_eq!(names.len(), 2, "of an event and a task: {names:?}");
    names.iter().for_each(|name| by_hand.remove("kl_bucket", &name.key));
    assert_eq!((events(), tasks()), (0, 0), "nobody finds them");
    let looked = look(&house, Verify::new(&house.run));
    assert_eq!((looked.missing(), looked.differences()), (2, 2), "{looked:#?}");
    let mended = look(&house, Verify::mending(&house.run));
    assert_eq!(mended.mended(), 2, "{mended:#?}");
    assert_eq!((events(), tasks()), (1, 1));
    verified(&house);
}

fn look(house: &House, mut verify: Verify) -> Report {
    // What was just written is left to its writer.
    house.turn(120);
    while house.wait(verify.next(&house.run)).unwrap() != Verified::All {
        house.turn(120);
    }
    verify.report().clone()
}
