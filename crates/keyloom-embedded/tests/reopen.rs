//! What was written is there after the store was closed or just dropped, and opened again.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use common::*;
use keyloom_store::Verdict;

#[test]
fn rows_and_tables_are_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let (store, opened) = open(folder.path());
    assert!(opened.created);
    let [decided, _, placed] = three(&store);
    assert_eq!(decide(&store, decided, "a", 1, "one").unwrap(), Verdict::Done);
    place(&store, placed, ("a", 1), 5, "five").unwrap();
    place(&store, placed, ("a", 1), 4, "four").unwrap();
    drop(store);
    let (store, opened) = open(folder.path());
    assert!(!opened.created);
    let (decided, placed) = (id(&store, "decided"), id(&store, "placed"));
    assert_eq!(text(&store, decided, "a", 1).as_deref(), Some("one"));
    assert_eq!(text(&store, placed, "a", 1).as_deref(), Some("five"));
    assert!(matches!(decide(&store, decided, "a", 1, "two").unwrap(), Verdict::Lost { at: 0, .. }));
}
