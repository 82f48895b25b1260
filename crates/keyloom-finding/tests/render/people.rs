//! What people read: text and concise.

use keyloom_finding::render::Format::{Concise, Text};
use keyloom_finding::render::Style;
use keyloom_finding::{Finding, Level};

use super::{DUPLICATE, Desk, FULL_FILES, MISSING_RATE, OVERSIZED, check, full};

#[test]
fn nothing_found() {
    check(Text, &[], |_| vec![], "no findings\n");
    check(Concise, &[], |_| vec![], "no findings\n");
}

#[test]
fn everything_a_finding_can_say() {
    check(Text, FULL_FILES, full, "?");
    check(Concise, FULL_FILES, full, "?");
}
