//! What a request costs the server, beside servers that do nothing, in one run: `cargo bench -p keyloom-serve --bench http`.
//!
//! Every server is a process of its own on the same kind of runtime, and its processor time is what the system says of its
//! threads. The same requests go to each over as many connections that stay open, on all of them at once: there are so many that a
//! server is not woken for each alone. Rounds take turns. A get and an append stand beside an axum server that reads the request and
//! answers with as many bytes and the same headers. A list of 100 rows stands beside the sum of its parts: axum with the same bytes from memory, the scan of the same
//! rows on the bare store with their values read, and serde with the same rows.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod client;
mod parts;
mod servers;

use std::{net::SocketAddr, path::Path, time::Duration};

use client::{Answer, Request};
use keyloom_bench::{ROUNDS, median};
use keyloom_finding::Sources;
use keyloom_model::Catalog;
use keyloom_serve::{Data, Db, new_key};
use keyloom_text::{Files, Unreadable};
use parts::Scan;
use serde_json::{Value as Json, json};
use servers::Server;

const CATALOG: &str = "
language: 1
catalog: desk
entities:
  Task:
    key: [task_id]
    fields:
      task_id: uuid
      team_id: int
      title: text(40..80)
      due_at: timestamp
      status: enum(OPEN | CLOSED) = OPEN
      hours: int = 0
    volume: { rows: 100k }
    groups: { team_id: 100 / 200 / 500 }
  Note:
    append_only: true
    key: [task_id, note_id]
    fields: { task_id: uuid, note_id: uuid7 = new, author_id: int, words: text(80..400) }
    volume: { rows: 100k }
    groups: { task_id: 10 / 100 / 5k }
patterns:
  add_task: { create: Task, takes: [task_id, team_id, title, due_at], rate: rare }
  get_task: { get: Task, by: [task_id], rate: rare }
  tasks_of_team: { list: Task, by: [team_id], order: due_at asc, page: 100, rate: rare }
  add_note: { create: Note, takes: [task_id, author_id, words], rate: rare }
  notes_of_task: { list: Note, by: [task_id], order: note_id asc, page: 100, rate: rare }
";

/// Groups of tasks.
const TEAMS: u64 = 50;
/// Tasks of each.
const TASKS: u64 = 101;
/// Requests of one round.
const REQUESTS: u64 = 2_000;
const LISTS: u64 = 496;
/// Connections that ask at once.
pub const CONNECTIONS: u64 = 16;

struct Shelf;

impl Files for Shelf {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(CATALOG.to_owned())
    }
}

fn catalog() -> Catalog {
    keyloom_text::read("catalog.yaml", &Shelf, &mut Sources::default()).catalog
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == servers::SERVE) {
        return servers::serve(&arguments[at + 1], Path::new(&arguments[at + 2]));
    }
    let folder = tempfile::tempdir().unwrap();
    let (served, bare) = (folder.path().join("served"), folder.path().join("bare"));
    fill(&served);
    copy(&served, &bare);
    let mut ours = Server::start("keyloom", &served);
    println!("{:<14} | {:>9} {:>9} {:>6}", "server's CPU", "us", "beside us", "ratio");
    compare("get", &mut ours, folder.path(), get);
    compare("append", &mut ours, folder.path(), append);
    lists(&mut ours, folder.path(), &Scan::open(&bare));
}

/// A server that answers everything as it was answered once.
fn answering(folder: &Path, name: &str, answer: &Answer) -> Server {
    let file = folder.join(name);
    std::fs::write(&file, [answer.headers.as_bytes(), b"\n", &answer.body].concat()).unwrap();
    Server::start("bytes", &file)
}

/// One kind of request at two servers.
fn compare(name: &str, ours: &mut Server, folder: &Path, request: fn(u64) -> Request) {
    let mut other = answering(folder, name, &ours.answer(&request(0)));
    let mut rounds = Vec::new();
    for _ in 0..=ROUNDS {
        rounds.push((ours.spent(REQUESTS, request), other.spent(REQUESTS, request)));
    }
    // The first one warmed up.
    print(name, &rounds[1..]);
}

