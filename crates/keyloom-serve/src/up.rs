use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use keyloom_design::paths;
use keyloom_embedded::{Durability, Embedded, OpenError, Opened, Options};
use keyloom_limits::Meter;
use keyloom_model::{Catalog, Engine as EngineKind, layout::Layout};
use keyloom_plan::{Program as Planned, Refusal};
use keyloom_run::{Environment, NotYet, Problem, Program};
use keyloom_store::{Define, Fault, Store, Sweep};
use tokio::{net::TcpListener, sync::Semaphore};

use crate::{
    as_engine,
    change::{self, Making},
    connections,
    control::Control,
    designed::designed,
    development::Development,
    door::Door,
    engine::{self, Engine, abilities},
    following::Current,
    handle::{Local, Served},
    limits::CALLS_MAX,
    log::{Log, Logging},
    metrics::Metrics,
    openapi, opening,
    samples::curls,
    settling::Settling,
    signals::{Halt, stop},
    system::System,
    watch::first_request,
};

/// What is to be served, and where.
pub struct Up<'a> {
    /// The catalog; it was checked.
    pub catalog: &'a Catalog,
    /// How it is stored; designed where nobody says so.
    pub layout: Option<&'a Layout>,
    /// Where the rows are.
    pub data: Data<'a>,
    /// The address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The file with keys of development, made where it is needed and not there.
    pub keys: &'a Path,
    /// What is written down for the operator.
    pub log: Logging,
    /// Stops it, as a signal does.
    pub halt: Halt,
    /// Takes what is to be made, before it is; whether it may be.
    pub make: &'a (dyn Fn(&Making) -> bool + Sync),
}

/// Where rows are.
#[derive(Debug)]
pub enum Data<'a> {
    /// In a folder of this machine.
    Folder {
        /// The folder; made if it is not there.
        path: &'a Path,
        /// What an acknowledged write survives.
        durability: Durability,
    },
    /// In a folder of this machine, with the limits of an engine.
    As {
        /// The folder; made if it is not there.
        path: &'a Path,
        /// What an acknowledged write survives.
        durability: Durability,
        /// The engine.
        engine: EngineKind,
    },
    /// In an engine.
    Engine(&'a Engine),
}

impl<'a> Data<'a> {
    /// In a folder, where what is acknowledged survives a crash of the process.
    pub fn folder(path: &'a Path) -> Self {
        Self::Folder { path, durability: Durability::default() }
    }
}

/// What is served, said once it is.
#[derive(Debug)]
pub struct Ready {
    /// `http://127.0.0.1:7878`
    pub address: String,
    /// What opening a folder found.
    pub opened: Option<Opened>,
    /// Three commands to try.
    pub curls: Vec<String>,
    /// What requests must show.
    pub shows: Shows,
}

/// What requests must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Nothing: this machine alone gets here, and there are no tenants.
    Nothing,
    /// A key of development, as in the commands to try, wherever it matters who calls.
    Development,
    /// A key that was added.
    Key,
}

/// Why nothing is served.
#[derive(Debug)]
pub enum UpError {
    /// The engine can't hold what the catalog asks for, or the layout does not.
    Refused(Vec<Refusal>),
    /// The layout is for an engine that this is not.
    OtherEngine {
        /// The layout's.
        layout: EngineKind,
        /// Where it was to be run.
        here: EngineKind,
    },
    /// Nothing is run on this engine yet.
    NoStore(EngineKind),
    /// The catalog asks for more than is run yet.
    NotYet(Vec<NotYet>),
    /// Others could reach this address, and no key was added that they would have to show.
    NoKeys(SocketAddr),
    /// The keys that were added can't be read.
    Keys(Problem),
    /// The file with keys of development can't be used.
    Development(PathBuf, io::Error),
    /// The address can't be listened on.
    Listen(SocketAddr, io::Error),
    /// The data can't be opened.
    Open(OpenError),
    /// The data in a folder has other limits than it was opened with.
    OtherLimits {
        /// With whose limits it was made.
        made: Option<String>,
        /// With whose it was opened.
        asked: Option<EngineKind>,
    },
    /// The layout that runs can't be kept with this catalog: why.
    OtherLayout(Vec<String>),
    /// Another process has changed the layout, and this catalog can't be run by it: why.
    LeftBehind(Vec<String>),
    /// Nobody agreed to what would be made.
    NotAgreed,
    /// What is new could not be filled: why.
    Unfilled(Vec<String>),
    /// The store in a folder refused or failed.
    Store(PathBuf, Fault),
    /// An engine can't be reached, refused or failed.
    Engine(String, Fault),
    /// The machine has no threads, signals or files to give.
    Machine(io::Error),
}

