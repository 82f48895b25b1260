//! Rows that are the only ones, rows that stand under others that stand under others, rows that are only added and must be
//! there: on three stores.

use keyloom_run::{Answer, Problem};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open, wait};

const CATALOG: &str = "
language: 1
catalog: archive
retries: 24h
entities:
  Rules:
    key: none
    fields: { opens_at: int, state: enum(OPEN | SHUT) = OPEN, changes: int = 0 }
    states: { state: [OPEN -> SHUT, SHUT -> OPEN] }
    volume: { rows: 1 }
    groups: { state: 1 / 1 / 1 }
  Banner:
    key: none
    fields: { words: text(2..40) }
    volume: { rows: 1 }
  Seal:
    key: none
    fields: { mark: text(2..40), made_at: timestamp(us) = now }
    unique: { mark_taken: mark }
    volume: { rows: 1 }
    expires: made_at + 7 days
  Shelf:
    key: [shelf_id]
    fields: { shelf_id: text(2..10), room: text(2..10), boxes: int = count of Box }
    volume: { rows: 100 }
    groups: { room: 5 / 10 / 20 }
  Box:
    part_of: Shelf
    key: [box_id]
    fields:
      box_id: text(2..10)
      shelf_id: text(2..10) -> Shelf must exist
      came_after: int = shelf.boxes at create
    volume: { rows: 100 }
    groups: { shelf_id: 5 / 10 / 20 }
  Thing:
    part_of: Box
    append_only: true
    key: [thing_id]
    fields: { thing_id: text(2..10), box_id: text(2..10) -> Box must exist, name: text(2..10) }
    volume: { rows: 100 }
    groups: { box_id: 5 / 10 / 20, name: 5 / 10 / 20 }
  Find:
    append_only: true
    key: [find_id]
    fields: { find_id: text(2..10), words: text(2..40) }
    volume: { rows: 100 }
  Report:
    key: [report_id]
    fields: { report_id: text(2..10), find_id: text(2..10) -> Find must exist }
    volume: { rows: 100 }
  Guest:
    key: [guest_id]
    fields: { guest_id: uuid = new, badge: text(2..10), visits: int = 0 }
    unique: { badge_taken: badge }
    volume: { rows: 100 }
patterns:
  set_rules: { create: Rules, takes: [opens_at], rate: rare }
  move_opening: { update: Rules, set: { opens_at: $opens_at, changes: changes + 1 }, or_create: true, rate: rare }
  shut: { update: Rules, set: { state: SHUT }, if: lease is null else taken, rate: rare }
  drop_rules: { delete: Rules, rate: rare }
  rules: { get: Rules, rate: rare }
  rules_by_state: { list: Rules, by: [state], where: opens_at > 0, order: opens_at asc, first: 5, freshness: latest, rate: rare }
  rules_as_list: { list: Rules, by: all, page: 5, rate: rare }
  put_banner: { put: Banner, takes: [words], rate: rare }
  take_down: { delete: Banner, rate: rare }
  banner: { get: Banner, rate: rare }
  cut_seal: { create: Seal, takes: [mark], rate: rare }
  recut: { update: Seal, set: { mark: $mark }, rate: rare }
  break_seal: { delete: Seal, rate: rare }
  seal: { get: Seal, returns: [mark], rate: rare }
  seal_by_mark: { get: Seal, by: [mark], returns: [mark], rate: rare }
  build: { create: Shelf, takes: [shelf_id, room], rate: rare }
  burn: { delete: Shelf, by: [shelf_id], rate: rare }
  just_this: { list: Shelf, by: [shelf_id], page: 5, returns: [shelf_id, room], rate: rare }
  full: { list: Shelf, by: [room], where: boxes > 1, order: shelf_id asc, page: 5, matches: 50%, returns: [shelf_id, boxes], rate: rare }
  fill: { create: Box, takes: [box_id, shelf_id], rate: rare }
  get_box: { get: Box, by: [box_id], returns: [came_after], rate: rare }
  boxes: { list: Box, by: [shelf_id], order: box_id asc, page: 5, returns: [box_id], rate: rare }
  put_in: { create: Thing, takes: [thing_id, box_id, name], rate: rare }
  things: { list: Thing, by: [name], order: thing_id asc, page: 20, returns: [thing_id], rate: rare }
  get_thing: { get: Thing, by: [thing_id], returns: [name], rate: rare }
  dig: { create: Find, takes: [find_id, words], rate: rare }
  get_find: { get: Find, by: [find_id], returns: [words], rate: rare }
  report: { create: Report, takes: [report_id, find_id], rate: rare }
  get_report: { get: Report, by: [report_id], returns: [find_id], rate: rare }
  visit: { update: Guest, by: [badge], set: { visits: visits + 1 }, or_create: true, returns: after, rate: rare }
  rebadge: { update: Guest, by: [guest_id], set: { badge: $badge }, rate: rare }
  guest: { get: Guest, by: [badge], returns: [visits], rate: rare }
  search: { outside: the search engine has the words, rate: rare }