fn print(name: &str, rounds: &[(f64, f64)]) {
    let (ours, theirs): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
    let ratio = keyloom_bench::median_ratio(rounds);
    println!("{name:<14} | {:>9.1} {:>9.1} {ratio:>6.2}", median(ours), median(theirs));
}

/// A list of 100 beside the sum of its parts.
fn lists(ours: &mut Server, folder: &Path, scan: &Scan) {
    let page = ours.answer(&list(7));
    assert!(rows_of(&page.body) == scan.written(7), "the parts write what is answered");
    let mut same_bytes = answering(folder, "page", &page);
    let (mut rounds, mut parts) = (Vec::new(), Vec::new());
    for _ in 0..=ROUNDS {
        let mine = ours.spent(LISTS, list);
        let bytes = same_bytes.spent(LISTS, list);
        let (scanned, written) = scan.spent(LISTS);
        rounds.push((mine, bytes + scanned + written));
        parts.push((bytes, scanned, written));
    }
    print("list of 100", &rounds[1..]);
    let middle = |part: fn(&(f64, f64, f64)) -> f64| median(parts[1..].iter().map(part).collect());
    println!(
        "  its parts: the same bytes from memory {:.1}, the scan {:.1}, serde {:.1}",
        middle(|part| part.0),
        middle(|part| part.1),
        middle(|part| part.2)
    );
}

/// The rows of a page, as text.
fn rows_of(page: &[u8]) -> String {
    let page: Json = serde_json::from_slice(page).unwrap();
    assert_eq!(page["rows"].as_array().unwrap().len(), 100);
    page["rows"].to_string()
}

fn id(number: u64) -> String {
    format!("2f1c8a52-9d1e-4c55-8a53-{:012x}", number % (TEAMS * TASKS))
}

fn get(number: u64) -> Request {
    Request { path: format!("/v1/get_task?task_id={}", id(number.wrapping_mul(7_919))), body: None }
}

fn list(number: u64) -> Request {
    Request { path: format!("/v1/tasks_of_team?team_id={}", number % TEAMS), body: None }
}

fn append(number: u64) -> Request {
    let words = format!("{number:08}: what was said about it, in a sentence or two, as people write them down");
    let note = json!({"task_id": id(number.wrapping_mul(7_919)), "author_id": number % 50, "words": words});
    Request { path: "/v1/add_note".to_owned(), body: Some((new_key(), note.to_string())) }
}

fn fill(folder: &Path) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let db = Db::open(&catalog(), None, &Data::folder(folder)).await.unwrap();
        for number in 0..TEAMS * TASKS {
            let due_at = format!("2027-{:02}-{:02}T09:30:00.000Z", 1 + number % 12, 1 + number % 28);
            let title = format!("A task that somebody has to do, number {number:08}");
            let task = json!({"task_id": id(number), "team_id": number % TEAMS, "title": title, "due_at": due_at});
            db.call("add_task", task).await.unwrap();
        }
        db.close().await.unwrap();
    });
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

impl Server {
    /// What it answers to a request.
    fn answer(&mut self, request: &Request) -> Answer {
        self.clients[0].send(request);
        self.clients[0].receive()
    }

    /// The processor time of each request, in microseconds.
    fn spent(&mut self, requests: u64, request: fn(u64) -> Request) -> f64 {
        let before = self.processor_time();
        for turn in 0..requests / CONNECTIONS {
            let requests: Vec<Request> = (0..CONNECTIONS).map(|at| request(turn * CONNECTIONS + at)).collect();
            self.clients.iter_mut().zip(&requests).for_each(|(client, request)| client.send(request));
            self.clients.iter_mut().for_each(|client| drop(client.receive()));
        }
        each(self.processor_time() - before, requests)
    }
}

fn each(time: Duration, requests: u64) -> f64 {
    time.as_secs_f64() * 1e6 / requests as f64
}

/// Where a server listens.
type Address = SocketAddr;
