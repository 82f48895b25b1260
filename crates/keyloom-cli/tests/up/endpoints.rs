use std::process::Command;

use serde_json::{Value as Json, json};

use crate::process::{Up, example, new_key, request, shop};

fn order(user: &str) -> Json {
    json!({"user_id": user, "items": [{"sku": "A-1", "name": "a thing", "qty": 2, "price": 6.25}], "total": "12.5"})
}

#[test]
fn the_three_printed_lines_work_when_pasted() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    assert_eq!(up.curls().len(), 3, "{}", up.said);
    // Twice: a repeat is the same request, and answers the same.
    for _ in 0..2 {
        let answers: Vec<Json> = up
            .curls()
            .iter()
            .map(|line| {
                let output = Command::new("bash").args(["-c", line]).output().unwrap();
                serde_json::from_slice(&output.stdout).unwrap_or_else(|fault| panic!("{line}: {fault}: {output:?}"))
            })
            .collect();
        assert_eq!(answers[0]["outcome"], "applied", "{answers:?}");
        assert_eq!(answers[1]["outcome"], "applied", "{answers:?}");
        let rows = answers[2]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 1, "{answers:?}");
        assert_eq!(rows[0]["order_id"], answers[1]["key"]["order_id"]);
        assert_eq!(rows[0]["user"]["name"], "First user");
        assert_eq!(rows[0]["total"], "12.50");
    }
    // The next start has other keys and another email, so its lines work too.
    assert_eq!(up.stop("-INT"), Some(0));
    let up = Up::start(&example("shop"), folder.path(), &[]);
    let output = Command::new("bash").args(["-c", up.curls()[0]]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("applied"), "{output:?}");
}

#[test]
fn answers_have_the_promised_form() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&shop(folder.path()), folder.path(), &[]);
    let signed = up.post("/v1/sign_up", &new_key(), &json!({"name": "Ann", "email": "ann@x"}));
    assert_eq!((signed.status, signed.header("content-type")), (200, Some("application/json")));
    let signed = signed.json();
    assert_eq!((&signed["outcome"], signed["version"].is_string()), (&json!("applied"), true));
    let user = signed["key"]["user_id"].as_str().unwrap().to_owned();

    let profile = up.get(&format!("/v1/get_profile?user_id={user}"));
    let version = signed["version"].as_str().unwrap();
    assert_eq!((profile.status, profile.header("etag")), (200, Some(format!("\"{version}\"").as_str())));
    let row = json!({"user_id": user, "name": "Ann", "email": "ann@x", "email_key": "ann@x"});
    assert_eq!(profile.json(), json!({"row": row, "version": version}));
    let head = request(&up.address, &format!("HEAD /v1/get_profile?user_id={user} HTTP/1.1"), &[], "").unwrap();
    assert_eq!((head.status, head.body.as_str()), (200, ""));

    let key = new_key();
    let placed = up.post("/v1/place_order", &key, &order(&user)).json();
    let id = placed["key"].clone();
    let listed = up.get(&format!("/v1/list_orders_of_user?user_id={user}&limit=1")).json();
    assert_eq!(listed["rows"][0]["user"], json!({"name": "Ann"}));
    assert_eq!(listed.as_object().unwrap().keys().collect::<Vec<_>>(), ["rows"], "no next, no previous, not partial");
    // Orders of the same millisecond stand by their identities, which are chance.
    std::thread::sleep(std::time::Duration::from_millis(2));
    up.post("/v1/place_order", &new_key(), &order(&user));
    let listed = up.get(&format!("/v1/list_orders_of_user?user_id={user}&limit=1")).json();
    let next = listed["next"].as_str().unwrap();
    let last = up.get(&format!("/v1/list_orders_of_user?user_id={user}&limit=1&cursor={next}")).json();
    assert_eq!(last["rows"][0]["order_id"], id["order_id"]);
    assert!(last.get("next").is_none() && last["previous"].is_string());

    let refused = up.post("/v1/ship_order", &new_key(), &id);
    assert_eq!((refused.status, refused.header("content-type")), (409, Some("application/problem+json")));
    let problem = refused.json();
    assert_eq!(
        (&problem["outcome"], &problem["reason"], &problem["status"]),
        (&json!("not_applied"), &json!("status_is_placed"), &json!(409))
    );
    assert_eq!(up.post("/v1/pay_order", &new_key(), &id).status, 200);
    assert_eq!(up.post("/v1/ship_order", &new_key(), &id).status, 200);
    assert_eq!(up.post("/v1/place_order", &key, &order(&user)).json(), placed, "the same key, the same answer");
    let mut other = order(&user);
    other["total"] = json!(99);
    let reused = up.post("/v1/place_order", &key, &other);
    assert_eq!((reused.status, &reused.json()["reason"]), (422, &json!("key_reused")));
    assert_eq!(up.get("/healthz").json(), json!({"status": "up"}));
}

