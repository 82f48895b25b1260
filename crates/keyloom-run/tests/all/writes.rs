//! Writes of every form that is run, on three stores.

use keyloom_run::{Answer, Caller, Problem};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open, wait};

const CATALOG: &str = "
language: 1
catalog: house
retries: 24h
types:
  Place: { street: text(4..40)?, town: text(4..40)? }
entities:
  Owner:
    key: [owner_id]
    fields:
      owner_id: text(2..10)
      name: text(4..40)
      rank: int
      rooms: int = count of Room
      free: int = count of Room where state = FREE
      seats: int = sum of Room.seats
      mean: float? = avg of Room.seats where state = FREE
      most: int? = max of Room.seats where state = FREE
      least: int? = min of Room.seats
      latest: text(4..40)? = last of Room.name by changed
    volume: { rows: 10 }
  Room:
    key: [room_id]
    fields:
      room_id: uuid = new
      owner_id: text(2..10) -> Owner must exist
      rank_then: int = owner.rank at create
      name: text(4..40)
      name_key: text(4..40) = lower(name)
      state: enum(FREE | TAKEN | CLOSED) = FREE
      seats: int = 0
      labels: set of text(2..10) (2 / 5 / 5)?
      visits: list of int (2 / 3 / 3)?
      prices: map of text(2..10) to int (2 / 5 / 5)?
      place: Place?
      changed: timestamp = now on write
    states: { state: [FREE -> TAKEN, TAKEN -> FREE, FREE -> CLOSED] }
    unique: { name_taken: name_key }
    volume: { rows: 100 }
    groups: { owner_id: 5 / 10 / 50, all: 5 / 10 / 50 }
  Lease:
    key: [lease_id]
    fields: { lease_id: uuid = new, room_id: uuid -> Room, note: text(4..40), until: timestamp }
    expires: until
    volume: { rows: 10 }
    groups: { room_id: 5 / 10 / 20 }
  Setting:
    key: [owner_id, name]
    fields: { owner_id: text(2..10), name: text(2..10), value: int = 0, note: text(4..40)? }
    volume: { rows: 10 }
    groups: { owner_id: 5 / 10 / 20 }
  Event:
    append_only: true
    key: [room_id, event_id]
    fields:
      room_id: uuid -> Room
      event_id: uuid7 = new
      at: timestamp = now
      kind: enum(NOTE | VISIT)
      words: text(4..30KB)
    expires: at + 1 day
    volume: { growth: 10/day }
    groups: { room_id: 10 / 100 / 1000, kind: 10 / 100 / 1000 }
  Round:
    append_only: true
    key: [round_id]
    fields: { round_id: uuid7 = new, room_id: uuid -> Room, at: timestamp, hour: timestamp = hour(at) }
    volume: { growth: 10/day }
    groups: { room_id: 10 / 100 / 1000 }
