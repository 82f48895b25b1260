//! The search on the examples: never worse than the plain design.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and says what it saw"
)]

use keyloom_design::search::{Found, Terms, search};
use keyloom_facts::Prices;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_size::{Replicas, Tariff, Terms as Priced};
use keyloom_store::{Abilities, Dialect};
use keyloom_text::{Files, Unreadable, read};

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

const ENGINES: [Engine; 3] = [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb];

fn dialect(engine: Engine) -> Box<dyn Dialect> {
    match engine {
        Engine::Cassandra => Box::new(keyloom_cassandra::CassandraDialect { replicas: 3 }),
        Engine::DynamoDb => Box::new(keyloom_dynamodb::DynamoDbDialect),
        _ => Box::new(keyloom_embedded::EmbeddedDialect),
    }
}

fn tariff(engine: Engine) -> Tariff {
    let prices = Prices::of("us-east-1").cloned();
    let replicas = Some(Replicas { count: 3, assumed: true });
    Tariff::of(engine, &Priced { prices, replicas, ..Priced::default() })
}

fn found(catalog: &Catalog, engine: Engine) -> Found {
    let dialect = dialect(engine);
    let abilities: Abilities = dialect.abilities();
    let tariff = tariff(engine);
    let terms = Terms { engine, abilities: &abilities, dialect: &*dialect, tariff: &tariff, is_over: &|| false };
    search(catalog, &terms)
}

fn example(name: &str) -> Catalog {
    let path = format!("{}/../../examples/{name}/catalog.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    read("catalog.yaml", &One(&text), &mut Sources::default()).catalog
}

#[test]
fn designs_of_examples_are_no_worse_than_plain_ones() {
    for name in ["shop", "chat", "sensors", "cases-core", "cases"] {
        let catalog = example(name);
        for engine in ENGINES {
            let began = std::time::Instant::now();
            let found = found(&catalog, engine);
            println!(
                "{name} on {}: {} of {} designs from {} tables in {:?}: broken {:x} (plain {:x}), {} (plain {}), bound {}",
                engine.name(),
                found.layout.tables.len(),
                found.parts.iter().fold(1_u128, |all, part| all.saturating_mul(part.designs)),
                found.shapes,
                began.elapsed(),
                found.score.broken,
                found.plain.broken,
                Tariff::nanos(found.score.weight),
                Tariff::nanos(found.plain.weight),
                found.parts.iter().map(|part| Tariff::nanos(part.bound.weight)).sum::<u128>(),
            );
            assert!(found.score <= found.plain);
        }
    }
}