#[test]
fn a_version_that_was_seen_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&shop(folder.path()), folder.path(), &[]);
    let signed = up.post("/v1/sign_up", &new_key(), &json!({"name": "a", "email": "a@x"})).json();
    let user = signed["key"]["user_id"].as_str().unwrap();
    let seen = up.get(&format!("/v1/get_profile?user_id={user}")).header("etag").unwrap().to_owned();
    let rename = |pattern: &str, tag: &str, body: &Json| {
        let headers = [("If-Match", tag), ("Idempotency-Key", &new_key())];
        let line = format!("POST /v1/{pattern} HTTP/1.1");
        let answer = request(&up.address, &line, &headers, &body.to_string()).unwrap();
        (answer.status, answer.json())
    };
    let body = json!({"user_id": user, "name": "b"});
    assert_eq!(rename("rename_seen", &seen, &body).0, 200);
    let (status, problem) = rename("rename_seen", &seen, &body);
    assert_eq!((status, &problem["reason"]), (409, &json!("changed_meanwhile")));
    assert_eq!(rename("rename_seen", "17", &body).0, 400, "an ETag has quotes");
    assert_eq!(rename("rename_user", &seen, &body).0, 400, "a condition that nobody looks at is no condition");
    let both = json!({"user_id": user, "name": "b", "version": 17});
    assert_eq!(rename("rename_seen", &seen, &both).0, 400);
}