patterns:
  make_round: { create: Round, takes: [room_id, at], rate: rare }
  rounds: { list: Round, by: [room_id], order: hour desc, page: 20, returns: [hour], rate: rare }
  tell: { create: Event, takes: [room_id, kind, words], rate: rare }
  report: { create: Event, takes: [room_id, at, kind, words], once_per: [event_id], batch: 10, rate: rare }
  events: { list: Event, by: [room_id], order: at desc, page: 20, returns: [words], rate: rare }
  visits: { list: Event, by: [kind], where: kind = $kind, order: at asc, page: 20, returns: [room_id, at], rate: rare }
  get_event: { get: Event, by: [room_id, event_id], returns: [words], rate: rare }
  put_owner: { put: Owner, returns: [owner_id, name, rank], rate: rare }
  drop_owner: { delete: Owner, by: [owner_id], if: rank < 100 else too_high, returns: [owner_id, name, rank], rate: rare }
  get_owner: { get: Owner, by: [owner_id], returns: [owner_id, name, rank], rate: rare }
  kept: { get: Owner, by: [owner_id], returns: [rooms, free, seats, mean], rate: rare }
  furthest: { get: Owner, by: [owner_id], returns: [most, least, latest], rate: rare }
  kept_of_rooms: { list: Room, by: [owner_id], order: seats asc, page: 10, returns: [name, owner.seats], rate: rare }
  rank: { update: Owner, by: [owner_id], set: { rank: rank + $more }, rate: rare }
  add: { create: Room, takes: [owner_id, name], rate: rare }
  patch: { update: Room, by: [room_id], any_of: [owner_id, name, state, seats], rate: rare }
  label: { update: Room, by: [room_id], add: { labels: $label }, rate: rare }
  unlabel: { update: Room, by: [room_id], remove: { labels: $label, prices: $label }, rate: rare }
  visit: { update: Room, by: [room_id], append: { visits: $number }, rate: rare }
  price: { update: Room, by: [room_id], set: { prices.$label: $price, place.town: $town }, rate: rare }
  rename: { update: Room, by: [name_key], set: { name: $to }, rate: rare }
  drop: { delete: Room, by: [room_id], rate: rare }
  get: { get: Room, by: [room_id], returns: all, rate: rare }
  find: { get: Room, by: [name_key], returns: [room_id], rate: rare }
  rooms: { list: Room, by: [owner_id], order: name asc, page: 10, returns: [name], rate: rare }
  let: { create: Lease, takes: [room_id, note, until], rate: rare }
  extend: { update: Lease, by: [lease_id], set: { until: until + 1h }, rate: rare }
  get_lease: { get: Lease, by: [lease_id], rate: rare }
  leases: { list: Lease, by: [room_id], order: until asc, page: 10, returns: [note], rate: rare }
  put_room: { put: Room, takes: [room_id, owner_id, name, state], rate: rare }
  count_up: { update: Setting, by: [owner_id, name], set: { value: value + $by }, or_create: true, returns: [value], rate: rare }
  set_many: { update: Setting, by: [owner_id, name], set: { value: value + $by }, or_create: true, batch: 5, rate: rare }
  settings: { list: Setting, by: [owner_id], order: name asc, page: 10, rate: rare }
  note_once: { create: Setting, takes: [owner_id, name, note], once_per: [owner_id, name], rate: rare }
";

fn houses() -> [House; 3] {
    let wide = open(AtOnce::new(1, WideStore::new), CATALOG);
    [open(Model::new(), CATALOG), wide, open(AtOnce::new(1, ItemStore::new), CATALOG)]
}

/// What the tests of this catalog begin with.
trait Rooms {
    fn room(&self, name: &str) -> Json;
}

impl Rooms for House {
    /// A room of an owner with rank 3.
    fn room(&self, name: &str) -> Json {
        self.done("put_owner", &json!({"owner_id": "ann", "name": "Ann", "rank": 3}));
        self.done("add", &json!({"owner_id": "ann", "name": name})).0["room_id"].clone()
    }
}

#[test]
fn a_put_makes_a_row_or_replaces_it() {
    for house in houses() {
        let ann = |rank| json!({"owner_id": "ann", "name": "Ann", "rank": rank});
        assert_eq!(house.done("put_owner", &ann(1)).1, Some(ann(1)));
        assert_eq!(house.done("put_owner", &ann(2)).1, Some(ann(2)));
        assert_eq!(house.get("get_owner", &json!({"owner_id": "ann"})), Some(ann(2)));
    }
}

#[test]
fn a_put_meets_the_states_of_what_is_there() {
    for house in houses() {
        let room = house.room("Blue");
        let put = |name: &str, state: &str| json!({"room_id": room, "owner_id": "ann", "name": name, "state": state});
        house.done("put_room", &put("Blue", "TAKEN"));
        house.done("put_room", &put("Green", "TAKEN"));
        house.refused("put_room", &put("Green", "CLOSED"), "state_is_taken");
        assert_eq!(house.get("get", &json!({"room_id": room})).unwrap()["name"], "Green");
    }
}

