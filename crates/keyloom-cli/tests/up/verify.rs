//! `verify` and `repair`, of a process that runs and of its folder.

use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example, new_key, request};

fn verified(command: &str, more: &[&str], folder: &std::path::Path) -> (i32, Json) {
    let shop = example("shop");
    let arguments = [&[command, shop.to_str().unwrap(), "--format", "json"], more].concat();
    let (code, said) = ended(&arguments, folder);
    (code, serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}")))
}

#[test]
fn a_shop_is_verified_while_it_runs_and_when_it_has_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let up = Up::start(&example("shop"), here, &[]);
    for number in 0..40 {
        let body = json!({"name": "somebody", "email": format!("{number}@x")});
        let user = up.post("/v1/sign_up", &new_key(), &body).json()["key"]["user_id"].clone();
        up.post("/v1/place_order", &new_key(), &json!({"user_id": user, "items": [], "total": "1.00"}));
    }
    let (code, running) = verified("verify", &[], here);
    assert_eq!((code, &running["missing"], &running["extra"], &running["stale"]), (0, &json!(0), &json!(0), &json!(0)));
    assert_eq!(running["rows"], 160, "users, their emails, orders, their lists: {running:#}");
    let (code, repaired) = verified("repair", &["--rate", "100000"], here);
    assert_eq!((code, &repaired["repaired"]["mended"], &repaired["verified"]), (0, &json!(0), &running));
    for path in ["verify", "repair"] {
        let strange = request(&up.address, &format!("POST /v1/-/{path} HTTP/1.1"), &[], "{}").unwrap();
        assert_eq!(strange.status, 415, "a page of another site can't say that it sends JSON");
        let odd = request(&up.address, &format!("GET /v1/-/{path} HTTP/1.1"), &[], "").unwrap();
        assert_eq!(odd.status, 405);
    }
    let url = format!("http://{}", up.address);
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(verified("verify", &["--target", &url], elsewhere.path()), (0, running.clone()));
    assert_eq!(verified("repair", &["--target", &url], elsewhere.path()).0, 0);
    assert_eq!(up.stop("-TERM"), Some(0));
    assert_eq!(verified("verify", &[], here), (0, running));
    assert!(!here.join(".keyloom/shop.verify").exists(), "what came to its end is not gone on with");
}

#[test]
fn what_can_not_be_verified_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let shop = example("shop");
    let (code, said) = ended(&["verify", shop.to_str().unwrap()], folder.path());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("there is no data in .keyloom/shop"), "{said}");
    let (code, said) = ended(&["verify", shop.to_str().unwrap(), "--rate", "0"], folder.path());
    assert_eq!(code, 2, "{said}");
}

#[test]
fn operators_verify_by_way_of_the_process_and_nobody_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, here) = (example("cases-core"), folder.path());
    let up = Up::start(&cases, here, &[]);
    let (cases, url) = (cases.to_str().unwrap(), format!("http://{}", up.address));
    let keys = std::fs::read_to_string(here.join(".keyloom/cases-core/keys")).unwrap();
    let key = |role: &str| keys.lines().find_map(|line| line.strip_prefix(role)).unwrap().trim().to_owned();
    let asked = |key: Option<&str>| {
        let arguments = ["verify", cases, "--target", &url];
        match key {
            Some(key) => ended(&[&arguments[..], &["--key", key]].concat(), here),
            None => ended(&arguments, here),
        }
    };
    let (code, said) = asked(Some(&key("operator ")));
    assert_eq!(code, 0, "{said}");
    for (shown, status) in [(None, "401"), (Some(key("worker ")), "403"), (Some("kl_made_up".into()), "401")] {
        let (code, said) = asked(shown.as_deref());
        assert_ne!(code, 0, "{said}");
        assert!(said.contains(&format!("it answered with {status}: ")), "{said}");
    }
    for url in ["localhost:7878", "https://localhost:7878", "http://", "http://a b", "http://a/b"] {
        let (code, said) = ended(&["verify", cases, "--target", url], here);
        assert_eq!((code, said.contains("--target: ")), (2, true), "{said}");
    }
    let (code, said) = ended(&["verify", cases, "--target", "http://127.0.0.1:1"], here);
    assert!(code > 1 && said.contains("http://127.0.0.1:1: "), "{said}");
}
