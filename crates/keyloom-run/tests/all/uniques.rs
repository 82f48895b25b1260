//! Unique values of rows that end, and of rows that hold them only for a while, on three stores.

use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open};

const CATALOG: &str = "
language: 1
catalog: passes
retries: 24h
entities:
  Pass:
    key: [pass_id]
    fields:
      pass_id: text(2..10)
      code: text(2..10)
      seat: text(2..10)?
      state: enum(OPEN | SHUT) = OPEN
      until: timestamp
    unique: { code_taken: code, seat_taken: seat where state = OPEN }
    expires: until
    volume: { rows: 100 }
    groups: { state: 5 / 10 / 50 }
patterns:
  issue: { create: Pass, takes: [pass_id, code, seat, until], rate: rare }
  extend: { update: Pass, by: [pass_id], set: { until: $until }, rate: rare }
  recode: { update: Pass, by: [code], set: { code: $to }, rate: rare }
  shut: { update: Pass, by: [pass_id], set: { state: SHUT }, rate: rare }
  reopen: { update: Pass, by: [pass_id], set: { state: OPEN }, rate: rare }
  sit: { update: Pass, by: [pass_id], set: { seat: $seat }, rate: rare }
  drop: { delete: Pass, by: [pass_id], rate: rare }
  get: { get: Pass, by: [pass_id], returns: [pass_id, code], rate: rare }
  find: { get: Pass, by: [code], returns: [pass_id], rate: rare }
  who_sits: { get: Pass, by: [seat], where: state = OPEN, returns: [pass_id], rate: rare }
  passes: { list: Pass, by: [state], order: until asc, page: 10, returns: [pass_id], rate: rare }
";

fn houses() -> [House; 3] {
    let wide = open(AtOnce::new(1, WideStore::new), CATALOG);
    [open(Model::new(), CATALOG), wide, open(AtOnce::new(1, ItemStore::new), CATALOG)]
}

/// A pass that ends in so many seconds.
fn pass(house: &House, pass_id: &str, code: &str, seconds: i64) -> Json {
    json!({"pass_id": pass_id, "code": code, "until": house.moment(seconds)})
}

const DAY: i64 = 86_400;

#[test]
fn a_row_that_has_ended_holds_nothing() {
    for house in houses() {
        house.done("issue", &pass(&house, "p1", "red", 60));
        house.refused("issue", &pass(&house, "p2", "red", 60), "code_taken");
        house.turn(61);
        assert_eq!(house.get("find", &json!({"code": "red"})), None);
        house.done("issue", &pass(&house, "p2", "red", 60));
        assert_eq!(house.get("find", &json!({"code": "red"})), Some(json!({"pass_id": "p2"})));
        assert_eq!(house.list("passes", &json!({"state": "OPEN"})), [json!({"pass_id": "p2"})]);
        house.refused("extend", &json!({"pass_id": "p1", "until": house.moment(60)}), "absent");
        // The value went to another, so the key comes without it.
        house.refused("issue", &pass(&house, "p1", "red", 60), "code_taken");
        house.done("issue", &pass(&house, "p1", "blue", 60));
        assert_eq!(house.get("find", &json!({"code": "blue"})), Some(json!({"pass_id": "p1"})));
    }
}

#[test]
fn who_takes_the_key_of_a_row_that_has_ended_sets_its_value_free() {
    for house in houses() {
        house.done("issue", &pass(&house, "p1", "red", 60));
        house.turn(61);
        house.done("issue", &pass(&house, "p1", "blue", 60));
        assert_eq!(house.get("find", &json!({"code": "red"})), None);
        house.done("issue", &pass(&house, "p2", "red", 60));
        house.turn(61);
        // The same key with the same value.
        house.done("issue", &pass(&house, "p2", "red", 60));
        assert_eq!(house.get("find", &json!({"code": "red"})), Some(json!({"pass_id": "p2"})));
    }
}

#[test]
fn a_value_outlives_the_memory_of_its_holder() {
    for house in houses() {
        house.done("issue", &pass(&house, "p1", "red", 60));
        // Nobody remembers the row any more; its reservation is still there.
        house.turn(10 * DAY);
        assert_eq!(house.get("find", &json!({"code": "red"})), None);
        house.done("issue", &pass(&house, "p2", "red", 60));
        assert_eq!(house.get("find", &json!({"code": "red"})), Some(json!({"pass_id": "p2"})));
    }
}

#[test]
fn an_extended_row_keeps_its_value() {
    for house in houses() {
        house.done("issue", &pass(&house, "p1", "red", 60));
        house.turn(50);
        house.done("extend", &json!({"pass_id": "p1", "until": house.moment(60)}));
        house.turn(20);
        house.refused("issue", &pass(&house, "p2", "red", 60), "code_taken");
        house.turn(60);
        house.refused("recode", &json!({"code": "red", "to": "blue"}), "absent");
        house.done("issue", &pass(&house, "p2", "red", 60));
    }
}

#[test]
fn a_value_is_held_only_by_rows_that_pass_the_test() {
    for house in houses() {
        let seated = |pass_id: &str, code: &str, seat: &str| json!({"pass_id": pass_id, "code": code, "seat": seat, "until": house.moment(1_000)});
        let sits = |seat: &str| house.get("who_sits", &json!({"seat": seat})).map(|row| row["pass_id"].clone());
        house.done("issue", &seated("p1", "red", "A1"));
        house.refused("issue", &seated("p2", "blue", "A1"), "seat_taken");
        // One that is shut holds none, and another one may sit there.
        house.done("shut", &json!({"pass_id": "p1"}));
        assert_eq!(sits("A1"), None);
        house.done("issue", &seated("p2", "blue", "A1"));
        assert_eq!(sits("A1"), Some(json!("p2")));
        // To be open again it needs its seat again.
        house.refused("reopen", &json!({"pass_id": "p1"}), "seat_taken");
        house.done("shut", &json!({"pass_id": "p2"}));
        house.done("reopen", &json!({"pass_id": "p1"}));
        assert_eq!(sits("A1"), Some(json!("p1")));
        // Shut rows may have any seat.
        house.done("sit", &json!({"pass_id": "p2", "seat": "A2"}));
        house.done("sit", &json!({"pass_id": "p1", "seat": "A2"}));
        house.refused("reopen", &json!({"pass_id": "p2"}), "seat_taken");
        assert_eq!((sits("A1"), sits("A2")), (None, Some(json!("p1"))));
        house.done("drop", &json!({"pass_id": "p1"}));
        house.done("reopen", &json!({"pass_id": "p2"}));
        assert_eq!(sits("A2"), Some(json!("p2")));
        assert_eq!(house.get("get", &json!({"pass_id": "p2"})).unwrap()["code"], "blue");
    }
}
