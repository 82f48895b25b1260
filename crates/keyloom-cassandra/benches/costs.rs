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

use keyloom_bench::costs;
use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::cassandra::{self, Paxos};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for paxos in [Paxos::V1, Paxos::V2] {
        let settings = cassandra::Options { paxos, ..cassandra::Options::default() };
        let node = keyloom_engines::Cassandra::start(&settings).expect("Cassandra can be had here");
        let options =
            Options { create_keyspace: Some(1), ..Options::new(vec![node.contact_point().to_string()], "costs") };
        let costs = runtime.block_on(async {
            let store = Cassandra::connect(&options).await.unwrap();
            costs(&store, || processor_time(node.process_id())).await
        });
        println!("one node of Cassandra, Paxos {paxos:?}\n{costs}\n");
    }
}

/// The processor time of a process, in the hundredths of a second that Linux counts.
fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name of the program stands in brackets and may hold blanks.
    let (_, counts) = stat.rsplit_once(')').unwrap();
    let count = |at: usize| counts.split_whitespace().nth(at).unwrap().parse::<u64>().unwrap();
    Duration::from_millis((count(11) + count(12)) * 10)
}
