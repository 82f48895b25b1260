//! The project's own chores, run as `cargo xtask ..`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a chore runs programs, reads the environment and talks to a person; no library of Keyloom depends on it"
)]

mod binaries;
mod fuzz;
mod output;
mod sim;
mod suite;
mod table;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
The chores of the Keyloom repository.

Usage: cargo xtask <CHORE>

Chores:
  test    format, lints, every test suite and the documentation; closes with a table
  fuzz    the fuzz targets with many inputs: [--target yaml] [--inputs 10000000] [--seed 1] [--replay FILE]
  sim     catalogs on trial under faults, simulated or on real stores: --seed N, or --seeds A..B; --help says more

Examples:
  cargo xtask test            everything, as a developer runs it
  CI=true cargo xtask test    the same, but a suite that ran no tests is a failure

Exit codes: 0 all passed, 1 something failed, 2 the call is wrong.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["test"] => test::run(),
        ["fuzz", ..] => fuzz::run(&arguments[1..]).unwrap_or_else(|reason| wrong_call(&reason)),
        ["sim", ..] => sim::run(&arguments[1..]).unwrap_or_else(|reason| wrong_call(&reason)),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        [] => wrong_call("no chore was named"),
        chore => wrong_call(&format!("there is no chore `{}`", chore.join(" "))),
    }
}

fn wrong_call(reason: &str) -> ExitCode {
    eprintln!("error: {reason}\n\n{HELP}");
    ExitCode::from(2)
}
