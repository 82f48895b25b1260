//! Numbers of a catalog are estimates: other ones that are nearly the same give the same tables.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, says what it saw, and is told how long to look"
)]

mod common;

use common::{ENGINES, example, on};
use keyloom_design::search::{Standing, Terms, ToChange, search};
use keyloom_model::layout::{Layout, Table};
use keyloom_model::{Catalog, Distribution, Frequency, Rate, Skew, TimeSpan};

/// Numbers that look random and are the same everywhere.
struct Dice(u64);

impl Dice {
    /// A factor between nine and eleven tenths, in thousandths.
    fn about_one(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        900 + (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) % 201
    }

    fn count(&mut self, number: &mut Option<u64>) {
        *number = number.map(|number| (number.saturating_mul(self.about_one()) / 1_000).max(1));
    }

    fn rate(&mut self, rate: &mut Option<Rate>) {
        *rate = rate.map(|rate| Rate {
            events: rate.events.saturating_mul(self.about_one()),
            per: TimeSpan::new(rate.per.amount.saturating_mul(1_000), rate.per.unit),
        });
    }

    fn rows(&mut self, rows: &mut Distribution<u64>) {
        [&mut rows.typical, &mut rows.p99, &mut rows.worst].into_iter().for_each(|number| self.count(number));
        // What none exceeds is no less than what one in a hundred exceeds.
        rows.p99 = rows.p99.max(rows.typical.filter(|_| rows.p99.is_some()));
        rows.worst = rows.worst.max(rows.p99.or(rows.typical).filter(|_| rows.worst.is_some()));
    }
}

/// The same catalog with every number a tenth more or less.
fn nearly(catalog: &Catalog, seed: u64) -> Catalog {
    let mut dice = Dice(seed);
    let mut other = catalog.clone();
    for entity in &mut other.entities {
        if let Some(volume) = &mut entity.volume {
            dice.count(&mut volume.rows);
            dice.rate(&mut volume.growth);
        }
        entity.groups.iter_mut().for_each(|group| dice.rows(&mut group.rows));
    }
    for pattern in &mut other.patterns {
        if let Frequency::Stated { mean, peak } = &mut pattern.rate {
            dice.rate(mean);
            dice.rate(peak);
        }
        if let Some(Skew::Busiest(share)) = &mut pattern.skew {
            let millionths = u64::from(share.millionths) * dice.about_one() / 1_000;
            share.millionths = u32::try_from(millionths.min(1_000_000)).unwrap();
        }
    }
    other
}

/// Where the rows of every list stand, whatever it is called.
fn structures(layout: &Layout) -> Vec<String> {
    let said = |table: &Table| format!("{:?} {:?} {:?} {:?}", table.holds, table.filter, table.partition, table.sort);
    let mut all: Vec<String> = layout.tables.iter().map(said).collect();
    all.sort();
    all
}

/// How often the tables stayed the same, of so many runs: beside the first layout, and from nothing.
fn stayed(catalog: &Catalog, terms: &Terms<'_>, runs: u64) -> (u64, u64) {
    let first = search(catalog, terms).layout;
    let standing = Some(Standing { layout: &first, reason: ToChange::Costs });
    let beside = Terms { standing, ..*terms };
    let same = |layout: &Layout| u64::from(structures(layout) == structures(&first));
    (0..runs).fold((0, 0), |(kept, anew), seed| {
        let other = nearly(catalog, seed);
        (kept + same(&search(&other, &beside).layout), anew + same(&search(&other, terms).layout))
    })
}

#[test]
fn nearly_the_same_numbers_give_the_same_tables() {
    let runs = std::env::var("KEYLOOM_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(4);
    let (mut all, mut kept) = (0, 0);
    for name in ["shop", "chat", "sensors", "cases-core", "cases"] {
        let catalog = example(name);
        for engine in ENGINES {
            let (beside, anew) = on(engine, |terms| stayed(&catalog, terms, runs));
            println!(
                "{name} on {}: {beside} of {runs} the same beside the first layout, {anew} from nothing",
                engine.name()
            );
            all += runs;
            kept += beside;
        }
    }
    println!("{kept} of {all} the same beside the first layout");
    assert!(kept * 100 >= all * 99, "{kept} of {all}");
}
