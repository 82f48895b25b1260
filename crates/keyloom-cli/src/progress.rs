//! A sign of life while a large repository is read.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Does some work; after a second, a line on a terminal counts the files that were read.
pub(crate) fn with_progress<R>(opened: &AtomicUsize, work: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let teller = scope.spawn(|| tell(opened, &done));
        let answer = work();
        done.store(true, Ordering::Release);
        teller.thread().unpark();
        answer
    })
}

fn tell(opened: &AtomicUsize, done: &AtomicBool) {
    const PATIENCE: Duration = Duration::from_secs(1);
    let start = Instant::now();
    let mut told = false;
    while !done.load(Ordering::Acquire) {
        std::thread::park_timeout(Duration::from_millis(100));
        if start.elapsed() > PATIENCE {
            told = true;
            let _ = write!(std::io::stderr(), "\r{} files read", opened.load(Ordering::Relaxed));
        }
    }
    if told {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
