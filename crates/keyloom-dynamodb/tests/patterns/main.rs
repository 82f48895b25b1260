//! What `size` says that the patterns of the examples cost is what servers count: every call of every plan is made through
//! the store, on rows that have exactly the sizes which are assumed. Differences are those of `common/counted.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on fails")]

#[path = "../common/mod.rs"]
mod common;
mod world;

use std::collections::BTreeMap;

use common::counted::{Difference, Tally};
use keyloom_design::design;
use keyloom_dynamodb::{DynamoDbDialect, abilities};
use keyloom_engines::{announce, say};
use keyloom_finding::Sources;
use keyloom_model::layout::Question;
use keyloom_model::{Engine, Pattern};
use keyloom_plan::Program;
use keyloom_size::{Effort, Ground, Often, Terms, Visit, Visits, size};
use keyloom_text::{Files, Unreadable, read, read_layout};
use world::World;

const SUITE: &str = "patterns";
/// Always, in millionths.
const ALWAYS: u128 = 1_000_000;

/// A catalog, and where it is not the designed one a layout by hand: with indexes, which the plain designer never takes.
const PROGRAMS: [(&str, &str, Option<&str>); 6] = [
    ("shop", include_str!("../../../../examples/shop/catalog.yaml"), None),
    ("chat", include_str!("../../../../examples/chat/catalog.yaml"), None),
    ("sensors", include_str!("../../../../examples/sensors/catalog.yaml"), None),
    ("cases", include_str!("../../../../examples/cases/catalog.yaml"), None),
    (
        "shop with an index",
        include_str!("../../../../examples/shop/catalog.yaml"),
        Some(include_str!("shop.layout.yaml")),
    ),
    (
        "chat with indexes",
        include_str!("../../../../examples/chat/catalog.yaml"),
        Some(include_str!("chat.layout.yaml")),
    ),
];

#[test]
fn dynoxide_counts_what_size_says() {
    common::on_dynoxide(SUITE, |engine, endpoint| compare(engine, endpoint, &[]));
}

#[test]
fn extenddb_counts_what_size_says() {
    let differences = [Difference::TransactionsLeaveIndexesOut];
    common::on_extenddb(SUITE, |engine, endpoint| compare(engine, endpoint, &differences));
}

/// A pattern costs what its calls cost: what is printed is what is compared with the servers. Where a row comes to a
/// decision with a share of the calls, it lies between that decision without and with all of them.
#[test]
fn what_size_says_is_the_sum_of_the_calls() {
    for (name, catalog, layout) in PROGRAMS {
        let program = program(catalog, layout);
        let ground = Ground::new(&program, &DynamoDbDialect);
        let sizes = size(&program, &DynamoDbDialect, &Terms::default());
        for (pattern, said) in program.catalog.patterns.iter().zip(&sizes.patterns) {
            let sum = sum(&ground, &program, pattern);
            let of = format!("{name}: {}: {said:?}, {sum:?}", pattern.name);
            let units = |effort: Effort| [effort.read_half_units, effort.write_units];
            let (low, high) = (units(said.effort.low), units(said.effort.high));
            for at in 0..2 {
                assert!(sum.low[at] <= low[at] && low[at] <= high[at] && high[at] <= sum.high[at], "{of}");
            }
            assert!(sum.shares || (low, high) == (sum.low, sum.high), "{of}");
        }
    }
}

fn compare(engine: &str, endpoint: &str, differences: &[Difference]) {
    let (mut tally, mut made) = (Tally::new(engine, differences), 0);
    for (name, catalog, layout) in PROGRAMS {
        let program = program(catalog, layout);
        let ground = Ground::new(&program, &DynamoDbDialect);
        let before = (tally.equal.values().sum::<u64>(), tally.otherwise.clone());
        let (calls, without) = common::runtime().block_on(async {
            let mut world = World::new(endpoint, &ground, &program).await;
            for pattern in &program.catalog.patterns {
                world.pattern(pattern, &mut tally).await;
            }
            (world.calls, world.without)
        });
        made += calls;
        let equal = tally.equal.values().sum::<u64>() - before.0;
        let mut line = format!("{engine}: {name}: {} patterns, {calls} calls", program.catalog.patterns.len());
        line += &format!(", {equal} as predicted");
        for (difference, calls) in &tally.otherwise {
            let calls = calls - before.1.get(difference).unwrap_or(&0);
            if calls > 0 {
                line += &format!(", {difference:?}: {calls}");
            }
        }
        say(&format!("{line}\n"));
        without.iter().for_each(|what| say(&format!("{engine}: {name}: not compared, since open: {what}\n")));
    }
    tally.all_differences_are_there();
    announce(SUITE, engine, made, 0);
}

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn program(catalog: &str, layout: Option<&str>) -> Program {
    let reading = read("catalog.yaml", &One(catalog), &mut Sources::default());
    let layout = layout.map(|text| {
        let read = read_layout("layout.yaml", &One(text), &mut Sources::default(), &reading);
        assert!(read.findings.is_empty(), "{:?}", read.findings);
        read.layout
    });
    let layout = layout.unwrap_or_else(|| design(&reading.catalog, Engine::DynamoDb, &abilities()));
    let program = Program::compile(&reading.catalog, &layout, &abilities());
    assert!(program.refusals.is_empty(), "{:?}", program.refusals);
    program
}

