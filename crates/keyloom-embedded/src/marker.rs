//! The marker of a clean stop: which files there were, so that the next start can tell a loss from a crash.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{folder::OpenError, journal, sealed};

const FILE: &str = "clean";

/// The engine's files at a clean stop, by their path.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Files(BTreeMap<PathBuf, Found>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Found {
    bytes: u64,
    /// Of small files. The large ones carry checksums for each of their blocks.
    checksum: Option<u64>,
}

/// Writes the marker of an engine that is down, and that has put everything into its trees.
pub(crate) fn put(folder: &Path, engine: &Path) -> io::Result<()> {
    empty_journal(engine)?;
    sealed::write(&folder.join(FILE), &files(engine)?)
}

/// Empties the journal of an engine that is down, and that has put everything into its trees: a start that has nothing to
/// replay is fast. An empty file stays, because without one the engine would count its batches from 0 again and take new
/// rows for old ones.
pub(crate) fn empty_journal(engine: &Path) -> io::Result<()> {
    let mut journals = journal::files(engine)?;
    let active = journals.pop();
    // The oldest first, so that a crash in between leaves no gap.
    journals.iter().try_for_each(|(_, path)| fs::remove_file(path))?;
    if let Some((_, active)) = active {
        let file = fs::OpenOptions::new().write(true).open(active)?;
        file.set_len(0)?;
        file.sync_all()?;
    }
    File::open(engine)?.sync_all()
}

/// Whether the last stop was a clean one. If it was, every file must be as it was then.
pub(crate) fn check(folder: &Path, engine: &Path) -> Result<bool, OpenError> {
    let Some(Files(before)) = sealed::read(&folder.join(FILE))? else { return Ok(false) };
    let Files(now) = files(engine).map_err(|error| OpenError::Io { path: engine.to_owned(), error })?;
    let paths = before.keys().chain(now.keys());
    for path in paths {
        let what = match (before.get(path), now.get(path)) {
            (before, now) if before == now => continue,
            (Some(_), None) => "it was there when the store was stopped, and is missing".to_owned(),
            (None, _) => "it was not there when the store was stopped".to_owned(),
            (Some(before), Some(now)) if before.bytes != now.bytes => {
                format!("it had {} bytes when the store was stopped, and has {} now", before.bytes, now.bytes)
            }
            _ => "it was changed after the store was stopped".to_owned(),
        };
        return Err(OpenError::Damaged { path: engine.join(path), what });
    }
    Ok(true)
}

/// Takes the marker away, before anything is changed.
pub(crate) fn take_away(folder: &Path) -> io::Result<()> {
    let path = folder.join(FILE);
    match fs::remove_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sealed::sync_folder_of(&path)),
    }
}

fn files(engine: &Path) -> io::Result<Files> {
    let mut found = BTreeMap::new();
    let mut folders = vec![engine.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = entry.metadata()?.len();
            let large = folder.file_name().is_some_and(|name| name == "tables");
            let checksum = if large { None } else { Some(xxh3_64(&fs::read(&path)?)) };
            let path = path.strip_prefix(engine).map(Path::to_owned).unwrap_or(path);
            found.insert(path, Found { bytes, checksum });
        }
    }
    Ok(Files(found))
}
