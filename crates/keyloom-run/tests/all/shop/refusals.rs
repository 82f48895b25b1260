use std::sync::Arc;

use keyloom_embedded::{Embedded, Options, System};
use keyloom_run::{Problem, Program, Run};
use serde_json::{Value as Json, json};

use super::support::{Shop, clock, compiled, order, read, shops, wait};

#[track_caller]
fn refused(shop: &Shop, pattern: &str, body: &Json, words: &str) {
    match shop.write(pattern, body, &shop.key()) {
        Err(Problem::Input(found)) => assert!(found.contains(words), "{found}"),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn wrong_inputs_are_refused_with_their_place() {
    for shop in shops() {
        let user = shop.user("ann");
        let with = |change: &dyn Fn(&mut Json)| {
            let mut body = order(&user, "1");
            change(&mut body);
            body
        };
        let refused = |change: &dyn Fn(&mut Json), words: &str| refused(&shop, "place_order", &with(change), words);
        refused(&|body| body["items"][0]["qty"] = json!("two"), "`items[0].qty`: `two` is no int");
        refused(&|body| body["items"][0]["colour"] = json!(1), "`items[0]`: there is no member `colour`");
        refused(&|body| body["total"] = json!("1.005"), "`total`: `1.005` is no decimal");
        refused(&|body| body["total"] = Json::Null, "`total`: it is missing: send a decimal(2)");
        refused(&|body| body["tip"] = json!(1), "`place_order` has no input `tip`; it takes: user_id, items, total");
        refused(&|body| body["items"] = json!(vec![body["items"][0].clone(); 101]), "101 entries, but at most 100");
        refused(
            &|body| body["items"][0]["sku"] = json!("x".repeat(41)),
            "`items[0].sku`: 41 bytes of text, but at most 40",
        );
        refused(&|body| *body = json!([]), "no JSON object");
        // 121 bytes only once they are lower case: the derived field has its maximum too.
        let email = format!("{}{}@x", "İ".repeat(58), "a");
        let body = json!({"name": "n", "email": email});
        super::refusals::refused(&shop, "sign_up", &body, "`email_key`");
        for query in
            [&[][..], &[("user_id", "x")], &[("user_id", &user), ("user_id", &user)], &[("user_id", &user), ("u", "")]]
        {
            assert!(matches!(shop.read("get_profile", query), Err(Problem::Input(_))), "{query:?}");
        }
        assert!(shop.rows("list_orders_of_user", &[("user_id", &user)]).is_empty(), "nothing was done");
    }
}

fn not_yet(text: &str) -> Vec<String> {
    let planned = compiled(&read(text), &keyloom_embedded::abilities());
    Program::of(&planned).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_not_run_yet_is_named_all_at_once() {
    let text = include_str!("../../../../../examples/shop/catalog.yaml");
    let text = format!(
        "{text}  take_orders: {{ claim: Order, by: [user_id], order: created_at asc, up_to: 5, lease: 60s, rate: rare }}
  drop_order: {{ delete: Order, by: [order_id], emits: OrderDropped, rate: rare }}
  orders_by_total: {{ list: Order, by: [user_id], order: total desc, page: 5, rate: rare }}
  newest_orders: {{ list: Order, by: [user_id], one_per: [status], order: created_at desc, page: 5, rate: rare }}
"
    );
    let found = not_yet(&text);
    let expected =
        ["patterns.take_orders: `claim`", "patterns.drop_order: `emits`", "patterns.newest_orders: `one_per`"];
    assert!(expected.iter().all(|words| found.iter().any(|found| found == words)), "{found:#?}");
    assert!(!found.iter().any(|found| found.contains("orders_by_total")), "{found:#?}");
}

#[test]
fn chat_is_run_where_kept_values_ride_along() {
    assert_eq!(not_yet(include_str!("../../../../../examples/chat/catalog.yaml")), Vec::<String>::new());
}

#[test]
fn every_other_example_says_what_it_lacks() {
    for (text, word) in [
        (include_str!("../../../../../examples/cases/catalog.yaml"), "patterns.take_overdue: `tenant: all`"),
        (include_str!("../../../../../examples/sensors/catalog.yaml"), "rollups"),
    ] {
        let found = not_yet(text);
        assert!(found.iter().any(|found| found.contains(word)), "{found:#?}");
    }
}

#[test]
fn a_value_that_rows_may_have_can_not_be_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    drop(Shop::in_folder(folder.path()));
    let text = include_str!("../../../../../examples/shop/catalog.yaml")
        .replace("SHIPPED 90% | CANCELLED 5%", "SHIPPED 95%")
        .replace(", PLACED -> CANCELLED, PAID -> CANCELLED", "");
    let program = Program::of(&compiled(&read(&text), &keyloom_embedded::abilities())).unwrap();
    let store = Embedded::open(folder.path(), Options::default(), Arc::new(System)).unwrap().0;
    let refused = wait(Run::open(program, Arc::new(store), clock())).err().expect("it is not opened");
    assert!(refused.cause().contains("`status` has lost the value CANCELLED"), "{refused}");
}

/// Opens what a folder holds by a catalog that says something else than the one before.
fn reopened(folder: &std::path::Path, change: impl Fn(&str) -> String) -> Result<Run, keyloom_store::Fault> {
    let text = change(include_str!("../../../../../examples/shop/catalog.yaml"));
    let program = Program::of(&compiled(&read(&text), &keyloom_embedded::abilities())).unwrap();
    let store = Embedded::open(folder, Options::default(), Arc::new(System)).unwrap().0;
    wait(Run::open(program, Arc::new(store), clock()))
}

#[test]
fn a_field_may_be_added_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    drop(reopened(folder.path(), str::to_owned).unwrap());
    let added = |text: &str| text.replace("name: text(20..100)", "nick: text(10..20)?, name: text(20..100)");
    drop(reopened(folder.path(), added).unwrap());
    // The columns that were there stay where they are, also for the next one.
    drop(reopened(folder.path(), added).unwrap());
}

#[test]
fn a_list_that_rows_would_be_missing_from_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(reopened(folder.path(), str::to_owned).unwrap());
    for (pattern, words) in [
        ("by_total: { list: Order, by: [user_id], order: total desc, page: 5, rate: rare }", "table `order_by_user_"),
        (
            "full: { list: Order, by: [user_id], order: created_at desc, page: 5, returns: [items], rate: rare }",
            "column `items` of table `order_by_user` is new",
        ),
    ] {
        let refused = reopened(folder.path(), |text| format!("{text}  {pattern}\n")).err().expect("it is not opened");
        assert!(refused.cause().contains(words), "{refused}");
        drop(reopened(folder.path(), str::to_owned).unwrap());
    }
}

#[test]
fn a_key_that_is_nearly_one_says_what_it_lacks() {
    for shop in shops() {
        let user = shop.user("ann");
        let seconds = format!("a;{}", shop.now_ms() / 1_000);
        for (key, words) in [("2f1c8a52-9d1e-4c55-8a53-0c8d8a3c1f00", "version 4"), (seconds.as_str(), "is in seconds")]
        {
            let answer = shop.write("place_order", &order(&user, "1"), key);
            assert!(matches!(&answer, Err(Problem::Key(detail)) if detail.contains(words)), "{answer:?}");
        }
    }
}
