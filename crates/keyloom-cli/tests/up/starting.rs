use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    time::{Duration, Instant},
};

use crate::process::{Up, ended, example, new_key, shop};

#[test]
fn it_stops_when_told_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut users = Vec::new();
    // Tests that are run under `nohup` hand on that hangups are ignored, and then it goes on by intent.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    let hangup = if ignored.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']) { "-TERM" } else { "-HUP" };
    for (round, signal) in ["-INT", "-TERM", hangup, "-INT"].into_iter().enumerate() {
        let up = Up::start(&example("shop"), folder.path(), &["--sync", "always"]);
        let found = if round == 0 { "data: .keyloom/shop (new)" } else { "data: .keyloom/shop (opened)" };
        assert!(up.said.contains(found) && !up.said.contains("sudden"), "{}", up.said);
        let body = serde_json::json!({"name": "a", "email": format!("{round}@x")});
        users.push(up.post("/v1/sign_up", &new_key(), &body).json()["key"]["user_id"].as_str().unwrap().to_owned());
        for user in &users {
            assert_eq!(up.get(&format!("/v1/get_profile?user_id={user}")).status, 200);
        }
        assert_eq!(up.stop(signal), Some(0));
    }
}

/// A client that sends half a body, and one that sends half a head, keep nobody from stopping.
#[test]
fn requests_that_hang_are_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    let connect = |text: &str| {
        let mut stream = TcpStream::connect(&up.address).unwrap();
        stream.write_all(text.replace("HOST", &up.address).as_bytes()).unwrap();
        stream
    };
    let mut waiting = [
        connect("POST /v1/sign_up HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{\"name\":"),
        connect("GET / HTTP/1.1\r\nHost: HOST\r\n"),
    ];
    let mut idle = connect("HEAD / HTTP/1.1\r\nHost: HOST\r\n\r\n");
    assert!(idle.read(&mut [0; 1_000]).unwrap() > 0, "answered, and kept open");
    std::thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    let (code, said) = up.stop_saying("-TERM");
    assert_eq!(code, Some(0));
    assert!(said.ends_with("\"what\":\"2 requests did not end in time and were cut off\"}\n"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    waiting.iter_mut().for_each(|stream| assert_eq!(stream.read(&mut [0; 100]).unwrap_or(0), 0, "no answer"));
    let up = Up::start(&example("shop"), folder.path(), &[]);
    assert!(up.said.contains("(opened)") && !up.said.contains("sudden"), "{}", up.said);
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
    says(&["up", &shop, "--listen", "here"], 2, &["127.0.0.1:7878"]);
    says(&["up", &shop, "--listen", "127.0.0.1:0", "--data", &shop], 3, &["catalog.yaml is a file"]);
    let below = format!("{shop}/data");
    says(&["up", &shop, "--listen", "127.0.0.1:0", "--data", &below], 3, &["catalog.yaml is a file"]);
    says(&["up", "nothing.yaml"], 2, &["nothing.yaml"]);
    says(&["up", example("cases").to_str().unwrap()], 2, &["not run yet", "patterns."]);

    let text = std::fs::read_to_string(&shop).unwrap();
    std::fs::write(here.join("wrong.yaml"), text.replace("status: SHIPPED", "status: SHIPED")).unwrap();
    says(&["up", "wrong.yaml"], 1, &["unknown-name", "did you mean `SHIPPED`?"]);
    let more = "  take_order: { claim: Order, by: all, where: status = PAID, order: created_at asc, up_to: 5, lease: 60s, rate: rare, group: 5 }\n";
    std::fs::write(here.join("more.yaml"), format!("{text}{more}")).unwrap();
    says(&["up", "more.yaml"], 2, &["nothing is served", "patterns.take_order: `claim`"]);
    assert!(!here.join(".keyloom").exists(), "nothing was touched");

    says(&["up", &shop, "--listen", "0.0.0.0:0"], 2, &["no key was added", "keyloom key add"]);
    let up = Up::start(here.join("catalog.yaml").as_path(), here, &["--data", "data"]);
    says(&["up", &shop, "--listen", "127.0.0.1:0", "--data", "data"], 3, &["in use by process"]);
    assert_eq!(up.stop("-INT"), Some(0));
    std::fs::create_dir(here.join("full")).unwrap();
    std::fs::write(here.join("full/notes.txt"), "mine").unwrap();
    says(&["up", &shop, "--listen", "127.0.0.1:0", "--data", "full"], 3, &["holds files, but no"]);
}
