//! Rows in an engine: how it is reached, and what is said to it.

use std::{fmt, io::Write, path::PathBuf, sync::Arc};

use keyloom_cassandra::{Cassandra, Login};
use keyloom_dynamodb::DynamoDb;
use keyloom_model::{Catalog, Engine as EngineKind, layout::Layout};
use keyloom_run::{Key, Program, Run};
use keyloom_store::{Abilities, Define, Dialect, Fault, Store, Sweep};
use tokio::{
    net::TcpListener,
    runtime::{Handle, Runtime},
};

use crate::{
    change::{self, Making},
    data::{Counted, DataError},
    emit::prefix,
    following::{Current, Following, Heard},
    keys,
    log::Log,
    metrics::Metrics,
    signals::stop,
    store_address::{CassandraAddress, DynamoDbAddress, StoreAddress},
    stream,
    system::System,
    up::{Ready, Up, UpError, answer, listen, program, settling},
};

/// An engine that holds rows.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Where it is.
    pub address: StoreAddress,
    /// Makes the keyspace, if it is not there, with so many replicas.
    pub create_keyspace: Option<u32>,
    /// Another address of DynamoDB than its region's own.
    pub endpoint: Option<String>,
}

/// What an engine is able to, known without asking anybody; nothing for one on which nothing is run yet.
pub fn abilities(engine: EngineKind) -> Option<Abilities> {
    match engine {
        EngineKind::Embedded => Some(keyloom_embedded::abilities()),
        EngineKind::Cassandra => Some(keyloom_cassandra::abilities()),
        EngineKind::DynamoDb => Some(keyloom_dynamodb::abilities()),
        EngineKind::MongoDb | EngineKind::Redis | EngineKind::Firestore => None,
    }
}

/// What an engine stores and charges, known without asking anybody; nothing for one on which nothing is run yet. Where rows
/// have replicas, there are so many.
pub fn dialect(engine: EngineKind, replicas: u32) -> Option<Box<dyn Dialect>> {
    match engine {
        EngineKind::Embedded => Some(Box::new(keyloom_embedded::EmbeddedDialect)),
        EngineKind::Cassandra => Some(Box::new(keyloom_cassandra::CassandraDialect { replicas })),
        EngineKind::DynamoDb => Some(Box::new(keyloom_dynamodb::DynamoDbDialect)),
        EngineKind::MongoDb | EngineKind::Redis | EngineKind::Firestore => None,
    }
}

impl Engine {
    pub(crate) fn kind(&self) -> EngineKind {
        match &self.address {
            StoreAddress::Cassandra(_) => EngineKind::Cassandra,
            StoreAddress::DynamoDb(_) => EngineKind::DynamoDb,
        }
    }

    /// The program of a catalog by the layout that runs on it.
    pub(crate) async fn program<S: Store + Define>(
        &self,
        catalog: &Catalog,
        layout: Option<&Layout>,
        store: &S,
    ) -> Result<Program, UpError> {
        change::program(catalog, layout, self.kind(), store, |fault| self.failed(fault)).await
    }

    pub(crate) fn failed(&self, fault: Fault) -> UpError {
        UpError::Engine(self.to_string(), fault)
    }
}

/// What is done with the store of an engine, whichever it is.
pub(crate) trait Reach {
    type Answer;

    fn with<S: Store + Define + Sweep>(self, store: Arc<S>) -> Self::Answer;
}

impl Engine {
    /// Connects, and does it.
    pub(crate) fn reach<T>(
        &self,
        catalog: &Catalog,
        runtime: &Runtime,
        what: impl Reach<Answer = Result<T, DataError>>,
    ) -> Result<T, DataError> {
        let failed = |fault| DataError::Catalog(self.failed(fault));
        match &self.address {
            StoreAddress::Cassandra(at) => what.with(Arc::new(runtime.block_on(cassandra(at, self)).map_err(failed)?)),
            StoreAddress::DynamoDb(at) => {
                what.with(Arc::new(runtime.block_on(dynamodb(at, self, catalog)).map_err(failed)?))
            }
        }
    }
}

