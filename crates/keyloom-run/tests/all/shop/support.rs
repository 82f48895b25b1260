//! A shop on some store, with a clock that the test turns.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use keyloom_embedded::{Embedded, Options, System};
use keyloom_model::Catalog;
use keyloom_run::{Answer, Call, Caller, Environment, Problem, Program, Run, Settled, Shown, measured, uuid7};
use keyloom_store::{Define, Model, Store, Sweep};
use keyloom_value::{Kind, Value, to_text};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

pub(crate) use super::catalog::{catalog, compiled, read};
use super::simulated::Simulated;

/// A clock that stands until it is turned, and chance from a count.
pub(crate) struct Turned {
    pub(crate) now_us: AtomicI64,
    drawn: AtomicU64,
}

pub(crate) const START_US: i64 = 1_794_735_000_000_000;

impl Environment for Turned {
    fn now_us(&self) -> i64 {
        // Each look is a microsecond later, as on a machine.
        self.now_us.fetch_add(1, Ordering::Relaxed)
    }

    fn random(&self, bytes: &mut [u8]) {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.iter_mut().zip(drawn.iter().cycle()).for_each(|(byte, drawn)| *byte = *drawn);
    }
}

pub(crate) struct Shop {
    pub(crate) run: Run,
    pub(crate) clock: Arc<Turned>,
    pub(crate) name: &'static str,
    _folder: Option<TempDir>,
}

pub(crate) fn open<S: Store + Define + Sweep>(store: S) -> (Run, Arc<Turned>) {
    open_as(store, &catalog())
}

pub(crate) fn clock() -> Arc<Turned> {
    // Other stores draw other secrets.
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    let drawn = AtomicU64::new(DRAWN.fetch_add(1 << 32, Ordering::Relaxed));
    Arc::new(Turned { now_us: AtomicI64::new(START_US), drawn })
}

fn open_as<S: Store + Define + Sweep>(store: S, catalog: &Catalog) -> (Run, Arc<Turned>) {
    let clock = clock();
    let program = Program::of(&compiled(catalog, store.abilities())).unwrap();
    (wait(Run::open(program, Arc::new(store), clock.clone())).unwrap(), clock)
}

fn embedded(folder: &Path) -> Embedded {
    Embedded::open(folder, Options::default(), Arc::new(System)).unwrap().0
}

/// A new shop on each store.
pub(crate) fn shops() -> Vec<Shop> {
    let (model, clock) = open(Model::new());
    let model = Shop { run: model, clock, name: "model", _folder: None };
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::in_folder(folder.path());
    vec![model, Shop { _folder: Some(folder), ..shop }, Shop::on(Simulated::new())]
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

impl Shop {
    pub(crate) fn on(store: Simulated) -> Self {
        let (run, clock) = open(store);
        Self { run, clock, name: "simulated wide", _folder: None }
    }

    pub(crate) fn settle(&self) -> Settled {
        wait(self.run.settle()).unwrap()
    }

    pub(crate) fn in_folder(folder: &Path) -> Self {
        let (run, clock) = open(embedded(folder));
        Self { run, clock, name: "embedded", _folder: None }
    }

    /// The same by a catalog that does not know how to count visits.
    pub(crate) fn without_visits(folder: &Path) -> Self {
        let mut catalog = catalog();
        catalog.patterns.retain(|pattern| pattern.name != "visit");
        catalog.entities.iter_mut().for_each(|entity| entity.fields.retain(|field| field.name != "visits"));
        let (run, clock) = open_as(embedded(folder), &catalog);
        Self { run, clock, name: "embedded", _folder: None }
    }

    pub(crate) fn turn_ms(&self, millis: i64) {
        self.clock.now_us.fetch_add(millis * 1_000, Ordering::Relaxed);
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_us.load(Ordering::Relaxed) / 1_000
    }

    /// A new idempotency key.
    pub(crate) fn key(&self) -> String {
        let mut random = [0; 10];
        self.clock.random(&mut random);
        to_text(&Value::Uuid(uuid7(self.now_ms(), random)), &Kind::Uuid).unwrap()
    }

    pub(crate) fn write(&self, pattern: &str, body: &Json, key: &str) -> Result<Answer, Problem> {
        write(&self.run, pattern, body, key)
    }

    /// A write that is applied, and the key of its row.
    #[track_caller]
    pub(crate) fn applied(&self, pattern: &str, body: &Json) -> Json {
        match self.write(pattern, body, &self.key()) {
            Ok(Answer::Applied { key, .. }) => key,
            other => panic!("{}: {pattern}: {other:?}", self.name),
        }
    }

    #[track_caller]
    pub(crate) fn refused(&self, pattern: &str, body: &Json, reason: &str) {
        let answer = self.write(pattern, body, &self.key());
        assert_eq!(answer, Ok(Answer::NotApplied { reason: reason.into() }), "{}: {pattern}", self.name);
    }

    pub(crate) fn read(&self, pattern: &str, query: &[(&str, &str)]) -> Result<Answer, Problem> {
        self.page(pattern, query, None, None)
    }

    pub(crate) fn page(
        &self,
        name: &str,
        query: &[(&str, &str)],
        limit: Option<u64>,
        cursor: Option<&str>,
    ) -> Result<Answer, Problem> {
        let pattern = self.run.pattern(name).unwrap();
        let query: Vec<(String, String)> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let inputs = self.run.inputs_from_query(pattern, Caller::NOBODY, &query)?;
        let call = Call { pattern: name, inputs, key: None, order: None, limit, cursor };
        let (answer, work) = wait(measured(self.run.call(&call)));
        assert!(!work.is_above_bound(), "{}: {name} reads more than its path promises: {work:?}", self.name);
        answer
    }

    #[track_caller]
    pub(crate) fn row(&self, pattern: &str, query: &[(&str, &str)]) -> Json {
        match self.read(pattern, query) {
            Ok(Answer::Row { row, .. }) => row.json(),
            other => panic!("{}: {pattern}: {other:?}", self.name),
        }
    }

    #[track_caller]
    pub(crate) fn rows(&self, pattern: &str, query: &[(&str, &str)]) -> Vec<Json> {
        match self.read(pattern, query) {
            Ok(Answer::Rows { rows, next: None, previous: None, partial: false }) => {
                rows.iter().map(Shown::json).collect()
            }
            other => panic!("{}: {pattern}: {other:?}", self.name),
        }
    }

    pub(crate) fn user(&self, name: &str) -> String {
        let key = self.applied("sign_up", &json!({"name": name, "email": format!("{name}@Example.com")}));
        key["user_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn order(&self, user: &str, total: &str) -> String {
        self.turn_ms(1_000);
        let key = self.applied("place_order", &order(user, total));
        key["order_id"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn write(run: &Run, pattern: &str, body: &Json, key: &str) -> Result<Answer, Problem> {
    let inputs = run.inputs_from_object(run.pattern(pattern).unwrap(), Caller::NOBODY, body)?;
    wait(run.call(&Call { pattern, inputs, key: Some(key), order: None, limit: None, cursor: None }))
}

pub(crate) fn order(user: &str, total: &str) -> Json {
    let line = json!({"sku": "A-1", "name": "a thing", "qty": 2, "price": "6.25"});
    json!({"user_id": user, "items": [line], "total": total})
}
