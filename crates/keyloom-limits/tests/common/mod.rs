//! What the tests of this crate share.
#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part of it, and one that can't go on fails")]

use std::{
    cell::Cell,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use keyloom_cassandra::CassandraDialect;
use keyloom_dynamodb::DynamoDbDialect;
use keyloom_embedded::{Embedded, Options, System};
use keyloom_limits::{Clock, Engine, Limited, Notice, Regime, Under};
use keyloom_model::Engine as EngineKind;
use tempfile::TempDir;

/// A clock that goes on by so much with each look at it.
pub struct Steps {
    pub now: AtomicU64,
    pub step: u64,
}

impl Steps {
    pub fn of(step: u64) -> Arc<Self> {
        Arc::new(Self { now: AtomicU64::new(0), step })
    }
}

impl Clock for Steps {
    fn now_us(&self) -> u64 {
        self.now.fetch_add(self.step, Ordering::SeqCst)
    }
}

/// Fresh stores, each in a folder of its own.
pub struct Folders {
    folder: TempDir,
    count: Cell<u32>,
}

impl Folders {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), count: Cell::new(0) }
    }

    pub fn fresh(&self) -> Arc<Embedded> {
        let number = self.count.replace(self.count.get() + 1);
        // What the one before left is not needed any more.
        let _ = std::fs::remove_dir_all(self.folder.path().join(number.wrapping_sub(2).to_string()));
        let folder = self.folder.path().join(number.to_string());
        Arc::new(Embedded::open(&folder, Options::default(), Arc::new(System)).unwrap().0)
    }
}

pub fn engine(kind: EngineKind) -> Engine {
    let regime = Regime::of(kind);
    match kind {
        EngineKind::DynamoDb => Engine { name: kind.name(), dialect: Box::new(DynamoDbDialect), regime },
        _ => Engine { name: kind.name(), dialect: Box::new(CassandraDialect { replicas: 1 }), regime },
    }
}

/// What was heard.
pub type Heard = Arc<Mutex<Vec<Notice>>>;

/// A store with limits, and what a node would have logged.
pub fn limited<S: Under>(store: Arc<S>, engine: Engine, clock: Arc<dyn Clock>) -> (Limited<S>, Heard) {
    let heard = Heard::default();
    let hear = Arc::clone(&heard);
    let hear = Arc::new(move |notice: &Notice| hear.lock().unwrap().push(notice.clone()));
    (wait(Limited::over(store, engine, clock, hear)).unwrap(), heard)
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Drives a future to its end on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}
