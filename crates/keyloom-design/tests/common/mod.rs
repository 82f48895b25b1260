//! Catalogs, and what is known of engines without asking them.

use keyloom_design::search::Terms;
use keyloom_facts::Prices;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_size::{Replicas, Tariff, Terms as Priced};
use keyloom_store::Dialect;
use keyloom_text::{Files, Unreadable, read};

/// The engines that are designed for.
pub const ENGINES: [Engine; 3] = [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb];

/// One file, whatever it is called.
pub struct One<'a>(pub &'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

/// Does something under the terms of an engine, without a limit of time.
pub fn on<T>(engine: Engine, then: impl FnOnce(&Terms<'_>) -> T) -> T {
    let dialect: Box<dyn Dialect> = match engine {
        Engine::Cassandra => Box::new(keyloom_cassandra::CassandraDialect { replicas: 3 }),
        Engine::DynamoDb => Box::new(keyloom_dynamodb::DynamoDbDialect),
        _ => Box::new(keyloom_embedded::EmbeddedDialect),
    };
    let prices = Prices::of("us-east-1").cloned();
    let replicas = Some(Replicas { count: 3, assumed: true });
    let tariff = Tariff::of(engine, &Priced { prices, replicas, ..Priced::default() });
    let abilities = dialect.abilities();
    let terms = Terms {
        engine,
        abilities: &abilities,
        dialect: &*dialect,
        tariff: &tariff,
        not_run: &|_| Vec::new(),
        standing: None,
        is_over: &|_| false,
    };
    then(&terms)
}

/// The catalog that a text says.
pub fn catalog_of(text: &str) -> Catalog {
    read("catalog.yaml", &One(text), &mut Sources::default()).catalog
}

/// A catalog of the examples.
pub fn example(name: &str) -> Catalog {
    let path = format!("{}/../../examples/{name}/catalog.yaml", env!("CARGO_MANIFEST_DIR"));
    catalog_of(&std::fs::read_to_string(path).unwrap())
}
