//! The `keyloom` command: the one place that knows clap, files, the clock, the environment and the terminal.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the command is where the world comes in and answers go out"
)]

mod arguments;
mod asked;
mod check;
mod data;
mod design;
mod emit;
mod explain;
mod files;
mod fmt;
mod init;
mod json_schema;
mod key;
mod layouts;
mod load;
mod output;
mod progress;
mod repository;
mod settings;
mod show;
mod since;
mod size;
mod taken;
mod up;
mod verify;
mod whose;

use std::process::ExitCode;

use arguments::Command;

/// How a command ended; the numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Nothing to complain about.
    Fine = 0,
    /// Findings at the denied level, or rows that differ.
    Findings = 1,
    /// The input can't be read, or the call is wrong.
    BadInput = 2,
    /// The world failed: disk, network, engine.
    WorldFailed = 3,
}

impl Exit {
    /// The graver of two.
    fn worse(self, other: Self) -> Self {
        if (other as u8) > (self as u8) { other } else { self }
    }
}

fn main() -> ExitCode {
    let exit = match arguments::parse() {
        Command::Up(arguments) => up::run(&arguments),
        Command::Key(arguments) => key::run(&arguments),
        Command::Load(arguments) => load::run(&arguments),
        Command::Backup(arguments) => data::backup(&arguments),
        Command::Restore(arguments) => data::restore(&arguments),
        Command::Export(arguments) => data::export(&arguments),
        Command::Verify(arguments) => verify::verify(&arguments),
        Command::Repair(arguments) => verify::repair(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Design(arguments) => design::run(&arguments),
        Command::Emit(arguments) => emit::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Size(arguments) => size::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::JsonSchema(arguments) => json_schema::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
    };
    ExitCode::from(exit as u8)
}
