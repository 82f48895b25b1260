//! A clock that goes on by a millisecond with each look, and chance that is always the same.
#![allow(dead_code, reason = "not every test turns it")]

use std::sync::atomic::{AtomicI64, Ordering};

use keyloom_run::Environment;

pub struct Turned(AtomicI64);

impl Turned {
    /// When tests begin.
    pub fn new() -> Self {
        Self(AtomicI64::new(1_794_735_000_000_000))
    }

    pub fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed) / 1_000
    }

    pub fn turn_ms(&self, millis: i64) {
        self.0.fetch_add(millis * 1_000, Ordering::Relaxed);
    }
}

impl Environment for Turned {
    fn now_us(&self) -> i64 {
        self.0.fetch_add(1_000, Ordering::Relaxed)
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}
