//! `keyloom up` on real engines: the skeleton is served there as it is from a folder.

use std::path::Path;

use keyloom_engines::{Cassandra, Dynoxide, announce, available, cassandra};
use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example, new_key, request};

#[test]
fn the_shop_is_served_on_cassandra() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("skeleton", "Cassandra", started) else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = format!("cassandra://{}/shop", node.contact_point());
    let shop = example("shop");
    let shop = shop.to_str().unwrap();

    let (code, said) = ended(&["up", shop, "--store", &store], folder.path());
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("CREATE KEYSPACE IF NOT EXISTS \"shop\""),
        "what is missing is said with the way out: {said}"
    );
    tour(folder.path(), &["--store", &store], &["--create-keyspace", "1"], "CREATE TABLE");
    announce("skeleton", "Cassandra", 1, 0);
}

#[test]
fn the_shop_is_served_on_dynamodb() {
    let Some(server) = available("skeleton", "Dynoxide", Dynoxide::start()) else { return };
    let folder = tempfile::tempdir().unwrap();
    tour(folder.path(), &["--store", "dynamodb://eu-central-1", "--endpoint", &server.endpoint()], &[], "create-table");
    announce("skeleton", "Dynoxide", 1, 0);
}

/// What a new user does, and what a process meets: a sudden end, and a second start.
fn tour(folder: &Path, store: &[&str], first: &[&str], making: &str) {
    let shop = example("shop");
    let up = Up::start(&shop, folder, &[store, first].concat());
    let ready = up.said.find("shop is up").unwrap();
    assert!(up.said.find(making).is_some_and(|at| at < ready), "tables are shown before they are made: {}", up.said);

    let signed = up.post("/v1/sign_up", &new_key(), &json!({"name": "Ann", "email": "ann@x"})).json();
    assert_eq!(signed["outcome"], "applied", "{signed}");
    let user = signed["key"]["user_id"].as_str().unwrap().to_owned();
    let taken = up.post("/v1/sign_up", &new_key(), &json!({"name": "Eve", "email": "ANN@x"}));
    assert_eq!((taken.status, &taken.json()["reason"]), (409, &json!("email_taken")));

    let (key, order) = (new_key(), json!({"user_id": user, "items": [], "total": "12.50"}));
    let placed = up.post("/v1/place_order", &key, &order).json();
    let id = placed["key"].clone();
    assert_eq!(up.post("/v1/place_order", &key, &order).json(), placed, "a repeat answers the same");
    assert_eq!(up.post("/v1/pay_order", &new_key(), &id).json()["outcome"], "applied");
    let again = up.post("/v1/pay_order", &new_key(), &id);
    assert_eq!((again.status, &again.json()["reason"]), (409, &json!("status_is_paid")));
    std::thread::sleep(std::time::Duration::from_millis(2));
    up.post("/v1/place_order", &new_key(), &order);
    let before = orders(&up, &user);
    assert_eq!(before.len(), 2, "{before:?}");
    assert_eq!((&before[1]["order_id"], &before[1]["status"]), (&id["order_id"], &json!("PAID")));
    assert_eq!(before[1]["user"]["name"], "Ann");
    up.kill();

    let up = Up::start(&shop, folder, store);
    assert!(!up.said.contains(making), "the tables are there: {}", up.said);
    assert_eq!(orders(&up, &user), before, "what was acknowledged is there");
    assert_eq!(up.post("/v1/place_order", &key, &order).json(), placed, "a repeat answers the same after a restart");
    assert_eq!(up.get("/v1/-/backup").status, 404, "the engine has backups of its own");
    assert_eq!(up.stop("-TERM"), Some(0));

    let shop = shop.to_str().unwrap();
    let (code, said) = ended(&[&["up", shop, "--dry-run"], store].concat(), folder);
    assert_eq!((code, said.as_str()), (0, "nothing to do: the tables are as the catalog wants them\n"));
    let (code, rows) = ended(&[&["export", shop], store].concat(), folder);
    assert_eq!((code, rows.lines().count()), (0, 3), "{rows}");
    assert_eq!(rows.matches("\"entity\":\"Order\"").count(), 2, "{rows}");
    keys(folder, store, &user);
}

/// Keys lie in the engine: a process that serves it asks for the one that another command has added.
fn keys(folder: &Path, store: &[&str], user: &str) {
    let shop = example("shop");
    let up = Up::start(&shop, folder, store);
    let path = shop.to_str().unwrap();
    let (code, said) = ended(&[&["key", "add", path, "--subject", "ann"], store].concat(), folder);
    assert_eq!(code, 0, "{said}");
    let shown = said.lines().find(|line| line.starts_with("kl_")).unwrap();
    let id = said.split("added key ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let (code, list) = ended(&[&["key", "list", path], store].concat(), folder);
    assert!(code == 0 && list.contains(id) && !list.contains(shown), "{list}");
    let bearer = format!("Bearer {shown}");
    let get = |headers: &[(&str, &str)]| {
        request(&up.address, &format!("GET /v1/get_profile?user_id={user} HTTP/1.1"), headers, "").unwrap().status
    };
    assert_eq!(get(&[("Authorization", &bearer)]), 200, "known at once");
    let (code, said) = ended(&[&["key", "revoke", id, path], store].concat(), folder);
    assert_eq!(code, 0, "{said}");
    assert_eq!(get(&[("Authorization", &bearer)]), 401, "no longer, when the command has ended");
    assert_eq!(get(&[]), 401, "and nobody else gets in");
}

/// The orders of a user, a page of one row at a time.
fn orders(up: &Up, user: &str) -> Vec<Json> {
    let mut rows = Vec::new();
    let mut path = format!("/v1/list_orders_of_user?user_id={user}&limit=1");
    loop {
        let page = up.get(&path).json();
        rows.extend(page["rows"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { return rows };
        path = format!("/v1/list_orders_of_user?user_id={user}&limit=1&cursor={next}");
    }
}