impl fmt::Display for UpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusals) => {
                write!(f, "this catalog asks for what can't be held here, so nothing is served:")?;
                refusals.iter().try_for_each(|refusal| write!(f, "\n  {refusal}\n    {}", refusal.way_out()))
            }
            Self::OtherEngine { layout, here } => write!(
                f,
                "the layout is for {}, and this is {}: `keyloom design --engine {}` writes one",
                layout.title(),
                here.title(),
                here.name()
            ),
            Self::NoStore(engine) => write!(f, "nothing is run on {} yet", engine.title()),
            Self::NotYet(found) => {
                write!(f, "this catalog asks for what is not run yet, so nothing is served:")?;
                found.iter().try_for_each(|one| write!(f, "\n  {one}"))
            }
            Self::NoKeys(address) => write!(
                f,
                "{address} can be reached from other machines, and no key was added that callers would have to show: \
                 `keyloom key add` adds one, for the same catalog and --data or --store; `keyloom key add --help` shows how"
            ),
            Self::Keys(problem) => write!(f, "the keys that were added can't be read: {problem}"),
            Self::Development(file, error) => write!(f, "the keys of development in {}: {error}", file.display()),
            Self::Listen(address, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "{address} is taken by another process; choose another address, such as --listen 127.0.0.1:0")
            }
            Self::Listen(address, error) => write!(f, "can't listen on {address}: {error}"),
            Self::Open(error) => opening::explain(error, f),
            Self::OtherLimits { made: Some(made), .. } => write!(
                f,
                "this folder was made with `--as {made}`, and is opened so alone: `keyloom up --as {made}` serves it, and \
                 answers other commands while it is up; or name another folder with --data"
            ),
            Self::OtherLimits { made: None, asked } => write!(
                f,
                "this folder was made without `--as {}`, which would find other tables there: name another one with --data",
                asked.map_or("", EngineKind::name)
            ),
            Self::OtherLayout(why) => {
                write!(
                    f,
                    "this catalog is more than an addition to what runs there, so nothing is served or changed:"
                )?;
                why.iter().try_for_each(|why| write!(f, "\n  {why}"))
            }
            Self::LeftBehind(why) => {
                write!(
                    f,
                    "another process has changed the layout, and this catalog can't be run by it, so it has stopped:"
                )?;
                why.iter().try_for_each(|why| write!(f, "\n  {why}"))
            }
            Self::NotAgreed => {
                write!(
                    f,
                    "nothing was changed: `keyloom up --yes` agrees to it where nobody can be asked, and --dry-run only shows it"
                )
            }
            Self::Unfilled(why) => {
                write!(f, "what is new in this catalog could not be filled, so nothing is served:")?;
                why.iter().try_for_each(|why| write!(f, "\n  {why}"))
            }
            Self::Store(folder, fault) => {
                write!(f, "{}: ", folder.display())?;
                opening::explain_fault(fault, f)
            }
            Self::Engine(name, fault) => write!(f, "{name}: {}", fault.cause()),
            Self::Machine(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for UpError {}

/// Serves a catalog until the process is told to stop, by SIGINT, SIGTERM or SIGHUP.
///
/// # Errors
/// When it can't begin, or could not stop cleanly.
pub fn up(wanted: &Up<'_>, ready: &mut dyn FnMut(&Ready)) -> Result<(), UpError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(UpError::Machine)?;
    runtime.block_on(async {
        match wanted.data {
            Data::Folder { path, durability } => serve_folder(wanted, path, durability, None, ready).await,
            Data::As { path, durability, engine } => serve_folder(wanted, path, durability, Some(engine), ready).await,
            Data::Engine(engine) => engine::serve(wanted, engine, ready).await,
        }
    })
}

/// What a start would make and fill. Nothing is changed.
///
/// # Errors
/// When it would not start.
pub fn making(catalog: &Catalog, layout: Option<&Layout>, data: &Data<'_>) -> Result<Making, UpError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(UpError::Machine)?;
    let (path, engine) = match *data {
        Data::Engine(engine) => return runtime.block_on(engine::making(catalog, layout, engine)),
        Data::Folder { path, .. } => (path, None),
        Data::As { path, engine, .. } => (path, Some(engine)),
    };
    let (failed, kind) = (|fault| UpError::Store(path.to_owned(), fault), engine.unwrap_or(EngineKind::Embedded));
    // Opening would make a store where there is none.
    let is_empty = std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
    if is_empty && !path.is_file() {
        let nothing = keyloom_store::Model::new();
        return runtime.block_on(change::making(catalog, layout, kind, &nothing, true, failed));
    }
    let opened = Embedded::open(path, Options::default(), Arc::new(keyloom_embedded::System));
    let store = Arc::new(opened.map_err(UpError::Open)?.0);
    let making = runtime.block_on(async {
        match engine {
            None => change::making(catalog, layout, kind, &*store, true, failed).await,
            Some(engine) => {
                let limited = as_engine::limited(&store, engine, Log::silent(), path).await?;
                change::making(catalog, layout, kind, &limited, true, failed).await
            }
        }
    });
    runtime.block_on(close(store)).map_err(failed)?;
    making
}

/// The program of a catalog on an engine, by its layout; one is designed where none is given.
pub(crate) fn program(catalog: &Catalog, layout: Option<&Layout>, engine: EngineKind) -> Result<Program, UpError> {
    let compiled = match layout {
        Some(layout) => compiled(catalog, layout, engine),
        None => compiled(catalog, &designed(catalog, engine).ok_or(UpError::NoStore(engine))?, engine),
    };
    Ok(compiled?.program)
}

/// A program, and its layout with all that is computed.
pub(crate) struct Compiled {
    pub(crate) program: Program,
    pub(crate) layout: Layout,
}

/// The program of a catalog on an engine by a layout.
pub(crate) fn compiled(catalog: &Catalog, layout: &Layout, engine: EngineKind) -> Result<Compiled, UpError> {
    let abilities = abilities(engine).ok_or(UpError::NoStore(engine))?;
    if layout.engine != engine {
        return Err(UpError::OtherEngine { layout: layout.engine, here: engine });
    }
    let planned = Planned::compile(catalog, layout, &abilities);
    // What is not run yet is said first: much of what is refused follows from it.
    let program = Program::of(&planned);
    if !planned.refusals.is_empty() {
        return Err(UpError::Refused(planned.refusals));
    }
    let paths = paths(&planned);
    Ok(Compiled { program: program.map_err(UpError::NotYet)?, layout: Layout { paths, ..planned.layout } })
}

/// Listens where it was told to.
pub(crate) async fn listen(wanted: &Up<'_>) -> Result<TcpListener, UpError> {
    TcpListener::bind(wanted.listen).await.map_err(|error| UpError::Listen(wanted.listen, error))
}

async fn serve_folder(
    wanted: &Up<'_>,
    path: &Path,
    durability: Durability,
    engine: Option<EngineKind>,
    ready: &mut dyn FnMut(&Ready),
) -> Result<(), UpError> {
    // What can't be run is said before the data is touched.
    program(wanted.catalog, wanted.layout, engine.unwrap_or(EngineKind::Embedded))?;
    // The address first: a port that is taken is no reason to touch the data.
    let listener = listen(wanted).await?;
    let options = Options { durability, ..Options::default() };
    let machine: Arc<dyn keyloom_embedded::Environment> = match engine {
        Some(engine) => as_engine::machine(engine),
        None => Arc::new(keyloom_embedded::System),
    };
    let (folder, opened) = Embedded::open(path, options, machine).map_err(UpError::Open)?;
    let folder = Folder { path, store: Arc::new(folder), opened, engine };
    match engine {
        None => {
            let store = Arc::clone(&folder.store);
            serve_from(wanted, folder, store, None, listener, ready).await
        }
        Some(engine) => {
            let limited = as_engine::limited(&folder.store, engine, Log::new(wanted.log), path).await?;
            let meter = limited.meter();
            serve_from(wanted, folder, Arc::new(limited), Some(meter), listener, ready).await
        }
    }
}

/// A folder that is open.
struct Folder<'a> {
    path: &'a Path,
    store: Arc<Embedded>,
    opened: Opened,
    /// Whose limits it has.
    engine: Option<EngineKind>,
}

