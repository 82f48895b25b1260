//! Apache Cassandra: from Maven Central, one node on loopback.

mod configuration;
mod package;

use std::{
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream},
    sync::atomic::{AtomicU64, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

pub use package::{VERSION, fetch, is_fetched};

use crate::{
    Unavailable,
    cache::run_folder,
    process::{Engine, free_ports},
};

/// What a node is asked to be.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its address on loopback.
    pub address: IpAddr,
    /// Where it stands on the ring; chosen by the node when there is none.
    pub token: Option<i64>,
    /// How long it may take until it answers.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        // It answers after ten seconds on an idle machine; a test run with many builds beside it is not idle.
        Self { address: Ipv4Addr::LOCALHOST.into(), token: None, patience: Duration::from_secs(180) }
    }
}

/// A running node; it stops, and its data are gone, when the value is dropped.
#[derive(Debug)]
pub struct Cassandra {
    engine: Engine,
    contact_point: SocketAddr,
}

impl Cassandra {
    /// Fetches Cassandra if that was not done before, starts a node, and waits until it answers CQL.
    ///
    /// # Errors
    /// When Cassandra can't be had here, or does not come up.
    pub fn start(options: &Options) -> Result<Self, Unavailable> {
        let jars = fetch()?;
        let broken = |error: io::Error| Unavailable::Broken(format!("failed to start Cassandra: {error}"));
        let folder = run_folder("cassandra", &unique()).map_err(broken)?;
        let [native, storage, secure] = free_ports(options.address).map_err(broken)?;
        let contact_point = SocketAddr::new(options.address, native);
        let ports = configuration::Ports { native, storage, secure };
        configuration::write(&folder, options, &ports).map_err(broken)?;
        let command = configuration::command(&jars, &folder);
        let mut node = Self { engine: Engine::start(folder, &command).map_err(broken)?, contact_point };
        node.wait(options.patience)?;
        Ok(node)
    }

    /// Where the node answers CQL.
    #[must_use]
    pub fn contact_point(&self) -> SocketAddr {
        self.contact_point
    }

    /// The process of the node.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.engine.id()
    }

    fn wait(&mut self, patience: Duration) -> Result<(), Unavailable> {
        let began = Instant::now();
        loop {
            if answers(self.contact_point).unwrap_or(false) {
                return Ok(());
            }
            let reason = match self.engine.ended() {
                Some(status) => format!("Cassandra ended before it answered ({status})"),
                None if began.elapsed() > patience => format!("Cassandra did not answer within {patience:?}"),
                None => {
                    sleep(Duration::from_millis(100));
                    continue;
                }
            };
            return Err(Unavailable::Broken(format!("{reason}; its log ends with:\n{}", self.engine.end_of_log())));
        }
    }
}

/// Whether a server at `contact_point` speaks CQL: it answers the frame OPTIONS of protocol 4 with SUPPORTED.
fn answers(contact_point: SocketAddr) -> io::Result<bool> {
    const OPTIONS: [u8; 9] = [0x04, 0, 0, 0, 0x05, 0, 0, 0, 0];
    const SUPPORTED: u8 = 0x06;
    let patience = Duration::from_secs(5);
    let mut stream = TcpStream::connect_timeout(&contact_point, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.write_all(&OPTIONS)?;
    let mut header = [0; 9];
    stream.read_exact(&mut header)?;
    Ok(header[4] == SUPPORTED)
}

/// A name for each node of this process.
fn unique() -> String {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    STARTED.fetch_add(1, Ordering::Relaxed).to_string()
}