/// Each request with its status and a word of its answer.
#[test]
fn what_is_wrong_is_answered_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&shop(folder.path()), folder.path(), &[]);
    let old = "old;1600000000000".to_owned();
    let ahead = "ahead;9999999999999".to_owned();
    let id = "0190d3f2-0000-4000-8000-00000000abcd";
    let name = json!({"name": "a", "email": "b"}).to_string();
    let large = format!("\"{}\"", "x".repeat(1 << 20));
    let deep = "[".repeat(10_000);
    let cases: &[(&str, Option<&str>, &str, u16, &str)] = &[
        ("GET /nothing", None, "", 404, "endpoints are at /v1/<pattern>"),
        ("GET /v1/", None, "", 404, "There is no such pattern"),
        ("GET /v1/get_ordr", None, "", 404, "did you mean `/v1/get_order`?"),
        ("GET /v1/sign_up", None, "", 405, "POST"),
        ("POST /v1/get_order", None, "", 405, "GET"),
        ("DELETE /", None, "", 405, "GET"),
        ("GET /v1/get_order", None, "", 400, "`order_id`: it is missing: send a uuid"),
        ("GET /v1/get_order?order_id=7", None, "", 400, "`order_id`: `7` is no uuid: write 32 hexadecimal digits"),
        ("GET /v1/get_order?order_id=%zz", None, "", 400, "two hexadecimal digits"),
        ("GET /v1/get_order?id=7", None, "", 400, "`get_order` has no query parameter `id`; it takes: order_id"),
        ("GET /v1/get_order?order_id=0190d3f2-0000-4000-8000-00000000abcd", None, "", 404, "There is no such row"),
        (
            "GET /v1/list_orders_of_user?user_id=0190d3f2-0000-4000-8000-00000000abcd&limit=51",
            None,
            "",
            400,
            "1 to 50 rows",
        ),
        ("GET /v1/list_orders_of_user?user_id=0190d3f2-0000-4000-8000-00000000abcd&limit=x", None, "", 400, "`limit`"),
        (
            "GET /v1/list_orders_of_user?user_id=0190d3f2-0000-4000-8000-00000000abcd&cursor=x",
            None,
            "",
            400,
            "no cursor",
        ),
        ("GET /v1/-/outcome/x", None, "", 404, "no token"),
        ("GET /v1/-/outcome/x", None, "", 404, "problem:bad_token"),
        (
            "GET /v1/list_orders_of_user?user_id=0190d3f2-0000-4000-8000-00000000abcd&to=2026-11-15T09:30:00+01:00",
            None,
            "",
            400,
            "write the `+` of an offset as `%2B`",
        ),
        ("POST /v1/sign_up", None, &name, 400, "needs the header `Idempotency-Key`"),
        ("POST /v1/sign_up", None, &name, 400, "a uuid of version 7, or `name;unix-ms`"),
        ("POST /v1/sign_up", Some("x"), &name, 400, "uuid of version 7"),
        ("POST /v1/sign_up", Some(&old), &name, 422, "older than 24 h"),
        ("POST /v1/sign_up", Some(&ahead), &name, 422, "60 s in the future"),
        ("POST /v1/sign_up?name=a", Some("x"), &name, 400, "in the body, and no query"),
        ("POST /v1/sign_up", Some("x"), "", 400, "the body is no JSON"),
        ("POST /v1/sign_up", Some("x"), "{\"name\": 1, \"name\": 2}", 400, "`name` stands twice"),
        ("POST /v1/sign_up", Some("x"), "[]", 400, "no JSON object"),
        ("POST /v1/sign_up", Some("x"), "{\"nme\": 1}", 400, "`sign_up` has no input `nme`; it takes: name, email"),
        ("POST /v1/sign_up", Some("x"), &deep, 400, "recursion limit"),
        ("POST /v1/sign_up", Some("x"), &large, 413, "at most 1048576 bytes"),
    ];
    for (line, key, body, status, words) in cases {
        let headers: Vec<(&str, &str)> = key.iter().map(|key| ("Idempotency-Key", *key)).collect();
        let answer = request(&up.address, &format!("{line} HTTP/1.1"), &headers, body).unwrap();
        assert_eq!(
            (answer.status, answer.json()["status"].as_u64()),
            (*status, Some((*status).into())),
            "{line}: {}",
            answer.body
        );
        assert!(answer.body.contains(words), "{line}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{line}");
        assert_eq!(answer.header("allow").is_some(), *status == 405, "{line}");
    }
    // A body is JSON by its type, or by a key that a page of another site can't send.
    let typed = |kind: &str| {
        let headers = [("Content-Type", kind), ("Idempotency-Key", &new_key())];
        request(&up.address, "POST /v1/sign_up HTTP/1.1", &headers, "{}").unwrap()
    };
    for (kind, status) in [
        ("application/json", 400),
        ("Application/JSON; charset=utf-8", 400),
        ("application/vnd.shop+json", 400),
        ("application/x-www-form-urlencoded", 400),
        ("text/plain", 415),
        ("multipart/form-data", 415),
        ("application/jsonx", 415),
    ] {
        let answer = typed(kind);
        assert_eq!(answer.status, status, "{kind}: {}", answer.body);
    }
    assert!(typed("text/plain").body.contains("send `Content-Type: application/json`"));
    let other = request(&up.address, "GET / HTTP/1.1", &[("Host", "shop.example.com")], "").unwrap();
    assert_eq!(other.status, 421, "a page from elsewhere does not reach it through a name of its own");
    let chunked = [("Transfer-Encoding", "chunked")];
    let malformed = request(&up.address, "POST /v1/sign_up HTTP/1.1", &chunked, "zz\r\n").unwrap();
    assert_eq!((malformed.status, &malformed.json()["title"]), (400, &json!("The body is malformed")));
    let twice = [("Host", "127.0.0.1"), ("Host", "localhost")];
    assert_eq!(request(&up.address, "GET / HTTP/1.1", &twice, "").unwrap().status, 400);
    assert_eq!(up.get(&format!("/v1/get_profile?user_id={id}")).status, 404, "it is still up");
}

#[test]
fn the_page_lists_every_endpoint_with_a_call_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    let page = up.get("/");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for words in [
        "<code>name;unix-ms</code>",
        "<code>name</code><td>text, at most 100 bytes",
        "<code>to</code><td>timestamp, exclusive, may be left out",
        "<code>limit</code><td>int, 1 to 50 rows",
        "<code>cursor</code>",
        "{&quot;rows&quot;:[{order_id, created_at, status, total, user.name}, ..],&quot;next&quot;:..",
        "{&quot;row&quot;:{user_id, name, email, email_key},&quot;version&quot;:..}",
    ] {
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
    let calls: Vec<String> = page
        .body
        .split("<pre>")
        .skip(1)
        .map(|rest| {
            rest.split("</pre>").next().unwrap().replace("&quot;", "\"").replace("&gt;", ">").replace("&amp;", "&")
        })
        .collect();
    assert_eq!(calls.len(), 9);
    assert!(
        !page.body.contains("http://") || page.body.matches("http").count() == calls.len(),
        "it needs nothing else"
    );
    for call in calls {
        let output = Command::new("bash").args(["-c", &call]).output().unwrap();
        let answer: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{call}: {output:?}"));
        // The example rows are not there, but every call is well formed.
        let fine = answer.get("rows").is_some()
            || answer["outcome"] == "applied"
            || answer["reason"] == "absent"
            || answer["type"] == "urn:keyloom:problem:no_row";
        assert!(fine, "{call}: {answer}");
    }
}
