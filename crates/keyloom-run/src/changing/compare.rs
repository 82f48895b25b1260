//! What a catalog has more than the layout that runs, and what it has otherwise.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use keyloom_model::{Entity, Expiry, Fill};
use keyloom_store::{Abilities, Discipline, Fault, Shape, Step, Table, steps};
use keyloom_value::Kind;

use super::record::{LayoutRecord, Level};
use crate::{
    digest::digest,
    program::{EntityPlan, Index, Program},
    run::sources_last,
};

/// What a start with a program would do to a store.
#[derive(Debug)]
pub struct Changes {
    /// Why it can't be done: each is more than an addition.
    pub reasons: Vec<String>,
    /// The tables and columns that it would make.
    pub steps: Vec<Step>,
    /// The tables that it would fill from rows that are there.
    pub filled: Vec<String>,
    /// Whether the layout that runs becomes another one.
    pub is_new: bool,
}

/// A program beside what is there.
pub(super) struct Compared<'a> {
    pub(super) program: &'a Program,
    pub(super) there: &'a [Arc<Shape>],
    pub(super) before: &'a LayoutRecord,
}

impl Compared<'_> {
    /// What is no addition, each with its reason.
    pub(super) fn reasons(&self, abilities: &Abilities) -> Vec<String> {
        let mut reasons = Vec::new();
        let is_known = self.before.ran.contains(&ran(self.program));
        for entity in &self.before.entities {
            // A catalog that ran before what came since may run again: it derives all that is there, or can't be compiled.
            if !is_known && self.program.catalog.entity(entity).is_none() {
                reasons.push(format!("{entity} is taken away, and its rows are there: put it back"));
            }
        }
        for entity in &self.program.entities {
            let wanted = &self.program.tables[entity.source.table];
            let declared = self.program.catalog.entity(&entity.name);
            if let (Some(found), Some(declared)) = (self.found(&wanted.name), declared) {
                reasons.extend(self.rows(declared, wanted, found, is_known));
            }
        }
        for entity in &self.program.entities {
            reasons.extend(entity.indexes.iter().filter_map(|index| self.unkept(entity, index)));
        }
        for (what, now) in meanings(self.program) {
            let before = self.before.meanings.get(&what).filter(|before| **before != now);
            reasons.extend(
                before.map(|before| format!("{what} was {before} and is {now}: rows that are there have it as it was")),
            );
        }
        if reasons.is_empty() {
            reasons.extend(self.steps(abilities).err().map(|fault| fault.cause().to_owned()));
        }
        reasons
    }

    /// Why an engine can't keep a list from rows that are there.
    fn unkept(&self, entity: &EntityPlan, index: &Index) -> Option<String> {
        let name = self.name(index.list.table);
        let Some(found) = self.found(name) else {
            // A row that is only added can't be written again, so the engine would never come to it.
            let added = entity.source.hidden.is_none() && self.found(self.name(entity.source.table)).is_some();
            let says = || {
                format!(
                    "`{name}` is new and an index, and rows of {} are only added: the engine would show none that are there; \
                     write `keeper: placed` for it",
                    entity.name
                )
            };
            return added.then(says);
        };
        let mut columns = self.program.tables[index.list.table].column_names();
        let lacking = columns.find(|column| found.column(column).is_none())?;
        Some(format!("`{name}` is an index without `{lacking}`, and an index gets no columns: give it another name"))
    }

    /// What is otherwise with the rows of an entity.
    fn rows(&self, entity: &Entity, wanted: &Table, found: &Shape, is_known: bool) -> Vec<String> {
        let name = &entity.name;
        let old = found.table();
        if old.discipline != wanted.discipline {
            let (was, is) = match wanted.discipline {
                Discipline::Decided => ("only added", "changed"),
                _ => ("changed", "only added"),
            };
            return vec![format!("rows of {name} were {was} and are {is} now, which takes another table")];
        }
        let keys = |table: &Table| table.key_names().collect::<Vec<_>>().join(", ");
        if keys(old) != keys(wanted) {
            return vec![format!("the key of {name} was {} and is {}: that is another table", keys(old), keys(wanted))];
        }
        let mut reasons = Vec::new();
        for (column, kind) in columns(wanted) {
            match found.column(column).and_then(|at| found.kind(at)) {
                Some(known) => reasons.extend(value(name, column, known, kind)),
                None => reasons.extend(new(entity, column)),
            }
        }
        let lost = columns(old).filter(|(column, _)| !column.starts_with("kl_") && !is_known);
        for (column, _) in lost.filter(|(column, _)| !columns(wanted).any(|(known, _)| known == *column)) {
            reasons.push(format!(
                "`{column}` of {name} is taken away, and rows have it: put it back; under another name it is another field, \
                 which no row has"
            ));
        }
        reasons
    }

    /// The steps that make what is not there.
    pub(super) fn steps(&self, abilities: &Abilities) -> Result<Vec<Step>, Fault> {
        Ok(sources_last(self.program, steps(self.there, &self.program.tables, abilities)?))
    }

    /// The record of the program: all that was there, and what is more. In a store that nobody else can open, all who write
    /// know all.
    pub(super) fn after(&self, text: Option<&str>, steps: &[Step], alone: bool) -> LayoutRecord {
        let mut after = self.before.clone();
        if let Some(text) = text {
            after.text = text.to_owned();
            after.entities = self.program.catalog.entities.iter().map(|entity| entity.name.clone()).collect();
        }
        for (table, level) in self.levels(steps, alone) {
            // One that waits to be filled goes on as it is.
            after.levels.entry(table).or_insert(level);
        }
        for table in &self.program.tables {
            let columns = table.column_names().map(str::to_owned);
            after.tables.entry(table.name.clone()).or_default().extend(columns);
        }
        after.shows.extend(self.shows().map(str::to_owned));
        after.meanings.extend(meanings(self.program));
        let own = ran(self.program);
        if !after.ran.contains(&own) {
            after.ran.push(own);
        }
        if !after.is_as(self.before) {
            (after.epoch, after.checkpoint) = (self.before.epoch + 1, None);
            if !after.levels.is_empty() && after.previous.is_none() {
                after.previous = Some(Box::new(self.before.clone()));
            }
        }
        after
    }

    /// The tables that are not served at once.
    fn levels(&self, steps: &[Step], alone: bool) -> Vec<(String, Level)> {
        let mut levels = Vec::new();
        for (table, of) in derived(self.program) {
            let (name, source) = (self.name(table), self.name(of));
            let Some(sourced) = self.before.tables.get(source) else { continue };
            match self.before.tables.get(name) {
                // Nothing is ever to be removed from an index.
                None if alone || self.is_index(table) => levels.push((name.to_owned(), Level::Written)),
                None => levels.push((name.to_owned(), Level::Removing)),
                Some(known) => {
                    // What the source gains at the same time has nothing to be filled with.
                    let gained = |column: &str| {
                        !sourced.contains(column) && self.program.tables[of].column_names().any(|own| own == column)
                    };
                    let columns = self.program.tables[table].column_names();
                    let mut lacking = columns.filter(|column| !known.contains(*column) && !gained(column));
                    let shown = self.shows().any(|shown| shown == name) && !self.before.shows.contains(name);
                    // A record of before layouts were remembered does not say what was shown.
                    if lacking.next().is_some() || shown && self.before.epoch > 0 {
                        levels.push((name.to_owned(), Level::Written));
                    }
                }
            }
        }
        // Writers that do not know a column would lose what stands in it.
        let grown = steps.iter().filter(|step| matches!(step, Step::AddColumn { .. } | Step::Extend { .. }));
        let grown = grown.filter(|step| {
            !alone
                && self.before.epoch > 0
                && self.sources().any(|entity| self.name(entity.source.table) == step.table())
        });
        levels.extend(grown.map(|step| (step.table().to_owned(), Level::Written)));
        levels
    }

    fn sources(&self) -> impl Iterator<Item = &EntityPlan> {
        self.program.entities.iter()
    }

    fn shows(&self) -> impl Iterator<Item = &str> {
        let lists = self.sources().flat_map(|entity| &entity.projections).filter(|list| list.shows_version);
        lists.map(|list| self.name(list.table))
    }

    fn is_index(&self, table: usize) -> bool {
        matches!(self.program.tables[table].discipline, Discipline::Indexed { .. })
    }

    fn name(&self, table: usize) -> &str {
        &self.program.tables[table].name
    }

    fn found(&self, name: &str) -> Option<&Shape> {
        self.there.iter().find(|shape| shape.table().name == name).map(|shape| &**shape)
    }
}

