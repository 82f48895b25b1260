//! Who is let in, through the real command: keys of development, keys that are added, and what is said to everybody else.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value as Json, json};

use crate::process::{Response, Up, ended, example, keyloom, new_key, request};

const DESKS: &str = "
language: 1
catalog: desks
tenant: { field: firm, type: text(2..20), count: 2, busiest: 50% }
entities:
  Desk:
    key: [desk_id]
    fields: { desk_id: uuid = new, name: text(4..20), owner: text(4..40) }
    unique: { name_taken: name }
    volume: { rows: 10 }
    groups: { owner: 5 / 5 / 10 }
  Card:
    key: [desk_id, number]
    fields: { desk_id: uuid -> Desk, number: int, words: text(4..20) }
    volume: { rows: 100 }
    groups: { desk_id: 5 / 5 / 10 }
patterns:
  add_desk: { create: Desk, takes: [desk_id, name], set: { owner: $caller }, rate: rare }
  get_desk: { get: Desk, by: [desk_id], rate: rare }
  get_desks: { get: Desk, by: [desk_id], batch: 10, rate: rare }
  rename: { update: Desk, by: [desk_id], set: { name: $name }, if: owner = $caller else not_yours, rate: rare }
  rename_all: { update: Desk, by: [desk_id], set: { name: $name }, batch: 10, rate: rare }
  my_desks: { list: Desk, by: [owner = $caller], order: name asc, page: 1, rate: rare }
  add_card: { create: Card, takes: [desk_id, number, words], rate: rare }
  cards: { list: Card, by: [desk_id], order: number asc, page: 1, returns: [number, words, desk.name], rate: rare }
";

/// Two kinds of rows that belong to firms.
pub(crate) fn desks(folder: &Path) -> PathBuf {
    let path = folder.join("desks.yaml");
    std::fs::write(&path, DESKS).unwrap();
    path
}

/// A request with a key, and perhaps a tenant.
fn call(up: &Up, line: &str, key: &str, tenant: Option<&str>, body: &Json) -> Response {
    let (shown, once) = (format!("Bearer {key}"), new_key());
    let mut headers = vec![("Authorization", shown.as_str())];
    headers.extend(tenant.map(|tenant| ("Keyloom-Tenant", tenant)));
    if line.starts_with("POST") {
        headers.push(("Idempotency-Key", &once));
    }
    let body = if line.starts_with("POST") { body.to_string() } else { String::new() };
    request(&up.address, &format!("{line} HTTP/1.1"), &headers, &body).unwrap()
}

/// Adds a key; answers with what is shown, and with what was said beside it.
fn add(arguments: &[&str], folder: &Path) -> (String, String) {
    let Output { status, stdout, stderr } =
        keyloom(&[&["key", "add", "desks.yaml"], arguments].concat(), folder).output().unwrap();
    let (key, said) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{said}");
    assert!(key.starts_with("kl_") && key.len() == 47, "the key and nothing else: {key:?}");
    assert!(!said.contains(key.trim()), "{said}");
    (key.trim().to_owned(), said)
}

fn id_of(said: &str) -> &str {
    said.split("added key ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap()
}

#[test]
fn development_begins_with_three_keys_that_work() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let up = Up::start(&desks(here), here, &[]);
    assert!(up.said.contains("development: three keys in .keyloom/desks/keys"), "{}", up.said);
    let mode = std::fs::metadata(here.join(".keyloom/desks/keys")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let curls = up.curls();
    assert_eq!(curls.len(), 3, "{}", up.said);
    let keys: Vec<String> = curls.iter().map(|line| line.split("Bearer ").nth(1).unwrap()[..46].to_owned()).collect();
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2], "three roles");
    for line in &curls {
        let Output { stdout, .. } = Command::new("bash").args(["-c", &format!("{line} -s")]).output().unwrap();
        let answer: Json = serde_json::from_slice(&stdout).unwrap_or_else(|fault| panic!("{line}: {fault}"));
        assert!(
            answer["outcome"] == "applied" || answer["rows"].as_array().is_some_and(|rows| rows.len() == 1),
            "{answer}"
        );
    }
    let nobody = up.get("/v1/my_desks");
    assert_eq!((nobody.status, nobody.header("www-authenticate")), (401, Some("Bearer")), "{}", nobody.body);
    assert_eq!(up.stop("-TERM"), Some(0));

    // The same keys after a restart; and a file that others could read is not trusted.
    let up = Up::start(&desks(here), here, &[]);
    assert_eq!(call(&up, "GET /v1/my_desks", &keys[0], None, &json!({})).status, 200);
    assert_eq!(call(&up, "GET /v1/my_desks", &keys[1], None, &json!({})).status, 400, "a worker names a tenant");
    // Once a key is added, they are good for nothing.
    let (key, _) = add(&["--subject", "ann", "--tenant", "acme"], here);
    assert_eq!(call(&up, "GET /v1/my_desks", &keys[0], None, &json!({})).status, 401);
    assert_eq!(call(&up, "GET /v1/my_desks", &key, None, &json!({})).status, 200);
    assert_eq!(up.stop("-TERM"), Some(0));
    let up = Up::start(&desks(here), here, &[]);
    assert!(up.said.contains("requests show a key") && up.curls().is_empty(), "{}", up.said);
    drop(up);
    std::fs::remove_dir_all(here.join(".keyloom")).unwrap();
    drop(Up::start(&desks(here), here, &[]));
    std::fs::set_permissions(here.join(".keyloom/desks/keys"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let (code, said) = ended(&["up", "desks.yaml", "--listen", "127.0.0.1:0"], here);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("others can read it") && said.contains("chmod 600"), "{said}");
}

