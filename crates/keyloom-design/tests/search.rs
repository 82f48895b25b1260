//! The search on the examples: never worse than the plain design.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and says what it saw"
)]

mod common;

use common::{ENGINES, example, on};
use keyloom_design::search::search;
use keyloom_size::Tariff;

#[test]
fn designs_of_examples_are_no_worse_than_plain_ones() {
    for name in ["shop", "chat", "sensors", "cases-core", "cases"] {
        let catalog = example(name);
        for engine in ENGINES {
            let began = std::time::Instant::now();
            let found = on(engine, |terms| search(&catalog, terms));
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
