//! A desk on some store, and what stands in it.

use std::{collections::BTreeMap, sync::Arc};

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Problem, Program, Run, Shown, measured};
use keyloom_store::{Define, Store, Sweep};
use keyloom_text::{Files, Unreadable};
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

use super::clock::Turned;

struct Catalog;

impl Files for Catalog {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(include_str!("catalog.yaml").to_owned())
    }
}

/// Numbers that look random.
pub struct Dice(u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// A call of a reading pattern.
#[derive(Debug, Clone)]
pub struct Asked {
    pub pattern: &'static str,
    pub order: Option<&'static str>,
    pub inputs: BTreeMap<&'static str, Json>,
    /// Pages of so many rows.
    pub limit: Option<u64>,
}

impl Asked {
    pub fn of(pattern: &'static str, inputs: &[(&'static str, Json)]) -> Self {
        Self { pattern, order: None, inputs: inputs.iter().cloned().collect(), limit: None }
    }
}

pub struct Desk {
    pub name: &'static str,
    pub dice: Dice,
    run: Run,
    clock: Arc<Turned>,
    runtime: Arc<Runtime>,
    count: u64,
    /// Each as its default answer would show it.
    pub tickets: Vec<Json>,
    pub notes: Vec<Json>,
}

pub const QUEUES: [&str; 3] = ["q0", "q1", "q2"];
pub const STATES: [&str; 3] = ["OPEN", "WAITING", "CLOSED"];
pub const PRIORITIES: [&str; 3] = ["LOW", "NORMAL", "HIGH"];
const TITLES: [&str; 7] = ["", "a", "aa", "ab", "b", "b\u{10FFFF}", "é"];
const AUTHORS: [&str; 2] = ["ann", "ben"];

