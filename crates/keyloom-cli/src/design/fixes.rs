//! What the review has against a layout in use, and against the one that mends it.

use std::fmt::Write as _;

use keyloom::check::{Config, Laid, review_all};
use keyloom::finding::{Finding, Level, Sources};
use keyloom::model::layout::Layout;
use keyloom::plan::Program;
use keyloom::serve::today;
use keyloom::text::{Files, Reading, Unreadable, print_layout, read_layout};

/// A layout that is not on the disk.
struct Printed(String);

impl Files for Printed {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

/// Which errors and warnings are gone, and which remain.
pub(super) fn said(reading: &Reading, in_use: &Layout, mended: &Program, sources: &mut Sources) -> String {
    let before = found(reading, in_use, mended, sources);
    let after = found(reading, &mended.layout, mended, sources);
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

/// What the review says of a layout and its catalog, from warnings up.
fn found(reading: &Reading, layout: &Layout, program: &Program, sources: &mut Sources) -> Vec<Finding> {
    let printed = Printed(print_layout(layout));
    let read = read_layout("layout.yaml", &printed, sources, reading);
    let laid = Laid { catalog: 0, reading: read, abilities: Some(program.abilities.clone()) };
    let readings = std::slice::from_ref(reading);
    let mut findings = review_all(readings, &[laid], &[], sources, &Config::default(), today());
    findings.retain(|finding| finding.level >= Level::Warning);
    findings
}