#[test]
fn a_deleted_row_is_gone_and_remembers_its_requests() {
    for house in houses() {
        let room = house.room("Blue");
        let (body, key) = (json!({"owner_id": "ann", "name": "Red"}), house.key());
        let Ok(Answer::Applied { key: red, version, .. }) = house.send("add", &body, Some(&key)) else { panic!("new") };
        let drop = house.key();
        let dropped = house.send("drop", &red, Some(&drop)).unwrap();
        assert!(matches!(dropped, Answer::Applied { .. }), "{dropped:?}");
        assert_eq!(house.get("get", &red), None);
        assert_eq!(house.get("find", &json!({"name_key": "red"})), None);
        assert_eq!(house.list("rooms", &json!({"owner_id": "ann"})), [json!({"name": "Blue"})]);
        house.refused("drop", &red, "absent");
        // The create is repeated, and was applied: it makes no second row.
        let Ok(Answer::Applied { version: again, .. }) = house.send("add", &body, Some(&key)) else {
            panic!("applied")
        };
        assert_eq!(again, version);
        assert_eq!(house.get("get", &red), None);
        assert_eq!(house.send("drop", &red, Some(&drop)).unwrap(), dropped);
        // Its name is free.
        house.done("patch", &json!({"room_id": room, "name": "Red"}));
        assert_eq!(house.list("rooms", &json!({"owner_id": "ann"})), [json!({"name": "Red"})]);
    }
}

#[test]
fn a_delete_has_conditions_and_says_what_was() {
    for house in houses() {
        let high = json!({"owner_id": "eve", "name": "Eve", "rank": 100});
        house.done("put_owner", &high);
        house.refused("drop_owner", &json!({"owner_id": "eve"}), "too_high");
        house.done("rank", &json!({"owner_id": "eve", "more": -1}));
        let was = json!({"owner_id": "eve", "name": "Eve", "rank": 99});
        assert_eq!(house.done("drop_owner", &json!({"owner_id": "eve"})).1, Some(was));
        house.refused("rank", &json!({"owner_id": "eve", "more": 1}), "absent");
        house.done("put_owner", &high);
        assert_eq!(house.get("get_owner", &json!({"owner_id": "eve"})), Some(high));
    }
}

#[test]
fn a_reference_must_lead_somewhere() {
    for house in houses() {
        house.refused("add", &json!({"owner_id": "bob", "name": "Blue"}), "missing_owner");
        let room = house.room("Blue");
        house.refused("patch", &json!({"room_id": room, "owner_id": "bob"}), "missing_owner");
        house.done("put_owner", &json!({"owner_id": "bob", "name": "Bob", "rank": 9}));
        house.done("patch", &json!({"room_id": room, "owner_id": "bob"}));
        house.done("drop_owner", &json!({"owner_id": "bob"}));
        // What points there already is not asked again.
        house.done("patch", &json!({"room_id": room, "seats": 4}));
        house.refused("add", &json!({"owner_id": "bob", "name": "Red"}), "missing_owner");
    }
}

#[test]
fn a_snapshot_stays_as_it_was() {
    for house in houses() {
        let room = json!({"room_id": house.room("Blue")});
        house.done("rank", &json!({"owner_id": "ann", "more": 5}));
        assert_eq!(house.get("get", &room).unwrap()["rank_then"], 3);
        house.done("label", &json!({"room_id": room["room_id"], "label": "big"}));
        assert_eq!(house.get("get", &room).unwrap()["rank_then"], 3);
    }
}

#[test]
fn a_patch_changes_what_is_sent() {
    for house in houses() {
        let room = house.room("Blue");
        let id = json!({"room_id": room});
        house.done("patch", &json!({"room_id": room, "seats": 4}));
        house.done("patch", &json!({"room_id": room, "name": "Green", "state": "TAKEN"}));
        let now = house.get("get", &id).unwrap();
        assert_eq!((&now["seats"], &now["name"], &now["state"]), (&json!(4), &json!("Green"), &json!("TAKEN")));
        house.refused("patch", &json!({"room_id": room, "state": "CLOSED"}), "state_is_taken");
        // Who sends no state changes none.
        house.done("patch", &json!({"room_id": room, "seats": 5}));
        assert_eq!(house.get("find", &json!({"name_key": "blue"})), None);
        assert_eq!(house.get("find", &json!({"name_key": "green"})), Some(id));
    }
}

