//! The commands that work on a data folder: of a stopped process on the folder itself, of a running one by asking it.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use keyloom_embedded::{BackupError, Embedded, OpenError, Options, System as Machine};
use keyloom_model::{Catalog, Engine, layout::Layout};
use keyloom_run::{Problem, Run};
use keyloom_store::Fault;

use crate::{
    change,
    client::{self, Remote},
    control::Control,
    opening, stream,
    system::System,
    up::{UpError, program},
};

/// Why a command on a data folder failed.
#[derive(Debug)]
pub enum DataError {
    /// There is no data.
    Missing(PathBuf),
    /// The data lies in a folder, and this is none.
    NotAFolder(PathBuf),
    /// The file to write is there already.
    Exists(PathBuf),
    /// The data can't be opened.
    Open(OpenError),
    /// The running process did not answer as expected.
    Running(PathBuf, io::Error),
    /// Another process did not.
    Remote(Remote, io::Error),
    /// The backup can't be written or restored.
    Backup(BackupError),
    /// The store failed.
    Store(Fault),
    /// A file can't be read or written.
    File(PathBuf, io::Error),
    /// There are no tables of the catalog, or not all.
    NoTables(String),
    /// The catalog can't be run, or its engine can't be reached.
    Catalog(UpError),
    /// What is asked of the keys makes no sense, or has no answer.
    Keys(Problem),
    /// The output can't be written.
    Output(io::Error),
    /// Tables could not be compared to the end.
    Verify(io::Error),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(folder) => {
                write!(f, "there is no data in {}; `keyloom up` makes it, or name another folder", folder.display())
            }
            Self::NotAFolder(path) => write!(f, "{} is a file, and the data lies in a folder", path.display()),
            Self::Exists(path) => write!(f, "{} is there already; name another file", path.display()),
            Self::Open(error) => opening::explain(error, f),
            Self::Running(folder, error) => {
                write!(f, "a process has {} open, and asking it failed: {error}", folder.display())
            }
            Self::Remote(remote, error) => write!(f, "{remote}: {error}"),
            Self::Backup(error) => write!(f, "{error}"),
            Self::Store(fault) => opening::explain_fault(fault, f),
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NoTables(engine) => {
                write!(f, "{engine}: the tables of this catalog are not there, or not all; `keyloom up` makes them")
            }
            Self::Catalog(error) => write!(f, "{error}"),
            Self::Keys(problem) => write!(f, "{problem}"),
            Self::Output(error) | Self::Verify(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for DataError {}

/// The data, ours alone or by way of the process that has it.
pub(crate) enum Reached {
    Stopped(Embedded),
    Running(Control),
}

pub(crate) fn reach(data: &Path) -> Result<Reached, DataError> {
    if data.is_file() {
        return Err(DataError::NotAFolder(data.to_owned()));
    }
    // Opening would make a store where there is none.
    let empty = match fs::read_dir(data) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(DataError::Open(OpenError::Io { path: data.to_owned(), error })),
    };
    if empty {
        return Err(DataError::Missing(data.to_owned()));
    }
    match Embedded::open(data, Options::default(), Arc::new(Machine)) {
        Ok((store, _)) => Ok(Reached::Stopped(store)),
        Err(OpenError::InUse { folder, pid }) => match Control::find(data) {
            Some(control) => Ok(Reached::Running(control)),
            None => Err(DataError::Open(OpenError::InUse { folder, pid })),
        },
        Err(error) => Err(DataError::Open(error)),
    }
}

/// Writes everything in a data folder into a new file; says how many bytes it has. The process that serves the data may
/// go on meanwhile. `progress` hears how many bytes were written so far.
///
/// # Errors
/// When it can't; then there is no file.
pub fn backup(data: &Path, file: &Path, progress: impl FnMut(u64)) -> Result<u64, DataError> {
    if file.exists() {
        return Err(DataError::Exists(file.to_owned()));
    }
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let failed = |error| DataError::File(partial.clone(), error);
    let reached = reach(data)?;
    // For its owner alone, as the data is.
    let out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&partial);
    let mut counted = Counted::new(out.map_err(failed)?, progress);
    let written = match reached {
        Reached::Stopped(store) => {
            let written = store.backup(&mut counted, |_| {}).map(drop).map_err(DataError::Backup);
            written.and_then(|()| store.close().map_err(DataError::Store))
        }
        Reached::Running(control) => client::ask(&(&control).into(), "/v1/-/backup")
            .and_then(|mut stream| io::copy(&mut stream, &mut counted))
            .map(drop)
            .map_err(|error| DataError::Running(data.to_owned(), error)),
    };
    let bytes = counted.bytes;
    // Under its name it is whole, and stays.
    let whole = written.and_then(|()| {
        counted.out.sync_all().map_err(failed)?;
        fs::rename(&partial, file).map_err(|error| DataError::File(file.to_owned(), error))
    });
    if whole.is_err() {
        let _ = fs::remove_file(&partial);
    }
    whole.map(|()| bytes)
}