/// For messages, without what is secret.
impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.address, &self.endpoint) {
            (StoreAddress::Cassandra(at), _) => {
                write!(f, "Cassandra at {}, keyspace {}", at.hosts.join(", "), at.keyspace)
            }
            (StoreAddress::DynamoDb(_), Some(endpoint)) => write!(f, "DynamoDB at {endpoint}"),
            (StoreAddress::DynamoDb(DynamoDbAddress { region: Some(region), .. }), None) => {
                write!(f, "DynamoDB in {region}")
            }
            (StoreAddress::DynamoDb(_), None) => f.write_str("DynamoDB"),
        }
    }
}

/// What a start would make in an engine. Nothing is changed.
pub(crate) async fn making(catalog: &Catalog, layout: Option<&Layout>, engine: &Engine) -> Result<Making, UpError> {
    // What can't be run is said before anybody is asked.
    program(catalog, layout, engine.kind())?;
    // A keyspace that is not there is said with the statement that makes it.
    let engine = Engine { create_keyspace: None, ..engine.clone() };
    let failed = |fault| engine.failed(fault);
    let kind = engine.kind();
    match &engine.address {
        StoreAddress::Cassandra(at) => {
            let store = cassandra(at, &engine).await.map_err(failed)?;
            change::making(catalog, layout, kind, &store, false, failed).await
        }
        StoreAddress::DynamoDb(at) => {
            let store = dynamodb(at, &engine, catalog).await.map_err(failed)?;
            change::making(catalog, layout, kind, &store, false, failed).await
        }
    }
}

/// Writes every row of a catalog's data in an engine as a line of JSON; says how many bytes that were. `progress` hears how
/// many bytes were written so far.
///
/// # Errors
/// When it can't.
pub fn export_engine(
    catalog: &Catalog,
    layout: Option<&Layout>,
    engine: &Engine,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, DataError> {
    program(catalog, layout, engine.kind()).map_err(DataError::Catalog)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(DataError::Output)?;
    let mut counted = Counted::new(out, progress);
    let exported = Exported { catalog, layout, engine, out: &mut counted, runtime: runtime.handle() };
    engine.reach(catalog, &runtime, exported)?;
    Ok(counted.bytes())
}

struct Exported<'a> {
    catalog: &'a Catalog,
    layout: Option<&'a Layout>,
    engine: &'a Engine,
    out: &'a mut dyn Write,
    runtime: &'a Handle,
}

impl Reach for Exported<'_> {
    type Answer = Result<(), DataError>;

    fn with<S: Store + Define + Sweep>(self, store: Arc<S>) -> Self::Answer {
        let failed = |fault| DataError::Catalog(self.engine.failed(fault));
        let program = self.runtime.block_on(self.engine.program(self.catalog, self.layout, &*store));
        let program = program.map_err(DataError::Catalog)?;
        // Reading makes no tables.
        if !self.runtime.block_on(Run::steps(&program, &*store)).map_err(failed)?.is_empty() {
            return Err(DataError::NoTables(self.engine.to_string()));
        }
        let run = self.runtime.block_on(Run::open(program, store, Arc::new(System))).map_err(failed)?;
        stream::export(&run, self.out, self.runtime).map_err(DataError::Output)
    }
}

/// What the keys in an engine have to say.
pub(crate) fn ask_keys(
    engine: &Engine,
    catalog: &Catalog,
    layout: Option<&Layout>,
    asked: &keys::Asked,
) -> Result<Vec<Key>, DataError> {
    program(catalog, layout, engine.kind()).map_err(DataError::Catalog)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(DataError::Output)?;
    let failed = |fault| DataError::Catalog(engine.failed(fault));
    runtime.block_on(async {
        let place = engine.to_string();
        let run = match &engine.address {
            StoreAddress::Cassandra(at) => {
                let store = Arc::new(cassandra(at, engine).await.map_err(failed)?);
                let program = engine.program(catalog, layout, &*store).await.map_err(DataError::Catalog)?;
                keys::open(program, store, false, &place).await
            }
            StoreAddress::DynamoDb(at) => {
                let store = Arc::new(dynamodb(at, engine, catalog).await.map_err(failed)?);
                let program = engine.program(catalog, layout, &*store).await.map_err(DataError::Catalog)?;
                keys::open(program, store, false, &place).await
            }
        };
        keys::answer(&run?, asked).await.map_err(DataError::Keys)
    })
}

