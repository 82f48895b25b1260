//! The contract on the embedded store, and scripts on it and on the model.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use std::{cell::Cell, ops::Range};

use common::*;
use keyloom_embedded::{Embedded, Options};
use keyloom_store::Model;
use tempfile::TempDir;

/// Fresh stores, each in a folder of its own.
struct Folders {
    folder: TempDir,
    count: Cell<u32>,
}

impl Folders {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), count: Cell::new(0) }
    }

    fn fresh(&self) -> Embedded {
        let number = self.count.replace(self.count.get() + 1);
        // What the one before left is not needed any more.
        let _ = std::fs::remove_dir_all(self.folder.path().join(number.wrapping_sub(2).to_string()));
        let folder = self.folder.path().join(number.to_string());
        let (store, opened) = Embedded::open(&folder, Options::default(), still()).unwrap();
        assert!(opened.created);
        store
    }
}

#[test]
fn the_embedded_store_keeps_the_contract() {
    let folders = Folders::new();
    keyloom_contract::run("embedded", || folders.fresh(), |_, case| wait(case));
}

#[test]
fn scripts_see_the_same_rows_on_the_model() {
    same(0..4, 10_000);
}

/// `cargo test --release -p keyloom-embedded --test contract -- --ignored`
#[test]
#[ignore = "takes long; run by hand"]
fn a_thousand_scripts_see_the_same_rows_on_the_model() {
    same(0..1_000, 10_000);
}

fn same(seeds: Range<u64>, calls: usize) {
    let folders = Folders::new();
    let fresh = || (Model::new(), folders.fresh());
    keyloom_contract::agree(seeds, calls, fresh, |_, _, script| wait(script));
}
