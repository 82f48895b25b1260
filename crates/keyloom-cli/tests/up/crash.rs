//! A process that is killed while it is driven, again and again on the same rows: what it acknowledged is there, once, and all
//! that follows from it.

use std::{
    process::{Child, Stdio},
    sync::{
        RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use keyloom_engines::{Cassandra, announce, available, cassandra, say};
use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example, keyloom, new_key, post};

const WRITERS: u64 = 3;
/// A process that was asked for the last time for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn what_was_acknowledged_survives_kills_on_a_folder() {
    killed(&[], &[], 3, Duration::ZERO);
}

#[test]
fn what_was_acknowledged_survives_kills_on_cassandra() {
    on_cassandra("kills", 2, Duration::ZERO);
}

/// `KEYLOOM_KILLS=50 cargo test --release -p keyloom-cli --test up -- --ignored kills_on_a_folder --nocapture`
#[test]
#[ignore = "a minute: for changes of what is written, and of the embedded store; KEYLOOM_KILLS says how many"]
fn what_was_acknowledged_survives_many_kills_on_a_folder() {
    killed(&[], &[], kills(50), Duration::ZERO);
}

/// `KEYLOOM_KILLS=20 cargo test --release -p keyloom-cli --test up -- --ignored kills_on_cassandra --nocapture`
#[test]
#[ignore = "some minutes: for changes of what is written, and of the store on Cassandra; KEYLOOM_KILLS says how many"]
fn what_was_acknowledged_survives_many_kills_on_cassandra() {
    // Marks are left to their writers for a minute, and lie together by the minute.
    on_cassandra("many kills", kills(20), Duration::from_secs(150));
}

fn kills(unless_stated: u64) -> u64 {
    std::env::var("KEYLOOM_KILLS").map_or(unless_stated, |kills| kills.parse().unwrap())
}

fn on_cassandra(suite: &str, kills: u64, settle: Duration) {
    let Some(node) = available(suite, "Cassandra", Cassandra::start(&cassandra::Options::default())) else { return };
    let store = format!("cassandra://{}/shop", node.contact_point());
    killed(&["--store", &store], &["--create-keyspace", "1"], kills, settle);
    announce(suite, "Cassandra", 1, 0);
}

/// Kills a process so often at moments that nobody knows, and compares everything in the end, so long after the last start.
fn killed(store: &[&str], first: &[&str], kills: u64, settle: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let (shop, here) = (example("shop"), folder.path());
    let served = Served { address: RwLock::default(), last: AtomicBool::new(false), unanswered: AtomicU64::default() };
    let (written, driven, up) = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| Writer::new(&served, number))
            .map(|writer| scope.spawn(|| writer.write()))
            .collect();
        let mut driven = 0;
        for round in 0..kills {
            let up = Up::start(&shop, here, &[store, if round == 0 { first } else { &[] }].concat());
            assert!(!store.is_empty() || up.said.contains("the last stop was sudden") == (round > 0), "{}", up.said);
            *served.address.write().unwrap() = up.address.clone();
            let mut load = load(&up, here, round);
            thread::sleep(Duration::from_millis(300 + new_moment() % 1_500));
            driven += u64::from(load.try_wait().unwrap().is_none());
            up.kill();
            load.kill().unwrap();
            load.wait().unwrap();
        }
        let up = Up::start(&shop, here, store);
        *served.address.write().unwrap() = up.address.clone();
        served.last.store(true, Ordering::Relaxed);
        let written: Vec<Writer<'_>> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        (written, driven, up)
    });
    assert!(driven * 2 > kills, "it was driven in {driven} of {kills} lives when it was killed");
    let unanswered = served.unanswered.load(Ordering::Relaxed);
    assert!(unanswered > 0, "nobody waited for an answer when it was killed");
    thread::sleep(settle);
    let count: usize = written.iter().map(|writer| writer.asked.len()).sum();
    written.iter().for_each(|writer| writer.compare(&up));
    assert_eq!(up.stop("-TERM"), Some(0));

    let (code, said) = ended(&[&["verify", shop.to_str().unwrap(), "--format", "json"], store].concat(), here);
    let compared: Json = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    let differs = ["missing", "extra", "stale"].map(|word| compared[word].clone());
    assert_eq!((code, differs), (0, [json!(0), json!(0), json!(0)]), "{said}");
    let rows = compared["rows"].as_u64().unwrap();
    say(&format!(
        "{kills} kills: {count} writes of {WRITERS} clients, {unanswered} sent again, lost 0; {rows} rows compared, 0 missing, \
         0 extra, 0 stale\n"
    ));
}