";

fn houses() -> [House; 3] {
    let wide = open(AtOnce::new(1, WideStore::new), CATALOG);
    [open(Model::new(), CATALOG), wide, open(AtOnce::new(1, ItemStore::new), CATALOG)]
}

const WEEK_SECONDS: i64 = 7 * 24 * 3_600;

const NOTHING: fn() -> Json = || json!({});

#[test]
fn a_row_that_is_the_only_one_is_made_changed_and_deleted() {
    for house in houses() {
        assert_eq!(house.get("rules", &NOTHING()), None);
        house.refused("shut", &NOTHING(), "absent");
        // Made by an update, it is a row like any other.
        let key = house.key();
        let made = house.send("move_opening", &json!({"opens_at": 8}), Some(&key)).unwrap();
        assert_eq!(house.send("move_opening", &json!({"opens_at": 8}), Some(&key)).unwrap(), made);
        let Answer::Applied { key: own, .. } = made else { panic!("{made:?}") };
        assert_eq!(own, json!({}));
        house.refused("set_rules", &json!({"opens_at": 9}), "exists");
        house.done("move_opening", &json!({"opens_at": 9}));
        assert_eq!(house.get("rules", &NOTHING()), Some(json!({"opens_at": 9, "state": "OPEN", "changes": 2})));
        house.done("shut", &NOTHING());
        house.refused("shut", &NOTHING(), "state_is_shut");
        assert_eq!(house.list("rules_as_list", &NOTHING()).len(), 1);
        assert_eq!(house.list("rules_by_state", &json!({"state": "SHUT"})).len(), 1);
        assert_eq!(house.list("rules_by_state", &json!({"state": "OPEN"})), [] as [Json; 0]);
        house.done("drop_rules", &NOTHING());
        assert_eq!(house.get("rules", &NOTHING()), None);
        assert_eq!(house.list("rules_as_list", &NOTHING()), [] as [Json; 0]);
        house.done("set_rules", &json!({"opens_at": 7}));
        assert_eq!(house.get("rules", &NOTHING()), Some(json!({"opens_at": 7, "state": "OPEN", "changes": 0})));
    }
}

#[test]
fn the_only_row_is_put_without_a_look_at_it() {
    for house in houses() {
        house.done("put_banner", &json!({"words": "open"}));
        house.turn(1);
        house.done("put_banner", &json!({"words": "shut"}));
        assert_eq!(house.get("banner", &NOTHING()), Some(json!({"words": "shut"})));
        house.turn(1);
        house.done("take_down", &NOTHING());
        assert_eq!(house.get("banner", &NOTHING()), None);
    }
}

#[test]
fn the_only_row_has_unique_values_until_it_ends() {
    for house in houses() {
        let by = |mark: &str| house.get("seal_by_mark", &json!({"mark": mark}));
        house.done("cut_seal", &json!({"mark": "lion"}));
        assert_eq!(by("lion"), Some(json!({"mark": "lion"})));
        house.done("recut", &json!({"mark": "bear"}));
        assert_eq!((by("lion"), by("bear")), (None, Some(json!({"mark": "bear"}))));
        house.done("break_seal", &NOTHING());
        assert_eq!(by("bear"), None);
        house.done("cut_seal", &json!({"mark": "bear"}));
        // It was made at a microsecond, and ends seven days after it.
        house.turn(WEEK_SECONDS - 1);
        assert_eq!(house.get("seal", &NOTHING()), Some(json!({"mark": "bear"})));
        house.turn(2);
        assert_eq!((house.get("seal", &NOTHING()), by("bear")), (None, None));
    }
}

fn shelf(house: &House, shelf_id: &str, boxes: &[&str]) {
    house.done("build", &json!({"shelf_id": shelf_id, "room": "r1"}));
    for box_id in boxes {
        house.done("fill", &json!({"box_id": box_id, "shelf_id": shelf_id}));
        for number in 0..3 {
            house.done("put_in", &json!({"thing_id": format!("{box_id}-{number}"), "box_id": box_id, "name": "cup"}));
        }
    }
}

