//! One trial: a catalog, a store and a seed.

use std::sync::Arc;

use keyloom_model::{Catalog, Engine};
use keyloom_run::{NotYet, Program, Run, trial::Protocol};
use keyloom_sim::{Faults, ItemStore, Simulation, WideStore};
use keyloom_store::{Define, Model, Store, Sweep};

use crate::{
    catalogs,
    generate::{Generator, SERVERS, known_patterns},
    history::History,
    judge::{Contradiction, Skew, Tally, judge},
    script::Script,
    simulated::{START_MS, Simulated, Weather},
    slow::Slow,
    world::World,
};

/// The store that a trial runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// As Cassandra.
    Wide,
    /// As DynamoDB.
    Items,
    /// As the embedded store.
    Model,
}

impl On {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Wide, Self::Items, Self::Model];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Items => "items",
            Self::Model => "model",
        }
    }
}

/// As it is run, with bounds so small that all of them are met.
pub const AS_DESIGNED: Protocol = Protocol {
    lanes: 1,
    span_ms: 300,
    settle_ms: 400,
    late_ms: 8_000,
    tokens_max: 2,
    stale_max: 2,
    followed_at_once: 2,
    ..Protocol::AS_DESIGNED
};

/// A catalog that is tried on a store.
pub struct Tried {
    /// Its name.
    pub name: String,
    /// The store.
    pub on: On,
    catalog: Catalog,
    program: Program,
}

fn compiled(catalog: &Catalog, on: On, copies: bool) -> Result<Program, Vec<NotYet>> {
    let simulation = Simulation::new(0, Faults::none());
    match on {
        On::Wide => catalogs::compiled(catalog, Engine::Cassandra, WideStore::new(&simulation).abilities(), copies),
        On::Items => catalogs::compiled(catalog, Engine::DynamoDb, ItemStore::new(&simulation).abilities(), copies),
        On::Model => catalogs::compiled(catalog, Engine::Embedded, Model::new().abilities(), copies),
    }
}

/// A trial that showed something that can't be.
pub struct Failure {
    /// What.
    pub contradiction: Contradiction,
    pub(crate) history: History,
    pub(crate) weather: Weather,
}

impl Tried {
    /// A catalog by its text.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub fn new(name: &str, text: &str, on: On) -> Result<Self, String> {
        let catalog = catalogs::read(text)?;
        let program = compiled(&catalog, on, true);
        let program = program.map_err(|words| words.iter().map(|word| format!("{word}\n")).collect::<String>())?;
        Ok(Self { name: name.to_owned(), on, catalog, program })
    }

    /// A random catalog, without the patterns that are not run there; `None` where too little of it is.
    pub fn random(seed: u64, on: On) -> Option<Self> {
        let size = if seed.is_multiple_of(2) { keyloom_sample::Size::Small } else { keyloom_sample::Size::Medium };
        let mut catalog = catalogs::read(&keyloom_sample::catalog(seed, size)).ok()?;
        let mut compiling = compiled(&catalog, on, false);
        for _ in 0..4 {
            let Err(words) = &compiling else { break };
            let is_run = |name: &str| !words.iter().any(|word| word.at == format!("patterns.{name}"));
            let before = catalog.patterns.len();
            catalog.patterns.retain(|pattern| is_run(&pattern.name));
            if catalog.patterns.len() == before {
                return None;
            }
            compiling = compiled(&catalog, on, false);
        }
        let program = compiled(&catalog, on, true).or(compiling).ok()?;
        let known = known_patterns(&catalog);
        let writes = known.iter().any(|pattern| matches!(pattern.action, keyloom_model::Action::Write(_)));
        writes.then(|| Self { name: "random".to_owned(), on, catalog: catalog.clone(), program })
    }

    /// One trial of one seed.
    ///
    /// # Errors
    /// With what can't be.
    pub fn check(&self, seed: u64, protocol: Protocol) -> Result<Tally, Box<Failure>> {
        self.checked(seed, seed, protocol, Weather::of(seed), &|script| script)
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
        let ground = Simulated::new(chance, weather.clone());
        let simulation = &ground.simulation;
        match self.on {
            On::Wide => {
                let store = WideStore::new(simulation);
                self.on(ground, Arc::new(store), seed, protocol, weather, cut)
            }
            On::Items => {
                let store = ItemStore::new(simulation);
                self.on(ground, Arc::new(store), seed, protocol, weather, cut)
            }
            On::Model => {
                let store = Slow::new(simulation, weather.faults.clone(), ground.is_rough.clone());
                self.on(ground, Arc::new(store), seed, protocol, weather, cut)
            }
        }
    }

    fn on<S: Store + Define + Sweep>(
        &self,
        ground: Simulated,
        store: Arc<S>,
        seed: u64,
        protocol: Protocol,
        weather: Weather,
        cut: &dyn Fn(Script) -> Script,
    ) -> Result<Tally, Box<Failure>> {
        use crate::ground::Ground;
        let fail = |words: String, history| {
            let contradiction = Contradiction { words, steps: Vec::new() };
            Err(Box::new(Failure { contradiction, history, weather: weather.clone() }))
        };
        let mut runs = Vec::new();
        for number in 0..SERVERS {
            let environment = Arc::new(ground.process(number));
            match ground.block_on(Run::open(self.program.clone(), store.clone(), environment)) {
                Ok(Ok(mut run)) => {
                    run.obey(protocol);
                    runs.push(Arc::new(run));
                }
                Ok(Err(fault)) => return fail(format!("opening: {fault}"), History::default()),
                Err(halt) => return fail(halt, History::default()),
            }
        }
        let first = runs[0].clone();
        match ground.block_on(first.settle_from_here()) {
            Ok(Ok(())) => {}
            other => return fail(format!("opening: {other:?}"), History::default()),
        }
        let script = cut(Generator::new(&self.catalog, &first, seed, START_MS).script());
        let world = World::new(&self.catalog, ground, runs, store);
        let mut questions = Generator::new(&self.catalog, &first, seed ^ 1, START_MS);
        questions.know(&script);
        let lived = world.live(&script, &mut questions, false);
        let history = world.history.into_inner();
        if let Err(words) = lived {
            return fail(words, history);
        }
        match judge(&self.catalog, &history, Skew { behind_us: 5_000_000, ahead_us: 300_000 }) {
            Ok(tally) => Ok(tally),
            Err(contradiction) => Err(Box::new(Failure { contradiction, history, weather })),
        }
    }
}
