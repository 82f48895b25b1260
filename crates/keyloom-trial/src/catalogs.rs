//! The catalogs that are tried: small ones that together hold every word that is run, and random ones.

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{
    Catalog, Class, Engine, Freshness, Path, Root, Type,
    layout::{Bucket, Copied, CopyRule, Holds, Keeper, Layout, Part, Partition, Question, Table},
};
use keyloom_run::{NotYet, Program};
use keyloom_store::Abilities;
use keyloom_text::{Files, Unreadable};

/// The small catalogs, by name.
pub const SMALL: [(&str, &str); 10] = [
    ("market", include_str!("catalogs/market.yaml")),
    ("desk", include_str!("catalogs/desk.yaml")),
    ("stock", include_str!("catalogs/stock.yaml")),
    ("passes", include_str!("catalogs/passes.yaml")),
    ("board", include_str!("catalogs/board.yaml")),
    ("rush", include_str!("catalogs/rush.yaml")),
    ("flags", include_str!("catalogs/flags.yaml")),
    ("leases", include_str!("catalogs/leases.yaml")),
    ("knocks", include_str!("catalogs/knocks.yaml")),
    ("files", include_str!("catalogs/files.yaml")),
];

/// Catalogs that grow while they are used: by name, what they become, and what is new in it.
pub const GROWING: [(&str, &str, &[&str]); 2] = [
    ("lots", LOTS, &["by_price", "open_lots"]),
    ("lots_counted", LOTS, &["by_price", "open_lots", "tagged", "tag_taken", "lots", "dearest"]),
];

const LOTS: &str = include_str!("catalogs/lots.yaml");

/// Catalogs whose lists are cut by time, by name.
pub const CUT: [(&str, &str); 1] = [("ledger", include_str!("catalogs/ledger.yaml"))];

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

/// How lists are kept that are designed otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// As they are designed.
    AsDesigned,
    /// Fields of which a catalog says how long a copy may differ are copied into them.
    Copying,
    /// The engine keeps them, where it can.
    Indexed,
    /// They are cut by time, where their order begins with one.
    Cut,
}

/// A catalog as it is designed and run on a store.
///
/// # Errors
/// With what is not run of it there.
pub fn compiled(
    catalog: &Catalog,
    engine: Engine,
    abilities: &Abilities,
    lists: Lists,
) -> Result<Program, Vec<NotYet>> {
    let designed = design(catalog, engine, abilities);
    let layout = match lists {
        Lists::AsDesigned => designed,
        Lists::Copying => copying(catalog, designed),
        Lists::Indexed => indexed(catalog, designed),
        Lists::Cut => cut(catalog, designed, abilities),
    };
    Program::of(&keyloom_plan::Program::compile(catalog, &layout, abilities))
}

/// The layout with lists that the engine keeps: those of rows that are decided and not the only ones, by which nobody but callers
/// finds rows, and who do not ask for the latest.
fn indexed(catalog: &Catalog, mut layout: Layout) -> Layout {
    let asks_latest = |pattern: &str| {
        let read = catalog.pattern(pattern).and_then(|pattern| pattern.read());
        read.is_none_or(|read| read.freshness == Some(Freshness::Latest))
    };
    let unfit: Vec<String> = layout
        .paths
        .iter()
        .filter(|path| match &path.question {
            Question::Pattern { pattern, .. } => asks_latest(pattern),
            Question::Support { .. } => true,
        })
        .map(|path| path.form.table().to_owned())
        .collect();
    for table in &mut layout.tables {
        let fits = !unfit.contains(&table.name) && table.sort.iter().all(|item| !item.nulls_last);
        if let Holds::Projection { entity, keeper } = &mut table.holds
            && fits
            && catalog.entity(entity).is_some_and(|it| it.class(catalog).0 == Class::Decided && !it.key.is_empty())
        {
            *keeper = Keeper::Index;
        }
    }
    layout
}

/// The layout with tables that are cut by the finest step that their order allows, as far as that is run.
fn cut(catalog: &Catalog, mut layout: Layout, abilities: &Abilities) -> Layout {
    // What was computed before they were cut is computed again.
    layout.paths.clear();
    for at in 0..layout.tables.len() {
        let Some(part) = bucket(catalog, &layout.tables[at]) else { continue };
        let mut finer = layout.clone();
        if let Partition::By(parts) = &mut finer.tables[at].partition {
            parts.push(part);
        }
        if Program::of(&keyloom_plan::Program::compile(catalog, &finer, abilities)).is_ok() {
            layout = finer;
        }
    }
    layout
}

/// The bucket by which a table can be cut.
fn bucket(catalog: &Catalog, table: &Table) -> Option<Part> {
    let (Holds::Source { entity, .. } | Holds::Projection { entity, .. }) = &table.holds else { return None };
    let first = table.sort.first().filter(|item| !item.nulls_last)?;
    let step = match catalog.entity(entity)?.field(&first.field)?.ty {
        Type::Timestamp { .. } | Type::Uuid7 => Bucket::Hour,
        Type::Date => Bucket::Day,
        _ => return None,
    };
    Some(Part::Bucket(step, first.field.clone()))
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
