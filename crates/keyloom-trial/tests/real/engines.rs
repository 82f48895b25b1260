//! Real stores to try catalogs on: a folder, and engines on loopback.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use keyloom_dynamodb::{Credentials, DynamoDb};
use keyloom_embedded::{Embedded, System};
use keyloom_engines::{Cassandra, Dynoxide, ExtendDb, Unavailable, cassandra, dynamodb};
use keyloom_model::Engine;
use keyloom_run::trial::Protocol;
use keyloom_store::{Define, Store, Sweep};
use keyloom_trial::{Real, Tally};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How long a node waits; a client waits for twice as long. A machine that is busy is no fault of the store.
const PATIENCE: Duration = Duration::from_secs(30);

/// The names of the real stores.
pub const NAMES: [&str; 4] = ["embedded", "cassandra", "dynoxide", "extenddb"];

/// A real store that hands out empty ones.
pub struct Ground {
    runtime: Runtime,
    engine: Started,
    handed_out: AtomicU64,
}

enum Started {
    Embedded(TempDir),
    Cassandra(Cassandra),
    Dynoxide(Dynoxide),
    ExtendDb(ExtendDb),
}

impl Ground {
    /// Starts the engine of this name, one of [`NAMES`].
    pub fn start(name: &str) -> Result<Self, Unavailable> {
        let engine = match name {
            "cassandra" => {
                let timeouts = cassandra::Timeouts { read: PATIENCE, write: PATIENCE, contention: PATIENCE };
                let options = cassandra::Options { timeouts, ..cassandra::Options::default() };
                Started::Cassandra(Cassandra::start(&options)?)
            }
            "dynoxide" => Started::Dynoxide(Dynoxide::start()?),
            "extenddb" => Started::ExtendDb(ExtendDb::start(&dynamodb::Options::default())?),
            _ => Started::Embedded(tempfile::tempdir().map_err(|error| Unavailable::Broken(error.to_string()))?),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| Unavailable::Broken(error.to_string()))?;
        Ok(Self { runtime, engine, handed_out: AtomicU64::default() })
    }

    /// One trial of a catalog, on a store of its own.
    ///
    /// # Errors
    /// With what can't be, or why it could not be tried.
    pub fn check(&self, text: &str, seed: u64, protocol: Protocol) -> Result<Tally, String> {
        let number = self.handed_out.fetch_add(1, Ordering::Relaxed);
        match &self.engine {
            Started::Embedded(folder) => {
                let folder = folder.path().join(number.to_string());
                let opened = Embedded::open(&folder, keyloom_embedded::Options::default(), Arc::new(System));
                let (store, _) = opened.map_err(|error| error.to_string())?;
                self.check_on(text, seed, protocol, Engine::Embedded, store)
            }
            Started::Cassandra(node) => {
                let contact_points = vec![node.contact_point().to_string()];
                let options = keyloom_cassandra::Options::new(contact_points, format!("trial_{number}"));
                let options =
                    keyloom_cassandra::Options { create_keyspace: Some(1), patience: 2 * PATIENCE, ..options };
                let store = self.runtime.block_on(keyloom_cassandra::Cassandra::connect(&options));
                self.check_on(text, seed, protocol, Engine::Cassandra, store.map_err(|fault| fault.to_string())?)
            }
            Started::Dynoxide(server) => self.on_dynamodb(text, seed, protocol, server.endpoint(), number),
            Started::ExtendDb(server) => self.on_dynamodb(text, seed, protocol, server.endpoint(), number),
        }
    }

    fn on_dynamodb(
        &self,
        text: &str,
        seed: u64,
        protocol: Protocol,
        endpoint: String,
        number: u64,
    ) -> Result<Tally, String> {
        let (key, secret) = (dynamodb::ACCESS_KEY.to_owned(), dynamodb::SECRET_KEY.to_owned());
        let options = keyloom_dynamodb::Options {
            region: Some(dynamodb::REGION.to_owned()),
            endpoint: Some(endpoint),
            credentials: Credentials::Fixed { key, secret },
            patience: 2 * PATIENCE,
            ..keyloom_dynamodb::Options::new(format!("trial{number}"))
        };
        let store = self.runtime.block_on(DynamoDb::connect(&options)).map_err(|fault| fault.to_string())?;
        self.check_on(text, seed, protocol, Engine::DynamoDb, store)
    }

    fn check_on<S: Store + Define + Sweep>(
        &self,
        text: &str,
        seed: u64,
        protocol: Protocol,
        engine: Engine,
        store: S,
    ) -> Result<Tally, String> {
        let real =
            Real::new(text, engine, store.abilities()).map_err(|words| format!("it is not run there: {words}"))?;
        real.check(seed, protocol, store, &self.runtime)
    }
}
