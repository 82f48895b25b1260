//! `cargo xtask test`: format, lints, every test suite, documentation, and the table that closes them.

use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader, Write},
    process::{Command, ExitCode, Stdio},
};

use keyloom_engines::{
    Chromium, cassandra,
    chromium::CHROMIUM,
    dynamodb::{DYNOXIDE, EXTENDDB},
    python,
};

use crate::{
    binaries::Binaries,
    output::Reader,
    suite::{Suite, Totals},
    table,
};

/// The release profile, so that `cargo run --release` and the tests share one build.
const TEST: [&str; 5] = ["test", "--color=never", "--release", "--workspace", "--no-fail-fast"];

/// Runs every step, also after one has failed, and says at the end what became of them.
pub fn run() -> ExitCode {
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let mut suites = vec![
        check("rustfmt", cargo(&["fmt", "--all", "--check"])),
        check("clippy", cargo(&["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"])),
    ];
    fetch_engines();
    suites.extend(test_suites());
    // In release like the lints, which have already checked the dependencies in that profile.
    let mut rustdoc = cargo(&["doc", "--no-deps", "--workspace", "--release"]);
    rustdoc.env("RUSTDOCFLAGS", "-D warnings");
    suites.push(check("rustdoc", rustdoc));

    println!("\n{}", table::render(&suites, ci));
    if Totals::of(&suites, ci).failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(name: &str, mut command: Command) -> Suite {
    announce(&command);
    let passed = command.status().is_ok_and(|status| status.success());
    Suite::check(name, passed)
}

/// Fetches what the suites start, where one can see it: inside a test it would look like a test that hangs. A suite
/// without its engine says so itself.
fn fetch_engines() {
    if !cassandra::is_fetched() {
        println!("\n== fetching Apache Cassandra {} with mvn (66 MB)", cassandra::VERSION);
    }
    if let Err(reason) = cassandra::fetch() {
        eprintln!("warning: no Cassandra, its suites will be skipped: {reason}");
    }
    for package in [DYNOXIDE, EXTENDDB] {
        if !package.is_fetched() {
            println!("\n== fetching {} {} with npm", package.name, package.version);
        }
        if let Err(reason) = package.fetch() {
            eprintln!("warning: no {}, its suites will be skipped: {reason}", package.program);
        }
    }
    for package in python::Package::ALL {
        if !package.is_fetched() {
            println!("\n== fetching {} {} with pip", package.name, package.version);
        }
        if let Err(reason) = package.fetch() {
            eprintln!("warning: no {}, its suite will be skipped: {reason}", package.name);
        }
    }
    if !CHROMIUM.is_fetched() {
        println!("\n== looking for Chromium, fetching it with apt-get (125 MB) where none is installed");
    }
    if let Err(reason) = Chromium::fetch() {
        eprintln!("warning: no Chromium, its suites will be skipped: {reason}");
    }
}

fn test_suites() -> Vec<Suite> {
    let Some(messages) = build_tests() else { return vec![Suite::check("build of the tests", false)] };
    let mut reader = Reader::new(Binaries::from_messages(&messages));
    let passed = stream(cargo(&TEST), |line| reader.line(line)).unwrap_or_else(|error| {
        eprintln!("error: failed to run the tests: {error}");
        false
    });
    let mut suites = reader.finish();
    if !passed && suites.iter().all(|suite| suite.failed == 0) {
        // Cargo is the judge: whatever it disliked may not vanish because its words were not understood.
        suites.push(Suite::check("cargo test", false));
    }
    suites
}

/// Builds all test binaries and returns cargo's messages about them.
fn build_tests() -> Option<String> {
    let mut build = cargo(&TEST);
    build.args(["--no-run", "--message-format=json-render-diagnostics"]).stderr(Stdio::inherit());
    announce(&build);
    let output = build.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, shows its output while it comes, hands over each line, and returns whether the command succeeded.
///
/// Cargo prints headers to one stream and test binaries print results to the other; both go into one pipe, because the
/// order of the lines is what tells whose results they are.
fn stream(mut command: Command, mut each_line: impl FnMut(&str)) -> io::Result<bool> {
    announce(&command);
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // The command keeps its ends of the pipe open; without this the pipe would never end.
    drop(command);

    let mut lines = BufReader::new(reader);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        io::stdout().write_all(&line)?;
        each_line(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(child.wait()?.success())
}

/// Cargo, the same one that runs this program.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(arguments);
    command
}

fn announce(command: &Command) {
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    println!("\n== cargo {}", arguments.join(" "));
}
