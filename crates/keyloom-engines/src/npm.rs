//! Programs that are published as npm packages: one file in a package for one platform.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::{Unavailable, cache};

/// A program in an npm package.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// The package with its scope.
    pub name: &'static str,
    /// The version that the tests run against.
    pub version: &'static str,
    /// The file of the package that is the program.
    pub program: &'static str,
}

impl Package {
    /// The program, fetched with `npm` when it is not there yet.
    ///
    /// # Errors
    /// When npm is not installed, or the package can't be reached.
    pub fn fetch(&self) -> Result<PathBuf, Unavailable> {
        let Self { name, version, program } = *self;
        let missing = |reason: &str| Unavailable::Missing(format!("failed to fetch {name} {version}: {reason}"));
        let file = PathBuf::from("node_modules").join(name).join(program);
        let folder = cache::folder(&self.folder(), |part| {
            let output = Command::new("npm")
                .args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
                .arg(part)
                .arg(format!("{name}@{version}"))
                .stdin(Stdio::null())
                .output()
                .map_err(|error| missing(&format!("`npm` can't be run: {error}")))?;
            if !output.status.success() {
                return Err(missing(&String::from_utf8_lossy(&output.stderr)));
            }
            if part.join(&file).is_file() {
                Ok(())
            } else {
                Err(missing("npm ended well, but the program is not there"))
            }
        })?;
        Ok(folder.join(file))
    }

    /// Whether the program is there already, so that [`Self::fetch`] takes no time.
    #[must_use]
    pub fn is_fetched(&self) -> bool {
        cache::is_there(&self.folder())
    }

    fn folder(&self) -> String {
        format!("{}-{}", self.program, self.version)
    }
}