/// The tables of a program that follow from others, each with the source that it follows from.
pub(super) fn derived(program: &Program) -> Vec<(usize, usize)> {
    let of = program.entities.iter().flat_map(|entity| {
        let lists = entity.lists().map(|list| list.table);
        let tables = lists.chain(entity.reservations.iter().map(|unique| unique.table));
        tables.map(|table| (table, entity.source.table))
    });
    let mut all: Vec<(usize, usize)> = of.collect();
    all.extend(program.kept.iter().map(|kept| (kept.table, program.entities[kept.feeder].source.table)));
    all
}

/// What is computed, and how.
fn meanings(program: &Program) -> BTreeMap<String, String> {
    let mut meanings = BTreeMap::new();
    for entity in &program.catalog.entities {
        for field in &entity.fields {
            let how = match &field.fill {
                Fill::Derived(expr) => format!("`{expr}`"),
                Fill::Kept(kept) => {
                    let of = kept.field.iter().map(|field| format!(".{field}")).collect::<String>();
                    let by = kept.by.iter().map(|by| format!(" by {by}")).collect::<String>();
                    let filter = kept.filter.iter().map(|filter| format!(" where {filter}")).collect::<String>();
                    let aggregate = format!("{:?}", kept.aggregate).to_lowercase();
                    format!("`{aggregate} of {}{of} through {}{by}{filter}`", kept.entity, kept.through)
                }
                _ => continue,
            };
            meanings.insert(format!("`{}` of {}", field.name, entity.name), how);
        }
        for unique in &entity.unique {
            let filter = unique.filter.iter().map(|filter| format!(" where {filter}")).collect::<String>();
            let how = format!("`{}{filter}`", unique.fields.join(", "));
            meanings.insert(format!("unique `{}` of {}", unique.name, entity.name), how);
        }
        let ends = match &entity.expires {
            Some(Expiry::At(expr)) => format!("`{expr}`"),
            Some(Expiry::Forever) | None => "never".into(),
        };
        meanings.insert(format!("the end of {}", entity.name), ends);
    }
    meanings
}

