//! Numbers of a catalog are estimates: other ones that are nearly the same give the same tables.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, says what it saw, and is told how long to look"
)]

mod common;

use common::{ENGINES, example, on};
use keyloom_design::search::{Broken, Crossing, Standing, Terms, ToChange, check, crossing, search};
use keyloom_model::layout::{Layout, Table};
use keyloom_model::{Catalog, Distribution, Frequency, Rate, Skew, TimeSpan, TimeUnit};
use keyloom_size::calls_in_month;

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

/// How often the tables stayed the same, and what decided where they did not.
#[derive(Debug, Default)]
struct Stayed {
    beside: u64,
    anew: u64,
    /// What decided: a limit, a rate, a number of rows.
    limits: u64,
    rates: u64,
    rows: u64,
}

/// Searches so often with other numbers: beside the first layout, and from nothing.
fn stayed(catalog: &Catalog, terms: &Terms<'_>, runs: u64) -> Stayed {
    let first = search(catalog, terms).layout;
    let standing = Some(Standing { layout: &first, reason: ToChange::Costs });
    let beside = Terms { standing, ..*terms };
    let mut stayed = Stayed::default();
    for seed in 0..runs {
        let other = nearly(catalog, seed);
        let kept = search(&other, &beside);
        let anew = search(&other, terms);
        let same = |layout: &Layout| structures(layout) == structures(&first);
        stayed.beside += u64::from(same(&kept.layout));
        stayed.anew += u64::from(same(&anew.layout));
        if !same(&kept.layout) {
            let said = kept.changes.and_then(|changes| changes.crossing);
            let said = said.or_else(|| crossing(&other, &first, &kept.layout, &beside));
            stayed.count(&other, &first, &kept.layout, said, terms);
        }
        if !same(&anew.layout) {
            let crossing = crossing(&other, &first, &anew.layout, terms);
            stayed.count(&other, &first, &anew.layout, crossing, terms);
        }
    }
    stayed
}

impl Stayed {
    /// A change: it says what decided, and that is true.
    fn count(
        &mut self,
        catalog: &Catalog,
        one: &Layout,
        other: &Layout,
        crossing: Option<Crossing>,
        terms: &Terms<'_>,
    ) {
        let score = |catalog: &Catalog, layout: &Layout| check(catalog, layout, terms);
        // At the number that is named, one costs just so many hundredths more than the other.
        let differ = |catalog: &Catalog, apart: u128| {
            let (one, other) = (score(catalog, one).weight, score(catalog, other).weight);
            let (low, high) = (one.min(other) * (100 + apart), one.max(other) * 100);
            assert!(low.abs_diff(high) <= low / 1_000, "{one} and {other} at {crossing:?}");
        };
        let mut there = catalog.clone();
        match &crossing {
            Some(Crossing::Limits(broken)) => {
                assert_ne!(score(catalog, one).broken, score(catalog, other).broken);
                assert_ne!(*broken, Broken::default());
                self.limits += 1;
            }
            Some(Crossing::Rate { flip, apart }) => {
                let pattern = there.patterns.iter_mut().find(|pattern| pattern.name == flip.pattern).unwrap();
                assert_eq!(flip.now, calls_in_month(pattern));
                let month = TimeSpan::new(86_400 * 3_044 / 100, TimeUnit::Second);
                let rate = Some(Rate { events: u64::try_from(flip.then).unwrap(), per: month });
                pattern.rate = Frequency::Stated { mean: rate, peak: rate };
                differ(&there, *apart);
                self.rates += 1;
            }
            Some(Crossing::Rows { entity, then, apart, .. }) => {
                let entity = there.entities.iter_mut().find(|known| known.name == *entity).unwrap();
                entity.volume.as_mut().unwrap().rows = Some(u64::try_from(*then).unwrap());
                differ(&there, *apart);
                self.rows += 1;
            }
            // Without a number that decides, both come to the same.
            None => assert_eq!(score(catalog, one), score(catalog, other)),
        }
    }
}

#[test]
fn nearly_the_same_numbers_give_the_same_tables() {
    let runs = std::env::var("KEYLOOM_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(4);
    let (mut all, mut kept, mut anew) = (0, 0, 0);
    for name in ["shop", "chat", "sensors", "cases-core", "cases"] {
        let catalog = example(name);
        for engine in ENGINES {
            let stayed = on(engine, |terms| stayed(&catalog, terms, runs));
            println!("{name} on {}, {runs} runs: {stayed:?}", engine.name());
            all += runs;
            kept += stayed.beside;
            anew += stayed.anew;
        }
    }
    println!("{kept} of {all} the same beside the first layout, {anew} from nothing");
    assert!(kept * 100 >= all * 99, "{kept} of {all}");
}
