//! The target `layout`: a file as a layout of one of the examples.

use std::sync::LazyLock;

use keyloom::finding::{Level, Sources};
use keyloom::text::{Files, LayoutReading, Reading, Unreadable, format, print_layout, read, read_layout};

use super::in_bounds;

/// The catalog that the layouts are about.
const CATALOG: &str = include_str!("../examples/cases/catalog.yaml");

struct Memory<'a>(&'a str);

impl Files for Memory<'_> {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        match name {
            "catalog.yaml" => Ok(CATALOG.to_owned()),
            "layout.yaml" => Ok(self.0.to_owned()),
            _ => Err(Unreadable::Missing),
        }
    }
}

static READING: LazyLock<Reading> = LazyLock::new(|| read("catalog.yaml", &Memory(""), &mut Sources::default()));

/// A file as a layout: read, printed canonically, and printed out of what was understood of it.
pub fn layout(bytes: &[u8]) {
    let Ok(text) = Unreadable::text(bytes.to_vec()) else { return };
    let (before, sources) = read_one(&text);
    in_bounds(&before.findings, &sources);
    let (again, _) = read_one(&text);
    assert_eq!(before.layout, again.layout, "the same bytes give the same answer");
    assert_eq!(said(&before), said(&again), "the same bytes give the same findings");
    // What names a part that was left out says nothing more.
    let understood = !before.unreadable && before.findings.iter().all(|finding| finding.level < Level::Error);
    if let Some(Ok(once)) = before.file.map(|file| format(&sources, file)) {
        let (after, sources) = read_one(&once);
        let twice = after.file.and_then(|file| format(&sources, file).ok());
        assert_eq!(twice.as_ref(), Some(&once), "printing again changes nothing");
        assert!(!understood || before.layout == after.layout, "printing keeps the meaning:\n{once}");
    }
    if understood {
        let printed = print_layout(&before.layout);
        let (after, _) = read_one(&printed);
        assert_eq!(said(&after), [], "what was printed is read without findings:\n{printed}");
        assert_eq!(before.layout, after.layout, "what was printed says the same:\n{printed}");
    }
}

fn read_one(text: &str) -> (LayoutReading, Sources) {
    let mut sources = Sources::default();
    let layout = read_layout("layout.yaml", &Memory(text), &mut sources, &READING);
    (layout, sources)
}

/// The findings without their places, which printing moves.
fn said(reading: &LayoutReading) -> Vec<(&'static str, &str)> {
    let mut said: Vec<_> =
        reading.findings.iter().map(|finding| (finding.rule.name, finding.message.as_str())).collect();
    said.sort_unstable();
    said
}
