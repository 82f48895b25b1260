//! A catalog inside a program: the answers of HTTP without it.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{net::SocketAddr, sync::mpsc, time::Duration};

use keyloom::{
    Answer, Caller, Data, Db, Problem,
    serve::{Engine, Halt, Logging, Up},
};
use keyloom_engines::{Cassandra, announce, available, cassandra};
use serde_json::json;

const SHOP: &str = include_str!("../../../examples/shop/catalog.yaml");

/// People of several firms, who come and go in twos.
const FIRMS: &str = "
language: 1
catalog: firms
tenant: { field: firm_id, type: uuid, count: 10 }
entities:
  Person:
    key: [person_id]
    fields: { person_id: uuid, name: text(10..20), hired_by: text(5..20) }
    volume: { rows: 1k }
patterns:
  hire: { create: Person, takes: [person_id, name], set: { hired_by: $caller }, batch: 10, rate: rare }
  people: { get: Person, by: [person_id], batch: 10, rate: rare }
";

async fn goes_through_a_shop(db: &Db) {
    let applied = |answer: Result<Answer, Problem>| match answer {
        Ok(Answer::Applied { key, .. }) => key,
        other => panic!("{other:?}"),
    };
    let user = applied(db.call("sign_up", json!({"name": "First user", "email": "First@example.com"})).await);
    let user = &user["user_id"];
    let taken = db.call("sign_up", json!({"name": "Second user", "email": "first@example.com"})).await;
    assert_eq!(taken, Ok(Answer::NotApplied { reason: "email_taken".into() }));

    let order = |total: &str| json!({"user_id": user, "items": [], "total": total});
    let key = keyloom::new_key();
    let first = applied(db.call("place_order", order("12.50")).key(&key).await);
    let again = db.call("place_order", order("12.50")).key(&key).again();
    assert_eq!(applied(again.await), first, "it is the same order");
    let other = db.call("place_order", order("99.00")).key(&key).again();
    assert_eq!(other.await, Err(Problem::KeyReused));
    // Orders of one millisecond stand in no order that anybody would know.
    tokio::time::sleep(Duration::from_millis(5)).await;
    applied(db.call("place_order", order("8.00")).await);

    let page = |answer: Result<Answer, Problem>| match answer {
        Ok(Answer::Rows { rows, next, .. }) => (rows, next),
        other => panic!("{other:?}"),
    };
    let list = || db.call("list_orders_of_user", json!({"user_id": user})).limit(1);
    let (newest, next) = page(list().await);
    assert_eq!((newest.len(), newest[0].json()["total"].clone()), (1, json!("8.00")));
    let (older, end) = page(list().cursor(next.unwrap_or_default()).await);
    assert_eq!((older.len(), older[0].json()["total"].clone(), end), (1, json!("12.50"), None));
    assert!(matches!(list().cursor("of nobody").await, Err(Problem::Cursor(_))));
    assert!(matches!(list().order("by chance").await, Err(Problem::Input(_))));

    assert!(matches!(db.call("no_such_pattern", json!({})).await, Err(Problem::Input(_))));
    assert!(matches!(db.call("get_order", json!([])).await, Err(Problem::Input(_))));
    assert!(matches!(db.call("get_order", json!({"order_id": "x", "more": 1})).await, Err(Problem::Input(_))));
    assert!(matches!(db.call("place_order", order("1.00")).key("garbled").await, Err(Problem::Key(_))));
    assert!(matches!(db.call_batch("get_order", vec![first.clone()]).await, Err(Problem::Input(_))));
    assert!(matches!(db.outcome(&Caller::default(), "of nobody").await, Err(Problem::Token(_))));
}

#[tokio::test]
async fn a_shop_is_run_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = keyloom::catalog(SHOP).unwrap();
    let data = Data::folder(folder.path());
    let db = keyloom::open(&catalog, &data).await.unwrap();
    goes_through_a_shop(&db).await;
    let refused = keyloom::open(&catalog, &data).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("process")), "a folder is one process's own");
    db.close().await.unwrap();

    // One that is dropped leaves the folder to the next.
    let db = keyloom::open(&catalog, &data).await.unwrap();
    let kept = db.call("sign_up", json!({"name": "Third user", "email": "third@example.com"})).await;
    drop(db);
    let Ok(Answer::Applied { key, .. }) = kept else { panic!("{kept:?}") };
    let mut opened = keyloom::open(&catalog, &data).await;
    for _ in 0..100 {
        if opened.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        opened = keyloom::open(&catalog, &data).await;
    }
    let db = opened.unwrap();
    assert!(matches!(db.call("get_profile", key).await, Ok(Answer::Row { .. })));
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_shop_is_run_on_cassandra() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("open", "Cassandra", started) else { return };
    let address = format!("cassandra://{}/shop", node.contact_point()).parse().unwrap();
    let engine = Engine { address, create_keyspace: Some(1), endpoint: None };
    let db = keyloom::open(&keyloom::catalog(SHOP).unwrap(), &Data::Engine(&engine)).await.unwrap();
    goes_through_a_shop(&db).await;
    db.close().await.unwrap();
    announce("open", "Cassandra", 1, 0);
}

/// The shop with a name that users may have, and what is said of it more.
fn with_nicks(more: &str) -> String {
    let nick = SHOP.replace("email: text(24..120),", "email: text(24..120), nick: text(2..20)?,");
    format!("{nick}  call_user: {{ update: User, by: [user_id], set: {{ nick: $nick }}, rate: rare }}\n{more}")
}