/// Half read units and write units, in thousandths.
type Units = [u128; 2];

/// All calls of a pattern together, at least and at most.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    low: Units,
    high: Units,
    /// Some of it happens with a share of the calls.
    shares: bool,
}

impl Sum {
    fn each(self, other: Self, low: fn(u128, u128) -> u128, high: fn(u128, u128) -> u128) -> Self {
        let each = |a: Units, b: Units, of: fn(u128, u128) -> u128| [of(a[0], b[0]), of(a[1], b[1])];
        let shares = self.shares || other.shares;
        Self { low: each(self.low, other.low, low), high: each(self.high, other.high, high), shares }
    }

    fn plus(self, other: Self) -> Self {
        self.each(other, u128::saturating_add, u128::saturating_add)
    }

    fn of(ground: &Ground<'_>, visits: &Visits) -> Self {
        let units = |visit: &Visit, times: u128| {
            let work = ground.work(visit);
            [work.read_half_units, work.write_units].map(|units| u128::from(units) * times * 1_000)
        };
        let times = visits.beside.iter().map(|beside| beside.visit.millionths);
        let times = times.chain(visits.decision.iter().map(|row| row.millionths));
        let shares = times.into_iter().any(|times| times.low % ALWAYS > 0 || times.high % ALWAYS > 0);
        let mut sum = Self { shares, ..Self::default() };
        for Often { least, most, millionths } in visits.beside.iter().map(|beside| &beside.visit) {
            let (low, high) = (units(least, millionths.low / ALWAYS), units(most, millionths.high.div_ceil(ALWAYS)));
            sum = sum.plus(Self { low, high, shares });
        }
        if let (Some(least), Some(most)) = (decided(visits, |_| false), decided(visits, |_| true)) {
            sum = sum.plus(Self { low: units(&least, 1), high: units(&most, 1), shares });
        }
        sum
    }
}

fn sum(ground: &Ground<'_>, program: &Program, pattern: &Pattern) -> Sum {
    // Orders and optional inputs are alternatives; the lists of `with` come on top.
    let mut parts: BTreeMap<Option<&String>, Sum> = BTreeMap::new();
    for plan in program.reads_of(&pattern.name) {
        let Question::Pattern { with, .. } = &plan.asked.question else { continue };
        let one = Sum::of(ground, &ground.read(plan));
        let part = parts.entry(with.as_ref()).or_insert(one);
        *part = part.each(one, u128::min, u128::max);
    }
    parts.into_values().fold(Sum::of(ground, &ground.write(pattern)), Sum::plus)
}

/// The decision of a plan with those of its rows that always come, and of the others those that are chosen.
fn decided(visits: &Visits, chosen: impl Fn(usize) -> bool) -> Option<Visit> {
    let mut rows = Vec::new();
    for (at, Often { least, most, millionths }) in visits.decision.iter().enumerate() {
        assert!(millionths.high <= ALWAYS, "no example decides several rows of one step");
        match (millionths.low >= ALWAYS, chosen(at)) {
            (_, true) => rows.push(most.clone()),
            (true, false) => rows.push(least.clone()),
            (false, false) => {}
        }
    }
    (!rows.is_empty()).then_some(Visit::Decide { rows })
}

/// Every call that a plan may make: decisions with none of what comes only sometimes, with each of it alone, with all.
pub(crate) fn all(visits: &Visits) -> Vec<Visit> {
    let beside = visits.beside.iter().flat_map(|beside| {
        let Often { least, most, millionths } = &beside.visit;
        let least = (millionths.low > 0).then(|| least.clone());
        least.into_iter().chain((millionths.high > 0).then(|| most.clone()))
    });
    let decisions = (0..visits.decision.len()).map(|one| decided(visits, |at| at == one));
    let decisions = decisions.chain([decided(visits, |_| false), decided(visits, |_| true)]).flatten();
    let mut all: Vec<Visit> = Vec::new();
    for visit in beside.chain(decisions) {
        if !all.contains(&visit) {
            all.push(visit);
        }
    }
    all
}
