use keyloom_finding::Sources;
use keyloom_model::{Action, Catalog};
use keyloom_text::{Files, Unreadable};
use serde_json::{Value as Json, json};

use super::*;
use crate::inputs::{Takes, input_kinds};

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

/// A catalog with a condition, or with a value that is set.
fn catalog(set: &str, test: &str) -> Catalog {
    let text = format!(
        "language: 1
catalog: t
types:
  Place: {{ street: text(4..40)?, town: text(4..40) }}
entities:
  Task:
    key: [task_id]
    fields:
      task_id: uuid
      status: enum(OPEN | CLOSED)
      title: text(10..200)
      note: text(10..200)?
      stock: int
      price: decimal(2)
      weight: float
      due_at: timestamp
      labels: set of text(8..30) (2 / 10 / 40)
      place: Place
      seen_at: timestamp(us)
      tax: decimal(1)
patterns:
  change:
    update: Task
    by: [task_id]
    set: {{ {set} }}
    if: {test}
    rate: rare
"
    );
    let reading = keyloom_text::read("catalog.yaml", &One(text), &mut Sources::default());
    let errors: Vec<&str> = reading.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert!(errors.is_empty(), "{set} {test}: {errors:?}");
    reading.catalog
}

/// Evaluates over one fixed row, with these inputs besides the key.
fn over_a_row<T>(catalog: &Catalog, sent: &Json, evaluate: impl Fn(&Scope<'_>, &Action) -> T) -> T {
    let entity = &catalog.entities[0];
    let fields: Vec<(String, Kind)> =
        entity.fields.iter().map(|field| (field.name.clone(), Kind::of(&field.ty, catalog))).collect();
    let row = [
        Value::Uuid([1; 16]),
        Value::Enum(10),
        Value::from("A Title"),
        Value::Null,
        Value::Int(7),
        Value::Decimal(1250),
        Value::Float(0.5),
        Value::Timestamp(1_000),
        Value::Set(vec![Value::from("a"), Value::from("b")]),
        Value::Struct(vec![Value::Null, Value::from("Bern")]),
        Value::Timestamp(1_000_700),
        Value::Decimal(15),
    ];
    let mut body = sent.clone();
    body["task_id"] = json!("01010101-0101-0101-0101-010101010101");
    let pattern = &catalog.patterns[0];
    let kinds = input_kinds(catalog, pattern);
    let inputs = Takes::new(catalog, pattern, &kinds, crate::Caller::NOBODY).read_object(&body).unwrap();
    let built_in = BuiltIn { version: 17, created_ms: 5, updated_ms: 6 };
    evaluate(
        &Scope { fields: &fields, row: &row, built_in, item: None, inputs: &inputs, now_us: 2_000_500 },
        &catalog.patterns[0].action,
    )
}

#[track_caller]
fn holds(test: &str, sent: Json) -> bool {
    let catalog = catalog("note: \"'x'\"", test);
    over_a_row(&catalog, &sent, |scope, action| match action {
        Action::Write(write) => {
            assert_eq!(not_yet(&write.conditions[0].test, &catalog.entities[0]), [""; 0], "{test}");
            scope.holds(&write.conditions[0].test).unwrap()
        }
        _ => panic!(),
    })
}

#[track_caller]
fn set(field: &str, value: &str, sent: Json) -> Result<Value<'static>, String> {
    let catalog = catalog(&format!("{field}: \"{value}\""), "version > 0");
    let kind = Kind::of(&catalog.entities[0].field(field).unwrap().ty, &catalog);
    over_a_row(&catalog, &sent, |scope, action| match action {
        Action::Write(write) => scope.value(&write.assignments[0].value, &kind).map_err(|fault| fault.words),
        _ => panic!(),
    })
}

#[test]
fn tests_hold_or_do_not() {
    for (test, expected) in [
        ("status = OPEN", true),
        ("status != OPEN", false),
        ("status in (CLOSED, OPEN)", true),
        ("status in (CLOSED)", false),
        ("stock >= 7 and stock < 8", true),
        ("stock > 7 or price = 12.50", true),
        ("not (stock > 7 or price = 12.51)", true),
        ("stock - 8 < 0", true),
        ("stock in 7..8", true),
        ("stock in 6..7", false),
        ("weight = 0.5", true),
        ("title starts with 'A T'", true),
        ("lower(title) = 'a title'", true),
        ("upper(title) = 'a title'", false),
        ("size(title) = 7", true),
        ("size(labels) = 2", true),
        ("text(stock) = '7'", true),
        ("labels has 'b'", true),
        ("labels has 'c'", false),
        ("note is null", true),
        ("note is not null", false),
        ("note = 'x'", false),
        ("note != 'x'", true),
        ("note < 'x'", false),
        ("max(stock, 9) = 9", true),
        ("due_at < now", true),
        ("due_at >= now", false),
        ("version = 17 and updated < now", true),
    ] {
        assert_eq!(holds(test, json!({})), expected, "{test}");
    }
}

