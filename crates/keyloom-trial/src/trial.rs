//! One trial on a simulated store: a catalog, a store and a seed.

use std::sync::Arc;

use keyloom_model::Engine;
use keyloom_run::trial::Protocol;
use keyloom_sim::{Faults, ItemStore, Simulation, WideStore};
use keyloom_store::{Abilities, Model, Store};

use crate::{
    case::{Case, Failure},
    catalogs::{self, Lists},
    judge::Tally,
    script::Script,
    simulated::Simulated,
    slow::Slow,
    weather::Weather,
};

/// The simulated store that a trial runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// As Cassandra.
    Wide,
    /// As DynamoDB.
    Items,
    /// The same, with lists that its indexes keep, which lag.
    Indexed,
    /// As the embedded store.
    Model,
}

impl On {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Wide, Self::Items, Self::Indexed, Self::Model];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Items => "items",
            Self::Indexed => "indexed",
            Self::Model => "model",
        }
    }

    /// The engine that it is as, and what it can do.
    fn can(self) -> (Engine, Abilities) {
        let simulation = Simulation::new(0, Faults::none());
        match self {
            Self::Wide => (Engine::Cassandra, WideStore::new(&simulation).abilities().clone()),
            Self::Items | Self::Indexed => (Engine::DynamoDb, ItemStore::new(&simulation).abilities().clone()),
            Self::Model => (Engine::Embedded, Model::new().abilities().clone()),
        }
    }

    fn lists(self) -> Lists {
        if self == Self::Indexed { Lists::Indexed } else { Lists::Copying }
    }
}

/// As it is run, with bounds so small that all of them are met.
pub const AS_DESIGNED: Protocol = Protocol {
    lanes: 1,
    span_ms: 300,
    settle_ms: 400,
    term_ms: 500,
    arrives_ms: 150,
    late_ms: 8_000,
    tokens_max: 2,
    stale_max: 2,
    followed_at_once: 2,
    ..Protocol::AS_DESIGNED
};

/// A catalog that is tried on a simulated store. The same seed is the same trial, to the last step.
pub struct Tried {
    /// Its name.
    pub name: String,
    /// The store.
    pub on: On,
    case: Case,
}

impl Tried {
    /// A catalog by its text.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub fn new(name: &str, text: &str, on: On) -> Result<Self, String> {
        let (engine, abilities) = on.can();
        Ok(Self { name: name.to_owned(), on, case: Case::new(text, engine, &abilities, on.lists())? })
    }

    /// A catalog by its text, with lists that are cut by time.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub fn cut(name: &str, text: &str, on: On) -> Result<Self, String> {
        if on == On::Indexed {
            return Err("lists that the engine keeps are not cut".into());
        }
        let (engine, abilities) = on.can();
        Ok(Self { name: name.to_owned(), on, case: Case::new(text, engine, &abilities, Lists::Cut)? })
    }

    /// A catalog by its text, which processes start with while others serve it without what is new.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub fn growing(name: &str, text: &str, new: &[&str], on: On) -> Result<Self, String> {
        match on {
            On::Wide | On::Items => {}
            On::Indexed => return Err("lists that the engine keeps are made by it alone".into()),
            On::Model => return Err("one process alone opens such a store".into()),
        }
        let (engine, abilities) = on.can();
        Ok(Self { name: name.to_owned(), on, case: Case::growing(text, new, engine, &abilities)? })
    }

    /// The names of the catalogs that are tried.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let small = catalogs::SMALL.into_iter().chain(catalogs::CUT).map(|(name, _)| name);
        small.chain(catalogs::GROWING.into_iter().map(|(name, ..)| name))
    }

    /// One of them; `None` where there is none of that name.
    pub fn named(name: &str, on: On) -> Option<Result<Self, String>> {
        let small = catalogs::SMALL.into_iter().find(|(known, _)| *known == name);
        let growing = catalogs::GROWING.into_iter().find(|(known, ..)| *known == name);
        let cut = catalogs::CUT.into_iter().find(|(known, _)| *known == name);
        small
            .map(|(name, text)| Self::new(name, text, on))
            .or_else(|| cut.map(|(name, text)| Self::cut(name, text, on)))
            .or_else(|| growing.map(|(name, text, new)| Self::growing(name, text, new, on)))
    }

    /// A random catalog, without the patterns that are not run there; `None` where too little of it is.
    pub fn random(seed: u64, on: On) -> Option<Self> {
        let (engine, abilities) = on.can();
        Some(Self { name: "random".to_owned(), on, case: Case::random(seed, engine, &abilities, on.lists())? })
    }

    /// The same with lists that are cut by time; `None` where none can be.
    pub fn random_cut(seed: u64, on: On) -> Option<Self> {
        let (engine, abilities) = on.can();
        let case = Case::random(seed, engine, &abilities, Lists::Cut).filter(Case::is_cut)?;
        Some(Self { name: "random".to_owned(), on, case })
    }

    /// One trial of one seed.
    ///
    /// # Errors
    /// With what can't be.
    pub fn check(&self, seed: u64, protocol: Protocol) -> Result<Tally, Box<Failure>> {
        self.checked(seed, seed, protocol, self.weather(seed), &|script| script)
    }

    /// What goes wrong in the trial of a seed.
    pub(crate) fn weather(&self, seed: u64) -> Weather {
        match (self.case.grows(), self.on) {
            (false, _) => Weather::of(seed),
            // What rides along has no mark that could be settled: a change waits for it, and it may be no later.
            (true, On::Items) => Weather::of_change(seed).late_by(AS_DESIGNED.arrives_ms.unsigned_abs()),
            (true, _) => Weather::of_change(seed),
        }
    }

    /// The script of one seed, cut, in this weather, with this chance.
    pub(crate) fn checked(
        &self,
        seed: u64,
        chance: u64,
        protocol: Protocol,
        weather: Weather,
        cut: &dyn Fn(Script) -> Script,
    ) -> Result<Tally, Box<Failure>> {
        let ground = Simulated::new(chance, weather);
        match self.on {
            On::Wide => {
                let store = WideStore::new(&ground.simulation);
                self.case.lived(ground, Arc::new(store), seed, protocol, cut)
            }
            On::Items | On::Indexed => {
                let store = ItemStore::new(&ground.simulation);
                self.case.lived(ground, Arc::new(store), seed, protocol, cut)
            }
            On::Model => {
                let store = Slow::new(Arc::new(Model::new()), ground.day.clone());
                self.case.lived(ground, Arc::new(store), seed, protocol, cut)
            }
        }
    }
}
