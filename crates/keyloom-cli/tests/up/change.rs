//! A catalog that changes between two starts.

use std::{path::Path, process::Stdio, time::Duration};

use keyloom_engines::{Cassandra, Dynoxide, announce, available, cassandra};
use serde_json::json;

use crate::process::{Up, ended, example, keyloom, new_key};

/// The shop, changed.
fn changed(folder: &Path, name: &str, change: impl Fn(&str) -> String) -> std::path::PathBuf {
    let text = std::fs::read_to_string(example("shop").join("catalog.yaml")).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, change(&text)).unwrap();
    path
}

/// A field that may be absent, a list in another order, and a pattern that the tables answer.
fn more(text: &str) -> String {
    let text = text.replace("email: text(24..120),", "email: text(24..120), nick: text(2..20)?,");
    format!(
        "{text}  by_total: {{ list: Order, by: [user_id], order: total desc, page: 50, rate: rare }}
  call_user: {{ update: User, by: [user_id], set: {{ nick: $nick }}, rate: rare }}
"
    )
}

#[test]
fn what_is_new_is_filled_and_served_also_after_sudden_ends() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let up = Up::start(&example("shop"), here, &[]);
    let mut user = json!(null);
    for number in 0..12 {
        let body = json!({"name": "somebody", "email": format!("{number}@x")});
        user = up.post("/v1/sign_up", &new_key(), &body).json()["key"]["user_id"].clone();
        for total in 0..30 {
            let order = json!({"user_id": user, "items": [], "total": format!("{total}.00")});
            assert_eq!(up.post("/v1/place_order", &new_key(), &order).status, 200);
        }
    }
    assert_eq!(up.stop("-TERM"), Some(0));

    let more = changed(here, "more.yaml", more);
    for pause in [0, 1, 3, 9] {
        let arguments = ["up", more.to_str().unwrap(), "--listen", "127.0.0.1:0"];
        let said = here.join("said");
        let out = std::fs::File::create(&said).unwrap();
        let mut child = keyloom(&arguments, here).stdout(Stdio::null()).stderr(out).spawn().unwrap();
        // It may have been filled before the last end: then nothing is said.
        for _ in 0..50 {
            if std::fs::read_to_string(&said).unwrap().contains("filling order_by_user_") {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let up = Up::start(&more, here, &[]);
    let page = up.get(&format!("/v1/by_total?user_id={}", user.as_str().unwrap())).json();
    let totals: Vec<&str> = page["rows"].as_array().unwrap().iter().map(|row| row["total"].as_str().unwrap()).collect();
    assert_eq!((totals.len(), totals[0], totals[29]), (30, "29.00", "0.00"), "{page}");
    assert_eq!(up.post("/v1/call_user", &new_key(), &json!({"user_id": user, "nick": "me"})).status, 200);
    assert_eq!(up.stop("-TERM"), Some(0));
    let (code, said) = ended(&["verify", more.to_str().unwrap()], here);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(" 0 missing, 0 extra, 0 stale"), "{said}");
}

#[test]
fn what_is_no_addition_stops_with_all_reasons_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(Up::start(&example("shop"), here, &[]).stop("-TERM"), Some(0));
    type Case<'a> = (&'a str, &'a dyn Fn(&str) -> String, &'a [&'a str]);
    let cases: [Case<'_>; 6] = [
        (
            "required",
            &|text| text.replace("email: text(24..120),", "email: text(24..120), age: int = 18,"),
            &["`age` of User is new, and rows that are there have no value of it"],
        ),
        (
            "renamed",
            &|text| text.replace("items", "lines"),
            &["`lines` of Order is new", "`items` of Order is taken away, and rows have it"],
        ),
        ("listed", &|text| text.replace("total", "amount"), &["there is no field `total` in Order", "put it back"]),
        ("typed", &|text| text.replace("total: decimal(2)", "total: int"), &["`total` of Order was decimal"]),
        (
            "computed",
            &|text| text.replace("= lower(email)", "= upper(email)"),
            &["`email_key` of User was `lower(email)` and is `upper(email)`"],
        ),
        (
            "fewer",
            &|text| {
                text.replace("SHIPPED 90% | CANCELLED 5%", "SHIPPED 95%")
                    .replace(", PLACED -> CANCELLED, PAID -> CANCELLED", "")
            },
            &["has lost the value CANCELLED"],
        ),
    ];
    for (name, change, words) in cases {
        let other = changed(here, name, change);
        for more in [&[][..], &["--dry-run"]] {
            let arguments = [&["up", other.to_str().unwrap(), "--listen", "127.0.0.1:0"], more].concat();
            let (code, said) = ended(&arguments, here);
            assert_eq!(code, 2, "{name}: {said}");
            assert!(words.iter().all(|words| said.contains(words)), "{name}: {said}");
        }
    }
    assert_eq!(Up::start(&example("shop"), here, &[]).stop("-TERM"), Some(0), "the data is as it was");
}

#[test]
fn a_dry_run_says_what_would_be_made_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shop = example("shop");
    let dry = |catalog: &Path| {
        let (code, said) = ended(&["up", catalog.to_str().unwrap(), "--dry-run"], here);
        assert_eq!(code, 0, "{said}");
        said
    };
    assert!(dry(&shop).contains("create table `order_by_user`"));
    assert!(!here.join(".keyloom").exists(), "nothing was made");
    assert_eq!(Up::start(&shop, here, &[]).stop("-TERM"), Some(0));
    assert_eq!(dry(&shop), "nothing to do: the tables are as the catalog wants them\n");
    let more = changed(here, "more.yaml", more);
    let said = dry(&more);
    assert!(said.contains("create table `order_by_user_"), "{said}");
    assert!(said.contains("add column `nick` to table `user`"), "{said}");
    assert!(said.contains("filled from the rows that are there: order_by_user_"), "{said}");
    assert_eq!(dry(&more), said, "nothing was made");
}

