//! Terraform, where it is installed: its formatter, and the schema of AWS's provider. It is not fetched: it comes in no
//! registry of packages, and a machine without it must pass.

use std::{
    fs, io,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use crate::{Unavailable, cache};

/// The version of `hashicorp/aws` that resources are compared with.
const PROVIDER: &str = "5.100.0";

/// The program, as it is found here.
#[derive(Debug)]
pub struct Terraform;

impl Terraform {
    /// Looks for it.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn find() -> Result<Self, Unavailable> {
        match command().arg("version").output() {
            Ok(output) if output.status.success() => Ok(Self),
            Ok(output) => Err(Unavailable::Broken(said(&output))),
            Err(error) => Err(Unavailable::Missing(format!("`terraform` can't be run: {error}"))),
        }
    }

    /// A text as its formatter writes it.
    ///
    /// # Errors
    /// When it can't read the text.
    pub fn formatted(&self, text: &str) -> io::Result<String> {
        let mut format = command();
        format.args(["fmt", "-no-color", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = format.spawn()?;
        let input = child.stdin.take();
        let output = std::thread::scope(|scope| {
            let written = scope.spawn(|| input.map_or(Ok(()), |mut input| input.write_all(text.as_bytes())));
            let output = child.wait_with_output();
            written.join().map_err(|_| io::Error::other("the text was not written"))??;
            output
        })?;
        if output.status.success() {
            String::from_utf8(output.stdout).map_err(io::Error::other)
        } else {
            Err(io::Error::other(said(&output)))
        }
    }

    /// What it has to say about resources of AWS; nothing when they are valid.
    ///
    /// # Errors
    /// When the provider can't be had here.
    pub fn findings(&self, text: &str) -> Result<String, Unavailable> {
        let providers = providers()?;
        let broken = |error: io::Error| Unavailable::Broken(format!("terraform: {error}"));
        let folder = cache::run_folder("terraform").map_err(broken)?;
        let judged = || -> io::Result<String> {
            fs::write(folder.join("main.tf"), text)?;
            let mut begun = command();
            begun.args(["init", "-backend=false", "-input=false", "-no-color"]).current_dir(&folder);
            let begun = begun.arg(format!("-plugin-dir={}", providers.display())).output()?;
            if !begun.status.success() {
                return Ok(said(&begun));
            }
            let judged = command().args(["validate", "-no-color"]).current_dir(&folder).output()?;
            Ok(if judged.status.success() { String::new() } else { said(&judged) })
        };
        let judged = judged().map_err(broken);
        fs::remove_dir_all(&folder).map_err(broken)?;
        judged
    }
}

/// The folder of the provider, fetched by Terraform itself when it is not there yet.
fn providers() -> Result<PathBuf, Unavailable> {
    let name = format!("terraform-provider-aws-{PROVIDER}");
    let folder = cache::folder(&name, |part| {
        let wanted = format!(
            "terraform {{\n  required_providers {{\n    aws = {{\n      source  = \"hashicorp/aws\"\n      \
             version = \"{PROVIDER}\"\n    }}\n  }}\n}}\n"
        );
        fs::write(part.join("main.tf"), wanted).map_err(|error| Unavailable::Broken(error.to_string()))?;
        let fetched =
            command().args(["init", "-backend=false", "-input=false", "-no-color"]).current_dir(part).output();
        match fetched {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(Unavailable::Missing(format!("failed to fetch {name}: {}", said(&output)))),
            Err(error) => Err(Unavailable::Missing(format!("failed to fetch {name}: {error}"))),
        }
    })?;
    Ok(folder.join(".terraform/providers"))
}

fn command() -> Command {
    let mut command = Command::new("terraform");
    // It would ask its makers for a newer version.
    command.env("CHECKPOINT_DISABLE", "1").stdin(Stdio::null());
    command
}

fn said(output: &Output) -> String {
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&said).trim().to_owned()
}
