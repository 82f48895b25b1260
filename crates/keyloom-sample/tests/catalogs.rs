//! What the rest of the project takes for granted of a sample: it is read without errors, printing it canonically changes
//! nothing of what it says, and the same seed gives the same bytes.

#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use keyloom_finding::{Level, Sources};
use keyloom_sample::{Size, catalog};
use keyloom_text::{Files, Reading, Unreadable, read};

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

/// What was understood, or the first error with the line it is about.
fn reading(text: &str) -> Result<(Reading, Sources), String> {
    let mut sources = Sources::default();
    let reading = read("catalog.yaml", &One(text.to_owned()), &mut sources);
    let error = reading.findings.iter().find(|finding| finding.level == Level::Error);
    match error {
        Some(finding) => {
            let about = finding.place.map(|place| sources.text(place).to_owned()).unwrap_or_default();
            Err(format!("{}: {}\n  about: {about}", finding.rule.name, finding.message))
        }
        None => Ok((reading, sources)),
    }
}

/// The whole promise for one seed.
fn keeps_its_promise(seed: u64) -> Result<(), String> {
    let text = catalog(seed, Size::of(seed));
    let (before, sources) = reading(&text)?;
    let printed = keyloom_text::format(&sources, before.files[0]).map_err(|_| "fmt refuses it".to_owned())?;
    let (after, sources) = reading(&printed).map_err(|error| format!("after fmt: {error}"))?;
    if before.catalog != after.catalog {
        return Err("fmt changed its meaning".to_owned());
    }
    let again = keyloom_text::format(&sources, after.files[0]).map_err(|_| "fmt refuses its own".to_owned())?;
    if printed == again { Ok(()) } else { Err("fmt is not settled after one run".to_owned()) }
}

fn all_keep_it(seeds: std::ops::Range<u64>) {
    let broken: Vec<String> =
        seeds.filter_map(|seed| keeps_its_promise(seed).err().map(|why| format!("seed {seed}: {why}"))).collect();
    let shown: Vec<&String> = broken.iter().take(20).collect();
    assert!(broken.is_empty(), "{} are broken:\n{shown:#?}", broken.len());
}

#[test]
fn a_thousand_catalogs_are_read_and_printed() {
    all_keep_it(0..1_000);
}

#[test]
#[ignore = "takes two minutes; see CONTRIBUTING.md"]
fn twenty_thousand_catalogs_are_read_and_printed() {
    all_keep_it(0..20_000);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for size in Size::ALL {
        assert_eq!(catalog(41, size), catalog(41, size));
        assert_ne!(catalog(41, size), catalog(42, size));
    }
}

#[test]
fn sizes_are_what_they_promise() {
    let (mut smallest, mut largest) = ((usize::MAX, usize::MAX), (0, 0));
    for seed in 0..300 {
        let (small, _) = reading(&catalog(seed, Size::Small)).unwrap();
        let (large, _) = reading(&catalog(seed, Size::Large)).unwrap();
        let figures = |reading: &Reading| {
            let declared = reading.catalog.entities.iter().filter(|entity| entity.is_declared());
            (declared.count(), reading.catalog.patterns.len())
        };
        let (few, many) = (figures(&small), figures(&large));
        assert!((1..=2).contains(&few.0) && (2..=6).contains(&few.1), "seed {seed} is not small: {few:?}");
        assert!((8..=12).contains(&many.0) && (25..=40).contains(&many.1), "seed {seed} is not large: {many:?}");
        smallest = smallest.min(few);
        largest = largest.max(many);
    }
    assert_eq!((smallest, largest), ((1, 2), (12, 40)), "both ends are reached");
}
