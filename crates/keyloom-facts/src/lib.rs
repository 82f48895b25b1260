//! Dated limits and prices of the engines, as data with their sources.
//!
//! A limit is not a constant: vendors raise quotas, and a rule of thumb is not a refusal. So each number is a [`Fact`]
//! with the document that states it and the day on which somebody last read it there. The facts stand in `data/`, one
//! file per engine, and are part of the program; this crate reads no file and knows no clock.
//!
//! ```
//! use keyloom_facts::fact;
//! use keyloom_model::{Date, Engine};
//!
//! let item = fact(Engine::DynamoDb, "item_bytes");
//! assert_eq!(item.value, 409_600);
//! assert_eq!(item.to_string(), "400 KB per item");
//! assert!(item.kind.is_documented_limit());
//! assert_eq!(item.age_months(Date { year: 2027, month: 6, day: 1 }), 6);
//! ```

mod fact;
mod parse;
mod prices;

use std::sync::LazyLock;

use keyloom_model::{Date, Engine};

pub use fact::{Fact, Kind};
pub use prices::{Dollars, OnDemand, Prices, Provisioned, Storage};

/// The facts about one engine.
#[derive(Debug)]
pub struct Facts {
    /// Whose facts they are.
    pub engine: Engine,
    /// The day on which somebody last went through all of them.
    pub checked: Date,
    facts: Vec<Fact>,
}

impl Facts {
    /// The facts about an engine.
    pub fn of(engine: Engine) -> &'static Self {
        static FACTS: LazyLock<[Facts; Engine::ALL.len()]> = LazyLock::new(|| {
            Engine::ALL.map(|engine| match parse::facts(engine, data(engine)) {
                Ok(facts) => facts,
                // The data is part of the program, and a test reads all of it: this can't be reached in a build that
                // has passed its tests.
                Err(error) => panic!("the facts about {} are malformed: {error}", engine.name()),
            })
        });
        &FACTS[engine as usize]
    }

    /// The fact of that name, if the engine has it.
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.name == name)
    }

    /// All facts, in the order of the data file.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter()
    }

    /// The day of the fact that was checked longest ago.
    pub fn oldest(&self) -> Date {
        self.iter().map(|fact| fact.date).fold(self.checked, Date::min)
    }
}

/// The fact of that name about an engine.
///
/// # Panics
/// When the engine has no such fact. Names are written in code, never by users, and whoever writes one tests it; for a
/// fact that not every engine has there is [`Facts::get`].
pub fn fact(engine: Engine, name: &str) -> &'static Fact {
    Facts::of(engine).get(name).unwrap_or_else(|| panic!("there is no fact `{name}` about {}", engine.name()))
}

/// The text of an engine's data file.
fn data(engine: Engine) -> &'static str {
    match engine {
        Engine::Embedded => include_str!("../data/embedded.toml"),
        Engine::DynamoDb => include_str!("../data/dynamodb.toml"),
        Engine::Cassandra => include_str!("../data/cassandra.toml"),
        Engine::MongoDb => include_str!("../data/mongodb.toml"),
        Engine::Redis => include_str!("../data/redis.toml"),
        Engine::Firestore => include_str!("../data/firestore.toml"),
    }
}

/// All facts about all engines.
pub fn all() -> impl Iterator<Item = &'static Fact> {
    Engine::ALL.into_iter().flat_map(|engine| Facts::of(engine).iter())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_data_file_is_well_formed() {
        for engine in Engine::ALL {
            let facts = parse::facts(engine, data(engine)).unwrap_or_else(|error| panic!("{}: {error}", engine.name()));
            assert!(facts.iter().count() > 0, "{} has no facts", engine.name());
            let names: BTreeSet<_> = facts.iter().map(|fact| &fact.name).collect();
            assert_eq!(names.len(), facts.iter().count(), "{} names a fact twice", engine.name());
        }
    }

    #[test]
    fn an_engine_leads_to_its_own_facts() {
        for engine in Engine::ALL {
            assert_eq!(Facts::of(engine).engine, engine);
        }
    }

    #[test]
    fn every_engine_limits_the_size_of_an_item() {
        let sizes = Engine::ALL.map(|engine| (engine.name(), fact(engine, "item_bytes").to_string()));
        assert_eq!(
            sizes,
            [
                ("embedded", "16 MB per row".to_owned()),
                ("dynamodb", "400 KB per item".to_owned()),
                ("cassandra", "16 MB per write".to_owned()),
                ("mongodb", "16 MB per document".to_owned()),
                ("redis", "512 MB per string".to_owned()),
                ("firestore", "1 MB per document".to_owned()),
            ]
        );
    }

    #[test]
    fn what_others_say_has_an_address() {
        for fact in all().filter(|fact| fact.engine != Engine::Embedded && fact.kind != Kind::MeasuredByUs) {
            assert!(fact.source.contains(", https://"), "{}: {}", fact.name, fact.source);
        }
    }

    /// A fact may be added after the last time that somebody went through all of them; a slip in the year makes it new for
    /// ever.
    #[test]
    fn no_fact_is_much_younger_than_its_file() {
        for engine in Engine::ALL {
            let facts = Facts::of(engine);
            assert!(facts.iter().all(|fact| facts.checked.months_until(fact.date) < 12), "{}", engine.name());
        }
    }

    #[test]
    fn the_oldest_fact_gives_the_age() {
        assert_eq!(Facts::of(Engine::Cassandra).oldest(), fact(Engine::Cassandra, "row_decisions_per_second").date);
        assert!(all().all(|fact| fact.date >= Date { year: 2026, month: 11, day: 1 }));
    }

    /// The same name for the same thing: whoever prices a design asks both for all of these.
    #[test]
    fn what_calls_cost_is_known_of_the_engines_that_were_measured() {
        let costs = [
            "read_nanos",
            "read_partition_nanos",
            "read_row_nanos",
            "read_kilobyte_nanos",
            "write_nanos",
            "write_kilobyte_nanos",
            "batch_nanos",
            "batch_row_nanos",
            "batch_kilobyte_nanos",
            "decision_nanos",
            "decisions_per_second",
            "row_decisions_per_second",
        ];
        for (engine, cost) in
            [Engine::Embedded, Engine::Cassandra].into_iter().flat_map(|e| costs.map(|cost| (e, cost)))
        {
            assert_eq!(fact(engine, cost).kind, Kind::MeasuredByUs, "{cost}");
        }
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert!(Facts::of(Engine::Redis).get("global_indexes").is_none());
    }

    #[test]
    #[should_panic(expected = "there is no fact `item_byte` about redis")]
    fn a_misspelt_name_is_loud() {
        fact(Engine::Redis, "item_byte");
    }
}
