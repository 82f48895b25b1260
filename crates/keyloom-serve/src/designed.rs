//! The layout of a catalog that comes without one: searched for, under terms that nobody stated.

use std::cell::Cell;

use keyloom_design::search::{Lack, Progress, Terms, search};
use keyloom_facts::Prices;
use keyloom_model::layout::Layout;
use keyloom_model::{Catalog, Engine as EngineKind};
use keyloom_plan::Program as Planned;
use keyloom_run::Program;
use keyloom_size::{Replicas, Tariff, Terms as Priced};

use crate::engine::{abilities, dialect};

/// The region whose prices are taken unless one is stated.
pub const REGION: &str = "us-east-1";
/// How many nodes have each row unless it is stated.
pub const REPLICAS: u32 = 3;

/// How often a search looks whether it has gone on for long enough, which is a matter of steps and not of seconds: the same catalog
/// gives the same layout on any machine.
pub const LOOKS_MAX: u32 = 2_000;

/// What is known beside the catalog, where nobody states it.
pub fn priced() -> Priced {
    let replicas = Some(Replicas { count: REPLICAS, assumed: true });
    Priced { prices: Prices::of(REGION).cloned(), region_assumed: true, replicas, ..Priced::default() }
}

/// What of a program the run time can't do yet.
pub fn not_run(program: &Planned) -> Vec<Lack> {
    let found = Program::of(program).err().unwrap_or_default();
    found.into_iter().map(|lack| Lack { at: lack.at, what: lack.what }).collect()
}

/// The layout that is searched for; nothing for an engine on which nothing is run yet.
pub fn designed(catalog: &Catalog, engine: EngineKind) -> Option<Layout> {
    let (abilities, dialect) = abilities(engine).zip(dialect(engine, REPLICAS))?;
    let looks = Cell::new(0);
    let is_over = |_: &Progress| {
        looks.set(looks.get() + 1);
        looks.get() > LOOKS_MAX
    };
    let terms = Terms {
        engine,
        abilities: &abilities,
        dialect: &*dialect,
        tariff: &Tariff::of(engine, &priced()),
        not_run: &not_run,
        standing: None,
        is_over: &is_over,
    };
    Some(search(catalog, &terms).layout)
}
