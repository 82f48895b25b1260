//! `cfn-lint`, the judge of CloudFormation's templates: AWS's schemas of all resources and the rules between them. From PyPI.

use std::{
    fs, io,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::{Unavailable, cache};

const NAME: &str = "cfn-lint";
const VERSION: &str = "1.51.0";

/// The program, ready to be run.
#[derive(Debug)]
pub struct CfnLint {
    /// Its modules and those it needs.
    modules: PathBuf,
}

impl CfnLint {
    /// Fetches it with Python's `pip`, if that was not done before.
    ///
    /// # Errors
    /// When Python is not installed, or the package can't be reached.
    pub fn fetch() -> Result<Self, Unavailable> {
        let missing = |reason: &str| Unavailable::Missing(format!("failed to fetch {NAME} {VERSION}: {reason}"));
        let modules = cache::folder(&folder(), |part| {
            let output = Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"])
                .arg(part)
                .arg(format!("{NAME}=={VERSION}"))
                .stdin(Stdio::null())
                .output()
                .map_err(|error| missing(&format!("`python3` can't be run: {error}")))?;
            if output.status.success() { Ok(()) } else { Err(missing(&String::from_utf8_lossy(&output.stderr))) }
        })?;
        Ok(Self { modules })
    }

    /// Whether it is there already, so that [`Self::fetch`] takes no time.
    #[must_use]
    pub fn is_fetched() -> bool {
        cache::is_there(&folder())
    }

    /// What it has to say about templates, informational checks included; nothing when it is content with all.
    ///
    /// # Errors
    /// When it can't be run, or ends without a judgement.
    pub fn findings(&self, templates: &[String]) -> io::Result<String> {
        let folder = cache::run_folder(NAME)?;
        let mut files = Vec::new();
        for (at, template) in templates.iter().enumerate() {
            files.push(folder.join(format!("{at}.json")));
            fs::write(&files[at], template)?;
        }
        let output = Command::new("python3")
            .arg(self.modules.join("bin").join(NAME))
            .args(["--include-checks", "I", "--format", "parseable", "--template"])
            .args(&files)
            .env("PYTHONPATH", &self.modules)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output();
        fs::remove_dir_all(&folder)?;
        let output = output?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        if output.status.success() != said.is_empty() {
            return Err(io::Error::other(format!("{NAME} ended with {}: {said}", output.status)));
        }
        Ok(said)
    }
}

fn folder() -> String {
    format!("{NAME}-{VERSION}")
}
