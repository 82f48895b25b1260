//! Programs that are published as Python packages.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Unavailable, cache};

/// `cfn-lint`, the judge of CloudFormation's templates: AWS's schemas of all resources and the rules between them.
pub const CFN_LINT: Package = Package { name: "cfn-lint", version: "1.51.0", with: &[] };
/// The judge of OpenAPI documents: the official schema of 3.1, and what it can't say (names that stand twice, ..).
pub const OPENAPI_SPEC_VALIDATOR: Package = Package {
    name: "openapi-spec-validator",
    version: "0.9.0",
    with: &["openapi-schema-validator==0.9.0", "jsonschema==4.26.0"],
};
/// A generator of clients for OpenAPI documents.
pub const OPENAPI_PYTHON_CLIENT: Package =
    Package { name: "openapi-python-client", version: "0.29.1", with: &["httpx==0.28.1", "attrs==26.1.0"] };
/// Makes requests from an OpenAPI document, right ones and wrong ones, and compares the answers with it. What it makes
/// depends on the version of `hypothesis` too.
pub const SCHEMATHESIS: Package =
    Package { name: "schemathesis", version: "4.32.5", with: &["hypothesis==6.170.15", "jsonschema_rs==0.60.3"] };

/// A Python package with its programs.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// Its name on PyPI.
    pub name: &'static str,
    /// The version that the tests run.
    pub version: &'static str,
    /// Versions of packages that it needs, where they matter.
    with: &'static [&'static str],
}

/// A package that was fetched.
#[derive(Debug)]
pub struct Fetched {
    /// Its modules and those it needs.
    modules: PathBuf,
}

impl Package {
    /// All of them.
    pub const ALL: &'static [Self] = &[CFN_LINT, OPENAPI_SPEC_VALIDATOR, OPENAPI_PYTHON_CLIENT, SCHEMATHESIS];

    /// Fetches it with Python's `pip`, if that was not done before.
    ///
    /// # Errors
    /// When Python is not installed, or the package can't be reached.
    pub fn fetch(&self) -> Result<Fetched, Unavailable> {
        let Self { name, version, with } = *self;
        let missing = |reason: &str| Unavailable::Missing(format!("failed to fetch {name} {version}: {reason}"));
        let modules = cache::folder(&self.folder(), |part| {
            let output = Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"])
                .arg(part)
                .arg(format!("{name}=={version}"))
                .args(with)
                .stdin(Stdio::null())
                .output()
                .map_err(|error| missing(&format!("`python3` can't be run: {error}")))?;
            if output.status.success() { Ok(()) } else { Err(missing(&String::from_utf8_lossy(&output.stderr))) }
        })?;
        Ok(Fetched { modules })
    }

    /// Whether it is there already, so that [`Self::fetch`] takes no time.
    #[must_use]
    pub fn is_fetched(&self) -> bool {
        cache::is_there(&self.folder())
    }

    fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

impl Fetched {
    /// A command that runs a program of the package.
    #[must_use]
    pub fn program(&self, name: &str) -> Command {
        self.script(&self.modules.join("bin").join(name))
    }

    /// A command that runs a file with the package's modules at hand, and with its programs on the path.
    #[must_use]
    pub fn script(&self, file: &Path) -> Command {
        let mut command = Command::new("python3");
        let mut path = OsString::from(self.modules.join("bin"));
        if let Some(inherited) = std::env::var_os("PATH") {
            path.push(":");
            path.push(inherited);
        }
        command.arg(file).env("PYTHONPATH", &self.modules).env("PATH", path).stdin(Stdio::null());
        // Whoever keeps the tests' files in order finds none that are not theirs.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}
