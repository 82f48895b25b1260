//! The executor against code written by hand on the same store, with the same rows and the same answers, in one run:
//! `cargo bench -p keyloom-run --bench operations`.
//!
//! Both sides are given the inputs as JSON, and answer with its text. Latency and processor time are the medians of nine rounds of
//! short turns, one call at a time. `KEYLOOM_ONLY=list` runs the duels whose names begin so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod by_hand;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use by_hand::ByHand;
use keyloom_bench::{Duel, Side};
use keyloom_design::design;
use keyloom_embedded::{Embedded, Options, System};
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Environment, Program, Run, Shown, uuid7};
use keyloom_store::{Define, Store};
use keyloom_text::{Files, Unreadable};
use serde_json::{Value as Json, json};

const CATALOG: &str = "
language: 1
catalog: desk
entities:
  Task:
    key: [task_id]
    fields:
      task_id: uuid
      team_id: int
      owner_id: int
      title: text(40..80)
      due_at: timestamp
      status: enum(OPEN | CLOSED) = OPEN
      hours: int = 0
    volume: { rows: 100k }
    groups: { team_id: 100 / 200 / 500, owner_id: 100 / 200 / 500 }
  Note:
    append_only: true
    key: [task_id, note_id]
    fields: { task_id: uuid, note_id: uuid7 = new, author_id: int, words: text(80..400) }
    volume: { rows: 100k }
    groups: { task_id: 10 / 100 / 5k }
patterns:
  add_task: { create: Task, takes: [task_id, team_id, owner_id, title, due_at], rate: rare }
  get_task: { get: Task, by: [task_id], rate: rare }
  tasks_of_team: { list: Task, by: [team_id], order: due_at asc, page: 100, rate: rare }
  tasks_of_owner: { list: Task, by: [owner_id], order: due_at asc, page: 100, rate: rare }
  change_due: { update: Task, by: [task_id], set: { due_at: $due_at }, rate: rare }
  add_note: { create: Note, takes: [task_id, author_id, words], rate: rare }
  notes_of_task: { list: Note, by: [task_id], order: note_id asc, page: 100, rate: rare }
";

/// Groups of tasks.
const TEAMS: u64 = 200;
/// Tasks of each.
const TASKS: u64 = 101;

struct Shelf;

impl Files for Shelf {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(CATALOG.to_owned())
    }
}

struct Machine(AtomicU64);

impl Environment for Machine {
    fn now_us(&self) -> i64 {
        i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
    }

    fn random(&self, bytes: &mut [u8]) {
        // Not secret: nobody here forges a cursor.
        let number = self.0.fetch_add(1, Relaxed).to_le_bytes();
        bytes.iter_mut().zip(number.iter().cycle()).for_each(|(byte, number)| *byte = *number);
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let only = std::env::var("KEYLOOM_ONLY").unwrap_or_default();
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        Arc::new(Embedded::open(&folder.path().join(name), Options::default(), Arc::new(System)).unwrap().0)
    };
    let (mine, theirs) = (open("ours"), open("by hand"));
    let catalog: Catalog = keyloom_text::read("catalog.yaml", &Shelf, &mut Sources::default()).catalog;
    let layout = design(&catalog, Engine::Embedded, mine.abilities());
    let program = Program::of(&Planned::compile(&catalog, &layout, mine.abilities())).expect("all of it is run");
    runtime.block_on(async {
        let run = Run::open(program, Arc::clone(&mine), Arc::new(Machine(AtomicU64::new(1)))).await.unwrap();
        let tables = mine.describe().await.unwrap().into_iter().map(|(_, shape)| shape.table().clone()).collect();
        let ours = Ours { run };
        let by_hand = ByHand::open(theirs, tables).await;
        let mut ids = Vec::new();
        for number in 0..TEAMS * TASKS {
            let (id, key) = (key(number), key(number));
            ours.write("add_task", &key, task(&id, number)).await;
            by_hand.add_task(&key, &task(&id, number)).await;
            ids.push(id);
        }
        for number in [0, 5_000] {
            let inputs = json!({"task_id": ids[number]});
            assert_eq!(ours.get(inputs.clone()).await.text(), by_hand.get(&inputs).await, "both sides answer the same");
            let inputs = json!({"team_id": number % 200});
            let (one, other) = (ours.list(inputs.clone()).await, by_hand.list(&inputs).await);
            assert_eq!(one.0.len(), 100);
            assert!(one.0.iter().map(Shown::text).eq(&other.0), "both sides answer the same");
            assert!(one.1.is_some() && other.1.is_some(), "there are more rows than a page has");
        }
        println!("the executor against code by hand on the embedded store, {} tasks", ids.len());
        println!("{}", Duel::heading());
        for (name, calls) in [("get", 20_000), ("list of 100", 1_000), ("append", 5_000), ("decided update", 5_000)] {
            if name.starts_with(&only) {
                let mut one = Calls { name, side: Which::Ours(&ours), ids: &ids };
                let mut other = Calls { name, side: Which::ByHand(&by_hand), ids: &ids };
                println!("{}", Duel::run(name, calls, (0.0, 0.0), &mut one, &mut other).await);
            }
        }
    });
}