fn open<S: Store + Define + Sweep>(store: S, engine: Engine, runtime: &Runtime) -> (Run, Arc<Turned>) {
    let reading = keyloom_text::read("catalog.yaml", &Catalog, &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    let layout = design(&reading.catalog, engine, store.abilities());
    let planned = Planned::compile(&reading.catalog, &layout, store.abilities());
    let program = Program::of(&planned).unwrap_or_else(|words| panic!("{words:?}"));
    let clock = Arc::new(Turned::new());
    (runtime.block_on(Run::open(program, Arc::new(store), clock.clone())).unwrap(), clock)
}

impl Desk {
    /// An empty one on a store that holds nothing.
    pub fn on<S: Store + Define + Sweep>(
        name: &'static str,
        store: S,
        engine: Engine,
        runtime: Arc<Runtime>,
        seed: u64,
    ) -> Self {
        let (run, clock) = open(store, engine, &runtime);
        let (tickets, notes) = (Vec::new(), Vec::new());
        let mut desk = Self { name, dice: Dice(seed), run, clock, runtime, count: 0, tickets, notes };
        for queue in QUEUES {
            desk.write("add_queue", &json!({"queue_id": queue, "title": format!("queue {queue}")}));
        }
        desk
    }

    pub fn write(&mut self, pattern: &str, body: &Json) {
        self.count += 1;
        let key = format!("{};{}", self.count, self.clock.now_ms());
        let inputs = self.run.inputs_from_object(self.run.pattern(pattern).unwrap(), Caller::NOBODY, body).unwrap();
        let call = Call { pattern, inputs, key: Some(&key), order: None, limit: None, cursor: None };
        let answer = self.runtime.block_on(self.run.call(&call));
        assert!(matches!(answer, Ok(Answer::Applied { .. })), "{pattern} {body}: {answer:?}");
    }

    /// A new ticket or note, or one that changes.
    pub fn change(&mut self) {
        let (queue, status) = (*self.dice.one_of(&QUEUES), *self.dice.one_of(&STATES));
        let priority = *self.dice.one_of(&PRIORITIES);
        let at = self.dice.below(self.tickets.len().max(1) as u64) as usize;
        match self.dice.below(10) {
            0..=5 => {
                let title = format!("{}{}", self.dice.one_of(&TITLES), self.dice.below(3));
                let due = self.dice.below(2) == 0;
                let due = due.then(|| format!("2026-11-{:02}T00:00:00.000Z", 1 + self.dice.below(9)));
                self.add(queue, status, priority, &title, due);
            }
            6 if !self.tickets.is_empty() => {
                let id = self.tickets[at]["ticket_id"].clone();
                let change = json!({"ticket_id": id, "queue_id": queue, "status": status, "priority": priority});
                self.write("move", &change);
                for name in ["queue_id", "status", "priority"] {
                    self.tickets[at][name] = change[name].clone();
                }
            }
            7 if !self.tickets.is_empty() => {
                self.write("postpone", &json!({"ticket_id": self.tickets[at]["ticket_id"]}));
                self.tickets[at].as_object_mut().unwrap().remove("due_at");
            }
            _ if !self.tickets.is_empty() => {
                let ticket = self.tickets[at.min(3)]["ticket_id"].clone();
                let number = self.dice.below(9);
                let author = *self.dice.one_of(&AUTHORS);
                let note = json!({"ticket_id": ticket, "number": number, "author": author, "words": "some"});
                let same = |known: &Json| known["ticket_id"] == ticket && known["number"] == number;
                if !self.notes.iter().any(same) {
                    self.write("note", &note);
                    self.notes.push(note);
                }
            }
            _ => {}
        }
    }

    pub fn add(&mut self, queue: &str, status: &str, priority: &str, title: &str, due: Option<String>) {
        let count = self.tickets.len() as u64;
        let id = format!("{:08x}-0000-4000-8000-000000000000", self.dice.below(1 << 32));
        let mut ticket = json!({
            "ticket_id": id, "queue_id": queue, "code": format!("c{count}"), "status": status, "priority": priority,
            "title": title,
        });
        if let Some(due) = due {
            ticket["due_at"] = json!(due);
        }
        self.write("add", &ticket);
        self.tickets.push(ticket);
    }

    /// A call by chance.
    pub fn call(&mut self) -> Asked {
        let dice = &mut self.dice;
        let queue = json!(dice.one_of(&QUEUES));
        let ticket = |dice: &mut Dice, tickets: &[Json], name: &str| {
            let at = dice.below(tickets.len() as u64 + 1) as usize;
            let nobody = || json!(if name == "code" { "none" } else { "00000000-0000-4000-8000-000000000000" });
            tickets.get(at).map_or_else(nobody, |ticket| ticket[name].clone())
        };
        let mut asked = match dice.below(13) {
            0 => Asked::of("get", &[("ticket_id", ticket(dice, &self.tickets, "ticket_id"))]),
            1 => Asked::of("find", &[("code", ticket(dice, &self.tickets, "code"))]),
            2 => Asked::of("open_queue", &[("queue_id", queue)]),
            3 => Asked { order: Some("due"), ..Asked::of("of_queue", &[("queue_id", queue)]) },
            4 => Asked { order: Some("urgent"), ..Asked::of("of_queue", &[("queue_id", queue)]) },
            5 => Asked::of("alive", &[("queue_id", queue)]),
            6 => {
                let states: Vec<&str> = (0..1 + dice.below(3)).map(|_| *dice.one_of(&STATES)).collect();
                Asked::of("in_states", &[("queue_id", queue), ("states", json!(states))])
            }
            7 => {
                let mut asked = Asked::of("some", &[("queue_id", queue)]);
                let optional = [
                    ("status", json!(dice.one_of(&STATES))),
                    ("priority", json!(dice.one_of(&PRIORITIES))),
                    ("begin", json!(dice.one_of(&TITLES))),
                ];
                asked.inputs.extend(optional.into_iter().filter(|_| dice.below(2) == 0));
                asked
            }
            8 => {
                let mut asked = Asked::of("due", &[("queue_id", queue)]);
                let mut day = || json!(format!("2026-11-{:02}T00:00:00.000Z", 1 + dice.below(9)));
                let optional = [("from", day()), ("to", day())];
                asked.inputs.extend(optional.into_iter().filter(|_| dice.below(2) == 0));
                asked
            }
            9 => Asked::of("everything", &[]),
            11 => {
                let day = json!(format!("2026-11-{:02}", 1 + dice.below(9)));
                Asked::of("on_day", &[("queue_id", queue), ("day", day)])
            }
            10 => Asked::of("how_many", &[("queue_id", queue)]),
            _ => {
                let few = &self.tickets[..self.tickets.len().min(4)];
                let tickets: Vec<Json> = (0..1 + dice.below(4)).map(|_| ticket(dice, few, "ticket_id")).collect();
                Asked::of("of_author", &[("author", json!(dice.one_of(&AUTHORS))), ("tickets", json!(tickets))])
            }
        };
        if dice.below(2) == 0 {
            asked.limit = Some(1 + dice.below(3));
        }
        asked
    }

    pub fn ask(&self, asked: &Asked, limit: Option<u64>, cursor: Option<&str>) -> Result<Answer, Problem> {
        let pattern = self.run.pattern(asked.pattern).unwrap();
        let inputs = self.run.inputs_from_object(pattern, Caller::NOBODY, &json!(asked.inputs))?;
        let call = Call { pattern: asked.pattern, inputs, key: None, order: asked.order, limit, cursor };
        self.bounded(asked.pattern, self.run.call(&call))
    }

    /// What a call answers, which reads no more than its path promises.
    fn bounded<T>(&self, pattern: &str, call: impl Future<Output = T>) -> T {
        let (answer, work) = self.runtime.block_on(measured(call));
        assert!(work.trips == 0 || work.promised.is_some(), "{}: {pattern} has no bound", self.name);
        assert!(!work.is_above_bound(), "{}: {pattern}: {work:?}", self.name);
        answer
    }

    pub fn row(&self, asked: &Asked) -> Option<Json> {
        match self.ask(asked, None, None).unwrap() {
            Answer::Row { row, .. } => Some(row.json()),
            Answer::NoRow => None,
            other => panic!("{asked:?}: {other:?}"),
        }
    }

    pub fn get_some(&self, ids: &[Json]) -> Result<Vec<Option<Json>>, Problem> {
        let pattern = self.run.pattern("get_some").unwrap();
        let inputs =
            |id: &Json| self.run.inputs_from_object(pattern, Caller::NOBODY, &json!({"ticket_id": id})).unwrap();
        let items: Vec<_> = ids.iter().map(inputs).collect();
        let row = |answer| match answer {
            Answer::Row { row, .. } => row.json(),
            other => panic!("{other:?}"),
        };
        let found = self.bounded("get_some", self.run.get_batch("get_some", &items));
        Ok(found?.into_iter().map(|answer| answer.map(row)).collect())
    }

    /// All rows, page by page.
    pub fn all_pages(&self, asked: &Asked) -> Vec<Json> {
        self.walk(asked, None, false)
    }

    /// All rows, from the end to the start.
    pub fn all_pages_back(&self, asked: &Asked) -> Vec<Json> {
        let mut cursor = None;
        // The last page that is not empty knows what stands before it.
        let (mut last, mut back) = (Vec::new(), None);
        loop {
            let (rows, next, previous) = self.page(asked, cursor.as_deref());
            if !rows.is_empty() || back.is_none() {
                (last, back) = (rows, previous);
            }
            match next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        let Some(back) = back else { return last };
        let mut before = self.walk(asked, Some(back), true);
        before.extend(last);
        before
    }

    fn walk(&self, asked: &Asked, mut cursor: Option<String>, back: bool) -> Vec<Json> {
        let mut all: Vec<Json> = Vec::new();
        for _ in 0..1_000 {
            let (rows, next, previous) = self.page(asked, cursor.as_deref());
            if back {
                all.splice(0..0, rows);
            } else {
                all.extend(rows);
            }
            match if back { previous } else { next } {
                Some(further) => cursor = Some(further),
                None => return all,
            }
        }
        panic!("{asked:?} has no end")
    }

    fn page(&self, asked: &Asked, cursor: Option<&str>) -> (Vec<Json>, Option<String>, Option<String>) {
        match self.ask(asked, asked.limit, cursor).unwrap() {
            Answer::Rows { rows, next, previous, .. } => (rows.iter().map(Shown::json).collect(), next, previous),
            other => panic!("{asked:?}: {other:?}"),
        }
    }
}
