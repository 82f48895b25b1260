//! Finding `keyloom.toml`, and joining it with the flags.

use std::path::{Path, PathBuf};

use keyloom::check::{Config, ConfigAllow};
use keyloom::finding::{Finding, Sources};

use crate::arguments::CheckArguments;
use crate::files::{read, shown_name};

/// What the nearest `keyloom.toml` and the flags say; flags win.
pub(crate) fn settings(arguments: &CheckArguments, sources: &mut Sources) -> (Config, Vec<Finding>) {
    let (mut config, mut findings) = (Config::default(), Vec::new());
    let start = arguments.paths.first().map_or(Path::new("."), PathBuf::as_path);
    if let Some(path) = nearest(start) {
        let name = shown_name(&path);
        match read(&path) {
            Ok(text) => {
                let file = sources.add(name, text);
                (config, findings) = Config::read(sources, file);
            }
            // An empty file of settings settles nothing, which is fine.
            Err(keyloom::text::Unreadable::Empty) => {}
            Err(unreadable) => findings.push(unreadable.finding(None, &name)),
        }
    }
    if let Some(deny) = arguments.deny {
        config.deny = deny;
    }
    config.allow.extend(arguments.allow.iter().map(ConfigAllow::flag));
    (config, findings)
}

/// The nearest `keyloom.toml`, from a catalog's folder up to the root of its repository.
fn nearest(start: &Path) -> Option<PathBuf> {
    let start = std::path::absolute(start).ok()?;
    let mut folder = if start.is_dir() { Some(start.as_path()) } else { start.parent() };
    while let Some(current) = folder {
        let candidate = current.join("keyloom.toml");
        if candidate.is_file() {
            return Some(candidate);
        }
        if current.join(".git").exists() {
            return None;
        }
        folder = current.parent();
    }
    None
}