#[test]
fn an_optional_input_that_was_not_sent_drops_its_test() {
    for (test, sent, expected) in [
        ("title = $title?", json!({}), true),
        ("title = $title?", json!({"title": "x"}), false),
        ("status = OPEN and stock < $most?", json!({}), true),
        ("stock in $from?..$to?", json!({}), true),
        ("stock in $from?..$to?", json!({"from": 8}), false),
        ("stock in $from?..$to?", json!({"to": 8}), true),
        ("stock in $from?..$to?", json!({"from": 7, "to": 7}), false),
        ("stock in $all max 3", json!({"all": [1, 7]}), true),
        ("stock in $all max 3", json!({"all": []}), false),
    ] {
        assert_eq!(holds(test, sent.clone()), expected, "{test} {sent}");
    }
}

#[test]
fn values_are_of_the_kind_that_is_wanted() {
    assert_eq!(set("stock", "stock - $n", json!({"n": 3})), Ok(Value::Int(4)));
    assert_eq!(set("stock", "-stock * 2", json!({})), Ok(Value::Int(-14)));
    assert_eq!(set("price", "price + 0.5", json!({})), Ok(Value::Decimal(1300)));
    assert_eq!(set("price", "3", json!({})), Ok(Value::Decimal(300)));
    assert_eq!(set("weight", "weight * 4.0", json!({})), Ok(Value::Float(2.0)));
    assert_eq!(set("due_at", "now", json!({})), Ok(Value::Timestamp(2_000)));
    assert_eq!(set("status", "CLOSED", json!({})), Ok(Value::Enum(20)));
    assert_eq!(set("note", "'it''s'", json!({})), Ok(Value::from("it's")));
    assert_eq!(set("note", "null", json!({})), Ok(Value::Null));
    assert_eq!(set("note", "lower(note)", json!({})), Ok(Value::Null), "of nothing comes nothing");
    assert_eq!(set("stock", "max(stock, $score)", json!({"score": 99})), Ok(Value::Int(99)));
    assert_eq!(set("stock", "stock + $n", json!({"n": i64::MAX})), Err("the result is too large".into()));
}

#[test]
fn values_fit_where_another_unit_or_scale_is_wanted() {
    let day_ms = 86_400_000;
    assert_eq!(set("due_at", "seen_at", json!({})), Ok(Value::Timestamp(1_000)));
    assert_eq!(set("due_at", "seen_at + 7 days", json!({})), Ok(Value::Timestamp(1_000 + 7 * day_ms)));
    assert_eq!(set("seen_at", "due_at + 1ms", json!({})), Ok(Value::Timestamp(1_001_000)));
    assert!(holds("due_at < seen_at and seen_at > due_at and seen_at != due_at", json!({})));
    assert!(holds("due_at in (due_at)..seen_at and seen_at - due_at < 1ms", json!({})));
    assert_eq!(set("price", "tax", json!({})), Ok(Value::Decimal(150)));
    assert_eq!(set("price", "price - tax", json!({})), Ok(Value::Decimal(1100)));
    assert_eq!(set("price", "stock", json!({})), Ok(Value::Decimal(700)));
    assert_eq!(set("price", "stock * tax", json!({})), Ok(Value::Decimal(1050)));
    assert_eq!(set("price", "price + 2 * price", json!({})), Ok(Value::Decimal(3750)));
    assert_eq!(set("weight", "weight * stock", json!({})), Ok(Value::Float(3.5)));
    assert!(holds("tax < price and price > stock", json!({})));
}

#[test]
fn times_are_moved_by_spans_and_taken_apart() {
    let day_ms = 86_400_000;
    assert_eq!(set("due_at", "due_at + 1 day", json!({})), Ok(Value::Timestamp(1_000 + day_ms)));
    assert_eq!(set("due_at", "now - 1500ms", json!({})), Ok(Value::Timestamp(500)));
    assert_eq!(set("due_at", "hour(due_at)", json!({})), Ok(Value::Timestamp(0)));
    assert_eq!(set("stock", "year(due_at)", json!({})), Ok(Value::Int(1970)));
    assert_eq!(set("title", "left(title, 3)", json!({})), Ok(Value::from("A T")));
    assert!(holds("now - due_at < 2s", json!({})) && !holds("due_at + 1s < now", json!({})));
    assert!(holds("text(day(due_at)) = '1970-01-01'", json!({})));
}

#[test]
fn members_of_structs_are_looked_at() {
    assert!(holds("place.town = 'Bern' and place.street is null", json!({})));
    assert_eq!(set("title", "place.town", json!({})), Ok(Value::from("Bern")));
}

#[test]
fn what_is_not_run_is_named() {
    let catalog = catalog("title: \"'x'\"", "version > 0");
    let elsewhere = Path { root: Root::Reference { field: "f".into(), entity: "E".into() }, ..Path::own("g") };
    assert_eq!(not_yet(&Expr::Path(elsewhere), &catalog.entities[0]), ["the path `f.g` in an expression"]);
}
