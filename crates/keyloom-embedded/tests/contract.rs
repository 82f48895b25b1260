//! The contract on the embedded store.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use common::*;
use keyloom_embedded::{Durability, Embedded, Options};

#[test]
fn the_embedded_store_keeps_the_contract() {
    keep(Durability::ProcessCrash);
}

fn keep(durability: Durability) {
    let folders = tempfile::tempdir().unwrap();
    let count = std::cell::Cell::new(0);
    let fresh = || {
        count.set(count.get() + 1);
        let options = Options { durability, ..Options::default() };
        let (store, opened) = Embedded::open(&folders.path().join(count.get().to_string()), options, still()).unwrap();
        assert!(opened.created);
        store
    };
    keyloom_contract::run("embedded", fresh, |_, case| wait(case));
}
