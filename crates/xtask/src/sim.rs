//! `cargo xtask sim`: catalogs on trial, one seed or many, by hand.

use std::process::ExitCode;

/// Hands the arguments on: who tries catalogs knows what they mean.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let mut command =
        crate::test::cargo(&["run", "--quiet", "--release", "--package", "keyloom-trial", "--example", "sim", "--"]);
    let status = command.args(arguments).status().map_err(|error| format!("failed to run cargo: {error}"))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
