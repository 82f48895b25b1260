use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use keyloom_design::design;
use keyloom_embedded::{Durability, Embedded, OpenError, Opened, Options};
use keyloom_model::{Catalog, Engine as EngineKind, layout::Layout};
use keyloom_plan::{Program as Planned, Refusal};
use keyloom_run::{Environment, NotYet, Program, Run};
use keyloom_store::Fault;
use tokio::{net::TcpListener, sync::Semaphore};

use crate::{
    connections,
    control::Control,
    engine::{self, Engine, abilities},
    handle::{Local, Served, handle},
    limits::CALLS_MAX,
    log::Log,
    opening,
    samples::curls,
    signals::stop,
    system::System,
};

/// What is to be served, and where.
#[derive(Debug)]
pub struct Up<'a> {
    /// The catalog; it was checked.
    pub catalog: &'a Catalog,
    /// How it is stored; designed where nobody says so.
    pub layout: Option<&'a Layout>,
    /// Where the rows are.
    pub data: Data<'a>,
    /// The address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Whether others than this machine may reach it, without any credentials.
    pub anyone: bool,
    /// Takes a line for the operator, about what is served or no longer is.
    pub log: fn(&str),
    /// Takes what is said to an engine to make the tables, before it is said.
    pub schema: fn(&[String]),
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
    /// In an engine.
    Engine(&'a Engine),
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
    /// Others could reach this address, and that was not allowed.
    NotLoopback(SocketAddr),
    /// The address can't be listened on.
    Listen(SocketAddr, io::Error),
    /// The data can't be opened.
    Open(OpenError),
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
            Self::NotLoopback(address) => write!(
                f,
                "{address} can be reached from other machines, and there are no credentials yet: whoever reaches it can \
                 read and write everything; --anyone allows it"
            ),
            Self::Listen(address, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "{address} is taken by another process; choose another address, such as --listen 127.0.0.1:0")
            }
            Self::Listen(address, error) => write!(f, "can't listen on {address}: {error}"),
            Self::Open(error) => opening::explain(error, f),
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
    if !wanted.listen.ip().is_loopback() && !wanted.anyone {
        return Err(UpError::NotLoopback(wanted.listen));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(UpError::Machine)?;
    runtime.block_on(async {
        match wanted.data {
            Data::Folder { path, durability } => serve_folder(wanted, path, durability, ready).await,
            Data::Engine(engine) => engine::serve(wanted, engine, ready).await,
        }
    })
}

/// The program of a catalog on an engine, by its layout; one is designed where none is given.
pub(crate) fn program(catalog: &Catalog, layout: Option<&Layout>, engine: EngineKind) -> Result<Program, UpError> {
    let abilities = abilities(engine).ok_or(UpError::NoStore(engine))?;
    let planned = match layout {
        Some(layout) if layout.engine != engine => {
            return Err(UpError::OtherEngine { layout: layout.engine, here: engine });
        }
        Some(layout) => Planned::compile(catalog, layout, &abilities),
        None => Planned::compile(catalog, &design(catalog, engine, &abilities), &abilities),
    };
    // What is not run yet is said first: much of what is refused follows from it.
    let bound = Program::of(&planned);
    let tenants = catalog
        .tenant
        .as_ref()
        .map(|_| NotYet { at: "tenant".to_owned(), what: "tenants: there are no credentials yet".to_owned() });
    let bound = match (tenants, bound) {
        (None, bound) => bound,
        (Some(tenants), bound) => Err(std::iter::once(tenants).chain(bound.err().unwrap_or_default()).collect()),
    };
    if planned.refusals.is_empty() { bound.map_err(UpError::NotYet) } else { Err(UpError::Refused(planned.refusals)) }
}

/// Listens where it was told to.
pub(crate) async fn listen(wanted: &Up<'_>) -> Result<TcpListener, UpError> {
    TcpListener::bind(wanted.listen).await.map_err(|error| UpError::Listen(wanted.listen, error))
}

async fn serve_folder(
    wanted: &Up<'_>,
    path: &Path,
    durability: Durability,
    ready: &mut dyn FnMut(&Ready),
) -> Result<(), UpError> {
    let failed = |fault| UpError::Store(path.to_owned(), fault);
    let program = program(wanted.catalog, wanted.layout, EngineKind::Embedded)?;
    // The address first: a port that is taken is no reason to touch the data.
    let listener = listen(wanted).await?;
    let options = Options { durability, ..Options::default() };
    let opened = Embedded::open(path, options, Arc::new(keyloom_embedded::System));
    let (store, opened) = opened.map_err(UpError::Open)?;
    let store = Arc::new(store);
    let run = Run::open(program, Arc::clone(&store), Arc::new(System)).await.map_err(failed)?;
    let mut secret = [0; 32];
    System.random(&mut secret);
    let control = Control::new(listener.local_addr().map_err(UpError::Machine)?, secret);
    // Before it says that it is ready: whoever reads that may tell it to stop at once.
    let stop = stop().map_err(UpError::Machine)?;
    let control_file = control.leave(path).map_err(UpError::Machine)?;
    let local = Local { store: Arc::clone(&store), control };
    let ready = |address, curls| ready(&Ready { address, opened: Some(opened), curls });
    answer(wanted, listener, Arc::new(run), Some(local), stop, ready).await?;
    drop(control_file);
    close(store).await.map_err(failed)
}

/// Answers requests until it is time to stop.
pub(crate) async fn answer(
    wanted: &Up<'_>,
    listener: TcpListener,
    run: Arc<Run>,
    local: Option<Local>,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(String, Vec<String>),
) -> Result<(), UpError> {
    let address = format!("http://{}", listener.local_addr().map_err(UpError::Machine)?);
    let curls = curls(&run, &address, System.now_us() / 1_000, &mut |bytes| System.random(bytes));
    let served = Served {
        run,
        turns: Semaphore::new(CALLS_MAX),
        log: Log::new(wanted.log),
        local,
        loopback_only: wanted.listen.ip().is_loopback(),
        address: address.clone(),
    };
    let router = Router::new().fallback(handle).with_state(Arc::new(served));
    ready(address, curls);
    match connections::serve(listener, router, stop).await {
        0 => {}
        1 => (wanted.log)("1 request did not end in time and was cut off"),
        cut => (wanted.log)(&format!("{cut} requests did not end in time and were cut off")),
    }
    Ok(())
}

/// Stops the store cleanly, when nobody uses it any more.
async fn close(mut store: Arc<Embedded>) -> Result<(), Fault> {
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
