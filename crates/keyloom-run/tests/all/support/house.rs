//! A catalog on some store, with a clock that the test turns.
#![allow(dead_code, reason = "not every test does everything")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{Engine, layout::Layout};
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Problem, Program, Run, Shown, measured};
use keyloom_store::{Define, Store, Sweep};
use keyloom_text::{Files, Unreadable};
use keyloom_value::{Kind, Value, to_text};
use serde_json::Value as Json;
use tokio::runtime::Runtime;

use super::clock::Turned;

struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

pub struct House {
    pub run: Run,
    pub clock: Arc<Turned>,
    keys: AtomicU64,
    runtime: Runtime,
}

pub fn wait<T>(future: impl Future<Output = T>) -> T {
    here().block_on(future)
}

fn here() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// A catalog that is opened on a store in memory.
pub fn open<S: Store + Define + Sweep>(store: S, catalog: &str) -> House {
    open_by(store, catalog, |layout| layout)
}

/// The same by another layout than the one that is designed.
pub fn open_by<S: Store + Define + Sweep>(store: S, catalog: &str, laid: impl Fn(Layout) -> Layout) -> House {
    opened(store, Engine::Embedded, here(), catalog, laid)
}

/// A catalog that is opened on a store that is at home in a runtime.
pub fn open_on<S: Store + Define + Sweep>(store: S, engine: Engine, runtime: Runtime, catalog: &str) -> House {
    opened(store, engine, runtime, catalog, |layout| layout)
}

/// The same by another layout than the one that is designed.
pub fn opened<S: Store + Define + Sweep>(
    store: S,
    engine: Engine,
    runtime: Runtime,
    catalog: &str,
    laid: impl Fn(Layout) -> Layout,
) -> House {
    opened_shared(Arc::new(store), engine, runtime, catalog, laid)
}

/// The same on a store that others look at, too.
pub fn opened_shared<S: Store + Define + Sweep>(
    store: Arc<S>,
    engine: Engine,
    runtime: Runtime,
    catalog: &str,
    laid: impl Fn(Layout) -> Layout,
) -> House {
    let reading = keyloom_text::read("catalog.yaml", &Text(catalog), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    let layout = laid(design(&reading.catalog, engine, store.abilities()));
    let planned = Planned::compile(&reading.catalog, &layout, store.abilities());
    let program = Program::of(&planned).unwrap_or_else(|words| panic!("{words:?}"));
    let clock = Arc::new(Turned::new());
    let run = runtime.block_on(Run::open(program, store, clock.clone())).unwrap();
    House { run, clock, keys: AtomicU64::new(0), runtime }
}

impl House {
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// One pass over what was left behind.
    pub fn settle(&self) -> keyloom_run::Settled {
        self.runtime.block_on(self.run.settle()).unwrap()
    }

    pub fn turn(&self, seconds: i64) {
        self.clock.turn_ms(seconds * 1_000);
    }

    /// The moment in so many seconds, as callers write it.
    pub fn moment(&self, seconds: i64) -> String {
        let moment = Value::Timestamp(self.now_ms() + seconds * 1_000);
        to_text(&moment, &Kind::Timestamp { micros: false }).unwrap()
    }

    pub fn key(&self) -> String {
        format!("{};{}", self.keys.fetch_add(1, Ordering::Relaxed), self.now_ms())
    }

    pub fn send(&self, pattern: &str, body: &Json, key: Option<&str>) -> Result<Answer, Problem> {
        let inputs = self.run.inputs_from_object(self.run.pattern(pattern).unwrap(), Caller::NOBODY, body)?;
        self.runtime.block_on(self.run.call(&Call { pattern, inputs, key, order: None, limit: None, cursor: None }))
    }

    /// A request that may have been sent before.
    pub fn send_again(&self, pattern: &str, body: &Json, key: &str) -> Result<Answer, Problem> {
        let inputs = self.run.inputs_from_object(self.run.pattern(pattern).unwrap(), Caller::NOBODY, body)?;
        let (inputs, key) = (inputs.sent_before(), Some(key));
        self.runtime.block_on(self.run.call(&Call { pattern, inputs, key, order: None, limit: None, cursor: None }))
    }

    pub fn write(&self, pattern: &str, body: &Json) -> Result<Answer, Problem> {
        self.send(pattern, body, Some(&self.key()))
    }

    /// A write that is applied: its key and what it returns.
    #[track_caller]
    pub fn done(&self, pattern: &str, body: &Json) -> (Json, Option<Json>) {
        match self.write(pattern, body) {
            Ok(Answer::Applied { key, row, .. }) => (key, row.as_ref().map(Shown::json)),
            other => panic!("{pattern} {body}: {other:?}"),
        }
    }

    #[track_caller]
    pub fn refused(&self, pattern: &str, body: &Json, reason: &str) {
        assert_eq!(self.write(pattern, body), Ok(Answer::NotApplied { reason: reason.into() }), "{pattern} {body}");
    }

    #[track_caller]
    pub fn get(&self, pattern: &str, body: &Json) -> Option<Json> {
        match self.send(pattern, body, None).unwrap() {
            Answer::Row { row, .. } => Some(row.json()),
            Answer::NoRow => None,
            other => panic!("{other:?}"),
        }
    }

    /// A page, or a count, by a caller who has seen these.
    pub fn page(
        &self,
        pattern: &str,
        body: &Json,
        seen: &[&str],
        limit: Option<u64>,
        cursor: Option<&str>,
    ) -> Result<Answer, Problem> {
        let inputs = self.run.inputs_from_object(self.run.pattern(pattern).unwrap(), Caller::NOBODY, body)?;
        let inputs = self.run.having_seen(inputs, seen)?;
        let call = Call { pattern, inputs, key: None, order: None, limit, cursor };
        let (answer, work) = self.runtime.block_on(measured(self.run.call(&call)));
        assert!(!work.is_above_bound(), "{work:?}");
        answer
    }

    #[track_caller]
    pub fn list(&self, pattern: &str, body: &Json) -> Vec<Json> {
        match self.send(pattern, body, None).unwrap() {
            Answer::Rows { rows, .. } => rows.iter().map(Shown::json).collect(),
            other => panic!("{other:?}"),
        }
    }
}