#[test]
fn parts_of_fields_are_changed() {
    for house in houses() {
        let room = house.room("Blue");
        let row = |name: &str| house.get("get", &json!({"room_id": room})).unwrap().get(name).cloned();
        for label in ["big", "dark", "big", "a"] {
            house.done("label", &json!({"room_id": room, "label": label}));
        }
        assert_eq!(row("labels"), Some(json!(["a", "big", "dark"])));
        house.done("unlabel", &json!({"room_id": room, "label": "big"}));
        assert_eq!(row("labels"), Some(json!(["a", "dark"])));
        for number in [3, 1, 3] {
            house.done("visit", &json!({"room_id": room, "number": number}));
        }
        assert_eq!(row("visits"), Some(json!([3, 1, 3])));
        let full = house.write("visit", &json!({"room_id": room, "number": 4}));
        assert!(matches!(&full, Err(Problem::Input(words)) if words.contains("at most 3")), "{full:?}");
        house.done("price", &json!({"room_id": room, "label": "day", "price": 7, "town": "Bern"}));
        house.done("price", &json!({"room_id": room, "label": "a", "price": 8, "town": "Thun"}));
        house.done("price", &json!({"room_id": room, "label": "day", "price": 9, "town": "Thun"}));
        assert_eq!(row("prices"), Some(json!({"a": 8, "day": 9})));
        assert_eq!(row("place"), Some(json!({"town": "Thun"})));
        house.done("unlabel", &json!({"room_id": room, "label": "a"}));
        assert_eq!(row("prices"), Some(json!({"day": 9})));
    }
}

#[test]
fn a_row_is_changed_by_its_unique_value() {
    for house in houses() {
        let room = json!({"room_id": house.room("Blue")});
        assert_eq!(house.done("rename", &json!({"name_key": "blue", "to": "Red"})).0, room);
        house.refused("rename", &json!({"name_key": "blue", "to": "Red"}), "absent");
        house.room("Blue");
        house.refused("rename", &json!({"name_key": "blue", "to": "RED"}), "name_taken");
    }
}

#[test]
fn an_update_makes_what_is_not_there() {
    for house in houses() {
        let up = |by: i64| house.done("count_up", &json!({"owner_id": "ann", "name": "n", "by": by})).1.unwrap();
        assert_eq!(up(3), json!({"value": 3}));
        assert_eq!(up(4), json!({"value": 7}));
        let all = house.list("settings", &json!({"owner_id": "ann"}));
        assert_eq!(all, [json!({"owner_id": "ann", "name": "n", "value": 7})]);
    }
}

#[test]
fn items_of_a_batch_are_applied_once_wherever_they_stand() {
    for house in houses() {
        let pattern = house.run.pattern("set_many").unwrap();
        let batch = |items: &[(&str, i64)], key: &str| {
            let inputs = |(name, by): &(&str, i64)| {
                let body = json!({"owner_id": "ann", "name": name, "by": by});
                house.run.inputs_from_object(pattern, Caller::NOBODY, &body).unwrap()
            };
            wait(house.run.write_batch("set_many", items.iter().map(inputs).collect(), Some(key)))
        };
        let key = house.key();
        let first = batch(&[("a", 1), ("b", 2), ("b", 2)], &key).unwrap();
        assert!(first.iter().all(|answer| matches!(answer, Ok(Answer::Applied { .. }))), "{first:?}");
        // Repeated in part, and in another order.
        let again = batch(&[("b", 2), ("a", 1)], &key).unwrap();
        assert!(again.iter().all(|answer| matches!(answer, Ok(Answer::Applied { .. }))), "{again:?}");
        let all = house.list("settings", &json!({"owner_id": "ann"}));
        let values: Vec<&Json> = all.iter().map(|row| &row["value"]).collect();
        assert_eq!(values, [&json!(1), &json!(4)]);
        let many = batch(&[("a", 1); 6], &house.key());
        assert_eq!(many, Err(Problem::Input("6 items, but at most 5 are taken at a time".into())));
    }
}

