//! What the examples come to on every engine, as golden text, and what holds of the sizes of any catalog.
//!
//! `KEYLOOM_UPDATE=1 cargo test` rewrites the files in `tests/size/`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "golden texts are files")]

use std::path::Path;

use keyloom::design::design;
use keyloom::facts::{Dollars, Prices};
use keyloom::finding::Sources;
use keyloom::model::{Catalog, Distribution, Engine, Frequency, Share, Skew, layout::Layout};
use keyloom::plan::Program;
use keyloom::size::{NodeSize, Quantity, Replicas, Sizes, Terms, WhatIf, json, plot, size, text, text_beside};
use keyloom::text::{Files, Unreadable, read};

struct One(String);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.clone())
    }
}

fn catalog(text: &str) -> Catalog {
    read("catalog.yaml", &One(text.to_owned()), &mut Sources::default()).catalog
}

const ENGINES: [Engine; 3] = [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb];

fn terms() -> Terms {
    Terms {
        prices: Prices::of("us-east-1").cloned(),
        region_assumed: true,
        replicas: Some(Replicas { count: 3, assumed: true }),
        node: Some(NodeSize { cores: 8, bytes: 2 << 40 }),
        node_price: Some(Dollars::from_nanos(310_000_000_000)),
    }
}

fn designed(catalog: &Catalog, engine: Engine) -> Layout {
    design(catalog, engine, &keyloom::serve::abilities(engine).unwrap())
}

fn sized(catalog: &Catalog, layout: &Layout) -> Sizes {
    let dialect = keyloom::serve::dialect(layout.engine, 3).unwrap();
    size(&Program::compile(catalog, layout, &dialect.abilities()), &*dialect, &terms())
}

#[test]
fn examples_come_to_the_same_as_before() {
    let mut differ = Vec::new();
    for example in keyloom::examples::ALL {
        let catalog = catalog(example.text);
        for engine in ENGINES {
            let shown = text(&sized(&catalog, &designed(&catalog, engine)));
            let name = format!("{}-{}.txt", example.name, engine.name());
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/size").join(&name);
            if std::env::var_os("KEYLOOM_UPDATE").is_some() {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &shown).unwrap();
            }
            if std::fs::read_to_string(&path).unwrap_or_default() != shown {
                differ.push(name);
            }
        }
    }
    assert!(differ.is_empty(), "{differ:?} are sized otherwise; KEYLOOM_UPDATE=1 shows how");
}

/// What a busier tenant or a larger group changes, worked out by hand from the example's own numbers.
#[test]
fn what_if_changes_what_it_names_and_nothing_else() {
    let cases = catalog(keyloom::examples::find("cases").unwrap().text);
    let layout = designed(&cases, Engine::Cassandra);
    let before = sized(&cases, &layout);
    let worst = |sizes: &Sizes, table: &str| {
        let table = sizes.tables.iter().find(|known| known.name == table).unwrap();
        table.partition.as_ref().unwrap().rows.worst.whole().unwrap()
    };
    let by_assignee = before.tables.iter().map(|table| table.name.clone());
    let by_assignee: Vec<String> = by_assignee.filter(|name| name.starts_with("task_open_by_assignee")).collect();
    assert!(!by_assignee.is_empty());
    let larger = WhatIf::parse("Task.assignee_id.worst x10").unwrap().apply(&cases).unwrap();
    let after = sized(&larger, &layout);
    for table in &by_assignee {
        assert_eq!((worst(&before, table), worst(&after, table)), (200_000, 2_000_000), "{table}");
    }
    assert_eq!(before.total.stored, after.total.stored, "a larger group is no more rows in all");
    assert!(text_beside(&before, &after, &["Task.assignee_id.worst x10".to_owned()]).contains("200k -> 2M rows"));

    let faster = WhatIf::parse("open_case.rate x5").unwrap().apply(&cases).unwrap();
    for (old, new) in before.patterns.iter().zip(&sized(&faster, &layout).patterns) {
        let times = if new.name == "open_case" { 5 } else { 1 };
        assert_eq!(new.calls.month.value(), old.calls.month.value().map(|calls| calls * times), "{}", new.name);
    }
    // 40 % x 100 and 60 %: 40.6 times as many rows.
    let busier = WhatIf::parse("busiest tenant x100").unwrap().apply(&cases).unwrap();
    let rows = |sizes: &Sizes| sizes.tables.iter().find(|table| table.name == "task").unwrap().rows.now.whole();
    assert_eq!((rows(&before), rows(&sized(&busier, &layout))), (Some(50_000_000), Some(2_030_000_000)));
}

