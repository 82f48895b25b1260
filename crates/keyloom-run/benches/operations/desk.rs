//! What both sides do, on whatever engine: a desk with tasks and notes, and the executor as one of those who serve it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::{StreamExt, stream};
use keyloom_bench::Side;
use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Environment, Program, Run, Shown, uuid7};
use keyloom_store::{Define, Store, Sweep};
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

/// Tasks of each team and of each owner: one more than a page has.
const TASKS: u64 = 101;
/// How many tasks are added at once before anything is measured.
const AT_ONCE: usize = 32;
/// After so many changes it is said of their marks that they are done, where there are any: nobody waits for it.
const SETTLED_EVERY: u64 = 100;

/// Who serves the desk. Both sides are given the inputs as JSON, and answer with its text.
pub trait Desk {
    /// A row as it is answered.
    type Row;
    fn text(row: &Self::Row) -> &str;
    async fn get(&self, inputs: &Json) -> Self::Row;
    /// A page, and where the next one begins.
    async fn list(&self, inputs: &Json) -> (Vec<Self::Row>, Option<String>);
    async fn add_task(&self, key: &str, inputs: &Json);
    /// The key of the note.
    async fn add_note(&self, key: &str, inputs: &Json) -> Json;
    /// The version of the task.
    async fn change_due(&self, key: &str, inputs: &Json) -> u64;
    /// Says of marks that they are done.
    async fn settle(&self) {}
}

/// The executor.
pub struct Ours {
    run: Run,
}

impl Ours {
    /// Opens the desk on a store, and makes its tables there.
    pub async fn open<S: Store + Define + Sweep>(store: Arc<S>, engine: Engine) -> Self {
        let catalog: Catalog = keyloom_text::read("catalog.yaml", &Shelf, &mut Sources::default()).catalog;
        let layout = design(&catalog, engine, store.abilities());
        let program = Program::of(&Planned::compile(&catalog, &layout, store.abilities())).expect("all of it is run");
        Self { run: Run::open(program, store, Arc::new(Machine(AtomicU64::new(1)))).await.unwrap() }
    }

    async fn call(&self, pattern: &str, key: Option<&str>, inputs: &Json) -> Answer {
        let of = self.run.pattern(pattern).unwrap();
        let inputs = self.run.inputs_from_object(of, Caller::NOBODY, inputs).unwrap();
        let call = Call { pattern, inputs, key, order: None, limit: None, cursor: None };
        self.run.call(&call).await.unwrap()
    }

    async fn write(&self, pattern: &str, key: &str, inputs: &Json) -> (Json, u64) {
        match self.call(pattern, Some(key), inputs).await {
            Answer::Applied { key, version, visible: true, .. } => (key, version),
            other => panic!("{other:?}"),
        }
    }
}

impl Desk for Ours {
    type Row = Shown;

    fn text(row: &Shown) -> &str {
        row.text()
    }

    async fn get(&self, inputs: &Json) -> Shown {
        match self.call("get_task", None, inputs).await {
            Answer::Row { row, .. } => row,
            other => panic!("{other:?}"),
        }
    }

    async fn list(&self, inputs: &Json) -> (Vec<Shown>, Option<String>) {
        match self.call("tasks_of_team", None, inputs).await {
            Answer::Rows { rows, next, .. } => (rows, next),
            other => panic!("{other:?}"),
        }
    }

    async fn add_task(&self, key: &str, inputs: &Json) {
        self.write("add_task", key, inputs).await;
    }

    async fn add_note(&self, key: &str, inputs: &Json) -> Json {
        self.write("add_note", key, inputs).await.0
    }

    async fn change_due(&self, key: &str, inputs: &Json) -> u64 {
        self.write("change_due", key, inputs).await.1
    }

    async fn settle(&self) {
        self.run.settle().await.unwrap();
    }
}

/// What is asked of the desk.
#[derive(Debug, Clone, Copy)]
pub enum Asked {
    Get,
    List,
    Append,
    Update,
}

