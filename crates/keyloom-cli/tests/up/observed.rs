//! What an operator sees of a running process: health, metrics, what each call did, and the log.

use serde_json::{Value as Json, json};

use crate::process::{Up, example, new_key, request};

/// The value of a series.
fn value(page: &str, series: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in\n{page}")).parse().unwrap()
}

#[test]
fn every_call_is_counted_with_its_work() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    assert_eq!(up.get("/healthz").json(), json!({"status": "up"}));
    assert_eq!(up.get("/readyz").json(), json!({"status": "ready"}));
    let signed = up.post("/v1/sign_up", &new_key(), &json!({"name": "Ann", "email": "ann@x"}));
    let user = signed.json()["key"]["user_id"].as_str().unwrap().to_owned();
    assert!(signed.header("keyloom-work").unwrap().contains("decisions=1"), "{}", signed.head);
    assert_eq!(up.post("/v1/sign_up", &new_key(), &json!({"name": "Eve", "email": "ann@x"})).status, 409);
    for _ in 0..3 {
        let order = json!({"user_id": user, "items": [], "total": "1.00"});
        assert_eq!(up.post("/v1/place_order", &new_key(), &order).status, 200);
    }
    let list = up.get(&format!("/v1/list_orders_of_user?user_id={user}&limit=1"));
    // Two rows say whether there is a next page, and the name of the user is looked up.
    let work = list.header("keyloom-work").unwrap();
    assert!(work.starts_with("trips=2, partitions=2, rows=3, bytes="), "{work}");
    assert!(work.ends_with("partitions-max=51, rows-max=101"), "{work}");
    assert_eq!(up.get("/v1/get_order?order_id=7").status, 400);

    let metrics = up.get("/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let page = &metrics.body;
    for (pattern, outcome, count) in [
        ("sign_up", "applied", 1.0),
        ("sign_up", "email_taken", 1.0),
        ("place_order", "applied", 3.0),
        ("list_orders_of_user", "rows", 1.0),
        ("get_order", "bad_input", 1.0),
        ("get_order", "row", 0.0),
    ] {
        let series = format!("keyloom_outcomes_total{{pattern=\"{pattern}\",outcome=\"{outcome}\"}}");
        assert_eq!(value(page, &series), count, "{series}");
    }
    assert_eq!(value(page, "keyloom_rows_read_total{pattern=\"list_orders_of_user\"}"), 3.0);
    assert_eq!(value(page, "keyloom_calls_above_bound_total{pattern=\"list_orders_of_user\"}"), 0.0);
    assert_eq!(value(page, "keyloom_call_seconds_count{pattern=\"place_order\"}"), 3.0);
    assert_eq!(value(page, "keyloom_call_seconds_bucket{pattern=\"place_order\",le=\"+Inf\"}"), 3.0);
    assert_eq!(value(page, "keyloom_turns"), 0.0);
    assert!(value(page, "keyloom_connections") >= 1.0);
    assert!(!page.contains("Ann") && !page.contains(&user), "no value of a field is in it");
    assert!(!page.contains("keyloom_projection_lag_seconds"), "here lists ride along with their rows");
    // Every line is a comment or a series with a number, and what it is was said before.
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let (series, number) = line.rsplit_once(' ').unwrap();
        assert!(number.parse::<f64>().is_ok(), "{line}");
        let name = series.split('{').next().unwrap();
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        assert!(page.contains(&format!("# TYPE {family} ")) || page.contains(&format!("# TYPE {name} ")), "{line}");
    }
}

#[test]
fn a_line_is_an_object_and_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = std::fs::read_to_string(example("shop").join("catalog.yaml")).unwrap();
    let catalog = catalog.replacen(
        "    drift: { name: 1 day }\n",
        "    drift: { name: 1 day }\n    secret: [email, email_key]\n",
        1,
    );
    assert!(catalog.contains("secret:"));
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, catalog).unwrap();
    let up = Up::start(&path, folder.path(), &["--log", "calls"]);
    let secret = "hush-4711";
    let body = json!({"name": "Ann", "email": format!("{secret}@x")});
    let sign_up = |headers: &[(&str, &str)]| {
        let key = new_key();
        let headers = [headers, &[("Idempotency-Key", &*key)]].concat();
        request(&up.address, "POST /v1/sign_up HTTP/1.1", &headers, &body.to_string()).unwrap()
    };
    let signed = sign_up(&[("X-Request-Id", "mine-1")]);
    assert_eq!((signed.status, signed.header("x-request-id")), (200, Some("mine-1")));
    assert_eq!(sign_up(&[("Authorization", "Bearer hush-4711")]).status, 401);
    assert_eq!(up.post("/v1/sign_up", &new_key(), &body).status, 409);
    assert_eq!(up.get(&format!("/v1/get_order?order_id={secret}")).status, 400);
    let (code, said) = up.stop_saying("-TERM");
    assert_eq!(code, Some(0));
    assert!(!said.contains(secret), "{said}");
    let lines: Vec<Json> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |line: &Json| {
        assert!(line["ms"].is_number() && line["at"].is_string(), "{line}");
        format!("{} {} {}", line["pattern"].as_str().unwrap(), line["status"], line["outcome"].as_str().unwrap())
    };
    let told: Vec<String> = lines.iter().map(told).collect();
    assert_eq!(
        told,
        ["sign_up 200 applied", "sign_up 401 no_caller", "sign_up 409 email_taken", "get_order 400 bad_input"]
    );
    assert_eq!(lines[0]["request"], "mine-1");
    assert_ne!(lines[1]["request"], lines[2]["request"]);
}
