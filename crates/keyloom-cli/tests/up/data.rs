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
    let (shop, data) = (example("shop"), here.join(".keyloom/shop"));
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
    let (code, said) = ended(&["backup", ".keyloom/shop", "running.backup"], here);
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
    assert_eq!(ended(&["backup", ".keyloom/shop", "stopped.backup"], here).0, 0);
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
    says(&["export", shop], 2, "there is no data in .keyloom/shop");
    says(&["backup", "nowhere", "x.backup"], 2, "there is no data in nowhere");
    says(&["export", "--data", "data"], 2, "keyloom export CATALOG --data DIR");
    let file = format!("{shop}/catalog.yaml");
    says(&["backup", &file, "x.backup"], 2, "catalog.yaml is a file");
    says(&["export", shop, "--data", &file], 2, "catalog.yaml is a file");
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

/// Callers hear that stored data can't be read, the operator why; nobody hears it ten times a second.
#[test]
fn damage_is_told_apart_for_callers_and_for_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let up = Up::start(&example("shop"), here, &["--data", "data"]);
    let signed = up.post("/v1/sign_up", &new_key(), &json!({"name": "a", "email": "DAMAGE@x"})).json();
    let path = format!("/v1/get_profile?user_id={}", signed["key"]["user_id"].as_str().unwrap());
    assert_eq!(up.stop("-TERM"), Some(0));
    let mut damaged = 0;
    for keyspace in std::fs::read_dir(here.join("data/engine/keyspaces")).unwrap() {
        let Ok(tables) = std::fs::read_dir(keyspace.unwrap().path().join("tables")) else { continue };
        for table in tables.map(|table| table.unwrap().path()) {
            let mut bytes = std::fs::read(&table).unwrap();
            let Some(at) = bytes.windows(8).position(|window| window == b"DAMAGE@x") else { continue };
            bytes[at] ^= 1;
            std::fs::write(&table, bytes).unwrap();
            damaged += 1;
        }
    }
    assert_eq!(damaged, 1);
    let up = Up::start(&example("shop"), here, &["--data", "data"]);
    for _ in 0..10 {
        let answer = up.get(&path);
        assert_eq!((answer.status, &answer.json()["title"]), (500, &json!("Stored data can't be read")));
        assert!(!answer.body.contains("Fjall") && !answer.body.contains("hecksum"), "{}", answer.body);
    }
    let (code, said) = up.stop_saying("-TERM");
    assert_eq!(code, Some(0));
    assert!(said.contains("\"pattern\":\"get_profile\"") && said.contains("Checksum"), "{said}");
    assert!((1..=3).contains(&said.lines().count()), "{said}");

    std::fs::write(here.join("data/schema"), "garbage").unwrap();
    let (code, said) = ended(&["backup", "data", "x.backup"], here);
    assert!(code == 3 && said.ends_with("restore a backup: `keyloom restore`\n"), "{said}");
}
