//! Small files of ours: JSON under its checksum, written whole or not at all.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::xxh3_64;

use crate::folder::OpenError;

/// Reads a file that [`write`] wrote; `None` when there is none.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, OpenError> {
    let damaged = |what: &str| OpenError::Damaged { path: path.to_owned(), what: what.to_owned() };
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(OpenError::Io { path: path.to_owned(), error }),
    };
    let (checksum, json) = text.split_at_checked(17).ok_or_else(|| damaged("it ends early"))?;
    if checksum != line(json).as_bytes() {
        return Err(damaged("its checksum is that of another text"));
    }
    serde_json::from_slice(json).map(Some).map_err(|error| damaged(&format!("it can't be read: {error}")))
}

pub(crate) fn write(path: &Path, content: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_vec_pretty(content)?;
    write_whole(path, &[line(&json).as_bytes(), &json].concat())
}

/// Writes a file so that after any crash it is there whole, or as it was before.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    sync_folder_of(path)
}

/// Makes a file's presence or absence last.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn line(json: &[u8]) -> String {
    format!("{:016x}\n", xxh3_64(json))
}