#[test]
fn what_happens_once_needs_no_key() {
    for house in houses() {
        let note = |words: &str| json!({"owner_id": "ann", "name": "n", "note": words});
        let first = house.send("note_once", &note("first"), None).unwrap();
        assert!(matches!(first, Answer::Applied { .. }), "{first:?}");
        assert_eq!(house.send("note_once", &note("first"), None).unwrap(), first);
        assert_eq!(house.send("note_once", &note("other"), None), Err(Problem::KeyReused));
        // Long after, the row itself says that it happened.
        house.turn(3 * 86_400);
        let Ok(Answer::Applied { .. }) = house.send("note_once", &note("first"), None) else { panic!("it happened") };
        assert_eq!(house.list("settings", &json!({"owner_id": "ann"})).len(), 1);
    }
}

#[test]
fn a_row_ends_when_it_says() {
    for house in houses() {
        let room = house.room("Blue");
        let until = |seconds: i64| {
            let moment = keyloom_value::Value::Timestamp(house.now_ms() + seconds * 1_000);
            json!(keyloom_value::to_text(&moment, &keyloom_value::Kind::Timestamp { micros: false }).unwrap())
        };
        let body = |seconds: i64| json!({"room_id": room, "note": format!("for {seconds}"), "until": until(seconds)});
        let request = (body(60), house.key());
        let made = house.send("let", &request.0, Some(&request.1)).unwrap();
        let Answer::Applied { key: short, .. } = &made else { panic!("{made:?}") };
        let (long, _) = house.done("let", &body(600));
        let notes = || house.list("leases", &json!({"room_id": room}));
        assert_eq!(notes(), [json!({"note": "for 60"}), json!({"note": "for 600"})]);
        house.done("extend", short);
        house.turn(700);
        assert_eq!(notes(), [json!({"note": "for 60"})]);
        assert_eq!(house.get("get_lease", &long), None);
        house.refused("extend", &long, "absent");
        house.turn(3_600);
        assert_eq!((house.get("get_lease", short), notes()), (None, Vec::new()));
        // It has ended, but what was asked was done.
        let again = house.send("let", &request.0, Some(&request.1)).unwrap();
        assert!(matches!(again, Answer::Applied { .. }), "{again:?}");
        assert_eq!((house.get("get_lease", short), notes()), (None, Vec::new()));
    }
}

#[test]
fn rows_that_are_added_are_the_same_however_often() {
    for house in houses() {
        let room = house.room("Blue");
        let body = json!({"room_id": room, "kind": "NOTE", "words": "first"});
        let key = house.key();
        let first = house.send("tell", &body, Some(&key)).unwrap();
        house.turn(100);
        assert_eq!(house.send("tell", &body, Some(&key)).unwrap(), first);
        let Answer::Applied { key: id, .. } = &first else { panic!("{first:?}") };
        assert_eq!(house.get("get_event", id).unwrap()["words"], "first");
        house.done("tell", &json!({"room_id": room, "kind": "VISIT", "words": "second"}));
        let words = || house.list("events", &json!({"room_id": room}));
        assert_eq!(words(), [json!({"words": "second"}), json!({"words": "first"})]);
        assert_eq!(house.list("visits", &json!({"kind": "VISIT"})).len(), 1);
        house.turn(86_300);
        assert_eq!(words(), [json!({"words": "second"})]);
        house.turn(200);
        assert!(words().is_empty() && house.list("visits", &json!({"kind": "VISIT"})).is_empty());
    }
}

/// The table that holds them is the list, and its key holds what follows from another field.
#[test]
fn rows_that_are_added_stand_where_a_derived_field_says() {
    for house in houses() {
        let room = json!("00000000-0000-4000-8000-000000000001");
        for at in ["2026-11-15T09:20:00.000Z", "2026-11-15T11:40:00.000Z"] {
            house.done("make_round", &json!({"room_id": room, "at": at}));
        }
        let hours = [json!({"hour": "2026-11-15T11:00:00.000Z"}), json!({"hour": "2026-11-15T09:00:00.000Z"})];
        assert_eq!(house.list("rounds", &json!({"room_id": room})), hours);
    }
}