/// Serves a catalog on an engine.
pub(crate) async fn serve(wanted: &Up<'_>, engine: &Engine, ready: &mut dyn FnMut(&Ready)) -> Result<(), UpError> {
    let failed = |fault| engine.failed(fault);
    // What can't be run is said before the engine is asked.
    program(wanted.catalog, wanted.layout, engine.kind())?;
    // The address first: a port that is taken is no reason to touch the data.
    let listener = listen(wanted).await?;
    match &engine.address {
        StoreAddress::Cassandra(at) => {
            let store = cassandra(at, engine).await.map_err(failed)?;
            serve_on(wanted, engine, listener, Arc::new(store), ready).await
        }
        StoreAddress::DynamoDb(at) => {
            let store = dynamodb(at, engine, wanted.catalog).await.map_err(failed)?;
            serve_on(wanted, engine, listener, Arc::new(store), ready).await
        }
    }
}

async fn serve_on<S: Store + Define + Sweep>(
    wanted: &Up<'_>,
    engine: &Engine,
    listener: TcpListener,
    store: Arc<S>,
    ready: &mut dyn FnMut(&Ready),
) -> Result<(), UpError> {
    let (run, paths) = change::opened(wanted, engine.kind(), &store, false, |fault| engine.failed(fault)).await?;
    let current = Current::new(run);
    // Before it says that it is ready: whoever reads that may tell it to stop at once.
    let stop = stop(&wanted.halt).map_err(UpError::Machine)?;
    let metrics = Arc::new(Metrics::new(&current.run(), None));
    let settling = settling(&current, Log::new(wanted.log), &metrics);
    let ready = |address, curls, shows| ready(&Ready { address, opened: None, curls, shows });
    let following = Following {
        catalog: Arc::new(wanted.catalog.clone()),
        engine: engine.kind(),
        paths,
        store,
        current: current.clone(),
    };
    let log = Log::new(wanted.log);
    let hear = |heard: Heard<'_>| match heard {
        Heard::Changed(to) => log.note(&format!("the layout was changed, and is followed: epoch {}", to.epoch)),
        Heard::Failed(fault) => log.say("layout", fault.cause()),
    };
    // Whoever can't follow the layout any more stops as if he was told to.
    let mut left = None;
    let stop = async {
        tokio::select! {
            () = stop => {}
            why = following.follow(hear) => left = Some(why),
        }
    };
    let answered = answer(wanted, listener, current, metrics, None, stop, ready).await;
    settling.stop().await;
    left.map_or(answered, Err)
}

pub(crate) async fn dynamodb(at: &DynamoDbAddress, engine: &Engine, catalog: &Catalog) -> Result<DynamoDb, Fault> {
    let options = keyloom_dynamodb::Options {
        region: at.region.clone(),
        endpoint: engine.endpoint.clone(),
        ..keyloom_dynamodb::Options::new(at.prefix.as_deref().unwrap_or_else(|| prefix(catalog)))
    };
    DynamoDb::connect(&options).await
}

pub(crate) async fn cassandra(at: &CassandraAddress, engine: &Engine) -> Result<Cassandra, Fault> {
    let login = at.user.as_ref().map(|user| Login {
        user: user.clone(),
        password: at.password.as_ref().map_or_else(String::new, |password| password.0.clone()),
    });
    let options = keyloom_cassandra::Options {
        create_keyspace: engine.create_keyspace,
        login,
        authority: at.authority.as_ref().map(PathBuf::from),
        data_centre: at.data_centre.clone(),
        ..keyloom_cassandra::Options::new(at.hosts.clone(), &at.keyspace)
    };
    Cassandra::connect(&options).await
}
