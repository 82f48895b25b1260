//! ExtendDB holds tables to a small throughput, is paused for longer than clients wait, and is killed and started again;
//! answers are lost on their way, and clients are killed. What is busy says so and when to come again, and every answer is
//! compared with the rows that stand at the end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; clients are processes that are told by their environment what to do"
)]

mod common;

use std::{
    env,
    fmt::Debug,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle, sleep},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use aws_sdk_dynamodb::types::{BillingMode, ProvisionedThroughput};
use common::gate::Gate;
use keyloom_contract::history::{Client, Finals, Ledger, Note, Tables, World, judge};
use keyloom_dynamodb::DynamoDb;
use keyloom_engines::{ExtendDb, announce, available, dynamodb::Options, say};
use keyloom_store::{
    BoxFuture, Change, Column, Decision, Define, Discipline, Expect, Fault, Group, Image, Inspect, Millis, Scope, Step,
    Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

const SUITE: &str = "throttling";
const ENGINE: &str = "extenddb";

/// Set in the processes of clients: where the server is, the prefix of its tables, the number of the first client.
const CLIENT: &str = "KEYLOOM_TEST_CLIENT";

/// Processes at one time, and clients in each.
const PROCESSES: u16 = 3;
const CLIENTS: u16 = 8;

/// Write units that the decided table and the others have in a second while clients write: too few for all of them. Of
/// read units there are four times as many.
const DECIDED_UNITS: i64 = 30;
const PLACED_UNITS: i64 = 4;

/// Answers that are lost, of a thousand.
const LOST: u64 = 10;

/// How long the server is left to work between two pauses.
const WORK: Duration = Duration::from_secs(2);

/// Half of a pause of the server: a whole one is longer than any call waits for its answer.
const HALF_A_PAUSE: Duration = Duration::from_secs(3);

/// Each time after so many pauses the server does not go on, but is killed and started again. That also frees its file, which
/// a request that was broken off while the server stood still may have left locked.
const RESTART: u32 = 3;

fn throttled() -> Options {
    Options { throttling: true, ..Options::default() }
}

#[test]
fn a_busy_table_says_so_and_when_to_come_again() {
    let Some(server) = available(SUITE, ENGINE, ExtendDb::start(&throttled())) else { return };
    common::runtime().block_on(async {
        let store = common::open(&server.endpoint(), "busy").await;
        let table = decided(&store).await;
        provision(&server, "busy.t", Some(5)).await;
        let mut busy = 0;
        for id in 0..40 {
            loop {
                match decide(&store, table, id).await {
                    Ok(verdict) => {
                        assert_eq!(verdict, Verdict::Done, "what was busy was not done, so row {id} is still absent");
                        break;
                    }
                    Err(Fault::Busy { scope, after, cause }) => {
                        assert_eq!(scope, Scope::Table, "{cause}");
                        assert!(after >= Duration::from_millis(50), "{after:?}");
                        busy += 1;
                        tokio::time::sleep(after).await;
                    }
                    Err(fault) => panic!("{fault}"),
                }
            }
        }
        assert!(busy > 0, "5 writes a second are fewer than 40");
        assert_eq!(store.inspect(table).await.unwrap().throttled, Some(busy));
    });
    announce(SUITE, ENGINE, 1, 0);
}

#[test]
fn answers_under_throttling_pauses_and_kills_are_true() {
    match env::var(CLIENT) {
        Ok(told) => write_until_killed(&told),
        Err(_) => run(Duration::from_secs(20)),
    }
}

/// `KEYLOOM_SECONDS=1800 cargo test --release -p keyloom-dynamodb --test throttling -- --ignored --nocapture`
#[test]
#[ignore = "half an hour: for changes of the store; KEYLOOM_SECONDS says how long"]
fn answers_under_throttling_pauses_and_kills_are_true_for_long() {
    let seconds = env::var("KEYLOOM_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(1_800);
    run(Duration::from_secs(seconds));
}

fn run(time: Duration) {
    let Some(mut server) = available(SUITE, ENGINE, ExtendDb::start(&throttled())) else { return };
    let gate = Gate::open(&server.endpoint());
    let (endpoint, prefix) = (server.endpoint(), "history");
    let runtime = common::runtime();
    let world = Here::new(0);
    let (store, tables) = runtime.block_on(async {
        let store = common::open(&endpoint, prefix).await;
        let tables = Tables::open(&store, &world).await;
        for name in names(&store).await {
            let units = if name.contains("decided") { DECIDED_UNITS } else { PLACED_UNITS };
            provision(&server, &format!("{prefix}.{name}"), Some(units)).await;
        }
        (store, tables)
    });

    let mut next = 1;
    let mut start = || {
        // Only what clients do is in doubt, not whether they find their tables.
        gate.lose(0);
        let process = Process::start(&format!("{} {prefix} {next}", gate.endpoint()));
        next += CLIENTS;
        gate.lose(LOST);
        process
    };
    let mut running: Vec<Process> = (0..PROCESSES).map(|_| start()).collect();
    let (began, mut notes, mut kills) = (Instant::now(), Vec::new(), 0);
    for turn in 1.. {
        if began.elapsed() >= time {
            break;
        }
        sleep(WORK);
        server.pause().unwrap();
        sleep(HALF_A_PAUSE);
        // What its clients have sent lies with the server, which will carry it out when nobody waits for it any more.
        let killed = running.remove(world.below(PROCESSES.into()) as usize);
        notes.extend(killed.kill());
        kills += 1;
        sleep(HALF_A_PAUSE);
        if turn % RESTART == 0 {
            server.restart().unwrap();
        } else {
            server.resume().unwrap();
        }
        running.push(start());
    }
    for process in running {
        notes.extend(process.kill());
        kills += 1;
    }
    // What is under way in the server arrives; what it still holds locked for somebody who is gone, it lets go.
    sleep(Duration::from_secs(2));
    server.restart().unwrap();
    let judgement = runtime.block_on(async {
        for name in names(&store).await {
            provision(&server, &format!("{prefix}.{name}"), None).await;
        }
        let finals = Finals::read(&store, &tables, &world, &notes).await;
        judge(&notes, &finals)
    });
    let (wrong, lost) = judgement.counts();
    let (figures, seconds) = (judgement.figures, began.elapsed().as_secs());
    say(&format!("{seconds} s, {kills} kills: {figures}; false answers {wrong}, lost {lost}\n"));
    judgement.proves().unwrap();
    assert!(figures.decisions.not_done > 0 && figures.placements.not_done > 0, "something was busy: {figures}");
    announce(SUITE, ENGINE, 1, 0);
}

/// Gives a table so many units a second, or as many as it wants.
async fn provision(server: &ExtendDb, table: &str, units: Option<i64>) {
    let client = common::client(&server.endpoint());
    let call = client.update_table().table_name(table);
    let call = match units {
        Some(units) => {
            let units = ProvisionedThroughput::builder().read_capacity_units(4 * units).write_capacity_units(units);
            call.billing_mode(BillingMode::Provisioned).provisioned_throughput(units.build().unwrap())
        }
        None => call.billing_mode(BillingMode::PayPerRequest),
    };
    soon(async || call.clone().send().await).await;
}

async fn names(store: &DynamoDb) -> Vec<String> {
    let described = soon(async || store.describe().await).await;
    described.into_iter().map(|(_, shape)| shape.table().name.clone()).collect()
}

/// Asks until there is an answer: a server that has just been paused and throttled refuses for a moment even those who ask
/// for nothing that is throttled.
async fn soon<T, E: Debug>(ask: impl AsyncFn() -> Result<T, E>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => assert!(Instant::now() < until, "{error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn decided(store: &DynamoDb) -> TableId {
    let table = Table {
        name: "t".to_owned(),
        discipline: Discipline::Decided,
        partition: vec![Column { name: "id".to_owned(), kind: Kind::Int }],
        sort: Vec::new(),
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: 0,
        lifetime_ms: None,
    };
    store.apply(&Step::Create(table)).await.unwrap();
    store.describe().await.unwrap()[0].0
}

async fn decide(store: &DynamoDb, table: TableId, id: i64) -> Result<Verdict, Fault> {
    let (key, becomes) = ([Value::Int(id)], Image { version: 1, expires_at: None, values: &[] });
    let change = Change { table, key: &key, expect: Expect::Absent, becomes };
    store.decide(Decision { change, along: &[], now: Millis(0) }).await
}

/// A process with some clients, and what they have written down.
struct Process {
    child: Child,
    notes: JoinHandle<Vec<Note>>,
}

impl Process {
    /// Starts it, and waits until its clients are at work.
    fn start(told: &str) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "answers_under_throttling_pauses_and_kills_are_true"])
            .env(CLIENT, told)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.find(|line| line.as_ref().is_ok_and(|line| line == "ready")).expect("clients come up").unwrap();
        let notes = thread::spawn(move || {
            let notes = lines.map_while(Result::ok).filter_map(|line| {
                let note = line.strip_prefix("note ")?.to_owned();
                Some(serde_json::from_str(&note).expect("a note is written as a whole"))
            });
            notes.collect()
        });
        Self { child, notes }
    }

    /// Ends it as a machine that fails would.
    fn kill(mut self) -> Vec<Note> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.notes.join().unwrap()
    }
}

