//! One node for a suite, and an empty keyspace of it for every store that is asked for.

use std::sync::atomic::{AtomicU64, Ordering};

use keyloom_cassandra::{Cassandra, Options};
use keyloom_engines::{available, cassandra};
use tokio::runtime::Runtime;

/// A node, and what drives the calls to it.
pub struct Node {
    pub runtime: Runtime,
    node: keyloom_engines::Cassandra,
    keyspaces: AtomicU64,
}

impl Node {
    /// A node, or nothing after saying that the suite is skipped.
    pub fn start(suite: &str) -> Option<Self> {
        let started = keyloom_engines::Cassandra::start(&cassandra::Options::default());
        let node = available(suite, "cassandra", started)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Some(Self { runtime, node, keyspaces: AtomicU64::new(0) })
    }

    /// How a store in a keyspace of its own is reached.
    pub fn options(&self) -> Options {
        let number = self.keyspaces.fetch_add(1, Ordering::Relaxed);
        let contact_points = vec![self.node.contact_point().to_string()];
        Options { create_keyspace: Some(1), ..Options::new(contact_points, format!("keyspace_{number}")) }
    }

    /// An empty store.
    pub fn store(&self) -> Cassandra {
        self.runtime.block_on(Cassandra::connect(&self.options())).unwrap()
    }
}