#[test]
fn what_is_too_large_to_come_at_once_comes_whole() {
    for (at, house) in houses().into_iter().enumerate() {
        let room = house.room("Blue");
        let pass = || {
            house.turn(200);
            wait(house.run.settle()).unwrap()
        };
        pass();
        let words = "x".repeat(30 << 10);
        house.done("tell", &json!({"room_id": room, "kind": "VISIT", "words": words}));
        assert_eq!(house.list("events", &json!({"room_id": room})), [json!({"words": words})]);
        assert_eq!(house.list("visits", &json!({"kind": "VISIT"})).len(), 1);
        // Only the wide store takes no more than 50 KB at once; there a mark stood, and was done.
        let settled = pass();
        assert_eq!((settled.seen, settled.left), (u64::from(at == 1), 0), "{settled:?}");
    }
}

#[test]
fn reports_come_in_batches_and_once() {
    for house in houses() {
        let room = house.room("Blue");
        let pattern = house.run.pattern("report").unwrap();
        let (time, at) = (house.now_ms(), "2026-11-15T09:00:00.000Z");
        let id = |number: u8| {
            let id = keyloom_value::Value::Uuid(keyloom_run::uuid7(time, [number; 10]));
            keyloom_value::to_text(&id, &keyloom_value::Kind::Uuid7).unwrap()
        };
        let send = |numbers: &[u8]| {
            let item = |number: &u8| {
                let body = json!({
                    "room_id": room, "event_id": id(*number), "at": at, "kind": "NOTE", "words": format!("n{number}"),
                });
                house.run.inputs_from_object(pattern, Caller::NOBODY, &body).unwrap()
            };
            wait(house.run.write_batch("report", numbers.iter().map(item).collect(), None)).unwrap()
        };
        let applied = |answers: &[Result<Answer, Problem>]| {
            answers.iter().all(|answer| matches!(answer, Ok(Answer::Applied { .. })))
        };
        assert!(applied(&send(&[1, 2, 3])) && applied(&send(&[3, 4])));
        assert_eq!(house.list("events", &json!({"room_id": room})).len(), 4);
    }
}

#[test]
fn kept_values_follow_every_row_that_feeds_them() {
    for house in houses() {
        let kept = |owner: &str| house.get("kept", &json!({"owner_id": owner})).unwrap();
        let (blue, red) = (house.room("Blue"), house.room("Red"));
        house.done("put_owner", &json!({"owner_id": "bob", "name": "Bob", "rank": 1}));
        assert_eq!(kept("ann"), json!({"rooms": 2, "free": 2, "seats": 0, "mean": 0.0}));
        assert_eq!(kept("bob"), json!({"rooms": 0, "free": 0, "seats": 0}));
        house.done("patch", &json!({"room_id": blue, "seats": 4}));
        house.done("patch", &json!({"room_id": red, "seats": 6, "state": "TAKEN"}));
        assert_eq!(kept("ann"), json!({"rooms": 2, "free": 1, "seats": 10, "mean": 4.0}));
        let rooms = house.list("kept_of_rooms", &json!({"owner_id": "ann"}));
        assert_eq!(rooms[0], json!({"name": "Blue", "owner": {"seats": 10}}));
        house.done("patch", &json!({"room_id": red, "owner_id": "bob", "seats": 7}));
        assert_eq!(kept("ann"), json!({"rooms": 1, "free": 1, "seats": 4, "mean": 4.0}));
        assert_eq!(kept("bob"), json!({"rooms": 1, "free": 0, "seats": 7}));
        let (drop, key) = (json!({"room_id": red}), house.key());
        for _ in 0..2 {
            assert!(matches!(house.send("drop", &drop, Some(&key)), Ok(Answer::Applied { .. })));
            assert_eq!(kept("bob"), json!({"rooms": 0, "free": 0, "seats": 0}));
        }
    }
}