/// Serves a folder, by whatever stands before it.
async fn serve_from<S: Store + Define + Sweep>(
    wanted: &Up<'_>,
    folder: Folder<'_>,
    store: Arc<S>,
    meter: Option<Arc<Meter>>,
    listener: TcpListener,
    ready: &mut dyn FnMut(&Ready),
) -> Result<(), UpError> {
    let Folder { path, store: below, opened, engine } = folder;
    let failed = |fault| UpError::Store(path.to_owned(), fault);
    let (run, _) = change::opened(wanted, engine.unwrap_or(EngineKind::Embedded), &store, true, failed).await?;
    let run = Current::new(run);
    let mut secret = [0; 32];
    System.random(&mut secret);
    let control = Control::new(listener.local_addr().map_err(UpError::Machine)?, secret);
    // Before it says that it is ready: whoever reads that may tell it to stop at once.
    let stop = stop(&wanted.halt).map_err(UpError::Machine)?;
    let control_file = control.leave(path).map_err(UpError::Machine)?;
    let local = Local { store: Arc::clone(&below), control };
    let ready = |address, curls, shows| ready(&Ready { address, opened: Some(opened), curls, shows });
    let metrics = Arc::new(Metrics::new(&run.run(), meter));
    let settling = settling(&run, Log::new(wanted.log), &metrics);
    let answered = answer(wanted, listener, run, metrics, Some(local), stop, ready).await;
    settling.stop().await;
    drop((control_file, store));
    answered.and(close(below).await.map_err(failed))
}

