//! The search against all designs, one by one.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test says what it saw, and is told how long to look"
)]

use keyloom_finding::Sources;
use keyloom_sample::{Size, catalog};
use keyloom_size::{Replicas, Terms as Priced};
use keyloom_text::{Files, Unreadable, read};

use super::*;

const ENGINES: [Engine; 3] = [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb];

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

/// What is known of an engine without asking it.
fn on<T>(engine: Engine, then: impl FnOnce(&Terms<'_>) -> T) -> T {
    let dialect: Box<dyn Dialect> = match engine {
        Engine::Cassandra => Box::new(keyloom_cassandra::CassandraDialect { replicas: 3 }),
        Engine::DynamoDb => Box::new(keyloom_dynamodb::DynamoDbDialect),
        _ => Box::new(keyloom_embedded::EmbeddedDialect),
    };
    let prices = keyloom_facts::Prices::of("us-east-1").cloned();
    let replicas = Some(Replicas { count: 3, assumed: true });
    let tariff = Tariff::of(engine, &Priced { prices, replicas, ..Priced::default() });
    let abilities = dialect.abilities();
    then(&Terms {
        engine,
        abilities: &abilities,
        dialect: &*dialect,
        tariff: &tariff,
        not_run: &|_| Vec::new(),
        standing: None,
        is_over: &|_| false,
    })
}

/// What was looked at one by one.
#[derive(Debug, Default)]
struct Looked {
    /// Components, those with more than one design, those where fields are copied, those beside a layout in use, and those with
    /// too many designs to be looked at.
    components: u64,
    several: u64,
    copying: u64,
    beside: u64,
    too_many: u64,
    designs: u128,
    /// The most designs of one component.
    most: u128,
    /// Designs that were compiled and sized as a whole, and those of them whose tables add up to just that.
    weighed: u64,
    add_up: u64,
}

/// So many designs of a component are compiled and sized as a whole, whether the search could miss something there or not.
const SAMPLES: u128 = 64;

/// Looks at all designs of every component of the catalog of a seed, where there are at most so many of them; with every set of
/// references copied where there are few, and beside the plain design as the one in use.
fn enumerate(seed: u64, most: u128, looked: &mut Looked) {
    let text = catalog(seed, Size::of(seed));
    let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
    let catalog = &reading.catalog;
    for engine in ENGINES {
        on(engine, |terms| {
            let plain = plain(catalog, terms);
            let lookups = Prepared::of(catalog, &plain, terms, Vec::new());
            let all = copy::references(catalog, &plain.layout, &lookups.choices);
            let own: Vec<&Reference> = all.iter().collect();
            let sets = match own.len() {
                few @ ..=2 => (0..1 << few).collect(),
                many => vec![0, (1 << many.min(31)) - 1],
            };
            let standing = Some(Standing { layout: &plain.layout, reason: ToChange::Costs });
            for terms in [*terms, Terms { standing, ..*terms }] {
                for set in &sets {
                    let copied = picked(&own, *set).into_iter().cloned().collect();
                    let prepared = Prepared::of(catalog, &plain, &terms, copied);
                    for component in &prepared.components {
                        let scale = prepared.scale(component, &terms);
                        let said = format!("seed {seed} on {}: {:?}", engine.name(), component.entities);
                        compare(scale, most, &said, looked);
                    }
                }
            }
        });
    }
}

/// Compares what the search finds with every design of a component.
fn compare(mut scale: Scale<'_>, most: u128, said: &str, looked: &mut Looked) {
    let designs = scale.options.iter().fold(1_u128, |all, options| all.saturating_mul(options.len() as u128));
    if designs > most {
        looked.too_many += 1;
        return;
    }
    let outcome = branch::search(&mut scale, &[], &|_| false);
    assert_eq!(outcome.bound, outcome.cheapest, "{said}");
    let ceiling = scale.ceiling(outcome.cheapest);
    let found = (scale.simplicity(&outcome.assigned), outcome.score);
    let (mut seen, step) = (0_u128, designs.div_ceil(SAMPLES));
    branch::every(&mut scale, &mut |scale, design, least, simplicity| {
        seen += 1;
        let could_be_better = least < outcome.cheapest || least <= ceiling && (simplicity, least) < found;
        if !could_be_better && seen % step != 0 {
            return;
        }
        let score = scale.weigh(design);
        assert!(
            least.broken <= score.broken && least.weight <= score.weight,
            "{said} in {design:?} comes to {score:?}, less than {least:?}"
        );
        assert!(score >= outcome.cheapest, "{said}: {design:?} comes to {score:?}, less than {outcome:?}");
        let simpler = score <= ceiling && (simplicity, score) < found;
        assert!(!simpler, "{said}: {design:?} comes to {score:?} and is simpler than {outcome:?}");
        looked.weighed += 1;
        looked.add_up += u64::from(least == score);
    });
    assert_eq!(seen, designs, "{said}");
    looked.components += 1;
    looked.several += u64::from(designs > 1);
    looked.copying += u64::from(scale.copies_something());
    looked.beside += u64::from(scale.is_standing());
    looked.designs += designs;
    looked.most = looked.most.max(designs);
}

#[test]
fn the_best_of_all_designs_is_found() {
    let mut looked = Looked::default();
    (0..30).for_each(|seed| enumerate(seed, 300, &mut looked));
    println!("{looked:?}");
    assert!(looked.several > 50 && looked.designs > 1_000, "too little was chosen: {looked:?}");
    assert!(looked.copying > 0 && looked.beside > 0, "too little was chosen: {looked:?}");
}

/// `KEYLOOM_SEEDS=0..10000 cargo test --release -p keyloom-design --lib -- --ignored all_designs --nocapture`
#[test]
#[ignore = "minutes: for changes of the search or of what is weighed"]
fn all_designs_of_many_catalogs() {
    let stated = std::env::var("KEYLOOM_SEEDS").unwrap_or_else(|_| "1000".to_owned());
    let (from, to) = stated.split_once("..").unwrap_or(("0", &stated));
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("KEYLOOM_SEEDS is a number or a range"));
    let mut looked = Looked::default();
    (number(from)..number(to)).for_each(|seed| enumerate(seed, 1 << 20, &mut looked));
    println!("{stated}: {looked:?}");
}

