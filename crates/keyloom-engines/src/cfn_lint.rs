//! Templates of CloudFormation before `cfn-lint`.

use std::{fs, io};

use crate::{
    Unavailable, cache,
    python::{CFN_LINT, Fetched},
};

/// The program, ready to be run.
#[derive(Debug)]
pub struct CfnLint {
    package: Fetched,
}

impl CfnLint {
    /// Fetches it with Python's `pip`, if that was not done before.
    ///
    /// # Errors
    /// When Python is not installed, or the package can't be reached.
    pub fn fetch() -> Result<Self, Unavailable> {
        Ok(Self { package: CFN_LINT.fetch()? })
    }

    /// What it has to say about templates, informational checks included; nothing when it is content with all.
    ///
    /// # Errors
    /// When it can't be run, or ends without a judgement.
    pub fn findings(&self, templates: &[String]) -> io::Result<String> {
        let name = CFN_LINT.name;
        let folder = cache::run_folder(name)?;
        let mut files = Vec::new();
        for (at, template) in templates.iter().enumerate() {
            files.push(folder.join(format!("{at}.json")));
            fs::write(&files[at], template)?;
        }
        let mut lint = self.package.program(name);
        lint.args(["--include-checks", "I", "--format", "parseable", "--template"]).args(&files);
        let output = lint.current_dir(&folder).output();
        fs::remove_dir_all(&folder)?;
        let output = output?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        if output.status.success() != said.is_empty() {
            return Err(io::Error::other(format!("{name} ended with {}: {said}", output.status)));
        }
        Ok(said)
    }
}