/// What a task is made of.
fn task(id: &str, number: u64) -> Json {
    let due_at = format!("2027-{:02}-{:02}T09:30:00.000Z", 1 + number % 12, 1 + number % 28);
    let title = format!("A task that somebody has to do, number {number:08}");
    let (team, owner) = (number % TEAMS, number / TASKS);
    json!({"task_id": id, "team_id": team, "owner_id": owner, "title": title, "due_at": due_at})
}

/// The idempotency key of a request.
fn key(number: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let mut random = [0; 10];
    random[..8].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes());
    let text = keyloom_value::to_text(
        &keyloom_value::Value::Uuid(uuid7(i64::try_from(now).unwrap(), random)),
        &keyloom_value::Kind::Uuid7,
    );
    text.unwrap().to_string()
}

struct Ours {
    run: Run,
}

impl Ours {
    async fn call(&self, pattern: &str, key: Option<&str>, inputs: Json) -> Answer {
        let of = self.run.pattern(pattern).unwrap();
        let inputs = self.run.inputs_from_object(of, Caller::NOBODY, &inputs).unwrap();
        let call = Call { pattern, inputs, key, order: None, limit: None, cursor: None };
        self.run.call(&call).await.unwrap()
    }

    async fn get(&self, inputs: Json) -> Shown {
        match self.call("get_task", None, inputs).await {
            Answer::Row { row, .. } => row,
            other => panic!("{other:?}"),
        }
    }

    async fn list(&self, inputs: Json) -> (Vec<Shown>, Option<String>) {
        match self.call("tasks_of_team", None, inputs).await {
            Answer::Rows { rows, next, .. } => (rows, next),
            other => panic!("{other:?}"),
        }
    }

    async fn write(&self, pattern: &str, key: &str, inputs: Json) -> Json {
        match self.call(pattern, Some(key), inputs).await {
            Answer::Applied { key, .. } => key,
            other => panic!("{other:?}"),
        }
    }
}

enum Which<'a> {
    Ours(&'a Ours),
    ByHand(&'a ByHand),
}

/// Calls of one kind on one side.
struct Calls<'a> {
    name: &'static str,
    side: Which<'a>,
    ids: &'a [String],
}

impl Side for Calls<'_> {
    async fn call(&mut self, number: u64) {
        let id = &self.ids[usize::try_from(number.wrapping_mul(7_919)).unwrap() % self.ids.len()];
        let new = || key(number);
        match (self.name, &self.side) {
            ("get", Which::Ours(ours)) => drop(ours.get(json!({"task_id": id})).await),
            ("get", Which::ByHand(by_hand)) => drop(by_hand.get(&json!({"task_id": id})).await),
            ("list of 100", Which::Ours(ours)) => drop(ours.list(json!({"team_id": number % TEAMS})).await),
            ("list of 100", Which::ByHand(by_hand)) => drop(by_hand.list(&json!({"team_id": number % TEAMS})).await),
            ("append", Which::Ours(ours)) => drop(ours.write("add_note", &new(), note(id, number)).await),
            ("append", Which::ByHand(by_hand)) => drop(by_hand.add_note(&new(), &note(id, number)).await),
            (_, Which::Ours(ours)) => drop(ours.write("change_due", &new(), due(id, number)).await),
            (_, Which::ByHand(by_hand)) => drop(by_hand.change_due(&new(), &due(id, number)).await),
        }
    }
}

fn note(id: &str, number: u64) -> Json {
    let words = format!("{number:08}: what was said about it, in a sentence or two, as people write them down");
    json!({"task_id": id, "author_id": number % 50, "words": words})
}

fn due(id: &str, number: u64) -> Json {
    json!({"task_id": id, "due_at": format!("2028-{:02}-{:02}T10:00:00.000Z", 1 + number % 12, 1 + number % 28)})
}