#[test]
fn what_is_not_stated_is_never_zero() {
    let mut shop = catalog(keyloom::examples::find("shop").unwrap().text);
    for entity in &mut shop.entities {
        entity.volume = None;
        entity.groups.clear();
    }
    for pattern in &mut shop.patterns {
        pattern.rate = Frequency::Unknown;
    }
    for engine in ENGINES {
        let sizes = sized(&shop, &designed(&shop, engine));
        assert!(sizes.total.stored.iter().all(|stored| stored.whole().is_none()));
        for table in &sizes.tables {
            assert_eq!(table.rows.now.value(), None, "{}", table.name);
        }
        if let Some(month) = &sizes.total.dynamodb {
            assert_eq!(month.on_demand.high.whole(), None);
        }
        assert!(text(&sizes).contains("entities.Order.volume.rows"));
    }
}

/// A small stream of numbers, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn number(&mut self) -> Option<u64> {
        match self.roll() % 8 {
            0 => None,
            1 => Some(0),
            2 => Some(1),
            3 => Some(u64::MAX),
            4 => Some(self.roll() % 1_000),
            _ => Some(self.roll() % 10_000_000_000),
        }
    }
}

/// Other numbers in a catalog: any, missing and absurd ones included.
fn shaken(catalog: &Catalog, dice: &mut Dice) -> Catalog {
    let mut catalog = catalog.clone();
    if let Some(tenant) = &mut catalog.tenant {
        tenant.count = dice.number();
        tenant.busiest =
            (!dice.roll().is_multiple_of(4)).then(|| Share { millionths: (dice.roll() % 1_000_001) as u32 });
    }
    for entity in &mut catalog.entities {
        if let Some(volume) = &mut entity.volume {
            volume.rows = dice.number();
            if let Some(growth) = &mut volume.growth {
                growth.events = dice.number().unwrap_or(growth.events);
            }
        }
        for group in &mut entity.groups {
            let per = group.rows.per;
            group.rows = Distribution { typical: dice.number(), p99: dice.number(), worst: dice.number(), per };
        }
    }
    for pattern in &mut catalog.patterns {
        match &mut pattern.rate {
            Frequency::Stated { mean, peak } => {
                for rate in [mean, peak].into_iter().flatten() {
                    rate.events = dice.number().unwrap_or(rate.events);
                }
            }
            rate => *rate = if dice.roll().is_multiple_of(2) { Frequency::Rare } else { Frequency::Unknown },
        }
        if dice.roll().is_multiple_of(3) {
            pattern.skew = Some(Skew::Busiest(Share { millionths: (dice.roll() % 1_000_001) as u32 }));
        }
    }
    catalog
}

/// Twice as many rows of everything that is stated.
fn more(catalog: &Catalog) -> Catalog {
    let mut catalog = catalog.clone();
    for entity in &mut catalog.entities {
        if let Some(volume) = &mut entity.volume {
            volume.rows = volume.rows.map(|rows| rows.saturating_mul(2));
            if let Some(growth) = &mut volume.growth {
                growth.events = growth.events.saturating_mul(2);
            }
        }
    }
    catalog
}

fn holds_of(catalog: &Catalog, engine: Engine, seed: u64) {
    let mut dice = Dice(seed);
    let layout = designed(catalog, engine);
    for _ in 0..3 {
        let shaken = shaken(catalog, &mut dice);
        let sizes = sized(&shaken, &layout);
        let _: serde_json::Value = serde_json::from_str(&json(&sizes, Some(&sizes))).unwrap();
        assert!(plot(&sizes).ends_with("</svg>\n"));
        assert!(text_beside(&sizes, &sizes, &[]).contains("Nothing changes"), "{}", text(&sizes));
        let larger = sized(&more(&shaken), &layout);
        let never_less = |old: &Quantity, new: &Quantity| old.value() <= new.value();
        for (old, new) in sizes.tables.iter().zip(&larger.tables) {
            for years in [0, 1, 7] {
                let then = |table: &keyloom::size::TableSize| table.stored_after(years * 31_557_600_000);
                assert!(
                    never_less(&then(old), &then(new)),
                    "seed {seed}, {}: {:?}, {:?}",
                    old.name,
                    old.rows,
                    new.rows
                );
            }
        }
        for (old, new) in sizes.total.stored.iter().zip(&larger.total.stored) {
            assert!(never_less(old, new), "seed {seed}");
        }
    }
}

#[test]
fn any_numbers_are_sized_and_more_rows_are_never_fewer_bytes() {
    for engine in ENGINES {
        for example in keyloom::examples::ALL {
            holds_of(&catalog(example.text), engine, 1);
        }
    }
    for seed in 0..60 {
        let text = keyloom_sample::catalog(seed, keyloom_sample::Size::of(seed));
        holds_of(&catalog(&text), ENGINES[seed as usize % 3], seed);
    }
}
