//! The fuzz targets on stable Rust: a corpus, a seed, and a bounded number of inputs each.
//!
//! `cargo xtask fuzz` runs the same tests with more inputs and another seed, through the variables `KEYLOOM_FUZZ_INPUTS`,
//! `KEYLOOM_FUZZ_SEED` and `KEYLOOM_FUZZ_REPLAY`. An input that breaks a promise is written to a file, and the message
//! says how to run it again.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the corpus is files, the by-hand settings are the environment, a hang is seen by the clock, and whatever \
              is broken here must stop the test"
)]

mod corpus;
mod mutator;
#[path = "../../../../fuzz/targets.rs"]
mod targets;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use mutator::Mutator;

/// Smaller than the stack of any thread that Keyloom will meet. Without optimisation, a frame has about four times the
/// size.
const STACK_BYTES: usize = if cfg!(debug_assertions) { 4 << 20 } else { 1 << 20 };

/// No input of this size may take longer, each time it is run: on a busy machine one run may have to wait for its turn.
const TIME_MAX: Duration = Duration::from_secs(5);

/// How often an input that takes longer is run.
const SLOW_RUNS: usize = 3;

#[test]
fn yaml() {
    run("yaml", 3_000);
}

#[test]
fn expressions() {
    run("expressions", 60_000);
}

#[test]
fn units() {
    run("units", 60_000);
}

#[test]
fn types() {
    run("types", 60_000);
}

#[test]
fn suppression() {
    run("suppression", 3_000);
}

#[test]
fn values() {
    run("values", 60_000);
}

#[test]
fn cql() {
    run("cql", 20_000);
}

#[test]
fn migrations() {
    run("migrations", 3_000);
}

#[test]
fn code() {
    run("code", 3_000);
}

#[test]
fn layout() {
    run("layout", 3_000);
}

/// Runs a target over `inputs` inputs, or as many as the environment says.
fn run(name: &'static str, inputs: u64) {
    let target = targets::ALL.iter().find(|(known, _)| *known == name).expect("the target is listed").1;
    let by_hand = setting("INPUTS");
    // A build without optimisation is for finding faults, not for running many inputs.
    let inputs = by_hand.unwrap_or(if cfg!(debug_assertions) { inputs / 10 } else { inputs });
    let seed = setting("SEED").unwrap_or(1);
    let work = move || match std::env::var_os("KEYLOOM_FUZZ_REPLAY") {
        Some(path) => target(&std::fs::read(path).expect("the input to replay can be read")),
        None => search(name, target, inputs, seed, by_hand.is_some()),
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn search(name: &str, target: fn(&[u8]), inputs: u64, seed: u64, by_hand: bool) {
    let corpus = corpus::of(name);
    // The corpus itself always runs whole.
    let inputs = inputs.max(corpus.len() as u64);
    let mutator = Mutator::new(corpus, words::of(name), seed);
    let start = Instant::now();
    let mut shown = start;
    if by_hand {
        println!("{name}: {inputs} inputs, seed {seed}");
    }
    for number in 0..inputs {
        let input = mutator.input(number);
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input)));
        let mut took = began.elapsed();
        for _ in 1..SLOW_RUNS {
            if outcome.is_ok() && took > TIME_MAX {
                let again = Instant::now();
                target(&input);
                took = took.min(again.elapsed());
            }
        }
        if outcome.is_err() || took > TIME_MAX {
            let file = keep(name, seed, number, &input);
            panic!(
                "{name}: input {number} of seed {seed} broke a promise after {took:?}; to run it again:\n\
                 cargo xtask fuzz --target {name} --replay {file}"
            );
        }
        if by_hand && (began - shown > Duration::from_secs(10) || number + 1 == inputs) {
            shown = began;
            let seconds = start.elapsed().as_secs_f64();
            println!("{name}: {} inputs, {:.0} inputs/s, seed {seed}", number + 1, (number + 1) as f64 / seconds);
        }
    }
}

/// Writes a failing input down; the answer is its path.
fn keep(name: &str, seed: u64, number: u64, input: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{name}-{seed}-{number}"));
    std::fs::write(&path, input).expect("the failing input can be kept");
    path.display().to_string()
}

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(format!("KEYLOOM_FUZZ_{name}")).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("KEYLOOM_FUZZ_{name} is a number, not `{value}`")))
}
