//! What calls cost a node, fitted from calls of many sizes, with both variants of Paxos:
//! `cargo bench -p keyloom-cassandra --bench costs`.
//!
//! The processor time is that of the node, as the system counts it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, reads what the system counts, and stops where something is wrong"
)]

use std::time::Duration;

use keyloom_bench::{costs, decisions};
use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::{
    Cluster,
    cassandra::{self, Paxos},
};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for paxos in [Paxos::V1, Paxos::V2] {
        let settings = cassandra::Options { paxos, ..cassandra::Options::default() };
        let node = keyloom_engines::Cassandra::start(&settings).expect("Cassandra can be had here");
        let costs = runtime.block_on(async {
            let store = connect(&node, 1).await;
            costs(&store, || processor_time(&[node.process_id()])).await
        });
        println!("one node of Cassandra, Paxos {paxos:?}\n{costs}\n");
        drop(node);
        let cluster = Cluster::start(&settings).expect("Cassandra can be had here");
        let processes: Vec<u32> = cluster.nodes().iter().map(keyloom_engines::Cassandra::process_id).collect();
        let decisions = runtime.block_on(async {
            let store = connect(&cluster.nodes()[0], 3).await;
            decisions(&store, || processor_time(&processes)).await
        });
        println!("three nodes with three replicas, Paxos {paxos:?}\n{decisions}\n");
    }
}

async fn connect(node: &keyloom_engines::Cassandra, replicas: u32) -> Cassandra {
    let point = node.contact_point().to_string();
    let options = Options { create_keyspace: Some(replicas), ..Options::new(vec![point], "costs") };
    Cassandra::connect(&options).await.unwrap()
}

/// The processor time of some processes together, in the hundredths of a second that Linux counts.
fn processor_time(processes: &[u32]) -> Duration {
    processes.iter().map(|process| processor_time_of(*process)).sum()
}

fn processor_time_of(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name of the program stands in brackets and may hold blanks.
    let (_, counts) = stat.rsplit_once(')').unwrap();
    let count = |at: usize| counts.split_whitespace().nth(at).unwrap().parse::<u64>().unwrap();
    Duration::from_millis((count(11) + count(12)) * 10)
}
