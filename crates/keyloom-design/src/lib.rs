//! A layout for a catalog: by rule, one structure for each question, or by a [`search`] that weighs.
//!
//! By rule, the partition is what the question fixes, the sort key is its order and then the row's identity, and constant tests make
//! the table sparse. A question that another one's table answers as well gets none of its own. A partition that would
//! outgrow the engine is cut by time. Nothing is weighed. Either way the same catalog gives the same layout.

mod bucket;
mod kept;
mod misfit;
mod name;
mod paths;
pub mod search;
mod source;
mod structure;

use keyloom_model::layout::{Holds, Keeper, Layout, Table, Upkeep};
use keyloom_model::{Catalog, Class, Engine, Entity, Fill};
use keyloom_plan::{Asked, Companions, Program, Wants, access, questions};
use keyloom_store::Abilities;

pub use misfit::misfits;
use name::Names;
pub use paths::paths;

/// The layout of a catalog on an engine.
pub fn design(catalog: &Catalog, engine: Engine, abilities: &Abilities) -> Layout {
    let layout = tables(catalog, Layout::new(&catalog.name, engine), abilities);
    let mut program = Program::compile(catalog, &layout, abilities);
    if let Some(cut) = bucket::cut(&program) {
        program = Program::compile(catalog, &cut, abilities);
    }
    Layout { paths: paths(&program), ..program.layout }
}

/// A layout that is in use, for a catalog that has changed since: its tables stay as they are with what they hold, and what
/// they do not answer gets a table as in a new design, or columns more.
pub fn extend(layout: &Layout, catalog: &Catalog, abilities: &Abilities) -> Layout {
    let mut open = remembered(layout);
    open.tables.iter_mut().filter(|table| is_list(table)).for_each(|table| table.columns = None);
    let mut extended = Program::compile(catalog, &tables(catalog, open, abilities), abilities).layout;
    keep_columns(layout, &mut extended);
    let program = Program::compile(catalog, &Layout { paths: Vec::new(), ..extended }, abilities);
    Layout { paths: paths(&program), ..program.layout }
}

/// Leaves lists the columns that they have in a layout that is in use, before those that they need besides.
fn keep_columns(layout: &Layout, extended: &mut Layout) {
    for table in extended.tables.iter_mut().filter(|table| is_list(table)) {
        let known = layout.table(&table.name).and_then(|known| known.columns.clone()).unwrap_or_default();
        let needed = table.columns.take().unwrap_or_default();
        let new = needed.into_iter().filter(|column| !known.contains(column));
        table.columns = Some(known.iter().cloned().chain(new).collect());
    }
}

/// What of a layout is remembered where it runs. A source has the columns that its catalog has, and which path answers a
/// question is the business of whoever asks it.
pub fn remembered(layout: &Layout) -> Layout {
    let table = |table: &Table| match table.holds {
        Holds::Source { .. } => Table { columns: None, ..table.clone() },
        _ => table.clone(),
    };
    Layout { tables: layout.tables.iter().map(table).collect(), paths: Vec::new(), ..layout.clone() }
}

fn is_list(table: &Table) -> bool {
    matches!(table.holds, Holds::Projection { .. } | Holds::Newest { .. })
}

/// The tables that a catalog needs beside those that are there.
fn tables(catalog: &Catalog, layout: Layout, abilities: &Abilities) -> Layout {
    let companions = Companions::of(abilities);
    let names = Names::taken(&layout);
    let mut designer = Designer { catalog, companions, layout, names, asked: base_questions(catalog) };
    for entity in &catalog.entities {
        designer.entity(entity);
    }
    for entity in &catalog.entities {
        kept::values(&mut designer, entity, |_| true);
    }
    let mut layout = designer.layout;
    layout.ranks = structure::ranks(catalog, &layout);
    layout
}

/// The questions that get a structure: without optional inputs, since these only narrow what is read. Those with an order
/// come first, so that the others can be answered by their tables.
fn base_questions(catalog: &Catalog) -> Vec<Asked> {
    let base = questions(catalog).into_iter().filter(|asked| {
        let sent = match &asked.question {
            keyloom_model::layout::Question::Pattern { sent, .. } => !sent.is_empty(),
            keyloom_model::layout::Question::Support { .. } => false,
        };
        !sent && asked.wants != Wants::Row
    });
    let (ordered, any): (Vec<Asked>, Vec<Asked>) = base.partition(|asked| !asked.order.is_empty());
    ordered.into_iter().chain(any).collect()
}