#[test]
fn keys_say_who_calls() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let catalog = desks(here);
    // The first ones come before the first start.
    let (ann, _) = add(&["--subject", "ann", "--tenant", "acme"], here);
    let (eve, eves) = add(&["--subject", "eve", "--tenant", "bolt"], here);
    let (worker, _) = add(&["--subject", "nightly", "--worker"], here);
    let up = Up::start(&catalog, here, &[]);
    // And others while it runs.
    let (operator, _) = add(&["--subject", "ops", "--operator"], here);

    let made = call(&up, "POST /v1/add_desk", &ann, None, &json!({"name": "first"}));
    assert_eq!(made.status, 200, "{}", made.body);
    let id = made.json()["key"]["desk_id"].as_str().unwrap().to_owned();
    let get = format!("GET /v1/get_desk?desk_id={id}");
    let got = call(&up, &get, &ann, None, &json!({}));
    assert_eq!(got.json()["row"], json!({"desk_id": id, "name": "first", "owner": "ann"}), "{}", got.body);
    assert_eq!(call(&up, &get, &ann, Some("acme"), &json!({})).status, 200, "one's own may be named");
    assert_eq!(call(&up, &get, &eve, None, &json!({})).status, 404);
    assert_eq!(call(&up, &get, &eve, Some("acme"), &json!({})).status, 403);
    for acting in [&worker, &operator] {
        assert_eq!(call(&up, &get, acting, Some("acme"), &json!({})).status, 200);
        assert_eq!(call(&up, &get, acting, Some("bolt"), &json!({})).status, 404);
        let (long, none) =
            (call(&up, &get, acting, Some(&"x".repeat(21)), &json!({})), call(&up, &get, acting, None, &json!({})));
        assert_eq!((long.status, none.status), (400, 400));
        assert!(none.body.contains("Keyloom-Tenant"), "{}", none.body);
    }
    // Batches too are the caller's.
    let many = json!({"items": [{"desk_id": id}]});
    assert!(call(&up, "POST /v1/get_desks", &ann, None, &many).body.contains("first"));
    assert_eq!(call(&up, "POST /v1/get_desks", &eve, None, &many).json(), json!({"items": [null]}));
    let renamed = json!({"items": [{"desk_id": id, "name": "other"}]});
    let refused = call(&up, "POST /v1/rename_all", &eve, None, &renamed).json();
    assert_eq!(refused["items"][0]["reason"], "absent", "{refused}");
    assert_eq!(call(&up, "POST /v1/rename_all", &ann, None, &renamed).json()["items"][0]["outcome"], "applied");

    for (line, shown) in [(&get, "kl_"), (&get, &ann[..45]), (&get, &ann.to_uppercase()[..]), (&get, "")] {
        let strange = call(&up, line, shown, None, &json!({}));
        assert_eq!((strange.status, strange.header("www-authenticate")), (401, Some("Bearer")), "{}", strange.body);
        assert!(shown.len() < 9 || !strange.body.contains(shown), "{}", strange.body);
    }
    let other = request(&up.address, &format!("{get} HTTP/1.1"), &[("Authorization", "Basic YTpi")], "").unwrap();
    assert_eq!(other.status, 401);

    let (code, list) = ended(&["key", "list", "desks.yaml"], here);
    assert_eq!((code, list.lines().count()), (0, 5), "{list}");
    assert!(
        list.contains("ann") && list.contains("acme") && list.contains("operator") && !list.contains("kl_"),
        "{list}"
    );

    // When the command ends, the key is good for nothing.
    assert_eq!(call(&up, &get, &eve, None, &json!({})).status, 404);
    let (code, said) = ended(&["key", "revoke", id_of(&eves), "desks.yaml"], here);
    assert_eq!(code, 0, "{said}");
    assert_eq!(call(&up, &get, &eve, None, &json!({})).status, 401);
    assert_eq!(call(&up, &get, &ann, None, &json!({})).status, 200);
    let (_, complaints) = up.stop_saying("-TERM");
    assert!(!complaints.contains("kl_"), "{complaints}");

    let (code, said) = ended(&["key", "revoke", id_of(&eves), "desks.yaml"], here);
    assert_eq!(
        (code, said.contains("good for nothing since")),
        (0, true),
        "again, of a folder that nobody has: {said}"
    );
    let up = Up::start(&catalog, here, &[]);
    assert_eq!(call(&up, &get, &eve, None, &json!({})).status, 401);
    assert_eq!(call(&up, &get, &ann, None, &json!({})).status, 200);
    let page = up.get("/").body;
    assert!(page.contains("$KEYLOOM_KEY") && !page.contains("Bearer kl_A"), "{page}");
}

