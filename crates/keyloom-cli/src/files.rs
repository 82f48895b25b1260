//! Files of this machine as the language sees them: by relative names with `/`.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use keyloom::text::{Files, Unreadable};

/// The files below the current folder, and wherever names lead.
pub(crate) struct Disk;

impl Files for Disk {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        if name == STANDARD_INPUT { standard_input() } else { read(Path::new(name)) }
    }

    fn resolve(&self, name: &str) -> String {
        shown_name(Path::new(name))
    }
}

/// A folder stands for its `catalog.yaml`.
pub(crate) fn catalog_path(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("catalog.yaml") } else { path.to_owned() }
}

/// Folders with a `catalog.yaml`, a few levels below a folder that has none.
pub(crate) fn catalogs_below(folder: &Path) -> Vec<String> {
    const LEVELS: usize = 3;
    const SHOWN: usize = 8;
    let mut level = vec![folder.to_owned()];
    let mut found = Vec::new();
    for _ in 0..LEVELS {
        let mut next = Vec::new();
        for entry in level.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // What tools build is nobody's catalog.
            if is_folder && !name.starts_with('.') && name != "target" && name != "node_modules" {
                next.push(entry.path());
            }
        }
        next.sort();
        found.extend(next.iter().filter(|folder| folder.join("catalog.yaml").is_file()).cloned());
        level = next;
    }
    found.truncate(SHOWN);
    found.iter().map(|folder| shown_name(folder).trim_end_matches("/catalog.yaml").to_owned()).collect()
}

/// Reads a text file, never more of it than is allowed.
pub(crate) fn read(path: &Path) -> Result<String, Unreadable> {
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Unreadable::Missing,
        _ => Unreadable::Refused(error.to_string()),
    };
    // Asked before it is opened: opening a pipe waits for its writer, and a device has no end.
    let metadata = std::fs::metadata(path).map_err(refused)?;
    if !metadata.is_file() {
        return Err(Unreadable::NotAFile);
    }
    let file = std::fs::File::open(path).map_err(refused)?;
    let size = metadata.len();
    if size > Unreadable::BYTES_MAX {
        return Err(Unreadable::TooLarge { bytes: size });
    }
    let mut bytes = Vec::new();
    file.take(Unreadable::BYTES_MAX + 1).read_to_end(&mut bytes).map_err(refused)?;
    Unreadable::text(bytes)
}

/// How standard input is named on the command line.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads standard input as text, never more of it than is allowed.
pub(crate) fn standard_input() -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(Unreadable::BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Unreadable::Refused(error.to_string()))?;
    Unreadable::text(bytes)
}

/// The name of a catalog's first file, as it is shown: relative to the current folder where it lies below it.
pub(crate) fn shown_name(path: &Path) -> String {
    relative_name(&catalog_path(path))
}

/// The name of a file or folder, relative to the current folder where it lies below it; empty for the current folder.
pub(crate) fn relative_name(path: &Path) -> String {
    let path = path.to_owned();
    let relative = if path.is_absolute() {
        std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned)).unwrap_or(path)
    } else {
        path
    };
    let parts: Vec<String> = relative
        .components()
        .filter(|part| !matches!(part, std::path::Component::CurDir))
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts.join("/").replace("//", "/")
}
