//! The catalogs that are tried: small ones that together hold every word that is run, and random ones.

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_run::{NotYet, Program};
use keyloom_store::Abilities;
use keyloom_text::{Files, Unreadable};

/// The small catalogs, by name.
pub const SMALL: [(&str, &str); 4] = [
    ("market", include_str!("catalogs/market.yaml")),
    ("desk", include_str!("catalogs/desk.yaml")),
    ("stock", include_str!("catalogs/stock.yaml")),
    ("passes", include_str!("catalogs/passes.yaml")),
];

/// A catalog from its text.
///
/// # Errors
/// When it has findings of the language, with all of them.
pub fn read(text: &str) -> Result<Catalog, String> {
    struct One<'a>(&'a str);
    impl Files for One<'_> {
        fn open(&self, _name: &str) -> Result<String, Unreadable> {
            Ok(self.0.to_owned())
        }
    }
    let reading = keyloom_text::read("catalog.yaml", &One(text), &mut Sources::default());
    if reading.findings.is_empty() {
        return Ok(reading.catalog);
    }
    Err(reading.findings.iter().map(|finding| format!("{}\n", finding.message)).collect())
}

/// A catalog as it is designed and run on a store.
///
/// # Errors
/// With what is not run of it there.
pub fn compiled(catalog: &Catalog, engine: Engine, abilities: &Abilities) -> Result<Program, Vec<NotYet>> {
    let layout = design(catalog, engine, abilities);
    Program::of(&keyloom_plan::Program::compile(catalog, &layout, abilities))
}
