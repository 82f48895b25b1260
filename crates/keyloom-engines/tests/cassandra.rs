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
    cassandra::{Options, PASSWORD, USER, VERSION},
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

/// No destructor runs in a process that is killed; what watches a node must stop it, also one that is paused, and remove
/// the data of one that was killed before.
#[test]
fn a_node_does_not_outlive_a_killed_test() {
    if env::var_os(HOLD).is_some() {
        let mut nodes = [(); 2].map(|()| Cassandra::start(&Options::default()).unwrap());
        for node in &nodes {
            println!("\nholding {} {}", node.process_id(), folder_of(node.process_id()).display());
        }
        nodes[0].pause().unwrap();
        nodes[1].kill().unwrap();
        println!("ready");
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
    let lines = BufReader::new(holder.stdout.take().unwrap()).lines().map(Result::unwrap);
    let held: Vec<(u32, PathBuf)> = lines
        .take_while(|line| line != "ready")
        .filter_map(|line| {
            let (process, folder) = line.strip_prefix("holding ")?.split_once(' ')?;
            Some((process.parse().ok()?, folder.into()))
        })
        .collect();
    assert_eq!(held.len(), 2, "a paused node and a killed one: {held:?}");
    assert!(is_running(held[0].0), "a paused node is there");
    assert!(held.iter().all(|(_, folder)| folder.exists()), "and so are the data of both");
    holder.kill().unwrap();
    holder.wait().unwrap();

    let began = Instant::now();
    while held.iter().any(|(process, folder)| is_running(*process) || folder.exists()) {
        assert!(began.elapsed() < Duration::from_secs(30), "something is left of {held:?}");
        sleep(Duration::from_millis(50));
    }
    announce(SUITE, ENGINE, 1, 0);
}

#[tokio::test]
async fn a_node_with_passwords_lets_nobody_in_without() {
    let options = Options { passwords: true, ..Options::default() };
    let Some(node) = available(SUITE, ENGINE, Cassandra::start(&options)) else { return };
    let session = || SessionBuilder::new().known_node_addr(node.contact_point());
    assert!(session().build().await.is_err(), "a stranger");
    assert!(session().user(USER, "guessed").build().await.is_err(), "a wrong password");
    let known = session().user(USER, PASSWORD).build().await.unwrap();
    let role = "CREATE ROLE guest WITH PASSWORD = 'guest' AND LOGIN = true";
    known.query_unpaged(role, ()).await.unwrap();
    let guest = session().user("guest", "guest").build().await.unwrap();
    guest.query_unpaged("SELECT * FROM system.local", ()).await.unwrap();
    assert!(
        guest.query_unpaged("SELECT * FROM system_auth.roles", ()).await.is_err(),
        "a guest may not see everything"
    );
    announce(SUITE, ENGINE, 1, 0);
}

/// Java's own client: it says which certificates a server shows, and only after a handshake.
#[test]
fn a_node_with_tls_shows_a_certificate_of_its_authority() {
    let options = Options { tls: true, ..Options::default() };
    let Some(node) = available(SUITE, ENGINE, Cassandra::start(&options)) else { return };
    let authority = std::fs::read_to_string(node.authority().unwrap()).unwrap();
    let shown = Command::new("keytool")
        .args(["-printcert", "-rfc", "-sslserver", &node.contact_point().to_string()])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let body = |pem: &str| pem.lines().filter(|line| !line.contains(':')).collect::<Vec<_>>().concat();
    assert!(body(&shown).contains(&body(&authority)), "{shown}\nis not vouched for by\n{authority}");
    assert_eq!(shown.matches("BEGIN CERTIFICATE").count(), 2, "the node's own, and its authority's");
    announce(SUITE, ENGINE, 1, 0);
}

fn is_running(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// The folder in which a node runs.
fn folder_of(process: u32) -> PathBuf {
    std::fs::read_link(format!("/proc/{process}/cwd")).unwrap()
}