#[test]
fn what_components_weigh_is_what_the_whole_weighs() {
    for seed in 0..40 {
        let text = catalog(seed, Size::of(seed));
        let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
        for engine in ENGINES {
            on(engine, |terms| {
                let found = search(&reading.catalog, terms);
                assert!(found.score <= found.plain, "seed {seed} on {}", engine.name());
                let refused = |layout: &Layout| {
                    let program = Program::compile(&reading.catalog, layout, terms.abilities);
                    program.refusals.len()
                };
                let plain = design(&reading.catalog, engine, terms.abilities);
                assert_eq!(refused(&found.layout), refused(&plain), "seed {seed} on {}", engine.name());
                if found.is_plain {
                    return;
                }
                let has_index = found.layout.tables.iter().any(keyloom_plan::is_index);
                let sum = found.parts.iter().fold(0_u128, |sum, part| sum.saturating_add(part.score.weight));
                // Rows that others look up are larger where an index shows them.
                if found.score.weight != sum && !has_index {
                    differences(&reading.catalog, &found, terms);
                }
                assert!(
                    found.score.weight == sum || has_index && found.score.weight > sum,
                    "seed {seed} on {}: {} in all, {sum} in parts",
                    engine.name(),
                    found.score.weight
                );
            });
        }
    }
}

/// Says where a component weighs something otherwise than the whole does.
fn differences(catalog: &Catalog, found: &Found, terms: &Terms<'_>) {
    let plain = plain(catalog, terms);
    let prepared = Prepared::of(catalog, &plain, terms, found.copied.clone());
    let whole = Program::compile(catalog, &found.layout, terms.abilities);
    let weighed = Ground::new(&whole, terms.dialect).weigh(terms.tariff, &prepared.equally);
    let equally = Equally::of(whole.reads.iter().map(|plan| &plan.asked));
    if equally != prepared.equally {
        println!("{equally:?}\n{:?}", prepared.equally);
    }
    for (component, outcome) in prepared.components.iter().zip(&found.parts) {
        let mut scale = prepared.scale(component, terms);
        scale.weigh(&outcome.assigned);
        let part = Ground::new(&scale.program, terms.dialect).weigh(terms.tariff, &prepared.equally);
        for (plan, weight) in scale.program.reads.iter().zip(&part.reads) {
            let at = whole.reads.iter().position(|known| known.asked.question == plan.asked.question);
            let of_whole = at.map(|at| weighed.reads[at]);
            if of_whole != Some(*weight) {
                println!("{}: {weight} of {:?}", plan.asked.question, of_whole);
            }
        }
        for (pattern, weight) in &part.writes {
            if weighed.writes.get(pattern) != Some(weight) {
                println!("{pattern}: {weight} of {:?}", weighed.writes.get(pattern));
                let of = |program: &Program| program.writes_of(pattern).cloned().collect::<Vec<_>>();
                println!("  {:?}\n  {:?}", of(&scale.program), of(&whole));
            }
        }
        for (table, stored) in scale.program.layout.tables.iter().zip(&part.stored) {
            let at = whole.layout.tables.iter().position(|known| known.name == table.name);
            if at.map(|at| weighed.stored[at]) != Some(*stored) {
                println!("{}: {stored} stored of {:?}", table.name, at.map(|at| weighed.stored[at]));
            }
        }
    }
    let reads = whole.reads.iter().zip(&weighed.reads).filter(|(_, weight)| **weight > 0);
    let has = |plan: &keyloom_plan::ReadPlan| {
        prepared
            .choices
            .iter()
            .flat_map(|choice| &choice.asked)
            .chain(&prepared.rows)
            .any(|asked| asked.question == plan.asked.question)
    };
    reads
        .filter(|(plan, _)| !has(plan))
        .for_each(|(plan, weight)| println!("{} is in no part: {weight}", plan.asked.question));
}