#[test]
fn what_makes_no_sense_as_a_key_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    desks(here);
    let shop = example("shop").to_str().unwrap().to_owned();
    let says = |arguments: &[&str], code: i32, words: &str| {
        let (found, said) = ended(arguments, here);
        assert_eq!(found, code, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    };
    says(&["key", "add", "desks.yaml", "--subject", "ann"], 2, "rows belong to tenants");
    says(&["key", "add", "desks.yaml", "--subject", "ann", "--tenant", &"x".repeat(21)], 2, "`firm`");
    says(&["key", "add", "desks.yaml", "--subject", "ann", "--tenant", " acme"], 2, "without blanks");
    says(&["key", "add", "desks.yaml", "--subject", "", "--tenant", "acme"], 2, "the subject");
    says(&["key", "add", "desks.yaml", "--subject", "a", "--tenant", "acme", "--worker"], 2, "cannot be used with");
    says(&["key", "add", &shop, "--subject", "ann", "--tenant", "acme"], 2, "no tenants");
    says(&["key", "add", &shop, "--subject", "ann", "--worker"], 2, "no tenants");
    says(&["key", "list", "desks.yaml"], 2, "there is no data");
    assert!(!here.join(".keyloom").exists(), "nothing was made");
    add(&["--subject", "ann", "--tenant", "acme"], here);
    says(&["key", "revoke", "0000", "desks.yaml"], 2, "there is no key `0000`");
    says(&["key", "--help"], 0, "--operator");
}

/// A catalog without tenants needs no key on this machine, and one as soon as there is one.
#[test]
fn the_first_key_closes_the_door() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shop = example("shop");
    let up = Up::start(&shop, here, &[]);
    let user = up.post("/v1/sign_up", &new_key(), &json!({"name": "a", "email": "a@x"}));
    assert_eq!(user.status, 200, "{}", user.body);
    let get = format!("GET /v1/get_profile?user_id={}", user.json()["key"]["user_id"].as_str().unwrap());
    assert_eq!(call(&up, &get, "kl_", None, &json!({})).status, 401, "what is shown is looked at");
    let shown = ended(&["key", "add", shop.to_str().unwrap(), "--subject", "ann"], here).1;
    let key = shown.lines().find(|line| line.starts_with("kl_")).unwrap();
    assert_eq!(up.get(&get[4..]).status, 401);
    assert_eq!(call(&up, &get, key, None, &json!({})).status, 200);
    assert_eq!(call(&up, &get, key, Some("acme"), &json!({})).status, 400, "there are no tenants");
    assert_eq!(up.stop("-TERM"), Some(0));

    // With a key it may be reached from elsewhere.
    let catalog = shop.to_str().unwrap();
    let mut child =
        keyloom(&["up", catalog, "--listen", "0.0.0.0:0"], here).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said.contains("shop is up"), "{said}");
}
