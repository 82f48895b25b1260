//! What the review has against a layout in use, and against the one that mends it.

use std::fmt::Write as _;

use keyloom::finding::{Finding, Level, Sources};
use keyloom::model::layout::Layout;
use keyloom::plan::Program;
use keyloom::text::Reading;

use super::review::findings;

/// Which errors and warnings are gone, and which remain.
pub(super) fn said(reading: &Reading, in_use: &Layout, mended: &Program, sources: &mut Sources) -> String {
    let mut found = |layout: &Layout| {
        let mut findings = findings(reading, layout, mended, sources);
        findings.retain(|finding| finding.level >= Level::Warning);
        findings
    };
    let (before, after) = (found(in_use), found(&mended.layout));
    let same = |one: &Finding, other: &Finding| (one.rule.name, &one.message) == (other.rule.name, &other.message);
    let gone: Vec<&Finding> = before.iter().filter(|old| !after.iter().any(|new| same(old, new))).collect();
    let mut out = String::new();
    for finding in &gone {
        let _ = writeln!(out, "mended: {}: {}", finding.rule.name, finding.message);
    }
    for finding in &after {
        let _ = writeln!(out, "remains: {}: {}; no other table helps", finding.rule.name, finding.message);
    }
    if gone.is_empty() && after.is_empty() {
        out.push_str("the review has no error and no warning against the layout in use\n");
    }
    out
}
