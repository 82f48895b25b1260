//! Why a data folder can't be opened, with the way out.

use std::{fmt, io, path::Path};

use keyloom_embedded::OpenError;

const RESTORE: &str = "restore a backup: `keyloom restore`";

/// Writes why a data folder can't be opened.
pub(crate) fn explain(error: &OpenError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        OpenError::Damaged { .. } => write!(f, "{error}; {RESTORE}"),
        OpenError::Io { path, error } if is_a_file(path, error) => {
            write!(f, "{} is a file, and the data lies in a folder", path.display())
        }
        OpenError::Io { path, error } if error.kind() == io::ErrorKind::PermissionDenied => {
            write!(f, "{}: permission denied; the folder with the data must be writable", path.display())
        }
        error => write!(f, "{error}"),
    }
}

/// Writes what the store said about stored data that can't be read.
pub(crate) fn explain_fault(fault: &keyloom_store::Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match fault {
        keyloom_store::Fault::Broken(cause) => write!(f, "{cause}; {RESTORE}"),
        fault => write!(f, "{}", fault.cause()),
    }
}

/// Whether a folder can't be made or opened because a file has its name.
fn is_a_file(path: &Path, error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) && path.is_file()
}