/// Makes a data folder from a backup; says how many records it has: rows, list entries and reservations.
///
/// # Errors
/// When the folder is not new or empty, or the backup is not whole; then nothing was made.
pub fn restore(file: &Path, data: &Path, mut progress: impl FnMut(u64)) -> Result<u64, DataError> {
    let opened = File::open(file).map_err(|error| DataError::File(file.to_owned(), error))?;
    if let Some(parent) = data.parent() {
        fs::create_dir_all(parent).map_err(|error| DataError::File(parent.to_owned(), error))?;
    }
    let mut input = BufReader::with_capacity(1 << 18, opened);
    let restored = keyloom_embedded::restore(data, &mut input, Arc::new(Machine), |so_far| progress(so_far.bytes));
    restored.map(|summary| summary.rows).map_err(DataError::Backup)
}

/// Writes every row of a catalog's data as a line of JSON; says how many bytes that were. `progress` hears how many bytes
/// were written so far.
///
/// # Errors
/// When it can't.
pub fn export(
    catalog: &Catalog,
    layout: Option<&Layout>,
    data: &Path,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, DataError> {
    program(catalog, layout, Engine::Embedded).map_err(DataError::Catalog)?;
    let mut counted = Counted::new(out, progress);
    match reach(data)? {
        Reached::Running(control) => {
            let asked = client::ask(&(&control).into(), "/v1/-/export");
            copy(asked.map_err(|error| DataError::Running(data.to_owned(), error))?, &mut counted, data)?;
        }
        Reached::Stopped(store) => {
            let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(DataError::Output)?;
            let store = Arc::new(store);
            let run = runtime.block_on(opened(catalog, layout, &store))?;
            stream::export(&run, &mut counted, runtime.handle()).map_err(DataError::Output)?;
            drop(run);
            if let Some(store) = Arc::into_inner(store) {
                store.close().map_err(DataError::Store)?;
            }
        }
    }
    Ok(counted.bytes)
}

/// Opens the data of a catalog by the layout that runs there.
pub(crate) async fn opened(
    catalog: &Catalog,
    layout: Option<&Layout>,
    store: &Arc<Embedded>,
) -> Result<Run, DataError> {
    let failed = |fault| UpError::Store(PathBuf::new(), fault);
    let program = change::program(catalog, layout, Engine::Embedded, &**store, failed).await;
    let program = program.map_err(DataError::Catalog)?;
    Run::open(program, Arc::clone(store), Arc::new(System)).await.map_err(DataError::Store)
}

/// Copies, and tells a stream that broke from an output that did.
fn copy(mut from: impl Read, to: &mut impl Write, data: &Path) -> Result<(), DataError> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = from.read(&mut buffer).map_err(|error| DataError::Running(data.to_owned(), error))?;
        if read == 0 {
            return to.flush().map_err(DataError::Output);
        }
        to.write_all(&buffer[..read]).map_err(DataError::Output)?;
    }
}

/// A writer that says how far it is.
pub(crate) struct Counted<W, P> {
    out: W,
    bytes: u64,
    progress: P,
}

impl<W, P> Counted<W, P> {
    pub(crate) fn new(out: W, progress: P) -> Self {
        Self { out, bytes: 0, progress }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write, P: FnMut(u64)> Write for Counted<W, P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        (self.progress)(self.bytes);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
