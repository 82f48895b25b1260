//! Schemas and statements by seed: well-formed by the grammar, otherwise anything.
//!
//! A statement begins with something the server would accept and goes astray now and then: at each choice there is a small
//! chance of a choice that does not fit. So most rejections have one cause, and every cause is met.

mod clause;
mod condition;
mod modify;
mod random;
mod relation;
mod select;
mod selector;
mod slip;
mod term;
mod types;
mod where_clause;
mod world;

use std::collections::BTreeSet;

pub use clause::Clause;
pub use random::Random;
pub use world::World;

use types::{Column, Table};

/// A statement, and the clauses that it has.
#[derive(Debug, Clone)]
pub struct Case {
    pub text: String,
    pub clauses: BTreeSet<Clause>,
}

/// The next statement about a world.
pub fn statement(world: &World, random: &mut Random) -> Case {
    // Most statements are careful, some slip once, a few are wild.
    let wild = *random.weighted(&[(55, 0), (33, 40), (12, 200)]);
    let mut writer = Writer { world, random, clauses: BTreeSet::new(), wild };
    let text = match writer.random.below(100) {
        0..62 => writer.select(),
        62..68 => writer.slip(),
        68..75 => {
            let table = writer.plain_table();
            writer.insert(table)
        }
        75..88 => {
            let table = writer.base_table();
            writer.update(table)
        }
        88..96 => {
            let table = writer.base_table();
            writer.delete(table)
        }
        _ => writer.batch(),
    };
    Case { text, clauses: writer.clauses }
}

/// Writes one statement.
struct Writer<'a> {
    world: &'a World,
    random: &'a mut Random,
    clauses: BTreeSet<Clause>,
    /// The chance, in thousandths, that a choice goes astray.
    wild: u64,
}

impl<'a> Writer<'a> {
    /// Whether the next choice goes astray.
    fn astray(&mut self) -> bool {
        self.random.below(1000) < self.wild
    }

    fn uses(&mut self, clause: Clause) {
        self.clauses.insert(clause);
    }

    /// A table or view to read from.
    fn any_table(&mut self) -> &'a Table {
        self.random.pick(&self.world.tables)
    }

    /// A table to write to: seldom a view.
    fn base_table(&mut self) -> &'a Table {
        let world = self.world;
        if self.astray() && self.random.chance(30) {
            return self.random.pick(&world.tables);
        }
        let bases: Vec<&Table> = world.tables.iter().filter(|table| !table.view).collect();
        self.random.one_of(&bases)
    }

    /// A table that INSERT is made for: seldom one of counters.
    fn plain_table(&mut self) -> &'a Table {
        loop {
            let table = self.base_table();
            if !table.is_counter() || self.random.chance(15) {
                return table;
            }
        }
    }

    /// The name of a table, seldom one that is not there.
    fn table_name(&mut self, table: &Table) -> String {
        if self.astray() && self.random.chance(15) {
            return self.random.one_of(&["nothing", "nowhere.t0"]).to_owned();
        }
        if self.random.chance(3) { format!("ks.{}", table.name) } else { table.name.clone() }
    }

    /// A column's name, seldom one that is not there.
    fn name(&mut self, column: &Column) -> String {
        if self.astray() && self.random.chance(15) { "nothing".to_owned() } else { column.name.clone() }
    }

    /// `count` different ones, or fewer where there are not as many.
    fn several<T: Clone>(&mut self, from: &[T], count: usize) -> Vec<T> {
        let mut rest = from.to_vec();
        self.random.shuffle(&mut rest);
        rest.truncate(count);
        rest
    }
}