#[test]
fn parts_of_parts_go_with_the_whole() {
    for house in houses() {
        shelf(&house, "s1", &["b1", "b2"]);
        shelf(&house, "s2", &["b3"]);
        house.done("burn", &json!({"shelf_id": "s1"}));
        assert_eq!(house.list("boxes", &json!({"shelf_id": "s1"})), [] as [Json; 0]);
        let left = house.list("things", &json!({"name": "cup"}));
        assert_eq!(left, [json!({"thing_id": "b3-0"}), json!({"thing_id": "b3-1"}), json!({"thing_id": "b3-2"})]);
        assert_eq!(house.get("get_thing", &json!({"thing_id": "b1-0"})), None);
        house.refused("put_in", &json!({"thing_id": "t9", "box_id": "b1", "name": "cup"}), "missing_box");
        // What stood under it before does not come back with it.
        shelf(&house, "s1", &["b1"]);
        assert_eq!(house.list("things", &json!({"name": "cup"})).len(), 6);
    }
}

#[test]
fn what_is_only_added_can_be_pointed_to_when_it_is_there() {
    for house in houses() {
        house.refused("report", &json!({"report_id": "r1", "find_id": "f1"}), "missing_find");
        house.done("dig", &json!({"find_id": "f1", "words": "a coin"}));
        house.done("report", &json!({"report_id": "r1", "find_id": "f1"}));
        assert_eq!(house.get("get_find", &json!({"find_id": "f1"})), Some(json!({"words": "a coin"})));
        assert_eq!(house.get("get_report", &json!({"report_id": "r1"})), Some(json!({"find_id": "f1"})));
    }
}

#[test]
fn a_kept_value_is_tested_and_taken_as_it_stands() {
    for house in houses() {
        shelf(&house, "s1", &["b1"]);
        shelf(&house, "s2", &["b2", "b3"]);
        house.settle();
        let full = house.list("full", &json!({"room": "r1"}));
        assert_eq!(full, [json!({"shelf_id": "s2", "boxes": 2})]);
        house.done("fill", &json!({"box_id": "b4", "shelf_id": "s2"}));
        assert_eq!(house.get("get_box", &json!({"box_id": "b4"})), Some(json!({"came_after": 2})));
    }
}

#[test]
fn a_list_by_the_key_is_the_row_unless_it_is_gone() {
    for house in houses() {
        let only = json!({"shelf_id": "s1"});
        assert_eq!(house.list("just_this", &only), [] as [Json; 0]);
        shelf(&house, "s1", &[]);
        assert_eq!(house.list("just_this", &only), [json!({"shelf_id": "s1", "room": "r1"})]);
        house.done("burn", &only);
        assert_eq!(house.list("just_this", &only), [] as [Json; 0]);
    }
}

#[test]
fn a_row_is_made_by_its_unique_value_once() {
    for house in houses() {
        let badge = json!({"badge": "b1"});
        let key = house.key();
        let made = house.send("visit", &badge, Some(&key)).unwrap();
        let Answer::Applied { key: first, .. } = &made else { panic!("{made:?}") };
        house.send_again("visit", &badge, &key).unwrap();
        assert_eq!(house.get("guest", &badge), Some(json!({"visits": 1})));
        // Whoever comes next by it changes the same row.
        let (second, _) = house.done("visit", &badge);
        assert_eq!(second, *first);
        assert_eq!(house.get("guest", &badge), Some(json!({"visits": 2})));
        // The value passes on; an earlier request does not make another row of it.
        let mut other = first.clone();
        other["badge"] = json!("b2");
        house.done("rebadge", &other);
        house.send_again("visit", &badge, &key).unwrap();
        assert_eq!(house.get("guest", &badge), None);
        let (third, _) = house.done("visit", &badge);
        assert_ne!(third, *first);
    }
}

#[test]
fn what_is_served_elsewhere_is_no_endpoint_here() {
    let house = open(Model::new(), CATALOG);
    assert!(house.run.pattern("search").is_none());
    assert!(house.run.pattern("rules").is_some());
    let inputs = keyloom_run::Inputs::default();
    let call = keyloom_run::Call { pattern: "search", inputs, key: None, order: None, limit: None, cursor: None };
    assert!(matches!(wait(house.run.call(&call)), Err(Problem::Input(_))));
}