struct Designer<'a> {
    catalog: &'a Catalog,
    companions: Companions,
    layout: Layout,
    names: Names,
    asked: Vec<Asked>,
}

impl Designer<'_> {
    /// The tables of one entity: those that must be, then one for each question that none of them answers.
    fn entity(&mut self, entity: &Entity) {
        let class = entity.class(self.catalog).0;
        self.must_be(entity, class);
        let asked: Vec<Asked> = self.asked.iter().filter(|asked| asked.entity == entity.name).cloned().collect();
        for asked in asked {
            self.question(entity, class, &asked);
        }
    }

    /// The tables without which there is no entity: its source, its reservations, its numbers.
    fn must_be(&mut self, entity: &Entity, class: Class) {
        if !self.holds(|holds| matches!(holds, Holds::Source { entity: of, .. } if *of == entity.name)) {
            let source = self.source(entity, class);
            self.layout.tables.push(source);
        }
        for unique in &entity.unique {
            let fields: Vec<&str> = unique.fields.iter().map(String::as_str).collect();
            let holds = Holds::Reservations { entity: entity.name.clone(), unique: unique.name.clone() };
            if self.holds(|held| *held == holds) {
                continue;
            }
            let name = self.names.table(&entity.name, &[], Some(&fields), None);
            let table = self.keyed(name, holds, entity, &fields);
            self.layout.tables.push(table);
        }
        for field in &entity.fields {
            if let Fill::Next { per } = &field.fill {
                let fields: Vec<&str> = per.iter().map(String::as_str).collect();
                let holds = Holds::Numbers { entity: entity.name.clone(), field: field.name.clone() };
                if self.holds(|held| *held == holds) {
                    continue;
                }
                let name = self.names.table(&format!("{}_{}", entity.name, field.name), &[], None, None);
                let table = self.keyed(name, holds, entity, &fields);
                self.layout.tables.push(table);
            }
        }
    }

    /// Whether there is a table of this.
    fn holds(&self, is: impl Fn(&Holds) -> bool) -> bool {
        self.layout.tables.iter().any(|table| is(&table.holds))
    }

    /// A table for a question, unless one that is there answers it as well.
    fn question(&mut self, entity: &Entity, class: Class, asked: &Asked) {
        let structure = structure::of(self.catalog, entity, asked);
        let Some(structure) = structure else { return };
        let own = structure.table(String::new(), entity, self.keeper(class), asked);
        let Ok(wanted) = access::serve(self.catalog, &self.layout, asked, &own) else { return };
        let as_good = |table: &Table| match access::serve(self.catalog, &self.layout, asked, table) {
            Ok(found) => found.remains == wanted.remains && found.reach.spread() <= wanted.reach.spread(),
            Err(_) => false,
        };
        if self.layout.tables.iter().any(as_good) {
            return;
        }
        let name = structure.name(&mut self.names, entity, asked);
        self.layout.tables.push(Table { name, ..own });
    }

    fn keeper(&self, class: Class) -> Keeper {
        match (self.companions, class) {
            (Companions::Ride, Class::Decided) => Keeper::Carried,
            _ => Keeper::Placed,
        }
    }

    /// A table by these fields, a row for each value.
    fn keyed(&self, name: String, holds: Holds, entity: &Entity, fields: &[&str]) -> Table {
        Table {
            name,
            holds,
            all_tenants: false,
            filter: None,
            partition: structure::partition(self.catalog, entity, fields),
            sort: Vec::new(),
            columns: None,
            copies: Vec::new(),
            spread: None,
            expires: None,
        }
    }

    fn source(&mut self, entity: &Entity, class: Class) -> Table {
        let key: Vec<&str> = entity.key.iter().map(String::as_str).collect();
        let holds = Holds::Source { entity: entity.name.clone(), class: Some(class), upkeep: Upkeep::default() };
        let name = self.names.table(&entity.name, &[], None, None);
        let by_identity = self.keyed(name, holds, entity, &key);
        source::with_list_key(self.catalog, entity, class, &self.asked, by_identity, self.layout.engine)
    }
}