/// What the process of some clients does.
fn write_until_killed(told: &str) {
    let told: Vec<&str> = told.split(' ').collect();
    let [endpoint, prefix, first] = told[..] else { panic!("{told:?}") };
    let first: u16 = first.parse().unwrap();
    let runtime = common::runtime();
    runtime.block_on(async {
        let store = Arc::new(soon(async || DynamoDb::connect(&common::options(endpoint, prefix)).await).await);
        let (tables, ledger) = (Tables::open(&*store, &Here::new(first)).await, Ledger::default());
        std::io::stdout().write_all(b"\nready\n").unwrap();
        let mut clients = tokio::task::JoinSet::new();
        for number in first..first + CLIENTS {
            let store = keyloom_store::BoxedStore::new(Arc::clone(&store));
            let mut client = Client::new(store, Here::new(number), tables.clone(), ledger.clone(), number);
            clients.spawn(async move {
                loop {
                    client.act().await;
                }
            });
        }
        clients.join_all().await;
    });
}

/// What clients have at hand in a process of their own.
#[derive(Clone)]
struct Here(Arc<AtomicU64>);

impl Here {
    fn new(seed: u16) -> Self {
        Self(Arc::new(AtomicU64::new(u64::from(seed) << 32)))
    }
}

impl World for Here {
    fn now(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Millis(i64::try_from(since.as_millis()).unwrap())
    }

    fn below(&self, end: u64) -> u64 {
        common::mixed(self.0.fetch_add(1, Ordering::Relaxed)) % end
    }

    fn pause(&self, span: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(span))
    }

    fn note(&self, note: Note) {
        // One write into a pipe is there as a whole, whoever is killed in the next moment.
        let line = format!("note {}\n", serde_json::to_string(&note).unwrap());
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
    }
}
