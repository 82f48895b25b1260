//! The renderers, by their output.

mod machines;
mod people;
mod robustness;
mod sarif;

use keyloom_finding::render::{Format, Report, Style, render};
use keyloom_finding::{FileId, Finding, Level, Limit, Place, Rule, Sources};

static OVERSIZED: Rule = Rule {
    name: "oversized-item",
    level: Level::Error,
    summary: "an item can grow beyond what the engine stores",
    page: "# oversized-item\n\nAn item can grow beyond what the engine stores.\n",
};
static DUPLICATE: Rule = Rule {
    name: "duplicate-name",
    level: Level::Warning,
    summary: "a name is defined twice",
    page: "# duplicate-name\n\nA name is defined twice.\n",
};
static MISSING_RATE: Rule = Rule {
    name: "missing-rate",
    level: Level::Note,
    summary: "a pattern does not say how often it is called",
    page: "# missing-rate\n\nA pattern does not say how often it is called.\n",
};

/// The files of one test and the places in them.
#[derive(Debug, Default)]
struct Desk {
    sources: Sources,
    files: Vec<FileId>,
}

impl Desk {
    fn new(files: &[(&str, &str)]) -> Self {
        let mut desk = Self::default();
        for (name, text) in files {
            let file = desk.sources.add(*name, *text);
            desk.files.push(file);
        }
        desk
    }

    /// The first occurrence of `words` in a file.
    fn at(&self, file: usize, words: &str) -> Place {
        let start = self.sources.file(self.files[file]).text().find(words).expect("the test's file has these words");
        self.bytes(file, start..start + words.len())
    }

    fn bytes(&self, file: usize, bytes: std::ops::Range<usize>) -> Place {
        Place::new(self.files[file], bytes)
    }

    fn show(&self, findings: &[Finding], format: Format, style: Style) -> String {
        let rules = [&OVERSIZED, &DUPLICATE];
        let report = Report {
            findings,
            sources: &self.sources,
            rules: &rules,
            version: "0.1.0",
            today: Some("2026-11-15"),
            survey: None,
        };
        render(&report, format, style)
    }
}

const PLAIN: Style = Style { color: false, width: 80 };

/// Checks what is shown for findings over files. The expected text begins on the line after its quote.
#[track_caller]
fn check(format: Format, files: &[(&str, &str)], findings: impl FnOnce(&Desk) -> Vec<Finding>, expected: &str) {
    let desk = Desk::new(files);
    let shown = desk.show(&findings(&desk), format, PLAIN);
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    assert!(shown == expected, "shown:\n{shown}\nexpected:\n{expected}");
}

/// A finding with all its optional parts, and one without a place.
fn full(desk: &Desk) -> Vec<Finding> {
    let limit = Limit {
        value: "400 KB per item".to_owned(),
        source: "DynamoDB Developer Guide, service quotas".to_owned(),
        date: "2026-11-15".to_owned(),
    };
    vec![
        Finding::new(&MISSING_RATE, None, "the file `b.yaml` can't be opened").depends_on_today(),
        Finding::new(&OVERSIZED, desk.at(0, "list of Line"), "an Order can have 500 KB")
            .label("5000 lines at worst")
            .related(desk.at(0, "sku"), "each Line begins here")
            .related(desk.at(1, "lines"), "copied here")
            .derivation("5,000 lines x 100 B = 500 KB")
            .limit(limit)
            .help("keep the lines beside the order; reading an order then takes two reads"),
    ]
}

const FULL_FILES: &[(&str, &str)] = &[
    (
        "shop/catalog.yaml",
        "types:\n  Line: { sku: text(80) }\nentities:\n  Order:\n    fields:\n      lines: list of Line (3 / 20 / 5000)\n",
    ),
    ("shop/50% off, now.yaml", "é: lines\n"),
];

#[test]
fn every_format_has_a_name() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
    assert_eq!(Format::from_name("xml"), None);
}
