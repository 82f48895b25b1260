//! A catalog as it is run on a store, and one trial of it on any ground.

use std::{cell::RefCell, sync::Arc};

use keyloom_model::{Action, Catalog, Engine};
use keyloom_run::{Environment, NotYet, Program, Run, trial::Protocol};
use keyloom_store::{Abilities, Define, Store, Sweep};

use crate::{
    catalogs::{self, Lists},
    generate::{Generator, SERVERS, known_patterns},
    ground::Ground,
    growth::{self, Growing, Growth},
    history::History,
    judge::{Contradiction, Skew, Tally, judge},
    process::Process,
    script::Script,
    weather::Weather,
    world::World,
};

pub(crate) struct Case {
    catalog: Catalog,
    /// As processes serve it when clients begin.
    program: Program,
    /// How it grows, if it does.
    growing: Option<Growing>,
    /// Clients present what they have seen: the engine keeps lists, and is late with them.
    presents: bool,
}

/// A trial that showed something that can't be.
pub struct Failure {
    /// What.
    pub contradiction: Contradiction,
    pub(crate) history: History,
    pub(crate) weather: Weather,
}

impl Case {
    /// A catalog by its text.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub(crate) fn new(text: &str, engine: Engine, abilities: &Abilities, lists: Lists) -> Result<Self, String> {
        let catalog = catalogs::read(text)?;
        let program = catalogs::compiled(&catalog, engine, abilities, lists).map_err(|words| lines(&words))?;
        Ok(Self { catalog, program, growing: None, presents: lists == Lists::Indexed })
    }

    /// A catalog by its text, which processes start with while others serve it without what is new.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub(crate) fn growing(text: &str, new: &[&str], engine: Engine, abilities: &Abilities) -> Result<Self, String> {
        let catalog = catalogs::read(text)?;
        let growing = growth::compiled(&catalog, new, engine, abilities);
        let (program, growing) = growing.map_err(|words| lines(&words))?;
        Ok(Self { catalog, program, growing: Some(growing), presents: false })
    }

    /// A random catalog, without the patterns that are not run there; `None` where too little of it is.
    pub(crate) fn random(seed: u64, engine: Engine, abilities: &Abilities, lists: Lists) -> Option<Self> {
        let size = if seed.is_multiple_of(2) { keyloom_sample::Size::Small } else { keyloom_sample::Size::Medium };
        let mut catalog = catalogs::read(&keyloom_sample::catalog(seed, size)).ok()?;
        // What may be copied or cut is no reason to leave out a pattern.
        let plain = if lists == Lists::Indexed { lists } else { Lists::AsDesigned };
        let mut compiling = catalogs::compiled(&catalog, engine, abilities, plain);
        for _ in 0..4 {
            let Err(words) = &compiling else { break };
            let is_run = |name: &str| !words.iter().any(|word| word.at == format!("patterns.{name}"));
            let before = catalog.patterns.len();
            catalog.patterns.retain(|pattern| is_run(&pattern.name));
            if catalog.patterns.len() == before {
                return None;
            }
            compiling = catalogs::compiled(&catalog, engine, abilities, plain);
        }
        let program = catalogs::compiled(&catalog, engine, abilities, lists).or(compiling).ok()?;
        let known = known_patterns(&catalog);
        let writes = known.iter().any(|pattern| matches!(pattern.action, Action::Write(_)));
        let presents = lists == Lists::Indexed;
        writes.then(|| Self { catalog: catalog.clone(), program, growing: None, presents })
    }

    /// Whether a table of it is cut by time.
    pub(crate) fn is_cut(&self) -> bool {
        self.program.is_cut()
    }

    /// Whether it grows while it is used.
    pub(crate) fn grows(&self) -> bool {
        self.growing.is_some()
    }

    /// The script of one seed, cut, on this ground and this store.
    ///
    /// # Errors
    /// With what can't be.
    pub(crate) fn lived<G: Ground, S: Store + Define + Sweep>(
        &self,
        ground: G,
        store: Arc<S>,
        seed: u64,
        protocol: Protocol,
        cut: &dyn Fn(Script) -> Script,
    ) -> Result<Tally, Box<Failure>> {
        let weather = ground.day().weather.clone();
        let fail = |words: String, history| {
            let contradiction = Contradiction { words, steps: Vec::new() };
            Err(Box::new(Failure { contradiction, history, weather: weather.clone() }))
        };
        let start_ms = ground.now_us().div_euclid(1_000);
        let (mut runs, mut environments) = (Vec::new(), Vec::<Arc<dyn Environment>>::new());
        for number in 0..SERVERS {
            let environment = Arc::new(Process::new(ground.day().clone(), number));
            environments.push(environment.clone());
            let opened = async {
                if self.grows() {
                    growth::remember(&self.program, &store, environment.clone()).await?;
                }
                Run::open(self.program.clone(), store.clone(), environment).await
            };
            match ground.block_on(opened) {
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
        // A change takes longer than what clients ask in a trial.
        let times = if self.grows() { 3 } else { 1 };
        let script = cut(Generator::new(&self.catalog, &first, seed, start_ms).script(times));
        // So long after it was made, a mark is no longer left to its writer.
        let due_ms = (protocol.settle_ms + 2 * protocol.span_ms).unsigned_abs();
        let mut world = World::new(&self.catalog, ground, runs, store, due_ms, self.presents);
        world.growth = self.growing.as_ref().map(|growing| Growth {
            growing,
            protocol,
            environments,
            begins_ms: seed * 97 % 300,
            unfilled: RefCell::default(),
        });
        let mut questions = Generator::new(&self.catalog, &first, seed ^ 1, start_ms);
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

fn lines(words: &[NotYet]) -> String {
    words.iter().map(|word| format!("{word}\n")).collect()
}