#[test]
fn a_refused_repeat_stays_refused() {
    let refused = |reason: &str| Ok(Answer::NotApplied { reason: reason.into() });
    for house in houses() {
        let blue = house.room("Blue");
        let (taken, again) = (json!({"owner_id": "ann", "name": "BLUE"}), house.key());
        let close = json!({"room_id": blue, "state": "CLOSED"});
        let (shut, first) = (house.key(), house.key());
        house.done("patch", &json!({"room_id": blue, "state": "TAKEN"}));
        // The first attempt is only looked at; it may be judged anew.
        assert_eq!(house.send("patch", &close, Some(&first)), refused("state_is_taken"));
        assert_eq!(house.send_again("patch", &close, &shut), refused("state_is_taken"));
        assert_eq!(house.send_again("add", &taken, &again), refused("name_taken"));
        let absent = json!({"owner_id": "zoe"});
        let drop = house.key();
        assert_eq!(house.send_again("drop_owner", &absent, &drop), refused("absent"));
        house.done("put_owner", &json!({"owner_id": "zoe", "name": "Zoe", "rank": 1}));
        house.done("patch", &json!({"room_id": blue, "state": "FREE", "name": "Green"}));
        for send in [House::send_again, |house: &House, pattern: &str, body: &Json, key: &str| {
            house.send(pattern, body, Some(key))
        }] {
            assert_eq!(send(&house, "patch", &close, &shut), refused("state_is_taken"));
            assert_eq!(send(&house, "add", &taken, &again), refused("name_taken"));
            assert_eq!(send(&house, "drop_owner", &absent, &drop), refused("absent"));
            assert_eq!(send(&house, "drop_owner", &json!({"owner_id": "zoe"}), &drop), refused("absent"));
        }
        assert!(matches!(house.send("patch", &close, Some(&first)), Ok(Answer::Applied { .. })));
        // Lists show what they showed, and refusals are remembered elsewhere when there are many.
        assert_eq!(house.list("rooms", &json!({"owner_id": "ann"})), [json!({"name": "Green"})]);
        for _ in 0..20 {
            let key = house.key();
            assert_eq!(house.send_again("patch", &close, &key), refused("state_is_closed"));
        }
        assert_eq!(house.send_again("patch", &close, &shut), refused("state_is_taken"));
        assert_eq!(house.send_again("patch", &json!({"room_id": blue, "seats": 3}), &shut), Err(Problem::KeyReused));
    }
}

#[test]
fn the_least_the_most_and_the_latest_follow_also_when_they_go() {
    for house in houses() {
        let kept = |owner: &str| house.get("furthest", &json!({"owner_id": owner})).unwrap();
        let (blue, red) = (house.room("Blue"), house.room("Red"));
        house.done("put_owner", &json!({"owner_id": "bob", "name": "Bob", "rank": 1}));
        assert_eq!(kept("bob"), json!({}));
        house.turn(1);
        house.done("patch", &json!({"room_id": blue, "seats": 4}));
        assert_eq!(kept("ann"), json!({"most": 4, "least": 0, "latest": "Blue"}));
        house.turn(1);
        house.done("patch", &json!({"room_id": red, "seats": 9}));
        assert_eq!(kept("ann"), json!({"most": 9, "least": 4, "latest": "Red"}));
        // The most stays free no longer, then moves to another owner, then goes.
        house.turn(1);
        house.done("patch", &json!({"room_id": red, "state": "TAKEN"}));
        assert_eq!(kept("ann"), json!({"most": 4, "least": 4, "latest": "Red"}));
        house.done("patch", &json!({"room_id": red, "state": "FREE", "owner_id": "bob"}));
        assert_eq!(kept("ann"), json!({"most": 4, "least": 4, "latest": "Blue"}));
        assert_eq!(kept("bob"), json!({"most": 9, "least": 9, "latest": "Red"}));
        house.done("drop", &json!({"room_id": red}));
        assert_eq!(kept("bob"), json!({}));
    }
}
