use std::{
    any::Any,
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
};

use keyloom_store::BoxFuture;

use crate::{Subject, cases};

/// One promise of the contract.
pub struct Case<S> {
    /// Topic and promise.
    pub name: &'static str,
    /// Asserts it on a fresh, empty store; panics where it is not kept.
    pub run: for<'a> fn(&'a S) -> BoxFuture<'a, ()>,
}

/// Runs all cases, each on a fresh store, and prints the line from which `cargo xtask test` makes its table.
///
/// `block_on` drives a future of that store to its end, by whatever means the store needs.
///
/// # Panics
/// When a case fails; the message names every one that did.
pub fn run<S: Subject>(engine: &str, fresh: impl Fn() -> S, block_on: impl Fn(&S, BoxFuture<'_, ()>)) {
    let cases = cases::<S>();
    let mut failed = Vec::new();
    for case in &cases {
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let store = fresh();
            block_on(&store, (case.run)(&store));
        }));
        if let Err(panic) = attempt {
            // Some cases are about megabytes; their beginning says what went wrong.
            failed.push(format!("  {}: {:.1000}", case.name, words(&*panic)));
        }
    }
    // Written past the capture of the test harness: the table needs it of passed tests too.
    let line = format!("keyloom-suite: name=contract engine={engine} run={} skipped=0\n", cases.len());
    std::io::stdout().write_all(line.as_bytes()).expect("the line for the table is written");
    assert!(failed.is_empty(), "{} of {} cases failed on {engine}:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

fn words(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(words), _) => words,
        (None, Some(words)) => words,
        (None, None) => "a panic without words",
    }
}
