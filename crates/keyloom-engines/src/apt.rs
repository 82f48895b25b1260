//! Programs that come as Debian packages, laid out below a folder of ours instead of being installed: nothing of the system
//! changes, and nobody has to be root.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Unavailable, cache};

/// A program and what it needs, as far as the system does not have it.
#[derive(Debug, Clone, Copy)]
pub struct Packages {
    /// The folder that they are kept in.
    pub folder: &'static str,
    /// Their names; what they depend on comes with them.
    pub names: &'static [&'static str],
}

impl Packages {
    /// The folder that stands for `/`, filled with `apt-get` when it is not there yet.
    ///
    /// # Errors
    /// When there is no apt here, or the packages can't be reached.
    pub fn fetch(&self) -> Result<PathBuf, Unavailable> {
        let missing = |reason: &str| Unavailable::Missing(format!("failed to fetch {}: {reason}", self.folder));
        let folder = cache::folder(self.folder, |part| {
            let [lists, archives, root] = ["lists", "archives", "root"].map(|name| part.join(name));
            let made = [lists.join("partial"), archives.join("partial"), root.clone()];
            made.iter().try_for_each(fs::create_dir_all).map_err(|error| missing(&error.to_string()))?;
            let apt = |arguments: &[&str]| {
                let mut apt = Command::new("apt-get");
                apt.arg("-o").arg(setting("Dir::State::lists", &lists));
                apt.arg("-o").arg(setting("Dir::Cache::archives", &archives));
                // Its other caches and its locks belong to the system.
                for own in ["Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache=", "Debug::NoLocking=1"] {
                    apt.args(["-o", own]);
                }
                apt.args(arguments);
                apt
            };
            run(apt(&["update"])).map_err(|reason| missing(&reason))?;
            let mut download = apt(&["install", "--yes", "--no-install-recommends", "--download-only"]);
            download.args(self.names);
            run(download).map_err(|reason| missing(&reason))?;
            for package in files(&archives).map_err(|error| missing(&error.to_string()))? {
                let mut unpack = Command::new("dpkg");
                unpack.arg("-x").arg(&package).arg(&root);
                run(unpack).map_err(|reason| missing(&reason))?;
            }
            [lists, archives].iter().try_for_each(fs::remove_dir_all).map_err(|error| missing(&error.to_string()))
        })?;
        Ok(folder.join("root"))
    }

    /// Whether they are there already, so that [`Self::fetch`] takes no time.
    #[must_use]
    pub fn is_fetched(&self) -> bool {
        cache::is_there(self.folder)
    }
}

fn setting(name: &str, folder: &Path) -> String {
    format!("{name}={}/", folder.display())
}

/// The packages in a folder.
fn files(archives: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(archives)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "deb"));
    files.sort();
    Ok(files)
}

fn run(mut command: Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("`{program}` can't be run: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}
