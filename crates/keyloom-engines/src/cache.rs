//! Where fetched engines are kept: a folder below cargo's target folder, shared by all test binaries and by runs.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::Unavailable;

/// The folder `engines/NAME` below the target folder, filled by `fill` when it is not there yet.
///
/// `fill` writes into a folder beside it, which takes its name only when all is there: who finds the folder finds a
/// complete one, whenever an earlier run was stopped. A lock keeps a second process waiting instead of fetching twice.
pub fn folder(name: &str, fill: impl FnOnce(&Path) -> Result<(), Unavailable>) -> Result<PathBuf, Unavailable> {
    let engines = engines()?;
    let complete = engines.join(name);
    let broken = |error: io::Error| Unavailable::Broken(format!("failed to prepare {}: {error}", complete.display()));
    fs::create_dir_all(&engines).map_err(broken)?;
    let lock = File::create(engines.join(format!("{name}.lock"))).map_err(broken)?;
    lock.lock().map_err(broken)?;
    if !complete.is_dir() {
        let part = engines.join(format!("{name}.part"));
        if part.exists() {
            fs::remove_dir_all(&part).map_err(broken)?;
        }
        fs::create_dir(&part).map_err(broken)?;
        fill(&part)?;
        fs::rename(&part, &complete).map_err(broken)?;
    }
    Ok(complete)
}

/// Whether the folder `engines/NAME` is there.
pub fn is_there(name: &str) -> bool {
    engines().is_ok_and(|engines| engines.join(name).is_dir())
}

/// A new folder for the data of one running program. Its name is unique: a process may start several.
pub fn run_folder(name: &str) -> io::Result<PathBuf> {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let engines = engines().map_err(io::Error::other)?;
    let (process, number) = (std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
    let folder = engines.join("running").join(format!("{name}-{process}-{number}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// `engines` in cargo's target folder, which is the one above this program that carries cargo's mark.
fn engines() -> Result<PathBuf, Unavailable> {
    let program = std::env::current_exe().map_err(|error| Unavailable::Broken(error.to_string()))?;
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    let target = target.ok_or_else(|| {
        Unavailable::Broken(format!("{} was not built by cargo: no target folder lies above it", program.display()))
    })?;
    Ok(target.join("engines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_once_and_never_half() {
        let name = format!("probe-{}", std::process::id());
        let refused = folder(&name, |part| {
            fs::write(part.join("half"), "half").unwrap();
            Err(Unavailable::Missing("no network".to_owned()))
        });
        assert_eq!(refused, Err(Unavailable::Missing("no network".to_owned())));

        let filled = folder(&name, |part| {
            assert!(!part.join("half").exists(), "what an earlier try left is gone");
            fs::write(part.join("whole"), "whole").unwrap();
            Ok(())
        });
        let path = filled.unwrap();
        assert!(path.join("whole").is_file() && !path.join("half").exists());
        assert_eq!(folder(&name, |_| panic!("it is already there")), Ok(path.clone()));

        fs::remove_dir_all(&path).unwrap();
        fs::remove_file(path.with_extension("lock")).unwrap();
    }
}