impl Asked {
    pub const ALL: [Self; 4] = [Self::Get, Self::List, Self::Append, Self::Update];

    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list of 100",
            Self::Append => "append",
            Self::Update => "decided update",
        }
    }
}

/// Calls of one kind on one side.
pub struct Calls<'a, D> {
    pub asked: Asked,
    pub desk: &'a D,
    /// The tasks that are read and changed.
    pub ids: &'a [String],
}

impl<D: Desk> Side for Calls<'_, D> {
    async fn call(&mut self, number: u64) {
        let Self { asked, desk, ids } = self;
        let id = &ids[usize::try_from(number.wrapping_mul(7_919)).unwrap() % ids.len()];
        match asked {
            Asked::Get => drop(desk.get(&json!({"task_id": id})).await),
            Asked::List => drop(desk.list(&json!({"team_id": number % (ids.len() as u64 / TASKS)})).await),
            Asked::Append => drop(desk.add_note(&key(number), &note(id, number)).await),
            Asked::Update => {
                desk.change_due(&key(number), &due(id, number)).await;
                if number % SETTLED_EVERY == SETTLED_EVERY - 1 {
                    desk.settle().await;
                }
            }
        }
    }
}

/// Adds the same tasks on both sides; who they are.
pub async fn fill(ours: &impl Desk, by_hand: &impl Desk, teams: u64) -> Vec<String> {
    let added = (0..teams * TASKS).map(|number| async move {
        let (id, key) = (key(number), key(number));
        let inputs = task(&id, number, teams);
        ours.add_task(&key, &inputs).await;
        by_hand.add_task(&key, &inputs).await;
        id
    });
    stream::iter(added).buffered(AT_ONCE).collect().await
}

/// Both sides answer the same, also about a task that was changed.
pub async fn compare<A: Desk, B: Desk>(ours: &A, by_hand: &B, ids: &[String]) {
    for number in [0, 1] {
        let inputs = json!({"task_id": ids[number]});
        let same = || async { (ours.get(&inputs).await, by_hand.get(&inputs).await) };
        let (one, other) = same().await;
        assert_eq!(A::text(&one), B::text(&other));
        for day in [1, 2] {
            let inputs = json!({"task_id": ids[number], "due_at": format!("2029-01-0{day}T10:00:00.000Z")});
            let key = key(day);
            ours.change_due(&key, &inputs).await;
            by_hand.change_due(&key, &inputs).await;
        }
        let (one, other) = same().await;
        assert_eq!(A::text(&one), B::text(&other));
        assert!(A::text(&one).contains("2029-01-02"), "it was changed");
        let inputs = json!({"team_id": number});
        let (one, other) = (ours.list(&inputs).await, by_hand.list(&inputs).await);
        assert_eq!(one.0.len(), 100);
        assert!(one.0.iter().map(A::text).eq(other.0.iter().map(B::text)), "both sides answer the same");
        assert!(one.1.is_some() && other.1.is_some(), "there are more rows than a page has");
    }
}

/// What a task is made of.
fn task(id: &str, number: u64, teams: u64) -> Json {
    let due_at = format!("2027-{:02}-{:02}T09:30:00.000Z", 1 + number % 12, 1 + number % 28);
    let title = format!("A task that somebody has to do, number {number:08}");
    let (team, owner) = (number % teams, number / TASKS);
    json!({"task_id": id, "team_id": team, "owner_id": owner, "title": title, "due_at": due_at})
}

fn note(id: &str, number: u64) -> Json {
    let words = format!("{number:08}: what was said about it, in a sentence or two, as people write them down");
    json!({"task_id": id, "author_id": number % 50, "words": words})
}

fn due(id: &str, number: u64) -> Json {
    json!({"task_id": id, "due_at": format!("2028-{:02}-{:02}T10:00:00.000Z", 1 + number % 12, 1 + number % 28)})
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
