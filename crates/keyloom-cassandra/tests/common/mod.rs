//! One node for a suite, and an empty keyspace of it for every store that is asked for.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::{available, cassandra};
use tokio::runtime::Runtime;

/// How long a node waits; a client waits for twice as long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A node, and what drives the calls to it.
pub struct Node {
    pub runtime: Runtime,
    node: keyloom_engines::Cassandra,
    keyspaces: AtomicU64,
}

impl Node {
    /// A node, or nothing after saying that the suite is skipped.
    pub fn start(suite: &str) -> Option<Self> {
        // A machine that is busy with builds is no fault of the store, so nothing is given up early here.
        let timeouts = cassandra::Timeouts { read: PATIENCE, write: PATIENCE, contention: PATIENCE };
        let started =
            keyloom_engines::Cassandra::start(&cassandra::Options { timeouts, ..cassandra::Options::default() });
        let node = available(suite, "cassandra", started)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Some(Self { runtime, node, keyspaces: AtomicU64::new(0) })
    }

    /// How a store in a keyspace of its own is reached.
    pub fn options(&self) -> Options {
        let number = self.keyspaces.fetch_add(1, Ordering::Relaxed);
        let contact_points = vec![self.node.contact_point().to_string()];
        let keyspace = format!("keyspace_{number}");
        Options { create_keyspace: Some(1), patience: 2 * PATIENCE, ..Options::new(contact_points, keyspace) }
    }

    /// Where the node writes what it has flushed.
    #[allow(dead_code, reason = "each test file is a crate of its own, and not all use it")]
    pub fn data_folder(&self) -> std::path::PathBuf {
        self.node.data_folder()
    }

    /// An empty store.
    #[allow(dead_code, reason = "each test file is a crate of its own, and not all use it")]
    pub fn store(&self) -> Cassandra {
        self.runtime.block_on(Cassandra::connect(&self.options())).unwrap()
    }
}

/// Numbers that look random: the same seed gives the same on every machine.
#[allow(dead_code, reason = "each test file is a crate of its own, and not all use it")]
pub struct Dice(u64);

#[allow(dead_code, reason = "each test file is a crate of its own, and not all use it")]
impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }
}
