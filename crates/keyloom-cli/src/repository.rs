//! The files of a repository, as a survey sees them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ignore::WalkBuilder;
use keyloom::check::Config;
use keyloom::survey::{Tree, may_be_cql};
use keyloom::text::Unreadable;

use crate::files::{read, relative_name};

/// Files below some folders, without what version control ignores and what tools make.
pub(crate) struct Repository {
    names: Vec<String>,
    /// How many files were opened, for those who wait.
    pub(crate) opened: AtomicUsize,
    /// Files of CQL that were asked for and hold no text.
    unreadable: Mutex<BTreeMap<String, Unreadable>>,
}

/// Folders that hold what others wrote, or what is built from the rest.
const NOT_OURS: [&str; 12] = [
    ".git",
    ".venv",
    ".tox",
    "node_modules",
    "vendor",
    "third_party",
    "target",
    "build",
    "dist",
    "out",
    "__pycache__",
    "bower_components",
];

impl Repository {
    /// The files of these folders, and these files.
    pub(crate) fn new(roots: &[PathBuf], config: &Config) -> Self {
        let mut names: Vec<String> = roots.iter().flat_map(|root| files_below(root)).collect();
        names.sort();
        names.dedup();
        names.retain(|name| !config.excludes(name) && !is_made(name));
        Self { names, opened: AtomicUsize::new(0), unreadable: Mutex::default() }
    }

    /// Files of CQL that were asked for and hold no text. One that is too large is mostly data, and only told as not read.
    pub(crate) fn unreadable_files(&self) -> Vec<(String, Unreadable)> {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        let known = unreadable.iter().filter(|(_, why)| !matches!(why, Unreadable::TooLarge { .. }));
        known.map(|(name, why)| (name.clone(), why.clone())).collect()
    }
}

impl Tree for Repository {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn open(&self, name: &str) -> Result<String, String> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        match read(Path::new(name)) {
            Ok(text) => Ok(text),
            // Nothing stands in it, which is no reason to complain.
            Err(Unreadable::Empty) => Ok(String::new()),
            Err(unreadable) => {
                let message = unreadable.finding(None, name).message;
                if may_be_cql(name) {
                    self.unreadable.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), unreadable);
                }
                Err(message
                    .strip_prefix(name)
                    .map_or(message.as_str(), |rest| rest.trim_start_matches(": "))
                    .to_owned())
            }
        }
    }
}

fn files_below(root: &Path) -> Vec<String> {
    let is_ours = |entry: &ignore::DirEntry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        // A folder that was named is looked into, whatever its name.
        !is_folder || entry.depth() == 0 || !NOT_OURS.iter().any(|name| entry.file_name() == *name)
    };
    let walk = WalkBuilder::new(root).hidden(false).require_git(false).filter_entry(is_ours).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let below = |path: &Path| path.strip_prefix(root).is_ok_and(is_hidden);
    files
        .filter(|entry| !below(entry.path()) || may_be_cql(&relative_name(entry.path())))
        .map(|entry| relative_name(entry.path()))
        .collect()
}

/// Whether a file lies in a folder that starts with a dot. Teams keep schemas there; programs in it are those of tools.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// Files that a tool wrote into the sources.
fn is_made(name: &str) -> bool {
    [".min.js", ".min.css", ".pb.go", "_pb2.py", ".bundle.js"].iter().any(|ending| name.ends_with(ending))
}
