//! The catalogs that are tried: small ones that together hold every word that is run, and random ones.

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{
    Catalog, Engine, Path, Root,
    layout::{Copied, CopyRule, Holds, Layout},
};
use keyloom_run::{NotYet, Program};
use keyloom_store::Abilities;
use keyloom_text::{Files, Unreadable};

/// The small catalogs, by name.
pub const SMALL: [(&str, &str); 7] = [
    ("market", include_str!("catalogs/market.yaml")),
    ("desk", include_str!("catalogs/desk.yaml")),
    ("stock", include_str!("catalogs/stock.yaml")),
    ("passes", include_str!("catalogs/passes.yaml")),
    ("board", include_str!("catalogs/board.yaml")),
    ("rush", include_str!("catalogs/rush.yaml")),
    ("flags", include_str!("catalogs/flags.yaml")),
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

/// A catalog as it is designed and run on a store. Fields of which it says how long a copy may differ may be copied; all
/// others are looked up.
///
/// # Errors
/// With what is not run of it there.
pub fn compiled(
    catalog: &Catalog,
    engine: Engine,
    abilities: &Abilities,
    copies: bool,
) -> Result<Program, Vec<NotYet>> {
    let designed = design(catalog, engine, abilities);
    let layout = if copies { copying(catalog, designed) } else { designed };
    Program::of(&keyloom_plan::Program::compile(catalog, &layout, abilities))
}

/// The layout with copies of what is looked up in its lists.
fn copying(catalog: &Catalog, mut layout: Layout) -> Layout {
    let drifts = |path: &Path| match &path.root {
        Root::Reference { entity, .. } => {
            let drift = catalog.entity(entity).map_or(&[][..], |entity| &entity.drift);
            drift.iter().any(|drift| drift.field == path.field)
        }
        _ => false,
    };
    for at in &mut layout.paths {
        let table = layout.tables.iter_mut().find(|table| table.name == at.form.table());
        let Some(table) = table.filter(|table| matches!(table.holds, Holds::Projection { .. })) else { continue };
        // Rows that stand together because they point to the same row need no copies of it.
        let together = |path: &Path| {
            let parts = table.partition.parts();
            parts.iter().any(|part| Some(part.field()) == path.own_field())
        };
        let (copied, rest) =
            std::mem::take(&mut at.looks_up).into_iter().partition(|path| drifts(path) && !together(path));
        at.looks_up = rest;
        let copied: Vec<Path> = copied;
        for path in copied {
            if !table.copies.iter().any(|known| known.path == path) {
                table.copies.push(Copied { path, rule: CopyRule::Touch });
            }
        }
    }
    layout
}
