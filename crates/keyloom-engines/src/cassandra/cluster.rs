//! Three nodes on one machine, to be stopped, killed and started again while clients write.

use std::{
    net::{IpAddr, Ipv4Addr},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{Cassandra, Options, configuration::Ports, failed, fetch, wire::Connection};
use crate::{Unavailable, process::free_ports};

/// How many nodes: the fewest of which a quorum is not all.
const NODES: usize = 3;

/// So little that three nodes fit beside the tests, and enough for the rows of a test.
const HEAP_MEGABYTES: u32 = 384;

/// A table that Cassandra itself keeps on three replicas.
const ON_ALL_NODES: &str = "SELECT * FROM system_distributed.view_build_status";

/// Three nodes that know each other, at 127.0.0.1 to 127.0.0.3; all of them stop when the value is dropped.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Cassandra>,
    patience: Duration,
}

impl Cluster {
    /// Starts the nodes and waits until each of them takes all for alive. Address, token and heap of `options` are chosen
    /// here, and every node restarts.
    ///
    /// # Errors
    /// When Cassandra can't be had here, or a node does not come up.
    pub fn start(options: &Options) -> Result<Self, Unavailable> {
        let jars = fetch()?;
        // All nodes listen on the same ports, since a driver takes the port of the first for that of all.
        let ports = Ports::from(free_ports(Ipv4Addr::UNSPECIFIED.into()).map_err(failed)?);
        let addresses: Vec<IpAddr> = (1..=NODES).map(|last| Ipv4Addr::new(127, 0, 0, last as u8).into()).collect();
        let mut nodes = Vec::with_capacity(NODES);
        for (address, token) in addresses.iter().zip(tokens()) {
            let own = Options {
                address: *address,
                token: Some(token),
                heap_megabytes: HEAP_MEGABYTES,
                restarts: true,
                ..options.clone()
            };
            nodes.push(Cassandra::spawn(&jars, &own, ports, &addresses).map_err(failed)?);
        }
        let mut cluster = Self { nodes, patience: options.patience };
        cluster.wait()?;
        Ok(cluster)
    }

    /// A node, counted from 0.
    pub fn node(&mut self, at: usize) -> &mut Cassandra {
        &mut self.nodes[at]
    }

    /// All nodes, to be looked at.
    #[must_use]
    pub fn nodes(&self) -> &[Cassandra] {
        &self.nodes
    }

    /// Waits until each node takes all for alive, and all answer it.
    ///
    /// # Errors
    /// When one has ended, or they do not find each other in time.
    pub fn wait(&mut self) -> Result<(), Unavailable> {
        let began = Instant::now();
        for node in &mut self.nodes {
            node.wait()?;
        }
        for node in &self.nodes {
            loop {
                let asked = Connection::open(node.plain).and_then(|mut node| node.query_all(ON_ALL_NODES));
                let Err(error) = asked else { break };
                if began.elapsed() > self.patience {
                    return Err(node.broken(&format!("the node does not find all others: {error}")));
                }
                sleep(Duration::from_millis(200));
            }
        }
        Ok(())
    }
}

/// Equal parts of the ring.
fn tokens() -> impl Iterator<Item = i64> {
    let part = u64::MAX / NODES as u64;
    (0..NODES as u64).map(move |node| i64::MIN.wrapping_add_unsigned(node * part).wrapping_add(1))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tokens_are_spread() {
        let tokens: Vec<i64> = super::tokens().collect();
        // The smallest number is no token.
        assert_eq!(tokens[0], i64::MIN + 1);
        let parts: Vec<u64> = tokens.windows(2).map(|pair| pair[1].abs_diff(pair[0])).collect();
        assert_eq!(parts, [u64::MAX / 3; 2]);
    }
}
