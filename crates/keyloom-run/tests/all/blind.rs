//! Rows that are put and deleted whole, on three stores.

use keyloom_run::{Answer, Problem};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open};

const CATALOG: &str = "
language: 1
catalog: settings
retries: 24h
entities:
  Setting:
    key: [owner_id, name]
    fields:
      owner_id: text(2..10)
      name: text(2..10)
      value: text(4..30KB)
      set_at: timestamp = now
      until: timestamp?
    expires: until
    volume: { rows: 10 }
    groups: { owner_id: 5 / 10 / 20, name: 5 / 10 / 20 }
patterns:
  set: { put: Setting, takes: [owner_id, name, value, until], returns: after, rate: rare }
  unset: { delete: Setting, by: [owner_id, name], rate: rare }
  get: { get: Setting, by: [owner_id, name], returns: [value], rate: rare }
  of_owner: { list: Setting, by: [owner_id], order: name asc, page: 10, returns: [value], rate: rare }
  by_name: { list: Setting, by: [name], order: owner_id asc, page: 10, returns: [owner_id, value], rate: rare }
";

fn houses() -> [House; 3] {
    let wide = open(AtOnce::new(1, WideStore::new), CATALOG);
    [open(Model::new(), CATALOG), wide, open(AtOnce::new(1, ItemStore::new), CATALOG)]
}

fn setting(value: &str) -> Json {
    json!({"owner_id": "ann", "name": "color", "value": value})
}

/// What is seen of the one setting, wherever it stands.
#[track_caller]
fn seen(house: &House) -> Option<String> {
    let key = json!({"owner_id": "ann", "name": "color"});
    let value = |row: &Json| row["value"].as_str().unwrap().to_owned();
    let got = house.get("get", &key).map(|row| value(&row));
    let first = |pattern: &str, body: &Json| house.list(pattern, body).first().map(value);
    assert_eq!(first("of_owner", &json!({"owner_id": "ann"})), got);
    assert_eq!(first("by_name", &json!({"name": "color"})), got);
    got
}

#[test]
fn the_newest_row_stands_everywhere() {
    for house in houses() {
        let key = json!({"owner_id": "ann", "name": "color"});
        let first = house.key();
        house.turn(1);
        let old_removal = house.key();
        house.turn(1);
        let (_, row) = house.done("set", &setting("blue"));
        assert_eq!(row.unwrap()["value"], "blue");
        assert_eq!(seen(&house).as_deref(), Some("blue"));
        house.turn(1);
        house.done("set", &setting("green"));
        assert_eq!(seen(&house).as_deref(), Some("green"));
        // What was born earlier comes too late, whatever it is.
        let superseded = Ok(Answer::NotApplied { reason: "superseded".into() });
        assert_eq!(house.send("set", &setting("red"), Some(&first)), superseded);
        assert_eq!(house.send("unset", &key, Some(&old_removal)), superseded);
        assert_eq!(seen(&house).as_deref(), Some("green"));
        house.turn(1);
        let put = house.key();
        house.turn(1);
        let again = house.key();
        assert!(matches!(house.send("set", &setting("pink"), Some(&put)), Ok(Answer::Applied { .. })));
        house.turn(1);
        let gone = house.send("unset", &key, Some(&again)).unwrap();
        assert!(matches!(gone, Answer::Applied { .. }), "{gone:?}");
        assert_eq!(seen(&house), None);
        assert_eq!(house.send("unset", &key, Some(&again)).unwrap(), gone);
        // A put that is repeated after the row was deleted does not bring it back.
        assert_eq!(house.send("set", &setting("pink"), Some(&put)), superseded);
        assert_eq!(seen(&house), None);
        house.turn(1);
        house.done("set", &setting("grey"));
        assert_eq!(seen(&house).as_deref(), Some("grey"));
    }
}

#[test]
fn a_put_that_is_repeated_is_the_same_row() {
    for house in houses() {
        let key = house.key();
        let first = house.send("set", &setting("blue"), Some(&key)).unwrap();
        house.turn(60);
        assert_eq!(house.send("set", &setting("blue"), Some(&key)).unwrap(), first);
        assert_eq!(seen(&house).as_deref(), Some("blue"));
    }
}

#[test]
fn a_row_ends_when_it_says_and_comes_at_once_or_not_at_all() {
    for (at, house) in houses().into_iter().enumerate() {
        let until = |seconds: i64| {
            let moment = keyloom_value::Value::Timestamp(house.now_ms() + seconds * 1_000);
            keyloom_value::to_text(&moment, &keyloom_value::Kind::Timestamp { micros: false }).unwrap()
        };
        let mut body = setting("blue");
        body["until"] = json!(until(100));
        house.done("set", &body);
        assert_eq!(seen(&house).as_deref(), Some("blue"));
        house.turn(200);
        assert_eq!(seen(&house), None);
        let large = house.write("set", &setting(&"x".repeat(30 << 10)));
        // Only the wide store takes no more than 50 KB at once.
        match at {
            1 => assert!(matches!(&large, Err(Problem::Input(words)) if words.contains("at once")), "{large:?}"),
            _ => assert!(matches!(large, Ok(Answer::Applied { .. })), "{large:?}"),
        }
    }
}