/// Somebody else who drives the process, and is of no further interest.
fn load(up: &Up, folder: &std::path::Path, seed: u64) -> Child {
    let (shop, target, seed) = (example("shop"), format!("http://{}", up.address), (seed + 1).to_string());
    let load = ["load", shop.to_str().unwrap(), "--target", &target, "--seed", &seed, "--for", "600s"];
    let mut command = keyloom(&[&load[..], &["--rate", "150/s", "--rows", "20"]].concat(), folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Milliseconds that differ from run to run.
fn new_moment() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::from(now.subsec_nanos()) / 1_000
}

/// The process that serves now.
struct Served {
    address: RwLock<String>,
    /// It is not killed any more.
    last: AtomicBool,
    /// Writes whose first answer did not come.
    unanswered: AtomicU64,
}

/// A write, with all that is needed to send it again.
struct Asked {
    pattern: &'static str,
    key: String,
    body: Json,
    answer: Json,
}

/// A client who alone writes to its rows. So it knows of each what must be there, and nothing that it asks for can be refused.
struct Writer<'a> {
    served: &'a Served,
    number: u64,
    user: Json,
    name: String,
    /// Each order with its status, as they were placed.
    orders: Vec<(Json, &'static str)>,
    asked: Vec<Asked>,
}

impl<'a> Writer<'a> {
    fn new(served: &'a Served, number: u64) -> Self {
        Self { served, number, user: Json::Null, name: "first".into(), orders: Vec::new(), asked: Vec::new() }
    }

    fn write(mut self) -> Self {
        let body = json!({"name": self.name, "email": format!("writer-{}@x", self.number)});
        self.user = self.ask("sign_up", body)["key"]["user_id"].clone();
        let mut turn = 0;
        while !self.served.last.load(Ordering::Relaxed) {
            turn += 1;
            // The others are to get their turn, too.
            thread::sleep(Duration::from_millis(5));
            self.order(turn);
            if turn % 5 == 0 {
                let name = format!("name {turn}");
                self.ask("rename_user", json!({"user_id": self.user, "name": name}));
                self.name = name;
            }
        }
        self
    }

    /// Places an order, and brings some of them further.
    fn order(&mut self, turn: u64) {
        let line = json!({"sku": "A-1", "name": "a thing", "qty": turn, "price": "1.00"});
        let body = json!({"user_id": self.user, "items": [line], "total": format!("{turn}.00")});
        let id = self.ask("place_order", body)["key"]["order_id"].clone();
        let steps: [(&str, &str); 2] = [("pay_order", "PAID"), ("ship_order", "SHIPPED")];
        let mut status = "PLACED";
        for (pattern, becomes) in steps.into_iter().take(usize::try_from(turn % 3).unwrap()) {
            self.ask(pattern, json!({"order_id": id}));
            status = becomes;
        }
        self.orders.push((id, status));
    }

    /// Asks until there is an answer, always with the same key. It must have been applied.
    fn ask(&mut self, pattern: &'static str, body: Json) -> Json {
        let (key, began, mut is_repeat) = (new_key(), Instant::now(), false);
        loop {
            let address = self.served.address.read().unwrap().clone();
            match post(&address, &format!("/v1/{pattern}"), &key, &body) {
                Ok(answer) if answer.status == 200 => {
                    let answer = answer.json();
                    assert_eq!(answer["outcome"], "applied", "{pattern} {body}: {answer}");
                    self.asked.push(Asked { pattern, key, body, answer: answer.clone() });
                    return answer;
                }
                // Unknown, or too much to do: both are asked again, as a connection that was cut.
                Ok(answer) => assert!(matches!(answer.status, 202 | 503), "{pattern} {body}: {}", answer.body),
                Err(_) => {}
            }
            if !is_repeat && !address.is_empty() {
                self.served.unanswered.fetch_add(1, Ordering::Relaxed);
                is_repeat = true;
            }
            assert!(began.elapsed() < PATIENCE, "{pattern} is not answered");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Everything that was applied is there, and nothing else; whatever is sent again is answered as before.
    fn compare(&self, up: &Up) {
        let of = |(id, status): &(Json, &str)| json!([id, status, self.name]).to_string();
        let mut expected: Vec<String> = self.orders.iter().map(of).collect();
        expected.sort();
        assert_eq!(self.listed(up), expected, "the list of writer {}", self.number);
        for Asked { pattern, key, body, answer } in &self.asked {
            let again = up.post(&format!("/v1/{pattern}"), key, body).json();
            let same = |word: &str| assert_eq!(again[word], answer[word], "{pattern} {body}: {again}");
            ["outcome", "key", "version"].into_iter().for_each(same);
        }
        assert_eq!(self.listed(up), expected, "a repeat has no second effect");
        for (id, status) in &self.orders {
            let row = up.get(&format!("/v1/get_order?order_id={}", id.as_str().unwrap())).json();
            assert_eq!(row["row"]["status"], *status, "{row}");
        }
        let profile = up.get(&format!("/v1/get_profile?user_id={}", self.user.as_str().unwrap())).json();
        assert_eq!(profile["row"]["name"], self.name, "{profile}");
    }

    /// Its orders, in an order of their own: several may be placed in one millisecond.
    fn listed(&self, up: &Up) -> Vec<String> {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let user = self.user.as_str().unwrap();
            let page = up.get(&format!("/v1/list_orders_of_user?user_id={user}{cursor}")).json();
            let rows = page["rows"].as_array().unwrap_or_else(|| panic!("{page}"));
            let of = |row: &Json| json!([row["order_id"], row["status"], row["user"]["name"]]).to_string();
            found.extend(rows.iter().map(of));
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        found.sort();
        found
    }
}
