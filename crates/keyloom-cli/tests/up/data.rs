use std::os::unix::fs::PermissionsExt;

use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example, new_key, request};

fn lines(text: &str) -> Vec<Json> {
    let mut lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.sort_by_key(Json::to_string);
    lines
}

/// Backup and export say the same of a process that runs and of its folder when it has stopped.
#[test]
fn all_data_can_be_taken_out_and_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (shop, data) = (example("shop"), here.join("keyloom-data/shop"));
    let shop_text = shop.to_str().unwrap();
    let up = Up::start(&shop, here, &[]);
    let mut made = Vec::new();
    for number in 0..30 {
        let body = json!({"name": "é \"n\"\n", "email": format!("{number}@x")});
        made.push((new_key(), body));
    }
    let answers: Vec<Json> = made.iter().map(|(key, body)| up.post("/v1/sign_up", key, body).json()).collect();

    let running = ended(&["export", shop_text], here);
    assert_eq!((running.0, running.1.lines().count()), (0, 30), "{}", running.1);
    let rows = lines(&running.1);
    assert!(rows.iter().all(|row| row["entity"] == "User" && row["row"]["name"] == "é \"n\"\n"), "{rows:?}");
    let (code, said) = ended(&["backup", "keyloom-data/shop", "running.backup"], here);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("wrote running.backup: "), "{said}");

    let mode = std::fs::metadata(data.join("control")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only the owner may read the secret");
    let strange = request(&up.address, "GET /v1/-/export HTTP/1.1", &[("Authorization", "Bearer 00")], "").unwrap();
    assert_eq!(strange.status, 403, "and without it nothing is given out");
    assert_eq!(up.get("/v1/-/backup").status, 403);
    assert_eq!(up.stop("-TERM"), Some(0));
    assert!(!data.join("control").exists());

    assert_eq!(lines(&ended(&["export", shop_text], here).1), rows);
    assert_eq!(ended(&["backup", "keyloom-data/shop", "stopped.backup"], here).0, 0);
    for name in ["running", "stopped"] {
        let (code, said) = ended(&["restore", &format!("{name}.backup"), &format!("again/{name}")], here);
        assert_eq!(code, 0, "{said}");
        let (_, exported) = ended(&["export", shop_text, "--data", &format!("again/{name}")], here);
        assert_eq!(lines(&exported), rows, "{name}");
    }
    let up = Up::start(&shop, here, &["--data", "again/running"]);
    for ((key, body), answer) in made.iter().zip(&answers) {
        assert_eq!(up.post("/v1/sign_up", key, body).json(), *answer, "it remembers the requests too");
    }
}

#[test]
fn what_can_not_be_taken_out_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shop = example("shop");
    let shop = shop.to_str().unwrap();
    let says = |arguments: &[&str], code: i32, words: &str| {
        let (found, text) = ended(arguments, here);
        assert_eq!(found, code, "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    };
    says(&["export", shop], 2, "there is no data in keyloom-data/shop");
    says(&["backup", "nowhere", "x.backup"], 2, "there is no data in nowhere");
    assert!(!here.join("nowhere").exists() && !here.join("x.backup.partial").exists(), "and nothing was made");
    says(&["restore", "none.backup", "data"], 3, "none.backup");
    assert_eq!(Up::start(&example("shop"), here, &["--data", "data"]).stop("-INT"), Some(0));
    std::fs::write(here.join("mine.backup"), "mine").unwrap();
    says(&["backup", "data", "mine.backup"], 2, "there already");
    says(&["restore", "mine.backup", "other"], 3, "no whole backup");
    assert_eq!(ended(&["backup", "data", "good.backup"], here).0, 0);
    says(&["restore", "good.backup", "data"], 3, "not empty");
    let whole = std::fs::read(here.join("good.backup")).unwrap();
    std::fs::write(here.join("cut.backup"), &whole[..whole.len() - 1]).unwrap();
    says(&["restore", "cut.backup", "other"], 3, "no whole backup");
    assert!(!here.join("other").exists());
    assert_eq!(std::fs::read_to_string(here.join("mine.backup")).unwrap(), "mine");
}
