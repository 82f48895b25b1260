//! Two servers that speak as DynamoDB does, by different authors, from npm. Dynoxide keeps everything in memory, ExtendDB in
//! a file of its folder.
//!
//! Neither is the real service. Dynoxide checks no signatures, never throttles and has no lag; ExtendDB does all three
//! where it is asked to.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

pub use crate::npm::Package;
use crate::{
    Unavailable,
    cache::run_folder,
    http::ask,
    process::{Engine, free_ports},
};

/// The first server.
pub const DYNOXIDE: Package = Package { name: "@dynoxide/linux-x64", version: "1.2.1", program: "dynoxide" };

/// The second server.
pub const EXTENDDB: Package = Package { name: "@extenddb/linux-x64", version: "0.1.10", program: "extenddb" };

/// The region that both answer for.
pub const REGION: &str = "us-east-1";

/// The key with which requests are signed: the one of AWS's own examples, which ExtendDB knows from the beginning.
pub const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// The secret of [`ACCESS_KEY`].
pub const SECRET_KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/// They are up within a tenth of a second on an idle machine; a test run with many builds beside it is not idle.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running Dynoxide; it stops, and its data are gone, when the value is dropped.
#[derive(Debug)]
pub struct Dynoxide {
    server: Server,
}

impl Dynoxide {
    /// Fetches Dynoxide if that was not done before, starts it, and waits until it answers.
    ///
    /// # Errors
    /// When Dynoxide can't be had here, or does not come up.
    pub fn start() -> Result<Self, Unavailable> {
        let server = Server::start(DYNOXIDE, |program, port, _| {
            vec![program, "--host".into(), Ipv4Addr::LOCALHOST.to_string(), "--port".into(), port.to_string()]
        })?;
        Ok(Self { server })
    }

    /// Where it answers.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.server.endpoint()
    }

    /// The process of the server.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.server.engine.id()
    }
}

/// What an ExtendDB is asked to be.
#[derive(Debug, Clone)]
pub struct Options {
    /// How far its indexes are behind.
    pub index_lag: Duration,
    /// How long a new table or index is in the making.
    pub creation: Duration,
    /// Whether a table with a provisioned throughput is held to it.
    pub throttling: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { index_lag: Duration::from_millis(10), creation: Duration::ZERO, throttling: false }
    }
}

/// A running ExtendDB; it stops, and its data are gone, when the value is dropped.
#[derive(Debug)]
pub struct ExtendDb {
    server: Server,
}

impl ExtendDb {
    /// Fetches ExtendDB if that was not done before, starts it, waits until it answers, and makes it as asked.
    ///
    /// # Errors
    /// When ExtendDB can't be had here, or does not come up.
    pub fn start(options: &Options) -> Result<Self, Unavailable> {
        let throttling = options.throttling;
        let server = Server::start(EXTENDDB, |program, port, folder| {
            // Not in memory: there its data live as long as one connection, which ends with a request that is broken off.
            let file = folder.join("data.sqlite");
            vec![
                "env".into(),
                format!("EXTENDDB__SERVER__PORT={port}"),
                format!("EXTENDDB__SERVER__REGION={REGION}"),
                format!("EXTENDDB__SERVER__THROTTLING_ENABLED={throttling}"),
                format!("EXTENDDB__STORAGE__SQLITE__PATH={}", file.display()),
                "EXTENDDB__LOGGING__LEVEL=warn".into(),
                program,
                "serve".into(),
                "--foreground".into(),
            ]
        })?;
        let database = Self { server };
        database.set("index_propagation_delay_ms", &options.index_lag.as_millis().to_string())?;
        database.set("control_plane_delay_seconds", &options.creation.as_secs_f64().to_string())?;
        Ok(database)
    }

    /// Where it answers.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.server.endpoint()
    }

    /// The process of the server.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.server.engine.id()
    }

    /// Stops the server as a long pause of its machine would: its connections stay, nothing is answered.
    ///
    /// # Errors
    /// When it has ended.
    pub fn pause(&self) -> io::Result<()> {
        self.server.engine.pause()
    }

    /// Lets a paused server go on.
    ///
    /// # Errors
    /// When it has ended.
    pub fn resume(&self) -> io::Result<()> {
        self.server.engine.resume()
    }

    /// Ends the server as a machine that fails would, and starts it again with the data it had; it answers at the same
    /// endpoint.
    ///
    /// # Errors
    /// When it does not come up again.
    pub fn restart(&mut self) -> Result<(), Unavailable> {
        if let Err(error) = self.server.engine.restart() {
            return Err(self.server.broken(&format!("it can't be started again: {error}")));
        }
        self.server.wait()
    }

    /// Changes a setting through its management interface, whose password it prints when it starts.
    fn set(&self, key: &str, value: &str) -> Result<(), Unavailable> {
        let log = self.server.engine.end_of_log();
        let password = log.lines().find_map(|line| line.trim().strip_prefix("Password: ")).unwrap_or_default();
        let headers = format!(
            "authorization: Basic {}\r\ncontent-type: application/json\r\n",
            STANDARD.encode(format!("admin:{password}"))
        );
        let path = format!("/management/settings/{key}");
        match ask(self.server.address, "PUT", &path, &headers, &format!("{{\"value\":\"{value}\"}}")) {
            Ok(200) => Ok(()),
            Ok(status) => Err(self.server.broken(&format!("the setting {key} was answered with {status}"))),
            Err(error) => Err(self.server.broken(&format!("the setting {key} could not be made: {error}"))),
        }
    }
}

/// A process that answers HTTP on loopback.
#[derive(Debug)]
struct Server {
    package: Package,
    engine: Engine,
    address: SocketAddr,
}

impl Server {
    fn start(package: Package, command: impl FnOnce(String, u16, &Path) -> Vec<String>) -> Result<Self, Unavailable> {
        let program: PathBuf = package.fetch()?;
        let failed = |error: io::Error| Unavailable::Broken(format!("failed to start {}: {error}", package.program));
        let folder = run_folder(package.program).map_err(failed)?;
        let [port] = free_ports(Ipv4Addr::LOCALHOST.into()).map_err(failed)?;
        let command = command(program.display().to_string(), port, &folder);
        let engine = Engine::start(folder, command).map_err(failed)?;
        let mut server = Self { package, engine, address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)) };
        server.wait()?;
        Ok(server)
    }

    /// Any answer will do: it is up.
    fn wait(&mut self) -> Result<(), Unavailable> {
        let began = Instant::now();
        while ask(self.address, "GET", "/", "", "").is_err() {
            if let Some(status) = self.engine.ended() {
                return Err(self.broken(&format!("it ended before it answered ({status})")));
            }
            if began.elapsed() > PATIENCE {
                return Err(self.broken(&format!("it did not answer within {PATIENCE:?}")));
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    fn broken(&self, reason: &str) -> Unavailable {
        let (name, log) = (self.package.program, self.engine.end_of_log());
        Unavailable::Broken(format!("{name}: {reason}; its log ends with:\n{log}"))
    }
}