/// Stands for what a catalog says of rows, so that it is known again.
fn ran(program: &Program) -> String {
    let tables = program.entities.iter().map(|entity| &program.tables[entity.source.table]);
    let mut columns: Vec<String> =
        tables.flat_map(|table| columns(table).map(|(name, kind)| format!("{} {name} {kind:?}", table.name))).collect();
    // In the order of their names: columns may stand in another order where some were added.
    columns.sort();
    let said = columns.iter().map(String::as_bytes).collect::<Vec<_>>();
    digest("catalog", &said).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn columns(table: &Table) -> impl Iterator<Item = (&str, &Kind)> {
    let keys = table.partition.iter().map(|column| (column.name.as_str(), &column.kind));
    let keys = keys.chain(table.sort.iter().map(|column| (column.name.as_str(), &column.kind)));
    let groups = table.groups.iter().flat_map(|group| &group.columns);
    keys.chain(groups.map(|column| (column.name.as_str(), &column.kind)))
}

/// Why values that are there can't be read any more.
fn value(entity: &str, column: &str, known: &Kind, wanted: &Kind) -> Option<String> {
    if let (Kind::Enum(stored), Kind::Enum(variants)) = (known, wanted)
        && let Some(lost) = stored.iter().find(|old| !variants.iter().any(|variant| variant.name == old.name))
    {
        return Some(format!(
            "`{column}` of {entity} has lost the value {}, and rows may have it: keep it in the catalog",
            lost.name
        ));
    }
    if known.extends(wanted) || wanted.extends(known) {
        return None;
    }
    let (was, is) = (words(known), words(wanted));
    let types = if was == is { "has another type now".to_owned() } else { format!("was {was} and is {is}") };
    Some(format!("`{column}` of {entity} {types}: rows have the old values; give a new field another name"))
}

/// Why rows that are there can't be without a field that is new.
fn new(entity: &Entity, column: &str) -> Option<String> {
    let field = entity.field(column)?;
    let name = &entity.name;
    if matches!(field.fill, Fill::Derived(_)) {
        return Some(format!("`{column}` of {name} is new and computed, and rows that are there were made without it"));
    }
    let says = format!(
        "`{column}` of {name} is new, and rows that are there have no value of it: write a `?` behind its type"
    );
    (!field.optional).then_some(says)
}

fn words(kind: &Kind) -> String {
    let word = match kind {
        Kind::Bool => "bool",
        Kind::Int => "int",
        Kind::Float => "float",
        Kind::Decimal { scale } => return format!("decimal with {scale} digits behind the point"),
        Kind::Text => "text",
        Kind::Bytes => "bytes",
        Kind::Json => "json",
        Kind::Uuid => "uuid",
        Kind::Uuid7 => "uuid7",
        Kind::Date => "date",
        Kind::Timestamp { .. } => "timestamp",
        Kind::Duration => "duration",
        Kind::Ip => "ip",
        Kind::Enum(_) => "enum",
        Kind::List(_) => "a list",
        Kind::Set(_) => "a set",
        Kind::Map(..) => "a map",
        Kind::Struct(_) => "a struct",
        Kind::OneOf(_) => "one of several",
    };
    word.to_owned()
}

/// The names of tables of which a record says that they show versions.
pub(super) fn show_versions(program: &mut Program, shows: &BTreeSet<String>) {
    let names: Vec<String> = program.tables.iter().map(|table| table.name.clone()).collect();
    for list in program.entities.iter_mut().flat_map(|entity| &mut entity.projections) {
        list.shows_version |= shows.contains(&names[list.table]);
    }
}
