//! Three real nodes, and clients that write while nodes are paused, killed and started again, and while clients are
//! killed. Afterwards every answer that a client was given is compared with the rows.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test that can't go on fails; real faults take real time, and a client that is killed leaves a file"
)]

mod child;
mod nemesis;
mod quiet;
mod world;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use child::Children;
use keyloom_cassandra::{Cassandra, Options};
use keyloom_contract::history::{Client, Finals, Judgement, Ledger, Note, Tables, judge};
use keyloom_engines::{
    Cluster, announce, available,
    cassandra::{self, Paxos, Timeouts},
    say,
};
use keyloom_store::BoxedStore;
use nemesis::Nemesis;
use tokio::runtime::Runtime;
use world::{Notes, Real};

const SUITE: &str = "faults";
const ENGINE: &str = "cassandra x3";
const KEYSPACE: &str = "faults";

/// Clients of this process; there are some more in processes that are killed.
const CLIENTS: u16 = 8;

/// How long a client waits for an answer: longer than a node waits for others, so that most doubts are the server's own.
const PATIENCE: Duration = Duration::from_secs(3);

#[test]
fn every_answer_is_true() {
    run(Duration::from_secs(30), Paxos::V1);
}

/// `KEYLOOM_SECONDS=1800 cargo test --release -p keyloom-cassandra --test faults -- --ignored for_long --nocapture`, and with
/// `KEYLOOM_PAXOS=v2`.
#[test]
#[ignore = "half an hour; run by hand"]
fn every_answer_is_true_for_long() {
    let seconds = std::env::var("KEYLOOM_SECONDS").map_or(1_800, |seconds| seconds.parse().unwrap());
    let paxos = if std::env::var("KEYLOOM_PAXOS").is_ok_and(|variant| variant == "v2") { Paxos::V2 } else { Paxos::V1 };
    run(Duration::from_secs(seconds), paxos);
}

fn run(length: Duration, paxos: Paxos) {
    // Short ones, so that doubt is frequent.
    let millis = Duration::from_millis;
    let timeouts = Timeouts { read: millis(1_000), write: millis(600), contention: millis(600) };
    let options = cassandra::Options { timeouts, paxos, ..cassandra::Options::default() };
    let Some(mut cluster) = available(SUITE, ENGINE, Cluster::start(&options)) else { return };
    let contact_points: Vec<String> = cluster.nodes().iter().map(|node| node.contact_point().to_string()).collect();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();

    let store = runtime.block_on(store(&contact_points));
    let tables = runtime.block_on(Tables::open(&*store, &Real::new(u64::MAX, Notes::default())));
    let began = Instant::now();
    let (mut children, mut nemesis) = (Children::new(folder.path(), &contact_points), Nemesis::new(length));
    let notes = clients(&runtime, &store, &tables, || nemesis.run(&mut cluster, &mut children));
    children.kill_all();
    cluster.wait().unwrap();
    for held in runtime.block_on(quiet::wait(&contact_points)) {
        say(&format!("faults: {held}\n"));
    }

    let of_killed = children.notes();
    assert!(!of_killed.is_empty(), "clients that were killed have written before");
    let notes = [notes, of_killed].concat();
    let judgement = runtime.block_on(judged(&store, &tables, &notes));
    let (falsehoods, losses) = judgement.counts();
    say(&format!(
        "faults: {} s, {}; {}; false {falsehoods}, lost {losses}\n",
        began.elapsed().as_secs(),
        judgement.figures,
        nemesis.counts()
    ));
    for wrong in judgement.wrong.iter().take(20) {
        say(&format!("{wrong}\n"));
    }
    judgement.proves().unwrap();
    announce(SUITE, ENGINE, 1, 0);
}

async fn store(contact_points: &[String]) -> Arc<Cassandra> {
    let options =
        Options { create_keyspace: Some(3), patience: PATIENCE, ..Options::new(contact_points.to_vec(), KEYSPACE) };
    let began = Instant::now();
    loop {
        match Cassandra::connect(&options).await {
            Ok(store) => return Arc::new(store),
            // Nodes may be paused just now.
            Err(fault) => assert!(began.elapsed() < Duration::from_secs(60), "{fault}"),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Lets clients write while `trouble` lasts and until each has ended what it was at; what they noted.
fn clients(runtime: &Runtime, store: &Arc<Cassandra>, tables: &Tables, trouble: impl FnOnce()) -> Vec<Note> {
    let (kept, ledger, over) = (Notes::default(), Ledger::default(), Arc::new(AtomicBool::new(false)));
    let tasks: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (store, world) = (BoxedStore::new(store.clone()), Real::new(number.into(), kept.clone()));
            let mut client = Client::new(store, world, tables.clone(), ledger.clone(), number);
            let over = over.clone();
            runtime.spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    client.act().await;
                }
            })
        })
        .collect();
    trouble();
    over.store(true, Ordering::Relaxed);
    for task in tasks {
        runtime.block_on(task).unwrap();
    }
    kept.taken()
}

async fn judged(store: &Arc<Cassandra>, tables: &Tables, notes: &[Note]) -> Judgement {
    let store = BoxedStore::new(store.clone());
    let finals = Finals::read(&store, tables, &Real::new(u64::MAX, Notes::default()), notes).await;
    judge(notes, &finals)
}

/// Not a test by itself: the process that [`Children`] start, which writes until it is killed.
#[test]
#[ignore = "started by the others"]
fn a_client_that_is_killed() {
    let Some(orders) = child::Orders::given() else { return };
    // Whoever started it holds the other end; when that is gone, so is this.
    thread::spawn(|| {
        let _ = std::io::stdin().read_line(&mut String::new());
        std::process::exit(1);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = store(&orders.contact_points).await;
        let world = Real::new(orders.number.into(), Notes::in_file(Path::new(&orders.file)));
        let tables = Tables::open(&*store, &world).await;
        let mut client = Client::new(BoxedStore::new(store), world, tables, Ledger::default(), orders.number);
        loop {
            client.act().await;
        }
    });
}