/// Serves another catalog over the same data; says when it does.
fn served(catalog: String, engine: Engine, halt: Halt) -> mpsc::Receiver<()> {
    let (says, ready) = mpsc::channel();
    std::thread::spawn(move || {
        let folder = tempfile::tempdir().unwrap();
        let wanted = Up {
            catalog: &keyloom::catalog(&catalog).unwrap(),
            layout: None,
            data: Data::Engine(&engine),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            keys: &folder.path().join("keys"),
            log: Logging { write: |_| {}, for_people: true, calls: false },
            halt,
            make: &|_| true,
        };
        keyloom::serve::up(&wanted, &mut |_| says.send(()).unwrap())
    });
    ready
}

#[tokio::test(flavor = "multi_thread")]
async fn a_layout_that_others_change_is_followed_as_long_as_it_can_be() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("following", "Cassandra", started) else { return };
    let address = format!("cassandra://{}/shop", node.contact_point()).parse().unwrap();
    let engine = Engine { address, create_keyspace: Some(1), endpoint: None };
    let db = keyloom::open(&keyloom::catalog(SHOP).unwrap(), &Data::Engine(&engine)).await.unwrap();
    let signed_up = db.call("sign_up", json!({"name": "Ann", "email": "ann@example.com"})).await;
    let Ok(Answer::Applied { key, .. }) = signed_up else { panic!("{signed_up:?}") };
    let user = &key["user_id"];

    let halt = Halt::default();
    let ready = served(with_nicks(""), engine.clone(), halt.clone());
    let rename = |name: &str| db.call("rename_user", json!({"user_id": user, "name": name}));
    let mut renamed = 0;
    while ready.try_recv().is_err() {
        let answer = rename(&format!("Ann {renamed}")).await;
        assert!(matches!(answer, Ok(Answer::Applied { .. })), "whoever has it open goes on: {answer:?}");
        renamed += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(renamed > 100, "its term was over meanwhile: {renamed}");
    let newer = keyloom::open(&keyloom::catalog(&with_nicks("")).unwrap(), &Data::Engine(&engine)).await.unwrap();
    let called = newer.call("call_user", json!({"user_id": user, "nick": "me"})).await;
    assert!(matches!(called, Ok(Answer::Applied { .. })), "{called:?}");
    assert!(matches!(rename("Anna").await, Ok(Answer::Applied { .. })));
    let profile = newer.call("get_profile", key.clone()).await;
    let Ok(Answer::Row { row, .. }) = profile else { panic!("{profile:?}") };
    assert_eq!((&row.json()["name"], &row.json()["nick"]), (&json!("Anna"), &json!("me")), "what is not known stays");
    halt.now();

    // A list by a field that it does not know is more than it can keep up.
    let listed = with_nicks("  by_nick: { list: User, by: [nick], page: 50, rate: rare }\n");
    let _ready = served(listed, engine.clone(), Halt::default());
    for _ in 0..300 {
        let answer = rename("Anne").await;
        if let Err(Problem::Broken(why)) = answer {
            assert!(why.contains("this catalog can't be run by it") && why.contains("nick"), "{why}");
            announce("following", "Cassandra", 1, 0);
            return;
        }
        assert!(matches!(answer, Ok(Answer::Applied { .. })), "{answer:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it goes on with a catalog that can't keep up what is served");
}

#[tokio::test]
async fn tenants_see_their_own_rows_and_each_item_has_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = keyloom::catalog(FIRMS).unwrap();
    let db = keyloom::open(&catalog, &Data::folder(folder.path())).await.unwrap();
    let of = |firm: &str| Caller { tenant: Some(firm.into()), subject: Some("the office".into()) };
    // However it is written, it is one firm.
    let (one, same) = (of("6F1C8A52-9D1E-4C55-8A53-0C8D8A3C1F00"), of("6f1c8a52-9d1e-4c55-8a53-0c8d8a3c1f00"));
    let other = of("6f1c8a52-9d1e-4c55-8a53-0c8d8a3c1f01");
    let id = |last: u8| json!({"person_id": format!("2f1c8a52-9d1e-4c55-8a53-0c8d8a3c1f{last:02x}")});
    let person = |last: u8| {
        let mut person = id(last);
        person["name"] = json!("Somebody new");
        person
    };
    let hired = db.call_batch("hire", vec![person(1), person(2), person(1)]).by(&one).await.unwrap();
    assert!(matches!(&hired[..2], [Ok(Answer::Applied { .. }), Ok(Answer::Applied { .. })]), "{hired:?}");
    assert_eq!(hired[2], Ok(Answer::NotApplied { reason: "exists".into() }));
    let found = |caller: &Caller| {
        let asked = db.call_batch("people", vec![id(1), id(3)]).by(caller);
        async move { asked.await.unwrap() }
    };
    let rows = found(&same).await;
    assert!(matches!(&rows[0], Ok(Answer::Row { row, .. }) if row.json()["hired_by"] == "the office"), "{rows:?}");
    assert_eq!(rows[1], Ok(Answer::NoRow));
    assert_eq!(found(&other).await, [Ok(Answer::NoRow), Ok(Answer::NoRow)]);

    let nobody = db.call_batch("people", vec![id(1)]).await;
    assert!(matches!(nobody, Err(Problem::Caller(_) | Problem::Input(_))), "{nobody:?}");
    let odd = db.call_batch("people", vec![id(1)]).by(&of("no uuid")).await;
    assert!(matches!(odd, Err(Problem::Input(_))), "{odd:?}");
    db.close().await.unwrap();
}

#[test]
fn what_is_wrong_with_a_catalog_is_said() {
    for text in ["", "}{", "language: 1\n", "language: 1\ncatalog: x\nentities: { User: { key: [id] } }\n"] {
        let said = keyloom::catalog(text).unwrap_err().to_string();
        assert!(said.contains("error"), "{text:?}: {said}");
    }
}