/// Finishes what was cut off while the process is up, and counts it.
pub(crate) fn settling(current: &Current, log: Log, metrics: &Arc<Metrics>) -> Settling {
    let metrics = Arc::clone(metrics);
    Settling::start(current.clone(), move |pass| {
        metrics.settled(pass.as_ref().ok());
        match pass {
            Ok(pass) if pass.left > 0 => log.say("settle", &format!("{} marks could not be settled yet", pass.left)),
            Ok(_) => {}
            Err(problem) => log.say("settle", &problem.to_string()),
        }
    })
}

/// Answers requests until it is time to stop.
pub(crate) async fn answer(
    wanted: &Up<'_>,
    listener: TcpListener,
    current: Current,
    metrics: Arc<Metrics>,
    local: Option<Local>,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(String, Vec<String>, Shows),
) -> Result<(), UpError> {
    let address = format!("http://{}", listener.local_addr().map_err(UpError::Machine)?);
    let loopback_only = wanted.listen.ip().is_loopback();
    let run = current.run();
    let has_keys = run.has_keys().await.map_err(UpError::Keys)?;
    if !loopback_only && !has_keys {
        return Err(UpError::NoKeys(wanted.listen));
    }
    let development = if has_keys { None } else { development(wanted)? };
    let mut random = |bytes: &mut [u8]| System.random(bytes);
    // Which rows a line makes follows from who sends it, and with keys of one's own nobody here knows that.
    let curls = if has_keys {
        Vec::new()
    } else {
        curls(&run, &address, development.as_ref(), System.now_us() / 1_000, &mut random)
    };
    let shows = match &development {
        _ if has_keys => Shows::Key,
        Some(_) => Shows::Development,
        None => Shows::Nothing,
    };
    let served = Arc::new(Served {
        door: Door::new(run, loopback_only, development),
        current,
        turns: Semaphore::new(CALLS_MAX),
        log: Log::new(wanted.log),
        metrics,
        requests: first_request(),
        stopping: AtomicBool::new(false),
        local,
        loopback_only,
        address: address.clone(),
    });
    ready(address, curls, shows);
    let stop = async {
        stop.await;
        served.stopping.store(true, Ordering::Relaxed);
    };
    match connections::serve(listener, &served, stop).await {
        0 => {}
        1 => served.log.note("1 request did not end in time and was cut off"),
        cut => served.log.note(&format!("{cut} requests did not end in time and were cut off")),
    }
    Ok(())
}

/// The keys of development, where it matters who calls.
fn development(wanted: &Up<'_>) -> Result<Option<Development>, UpError> {
    if !openapi::is_secured(wanted.catalog) {
        return Ok(None);
    }
    let made = Development::at(wanted.keys, wanted.catalog);
    made.map(Some).map_err(|error| UpError::Development(wanted.keys.to_owned(), error))
}

/// Stops the store cleanly, when nobody uses it any more.
pub(crate) async fn close(mut store: Arc<Embedded>) -> Result<(), Fault> {
    // A stream that is being written, or a request that did not end in time.
    for _ in 0..100 {
        match Arc::try_unwrap(store) {
            Ok(store) => return store.close(),
            Err(used) => store = used,
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(Fault::Unknown("a request did not end, so it was not stopped cleanly; nothing acknowledged is lost".into()))
}
