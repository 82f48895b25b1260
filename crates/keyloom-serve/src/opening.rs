//! Why a data folder can't be opened, with the way out.

use std::{fmt, io, path::Path};

use keyloom_embedded::OpenError;
use keyloom_store::Fault;

const RESTORE: &str = "restore a backup: `keyloom restore`";

/// Writes why a data folder can't be opened.
pub(crate) fn explain(error: &OpenError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        OpenError::Damaged { .. } => write!(f, "{error}; {RESTORE}"),
        OpenError::Io { path, error } => match (error.kind(), path.ancestors().find(|path| path.is_file())) {
            (io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory, Some(file)) => {
                write!(f, "{} is a file, and the data lies in a folder", file.display())
            }
            (io::ErrorKind::PermissionDenied, _) => {
                let folder = folder_of(path).display();
                write!(f, "permission denied: the folder {folder} must be readable and writable for who runs this")
            }
            _ => write!(f, "{}: {error}", path.display()),
        },
        error => write!(f, "{error}"),
    }
}

/// Writes what the store said about stored data that can't be read.
pub(crate) fn explain_fault(fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match fault {
        Fault::Broken(cause) => write!(f, "{cause}; {RESTORE}"),
        fault => write!(f, "{}", fault.cause()),
    }
}

/// The folder that stands in the way: the one that can't be read, or the one that nothing can be made in.
fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    if path.is_dir() { path } else { parent.unwrap_or(path) }
}
