//! A list that holds a field of another row, on a folder and on engines: it follows that row, and is compared with it.

use std::{fs, path::Path};

use keyloom_engines::{Cassandra, Dynoxide, announce, available, cassandra};
use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example, new_key};

#[test]
fn copies_follow_on_a_folder() {
    followed("embedded", &[], &[]);
}

#[test]
fn copies_follow_on_cassandra() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("copies", "Cassandra", started) else { return };
    let store = format!("cassandra://{}/chat", node.contact_point());
    followed("cassandra", &["--store", &store], &["--create-keyspace", "1"]);
    announce("copies", "Cassandra", 1, 0);
}

#[test]
fn copies_follow_on_dynamodb() {
    let Some(server) = available("copies", "Dynoxide", Dynoxide::start()) else { return };
    followed("dynamodb", &["--store", "dynamodb://eu-central-1", "--endpoint", &server.endpoint()], &[]);
    announce("copies", "Dynoxide", 1, 0);
}

/// The layout of `chat` with titles of rooms in the list of a user's rooms: as it is designed, where that copies them by itself.
fn laid_out(engine: &str, here: &Path) -> String {
    let chat = example("chat");
    let (code, designed) = ended(&["design", chat.to_str().unwrap(), "--engine", engine], here);
    assert_eq!(code, 0, "{designed}");
    let (before, list) = designed.split_once("  member_by_user:\n").unwrap();
    let with = match list.contains("copies: { room.title: copy }") {
        true => designed,
        false => {
            let (columns, rest) = list.split_once("    columns: ").unwrap();
            let touched = format!("{columns}    copies: {{ room.title: touch }}\n    columns: {rest}");
            format!("{before}  member_by_user:\n{touched}").replace("looks_up: [room.title], ", "")
        }
    };
    let layout = here.join("layout.yaml");
    fs::write(&layout, with).unwrap();
    layout.to_str().unwrap().to_owned()
}

fn followed(engine: &str, store: &[&str], first: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (chat, here) = (example("chat"), folder.path());
    let layout = laid_out(engine, here);
    let up = Up::start(&chat, here, &[&["--layout", &layout], store, first].concat());
    let applied = |pattern: &str, body: &Json| {
        let said = up.post(&format!("/v1/{pattern}"), &new_key(), body);
        assert_eq!((said.status, said.json()["visible"] == false), (200, false), "{pattern}: {}", said.body);
        said.json()
    };
    let made = |pattern: &str, body: &Json, key: &str| applied(pattern, body)["key"][key].as_str().unwrap().to_owned();
    let rooms: Vec<String> =
        ["One", "Two"].iter().map(|title| made("open_room", &json!({"title": title}), "room_id")).collect();
    let user = |number: usize| json!({"handle": format!("handle-{number}"), "name": "Somebody"});
    let users: Vec<String> = (0..5).map(|number| made("sign_up", &user(number), "user_id")).collect();
    for (number, user) in users.iter().enumerate() {
        for room in &rooms {
            applied("join_room", &json!({"room_id": room, "user_id": user}));
        }
        applied("retitle_room", &json!({"room_id": rooms[0], "title": format!("One, {number}")}));
    }
    applied("leave_room", &json!({"room_id": rooms[1], "user_id": users[4]}));
    for (number, user) in users.iter().enumerate() {
        let said = up.get(&format!("/v1/list_rooms_of_user?user_id={user}")).json();
        let mut titles: Vec<&str> =
            said["rows"].as_array().unwrap().iter().map(|row| row["room"]["title"].as_str().unwrap()).collect();
        // Whoever joined both in one millisecond has them in either order.
        titles.sort_unstable();
        let expected: &[&str] = if number == 4 { &["One, 4"] } else { &["One, 4", "Two"] };
        assert_eq!(titles, expected, "{said}");
    }
    assert_eq!(up.stop("-TERM"), Some(0));
    let verify = ["verify", chat.to_str().unwrap(), "--format", "json", "--layout", &layout];
    let (code, said) = ended(&[&verify[..], store].concat(), here);
    let compared: Json = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    let differs = ["missing", "extra", "stale"].map(|word| compared[word].clone());
    assert_eq!((code, differs), (0, [json!(0), json!(0), json!(0)]), "{said}");
    assert!(compared["rows"].as_u64() > Some(30), "{said}");
}
