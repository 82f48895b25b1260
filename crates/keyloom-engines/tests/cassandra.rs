//! A real Cassandra comes up, answers a driver, and leaves nothing behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; a process that is killed is told by its environment what to do"
)]

use std::{
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use keyloom_engines::{
    Cassandra, announce, available,
    cassandra::{Options, VERSION},
};
use scylla::client::session_builder::SessionBuilder;

const SUITE: &str = "engines";
const ENGINE: &str = "cassandra";
/// Set in the process that holds a node and is killed.
const HOLD: &str = "KEYLOOM_TEST_HOLD";

#[tokio::test]
async fn a_node_answers_the_driver_and_leaves_nothing_behind() {
    let Some(node) = available(SUITE, ENGINE, Cassandra::start(&Options::default())) else { return };
    let session = SessionBuilder::new().known_node_addr(node.contact_point()).build().await.unwrap();
    let answer = session.query_unpaged("SELECT release_version FROM system.local", ()).await.unwrap();
    let (version,) = answer.into_rows_result().unwrap().single_row::<(String,)>().unwrap();
    assert_eq!(version, VERSION);

    let (process, folder) = (node.process_id(), folder_of(node.process_id()));
    assert!(is_running(process));
    drop(session);
    drop(node);
    assert!(!is_running(process), "the node stops with its value");
    assert!(!folder.exists(), "and so do its data");
    announce(SUITE, ENGINE, 1, 0);
}

/// No destructor runs in a process that is killed; what watches the node must stop it.
#[test]
fn a_node_does_not_outlive_a_killed_test() {
    if env::var_os(HOLD).is_some() {
        let node = Cassandra::start(&Options::default()).unwrap();
        println!("\nholding {}", node.process_id());
        sleep(Duration::from_secs(600));
        return;
    }
    let Some(_) = available(SUITE, ENGINE, keyloom_engines::cassandra::fetch()) else { return };
    let mut holder = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "a_node_does_not_outlive_a_killed_test"])
        .env(HOLD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    let process = lines.find_map(|line| line.unwrap().strip_prefix("holding ")?.parse().ok()).expect("a node is up");
    let folder = folder_of(process);
    assert!(is_running(process));
    holder.kill().unwrap();
    holder.wait().unwrap();

    let began = Instant::now();
    while is_running(process) || folder.exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "the node {process} or {} is left", folder.display());
        sleep(Duration::from_millis(50));
    }
    announce(SUITE, ENGINE, 1, 0);
}

fn is_running(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// The folder in which a node runs.
fn folder_of(process: u32) -> PathBuf {
    std::fs::read_link(format!("/proc/{process}/cwd")).unwrap()
}
