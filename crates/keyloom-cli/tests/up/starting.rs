use std::net::TcpListener;

use crate::process::{Up, ended, example, new_key, shop};

#[test]
fn it_stops_when_told_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut users = Vec::new();
    for (round, signal) in ["-INT", "-TERM", "-INT"].into_iter().enumerate() {
        let up = Up::start(&example("shop"), folder.path(), &["--sync", "always"]);
        let found = if round == 0 { "data: keyloom-data/shop (new)" } else { "data: keyloom-data/shop (opened)" };
        assert!(up.said.contains(found) && !up.said.contains("sudden"), "{}", up.said);
        let body = serde_json::json!({"name": "a", "email": format!("{round}@x")});
        users.push(up.post("/v1/sign_up", &new_key(), &body).json()["key"]["user_id"].as_str().unwrap().to_owned());
        for user in &users {
            assert_eq!(up.get(&format!("/v1/get_profile?user_id={user}")).status, 200);
        }
        assert_eq!(up.stop(signal), Some(0));
    }
}

#[test]
fn what_stands_in_the_way_is_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shop = shop(here).to_str().unwrap().to_owned();
    let says = |arguments: &[&str], code: i32, words: &[&str]| {
        let (found, text) = ended(arguments, here);
        assert_eq!(found, code, "{arguments:?}: {text}");
        words.iter().for_each(|word| assert!(text.contains(word), "{arguments:?}: {word}: {text}"));
    };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    says(&["up", &shop, "--listen", &address], 3, &[&address, "taken by another process", "--listen"]);
    says(&["up", &shop, "--listen", "0.0.0.0:0"], 2, &["no credentials yet", "--anyone"]);
    says(&["up", "nothing.yaml"], 2, &["nothing.yaml"]);
    says(&["up", example("chat").to_str().unwrap()], 2, &["no layout for the catalog `chat`"]);

    let text = std::fs::read_to_string(&shop).unwrap();
    std::fs::write(here.join("wrong.yaml"), text.replace("status: SHIPPED", "status: SHIPED")).unwrap();
    says(&["up", "wrong.yaml"], 1, &["unknown-name", "did you mean `SHIPPED`?"]);
    let more = "  drop_order: { delete: Order, by: [order_id], rate: rare }\n";
    std::fs::write(here.join("more.yaml"), format!("{text}{more}")).unwrap();
    says(&["up", "more.yaml"], 2, &["nothing is served", "patterns.drop_order: `delete`"]);
    assert!(!here.join("keyloom-data").exists(), "nothing was touched");

    let up = Up::start(here.join("catalog.yaml").as_path(), here, &["--data", "data"]);
    says(&["up", &shop, "--listen", "127.0.0.1:0", "--data", "data"], 3, &["in use by process"]);
    assert_eq!(up.stop("-INT"), Some(0));
    std::fs::create_dir(here.join("full")).unwrap();
    std::fs::write(here.join("full/notes.txt"), "mine").unwrap();
    says(&["up", &shop, "--listen", "127.0.0.1:0", "--data", "full"], 3, &["holds files, but no"]);
}
