//! What the engine's errors mean for a caller.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use fjall::LsmError;
use keyloom_store::Fault;

/// A read that failed.
pub(crate) fn of_read(error: &fjall::Error) -> Fault {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) if !is_damage(error) => {
            Fault::NotDone(format!("the disk could not be read: {error}").into())
        }
        error => Fault::Broken(format!("the engine can't read what it stored: {error}").into()),
    }
}

/// A commit that failed.
pub(crate) fn of_commit(error: &fjall::Error) -> Fault {
    match error {
        // The engine looks whether it is poisoned before it writes the first byte of a batch.
        fjall::Error::Poisoned => Fault::NotDone(STOPPED.into()),
        fjall::Error::KeyspaceDeleted => Fault::refused("there is no such table"),
        // Everything else happens while the batch goes to the journal, or after it: perhaps all of it is there, and the
        // next start will find it. The engine takes no further writes.
        error => Fault::Unknown(format!("the journal could not be written: {error}").into()),
    }
}

pub(crate) const STOPPED: &str = "the store takes no writes since one of them failed; it must be started again";

/// Runs a read. The engine panics on some damaged files; the caller gets an answer all the same.
pub(crate) fn contained<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // What a panic leaves behind is inside the engine, and that guards itself with poisoned locks.
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Fault::Broken("the engine gave up on what it stored".into())))
}

fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::NotFound)
}