#[test]
fn a_layout_changes_on_cassandra_beside_processes_that_serve() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("change", "Cassandra", started) else { return };
    let store = format!("cassandra://{}/shop", node.contact_point());
    beside_others(&["--store", &store], &["--create-keyspace", "1"]);
    announce("change", "Cassandra", 1, 0);
}

#[test]
fn a_layout_changes_on_dynamodb_beside_processes_that_serve() {
    let Some(server) = available("change", "Dynoxide", Dynoxide::start()) else { return };
    beside_others(&["--store", "dynamodb://eu-central-1", "--endpoint", &server.endpoint()], &[]);
    announce("change", "Dynoxide", 1, 0);
}

/// One process serves and writes, while two others start at once with a catalog that has more, and one of them dies.
fn beside_others(store: &[&str], first: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let older = Up::start(&example("shop"), here, &[store, first].concat());
    let user = older.post("/v1/sign_up", &new_key(), &json!({"name": "Ann", "email": "ann@x"})).json();
    let user = user["key"]["user_id"].as_str().unwrap().to_owned();
    let order = |up: &Up, total: u64| {
        let order = json!({"user_id": user, "items": [], "total": format!("{total}.00")});
        up.post("/v1/place_order", &new_key(), &order)
    };
    for total in 0..20 {
        assert_eq!(order(&older, total).status, 200);
    }
    let more = changed(here, "more.yaml", more);
    let path = more.to_str().unwrap();
    let arguments = [&["up", path, "--listen", "127.0.0.1:0"], store].concat();
    let (code, said) = ended(&arguments, here);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("changing the layout that runs") && said.contains("--yes"), "{said}");
    let (code, said) = ended(&[&arguments[..], &["--dry-run"]].concat(), here);
    assert!(code == 0 && said.contains("filled from the rows that are there"), "{said}");

    let agreed = [store, &["--yes"]].concat();
    let (newer, placed) = std::thread::scope(|scope| {
        let arguments = [&arguments[..], &["--yes"]].concat();
        let mut dies = keyloom(&arguments, here).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let newer = scope.spawn(|| Up::start(&more, here, &agreed));
        std::thread::sleep(Duration::from_secs(20));
        dies.kill().unwrap();
        dies.wait().unwrap();
        let mut placed = 20;
        while !newer.is_finished() {
            assert_eq!(order(&older, placed).status, 200, "whoever serves goes on");
            placed += 1;
            std::thread::sleep(Duration::from_millis(200));
        }
        (newer.join().unwrap(), placed)
    });
    let orders = |up: &Up| {
        let (mut seen, mut path) = (0, format!("/v1/by_total?user_id={user}&limit=50"));
        loop {
            let page = up.get(&path).json();
            seen += page["rows"].as_array().unwrap().len() as u64;
            let Some(next) = page["next"].as_str() else { return seen };
            path = format!("/v1/by_total?user_id={user}&limit=50&cursor={next}");
        }
    };
    assert!(placed > 100, "{placed}");
    assert_eq!(orders(&newer), placed, "all that was placed meanwhile is there");
    assert_eq!(order(&older, 7).status, 200);
    assert_eq!(orders(&newer), placed + 1, "the older process keeps up what the newer one serves");
    assert_eq!(newer.post("/v1/call_user", &new_key(), &json!({"user_id": user, "nick": "me"})).status, 200);
    let renamed = older.post("/v1/rename_user", &new_key(), &json!({"user_id": user, "name": "Anna"}));
    assert_eq!(renamed.status, 200);
    let profile = newer.get(&format!("/v1/get_profile?user_id={user}")).json()["row"].clone();
    assert_eq!((&profile["name"], &profile["nick"]), (&json!("Anna"), &json!("me")), "what is not known stays");
    let (code, said) = ended(&[&["verify", path], store].concat(), here);
    assert!(code == 0 && said.contains(" 0 missing, 0 extra, 0 stale"), "{said}");

    // A catalog that ran before may start again, and keeps up what came since.
    assert_eq!(older.stop("-TERM"), Some(0));
    let older = Up::start(&example("shop"), here, store);
    assert_eq!(order(&older, 8).status, 200);
    assert_eq!(orders(&newer), placed + 2);

    // A list of a field that it does not have is more than it can keep up: it stops before anybody relies on it.
    let listed = changed(here, "listed.yaml", |text| {
        format!("{}  by_nick: {{ list: User, by: [nick], page: 50, rate: rare }}\n", self::more(text))
    });
    let newest = Up::start(&listed, here, &agreed);
    let (code, said) = older.ended_saying();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("this catalog can't be run by it") && said.contains("nick"), "{said}");
    assert_eq!(newest.get("/v1/by_nick?nick=me").json()["rows"].as_array().unwrap().len(), 1);
    let nick = newer.post("/v1/call_user", &new_key(), &json!({"user_id": user, "nick": "you"}));
    assert_eq!(nick.status, 200);
    assert_eq!(newest.get("/v1/by_nick?nick=me").json()["rows"], json!([]));
    assert_eq!(newest.get("/v1/by_nick?nick=you").json()["rows"].as_array().unwrap().len(), 1);
    let shop = example("shop");
    let (code, said) = ended(&[&["up", shop.to_str().unwrap(), "--listen", "127.0.0.1:0"], store].concat(), here);
    assert!(code == 2 && said.contains("nick"), "{said}");
}
