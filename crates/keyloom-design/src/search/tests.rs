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
        not_run: &|_| 0,
        standing: None,
        is_over: &|_| false,
    })
}

/// How many designs of components were looked at one by one, and how many components there were.
#[derive(Debug, Default)]
struct Looked {
    components: u64,
    designs: u128,
    several: u64,
}

/// Enumerates the designs of every component that has at most so many, and compares the best with what the search finds.
fn enumerate(seed: u64, most: u128, looked: &mut Looked) {
    let text = catalog(seed, Size::of(seed));
    let reading = read("catalog.yaml", &One(&text), &mut Sources::default());
    let catalog = &reading.catalog;
    for engine in ENGINES {
        on(engine, |terms| {
            let plain = design(catalog, engine, terms.abilities);
            let lookups = Prepared::of(catalog, &plain, terms, Vec::new());
            let copied = copy::references(catalog, &plain, &lookups.choices);
            let prepared = Prepared::of(catalog, &plain, terms, copied);
            for component in &prepared.components {
                let mut scale = prepared.scale(component, terms);
                for design in all_designs(&scale.options, most) {
                    let (bound, score) = (branch::bound_of(&mut scale, &design), scale.weigh(&design));
                    assert!(
                        bound.broken <= score.broken && bound.weight <= score.weight,
                        "seed {seed} on {}: {:?} in {design:?} comes to {score:?}, less than {bound:?}",
                        engine.name(),
                        component.entities
                    );
                }
                let outcome = branch::search(&mut scale, &[], terms.is_over);
                assert!(outcome.bound <= outcome.cheapest && outcome.cheapest <= outcome.score);
                if outcome.designs > most {
                    continue;
                }
                let best = all_designs(&scale.options, most).into_iter().map(|design| scale.weigh(&design)).min();
                assert_eq!(Some(outcome.cheapest), best, "seed {seed} on {}: {:?}", engine.name(), component.entities);
                looked.components += 1;
                looked.designs += outcome.designs;
                looked.several += u64::from(outcome.designs > 1);
            }
        });
    }
}

/// Every assignment, where there are no more than so many.
fn all_designs(options: &[Vec<At>], most: u128) -> Vec<Vec<At>> {
    if options.iter().fold(1_u128, |all, options| all.saturating_mul(options.len() as u128)) > most {
        return Vec::new();
    }
    options.iter().fold(vec![Vec::new()], |designs, options| {
        let longer = |design: &Vec<At>| {
            let design = design.clone();
            options.iter().map(move |at| design.iter().copied().chain([*at]).collect()).collect::<Vec<Vec<At>>>()
        };
        designs.iter().flat_map(longer).collect()
    })
}

#[test]
fn the_best_of_all_designs_is_found() {
    let mut looked = Looked::default();
    (0..30).for_each(|seed| enumerate(seed, 300, &mut looked));
    println!("{looked:?}");
    assert!(looked.several > 50 && looked.designs > 1_000, "too little was chosen: {looked:?}");
}

/// `KEYLOOM_SEEDS=10000 cargo test --release -p keyloom-design --lib -- --ignored all_designs --nocapture`
#[test]
#[ignore = "minutes: for changes of the search or of what is weighed"]
fn all_designs_of_many_catalogs() {
    let seeds = std::env::var("KEYLOOM_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1_000);
    let mut looked = Looked::default();
    (0..seeds).for_each(|seed| enumerate(seed, 20_000, &mut looked));
    println!("{looked:?}");
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
    let plain = design(catalog, terms.engine, terms.abilities);
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
