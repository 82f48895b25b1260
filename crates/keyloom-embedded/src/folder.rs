//! The folder around the engine: whose it is, and in which format.

use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use crate::sealed;

/// The format this version writes, and the only one it reads.
const FORMAT: u32 = 1;
const FORMAT_FILE: &str = "format";
const LOCK_FILE: &str = "lock";
const ENGINE: &str = "engine";

/// Why a store could not be opened. Nothing in the folder was changed.
#[derive(Debug)]
pub enum OpenError {
    /// Somebody else has it open.
    InUse {
        /// The folder.
        folder: PathBuf,
        /// The process that has it, if it said so.
        pid: Option<u32>,
    },
    /// It holds something else, or has lost the file that says what it is.
    NotAStore {
        /// The folder.
        folder: PathBuf,
    },
    /// It was written by another version.
    Format {
        /// The folder.
        folder: PathBuf,
        /// Its format.
        found: String,
        /// The format this version reads.
        known: u32,
    },
    /// A file is not as it was written.
    Damaged {
        /// The file, or the folder where it is not known which.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The disk could not be read or written.
    Io {
        /// What was read or written.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse { folder, pid: Some(pid) } => {
                write!(f, "`{}` is in use by process {pid}", folder.display())
            }
            Self::InUse { folder, pid: None } => write!(f, "`{}` is in use by another process", folder.display()),
            Self::NotAStore { folder } => {
                write!(f, "`{}` holds files, but no `{FORMAT_FILE}` that says it is a store", folder.display())
            }
            Self::Format { folder, found, known } => {
                write!(f, "`{}` has format {found}, but this version reads format {known}", folder.display())
            }
            Self::Damaged { path, what } => write!(f, "`{}` is damaged: {what}", path.display()),
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// A folder that is ours as long as this lives.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether there was no store before.
    pub(crate) created: bool,
    /// Whether the machine was started since the store was last opened, as far as that is known.
    pub(crate) machine_restarted: bool,
    _lock: File,
}

/// Makes the folder if it is not there, for its owner alone: whoever can read its files can read every row.
fn create(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    #[cfg(unix)]
    let made = std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path);
    #[cfg(not(unix))]
    let made = fs::create_dir(path);
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

impl Folder {
    /// Makes the folder ours. In a new one, the format is written by [`Folder::establish`], when all else is there.
    pub(crate) fn claim(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io { path: path.to_owned(), error };
        create(path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        let created = match fs::read(path.join(FORMAT_FILE)) {
            Ok(found) if found == format_text().as_bytes() => false,
            Ok(found) => {
                let found = String::from_utf8_lossy(&found[..found.len().min(100)]);
                let found = found.trim().strip_prefix("keyloom ").unwrap_or("unknown").to_owned();
                return Err(OpenError::Format { folder: path, found, known: FORMAT });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(failed(error)),
        };
        if created && holds_something_else(&path).map_err(failed)? {
            return Err(OpenError::NotAStore { folder: path });
        }
        let (lock, machine_restarted) = lock(&path)?;
        Ok(Self { path, created, machine_restarted, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn engine(&self) -> PathBuf {
        self.path.join(ENGINE)
    }

    /// Says that a whole store is here now.
    pub(crate) fn establish(&self) -> io::Result<()> {
        sealed::write_whole(&self.path.join(FORMAT_FILE), format_text().as_bytes())
    }
}

fn format_text() -> String {
    format!("keyloom {FORMAT}\n")
}

/// Whether a folder without a format has files that we did not leave there in an attempt that was cut off.
fn holds_something_else(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if ![LOCK_FILE, ENGINE, "schema", "schema.draft", "format.draft", "clean"].iter().any(|ours| name == *ours) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Locks the folder, and says whether the machine was started since it was locked before.
fn lock(folder: &Path) -> Result<(File, bool), OpenError> {
    let path = folder.join(LOCK_FILE);
    let failed = |error| OpenError::Io { path: path.clone(), error };
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    let locked = file.try_lock();
    // Whose it is, or was: a process, and the start of the machine it ran on.
    let mut holder = String::new();
    let read = file.read_to_string(&mut holder);
    let (pid, start) = holder.split_once(' ').unwrap_or_default();
    match locked {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(OpenError::InUse { folder: folder.to_owned(), pid: pid.parse().ok() });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    read.map_err(failed)?;
    let this_start = machine_start();
    let write = |file: &mut File| {
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "{} {this_start}", std::process::id())
    };
    write(&mut file).map_err(failed)?;
    Ok((file, this_start.is_empty() || start != this_start))
}

/// What is different after each start of the machine; empty where the system does not say.
fn machine_start() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}
