//! One catalog on all engines, side by side.

use std::time::Duration;

use keyloom::design::search;
use keyloom::model::Engine;
use keyloom::plan::Program;
use keyloom::show::Side;
use keyloom::size::size;
use keyloom::text::Reading;

use super::Known;
use super::watch::Watch;
use crate::Exit;
use crate::output::print;

const ENGINES: [Engine; 3] = [Engine::Embedded, Engine::Cassandra, Engine::DynamoDb];

/// Prints what the catalog comes to on each; exit code 1 where one of them refuses something.
pub(super) fn run(reading: &Reading, budget: Option<Duration>) -> Result<Exit, Exit> {
    let sides: Vec<Side> = ENGINES.into_iter().map(|engine| side(reading, engine, budget)).collect::<Result<_, _>>()?;
    print(&keyloom::show::engines(&sides));
    let refused = sides.iter().any(|side| !side.program.refusals.is_empty());
    Ok(if refused { Exit::Findings } else { Exit::Fine })
}

fn side(reading: &Reading, engine: Engine, budget: Option<Duration>) -> Result<Side, Exit> {
    let known = Known::of(engine)?;
    let watch = Watch::new(budget);
    let is_over = |progress: &search::Progress| watch.is_over(progress);
    let found = search::search(&reading.catalog, &known.terms(&is_over));
    let program = Program::compile(&reading.catalog, &found.layout, &known.abilities);
    let sizes = size(&program, &*known.dialect, &known.priced);
    Ok(Side { program, found, sizes, tariff: known.tariff })
}
