//! Apache Cassandra: from Maven Central, nodes on loopback.

mod cluster;
mod configuration;
mod package;
mod tls;
mod wire;

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

pub use cluster::Cluster;
pub use package::{VERSION, fetch, is_fetched};

use crate::{
    Unavailable,
    cache::run_folder,
    process::{Engine, free_ports},
};

/// The user that a node with passwords knows from the beginning; it may do everything.
pub const USER: &str = "cassandra";

/// The password of [`USER`].
pub const PASSWORD: &str = "cassandra";

/// What a node is asked to be.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its address on loopback.
    pub address: IpAddr,
    /// Where it stands on the ring; chosen by the node when there is none.
    pub token: Option<i64>,
    /// How long it may take until it answers.
    pub patience: Duration,
    /// The heap of its Java.
    pub heap_megabytes: u32,
    /// How long it waits for other nodes.
    pub timeouts: Timeouts,
    /// How it decides conditional statements.
    pub paxos: Paxos,
    /// Whether it may be started again with its data: it then writes every change of its tables to the disk at once.
    pub restarts: bool,
    /// Whether clients must log in, as [`USER`] or as a role that it makes.
    pub passwords: bool,
    /// Whether its contact point speaks TLS alone.
    pub tls: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            token: None,
            // It answers after ten seconds on an idle machine; a test run with many builds beside it is not idle.
            patience: Duration::from_secs(180),
            heap_megabytes: 1_024,
            timeouts: Timeouts::default(),
            paxos: Paxos::V1,
            restarts: false,
            passwords: false,
            tls: false,
        }
    }
}

/// How long a node waits for others before it tells its client that it does not know.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For reads.
    pub read: Duration,
    /// For writes, also those of a conditional statement.
    pub write: Duration,
    /// For a conditional statement to get its turn.
    pub contention: Duration,
}

impl Default for Timeouts {
    /// As Cassandra comes.
    fn default() -> Self {
        let millis = Duration::from_millis;
        Self { read: millis(5_000), write: millis(2_000), contention: millis(1_800) }
    }
}

/// Cassandra's two ways to decide conditional statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paxos {
    /// The one that it comes with.
    V1,
    /// Fewer trips, since 4.1.
    V2,
}

/// A running node; it stops, and its data are gone, when the value is dropped.
#[derive(Debug)]
pub struct Cassandra {
    engine: Engine,
    options: Options,
    contact_point: SocketAddr,
    /// Where it answers without TLS; the contact point itself unless that speaks TLS.
    plain: SocketAddr,
}

impl Cassandra {
    /// Fetches Cassandra if that was not done before, starts a node, and waits until it lets clients in.
    ///
    /// # Errors
    /// When Cassandra can't be had here, or does not come up.
    pub fn start(options: &Options) -> Result<Self, Unavailable> {
        let jars = fetch()?;
        let ports = configuration::Ports::from(free_ports(options.address).map_err(failed)?);
        let mut node = Self::spawn(&jars, options, ports, &[options.address]).map_err(failed)?;
        node.wait()?;
        Ok(node)
    }

    fn spawn(jars: &Path, options: &Options, ports: configuration::Ports, seeds: &[IpAddr]) -> io::Result<Self> {
        let folder = run_folder("cassandra")?;
        if options.tls {
            tls::write(&folder, options.address)?;
        }
        configuration::write(&folder, options, &ports, seeds)?;
        let command = configuration::command(jars, &folder, options);
        let plain = SocketAddr::new(options.address, ports.native);
        let contact_point = if options.tls { SocketAddr::new(options.address, ports.native_tls) } else { plain };
        Ok(Self { engine: Engine::start(folder, command)?, options: options.clone(), contact_point, plain })
    }

    /// Where the node answers CQL.
    #[must_use]
    pub fn contact_point(&self) -> SocketAddr {
        self.contact_point
    }

    /// The certificate of the authority that vouches for a node with TLS: a file in PEM.
    #[must_use]
    pub fn authority(&self) -> Option<PathBuf> {
        self.options.tls.then(|| tls::authority(self.engine.folder()))
    }

    /// Where the node writes what it has flushed: a folder for each keyspace.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        self.engine.folder().join("data")
    }

    /// The process of the node.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.engine.id()
    }

    /// Stops the node as a long pause of its machine would: its connections stay, nothing is answered.
    ///
    /// # Errors
    /// When it has ended.
    pub fn pause(&self) -> io::Result<()> {
        self.engine.pause()
    }

    /// Lets a paused node go on.
    ///
    /// # Errors
    /// When it has ended.
    pub fn resume(&self) -> io::Result<()> {
        self.engine.resume()
    }

    /// Ends the node at once, without a chance to put anything in order. Its data stay.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn kill(&mut self) -> io::Result<()> {
        self.engine.kill()
    }

    /// Starts the node again with its data, after a kill if it still runs; [`Self::wait`] says when it is there.
    ///
    /// # Errors
    /// When the system refuses, and when the node was not started as one that [`Options::restarts`].
    pub fn restart(&mut self) -> io::Result<()> {
        if !self.options.restarts {
            return Err(io::Error::other("this node would forget its tables"));
        }
        self.engine.restart()
    }

    /// Waits until the node lets clients in.
    ///
    /// # Errors
    /// When it has ended, or does not come up in time.
    pub fn wait(&mut self) -> Result<(), Unavailable> {
        let (began, patience) = (Instant::now(), self.options.patience);
        loop {
            if wire::Connection::open(self.plain).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.engine.ended() {
                return Err(self.broken(&format!("Cassandra ended before it answered ({status})")));
            }
            if began.elapsed() > patience {
                return Err(self.broken(&format!("Cassandra did not answer within {patience:?}")));
            }
            sleep(Duration::from_millis(100));
        }
    }

    fn broken(&self, reason: &str) -> Unavailable {
        Unavailable::Broken(format!("{reason}; its log ends with:\n{}", self.engine.end_of_log()))
    }
}

fn failed(error: io::Error) -> Unavailable {
    Unavailable::Broken(format!("failed to start Cassandra: {error}"))
}
