//! What a suite against an engine says to `cargo xtask test`, and when it may be skipped.

use std::io::Write;

use crate::Unavailable;

/// Prints the line from which `cargo xtask test` makes the suite's row: `run` cases ran, `skipped` did not.
pub fn announce(suite: &str, engine: &str, run: usize, skipped: usize) {
    let line = format!("keyloom-suite: name={suite} engine={engine} run={run} skipped={skipped}\n");
    say(&line);
}

/// The engine that was started, or nothing after saying loudly that `suite` is skipped.
///
/// # Panics
/// When the engine is broken, and when it is missing and `CI=true`: there every engine runs.
pub fn available<E>(suite: &str, engine: &str, started: Result<E, Unavailable>) -> Option<E> {
    match started {
        Ok(engine) => Some(engine),
        Err(Unavailable::Broken(reason)) => panic!("{engine} is broken: {reason}"),
        Err(Unavailable::Missing(reason)) => {
            announce(suite, engine, 0, 1);
            let ci = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!ci, "{suite}: {engine} is missing, and CI runs every engine: {reason}");
            say(&format!("SKIPPED: {suite} needs {engine}: {reason}\n"));
            None
        }
    }
}

/// Writes past the capture of the test harness: a passed test must be heard too.
pub fn say(line: &str) {
    // Nobody may be listening any more, which is no reason to fail a test.
    let _ = std::io::stdout().write_all(line.as_bytes());
}
