//! No finding, however odd, stops a renderer.

use keyloom_finding::render::{Format, Style};
use keyloom_finding::{Finding, Level, Limit, Place};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{DUPLICATE, Desk};

/// Text that is rich in what is hard: line breaks of all kinds, tabs, wide, combining and control characters.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-z:{} ]{1,8}",
        2 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => "[\\r\\t\\x00\\x1b\u{9b}\u{202e}\u{200d}\u{301}\u{feff}]",
        1 => "[é名👩]{1,3}",
        1 => any::<char>().prop_map(String::from),
        1 => (900_usize..1100).prop_map(|columns| "x".repeat(columns)),
        1 => (1_usize..300).prop_map(|lines| "\n".repeat(lines)),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Bytes in the text, beyond its end, and the wrong way round.
fn bytes() -> impl Strategy<Value = (u32, u32)> {
    let offset = || prop_oneof![20 => 0_u32..100, 10 => 0_u32..3000, 1 => any::<u32>()];
    let reach = prop_oneof![3 => 0_u32..20, 1 => any::<u32>()];
    prop_oneof![(offset(), offset()), (offset(), reach).prop_map(|(start, reach)| (start, start.saturating_add(reach)))]
}

type Bytes = (usize, (u32, u32));

/// A finding whose places are still told as the index of a file and bytes.
#[derive(Debug)]
struct Draft {
    place: Option<Bytes>,
    related: Vec<(Bytes, String)>,
    texts: (String, String, Option<String>, Option<String>),
    level: Level,
    depends_on_today: bool,
}

prop_compose! {
    fn draft()(
        place in proptest::option::of((0_usize..2, bytes())),
        related in proptest::collection::vec(((0_usize..2, bytes()), text()), 0..4),
        texts in (text(), text(), proptest::option::of(text()), proptest::option::of(text())),
        level in proptest::sample::select(&Level::ALL[..]),
        depends_on_today in any::<bool>(),
    ) -> Draft {
        Draft { place, related, texts, level, depends_on_today }
    }
}

impl Draft {
    fn on(self, desk: &Desk) -> Finding {
        let at = |(file, (start, end)): Bytes| Place { file: desk.files[file], start, end };
        let (message, label, help, limit) = self.texts;
        Finding {
            related: self.related.into_iter().map(|(bytes, words)| (at(bytes), words)).collect(),
            derivation: help.clone(),
            help,
            limit: limit.map(|text| Limit { value: text.clone(), source: text.clone(), date: text }),
            depends_on_today: self.depends_on_today,
            ..Finding::new(&DUPLICATE, self.place.map(at), message).level(self.level).label(label)
        }
    }
}

/// Whether a terminal would obey this character instead of showing it.
fn acts_on_terminal(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

proptest! {
    // The same cases each time: a test that fails on some days only teaches people to run it again.
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_renderer_survives(
        (name, first, second) in (text(), text(), text()),
        drafts in proptest::collection::vec(draft(), 0..4),
        width in 0_usize..200,
        color in any::<bool>(),
    ) {
        let desk = Desk::new(&[("a.yaml", &first), (&name, &second)]);
        let findings: Vec<Finding> = drafts.into_iter().map(|draft| draft.on(&desk)).collect();
        for format in Format::ALL {
            let shown = desk.show(&findings, format, Style { color, width });
            prop_assert!(shown.ends_with('\n') || shown.is_empty());
            match format {
                Format::Json | Format::Sarif => {
                    let document: serde_json::Value = serde_json::from_str(&shown).expect("it is JSON");
                    if format == Format::Json {
                        prop_assert_eq!(document["findings"].as_array().map(Vec::len), Some(findings.len()));
                    }
                }
                Format::Text if color => {}
                Format::Text | Format::Concise | Format::Github => {
                    prop_assert!(!shown.contains(acts_on_terminal), "{format:?}: {shown:?}");
                }
            }
            if format == Format::Concise {
                prop_assert!(shown.lines().count() <= findings.len() + 2);
            }
        }
    }
}
