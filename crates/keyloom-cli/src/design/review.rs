//! What the review has against a layout that is not on the disk.

use keyloom::check::{Config, Laid, review_all};
use keyloom::finding::{Finding, Sources};
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

/// What the review says of a layout and its catalog, the worst first; not what is so because of the day.
pub(super) fn findings(reading: &Reading, layout: &Layout, program: &Program, sources: &mut Sources) -> Vec<Finding> {
    let printed = Printed(print_layout(layout));
    let read = read_layout("layout.yaml", &printed, sources, reading);
    let laid = Laid { catalog: 0, reading: read, abilities: Some(program.abilities.clone()) };
    let readings = std::slice::from_ref(reading);
    let mut findings = review_all(readings, &[laid], &[], sources, &Config::default(), today());
    findings.retain(|finding| !finding.depends_on_today);
    keyloom::finding::sort(&mut findings, sources);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}
