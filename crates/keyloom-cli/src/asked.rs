//! What a call of `check` is about: catalogs, their layouts, schemas, programs.

use std::path::{Path, PathBuf};

use keyloom::cql::parse::parse;
use keyloom::finding::Finding;
use keyloom::survey::{Request, is_program, may_be_cql};
use keyloom::text::{Unreadable, is_layout};

use crate::arguments::CheckArguments;
use crate::files::{STANDARD_INPUT, catalog_path, read, relative_name, shown_name};

/// What is to be reviewed.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The names of catalogs.
    pub(crate) catalogs: Vec<String>,
    /// The names of layouts.
    pub(crate) layouts: Vec<String>,
    /// Files and folders that are surveyed.
    pub(crate) roots: Vec<PathBuf>,
    /// What is what among them.
    pub(crate) request: Request,
}

impl Asked {
    /// What the arguments mean. A folder with a `catalog.yaml` is a catalog, any other folder a repository; this folder
    /// is both.
    pub(crate) fn of(arguments: &CheckArguments) -> Self {
        let mut asked = Self::default();
        let here = PathBuf::from(".");
        let is_here = |path: &PathBuf| path.is_dir() && relative_name(path).is_empty();
        let (this_folder, paths): (Vec<_>, Vec<_>) = arguments.paths.iter().partition(|path| is_here(path));
        if arguments.paths.is_empty() || !this_folder.is_empty() {
            if catalog_path(&here).is_file() {
                asked.catalogs.push(shown_name(&here));
            }
            asked.roots.push(here);
        }
        for path in paths {
            if is_surveyed(path) {
                asked.roots.push(path.clone());
            } else if path.is_file() && read(path).is_ok_and(|text| is_layout(&text)) {
                asked.layouts.push(relative_name(path));
            } else {
                asked.catalogs.push(shown_name(path));
            }
        }
        // A layout without a catalog beside it belongs to the one in its folder.
        if asked.catalogs.is_empty() {
            asked.catalogs.extend(asked.layouts.first().map(|layout| shown_name(beside(layout))));
        }
        let names = |paths: &[PathBuf]| paths.iter().map(|path| relative_name(path)).collect::<Vec<_>>();
        let is_named = !arguments.paths.is_empty();
        if is_named && (!arguments.queries.is_empty() || asked.roots.iter().all(|root| root.is_file())) {
            asked.request.schema = names(&asked.roots);
        }
        asked.request.queries = names(&arguments.queries);
        asked.roots.extend(arguments.queries.iter().cloned());
        asked
    }

    /// Where no CQL was found, the folders were meant as catalogs, and what is wrong with them is said.
    pub(crate) fn take_for_catalogs(&mut self) {
        let is_query = |root: &Path| self.request.queries.contains(&relative_name(root));
        let folders = self.roots.iter().filter(|root| self.catalogs.is_empty() && !is_query(root));
        let names: Vec<String> = folders.map(|root| shown_name(root)).collect();
        self.catalogs.extend(names);
    }

    /// A finding on a file that can't be read, with what it was named for.
    pub(crate) fn explain(&self, finding: Finding, name: &str) -> Finding {
        let is_missing = self.request.queries.iter().any(|queries| queries == name) && !Path::new(name).exists();
        match is_missing {
            true => finding.help("check the name; `--queries` takes files and folders with programs or statements"),
            false => finding,
        }
    }

    /// Files that were named themselves and can't be read.
    pub(crate) fn unreadable_files(&self) -> Vec<(String, Unreadable)> {
        let named = self.roots.iter().filter(|root| !root.is_dir());
        let read = |root: &PathBuf| read(root).err().map(|unreadable| (relative_name(root), unreadable));
        named.filter_map(read).filter(|(name, _)| !self.catalogs.contains(name)).collect()
    }
}

/// The folder of a file.
fn beside(name: &str) -> &Path {
    match Path::new(name).parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a path leads to CQL or programs rather than to a catalog.
fn is_surveyed(path: &Path) -> bool {
    if path.as_os_str() == STANDARD_INPUT {
        return false;
    }
    let name = path.to_string_lossy();
    if path.is_dir() {
        !catalog_path(path).is_file()
    } else {
        path.exists() && (may_be_cql(&name) || is_program(&name) || (name.ends_with(".sql") && is_cql(path)))
    }
}

/// Whether a file that may hold any SQL holds CQL.
fn is_cql(path: &Path) -> bool {
    let parsed = read(path).map(|text| parse(&text));
    parsed.is_ok_and(|parsed| parsed.faults.is_empty() && !parsed.statements.is_empty())
}
