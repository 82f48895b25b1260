//! A program of some questions and writes alone, for looking at one set of tables after another: a search compiles thousands of
//! them, and most of a catalog stays as it is from one to the next.

use keyloom_model::Pattern;
use keyloom_model::layout::{Layout, Ranks, Table};
use keyloom_store::Table as Stored;

use crate::access::{self, Why};
use crate::effects::writes_of;
use crate::legality::objections;
use crate::program::{Program, ReadPlan, at_most, columns, sizes, transactions};
use crate::question::Asked;
use crate::refusal::{Because, Refusal, What};
use crate::stored::{is_index, stored, system_tables};

impl Program {
    /// Takes these tables and ranks in the place of its own, and plans just these questions, each by the table that is named, and what these
    /// patterns write. A question without a name is answered by the best table. Columns that are not stated are what the questions
    /// need. What the engine has against it is refused. Keyloom's own tables stay as they are: what they hold follows from the whole.
    ///
    /// # Errors
    /// When a table does not answer its question.
    pub fn sketch(
        &mut self,
        (tables, ranks): (Vec<Table>, Vec<Ranks>),
        asked: &[(&Asked, Option<&str>)],
        patterns: &[&Pattern],
    ) -> Result<(), Why> {
        if self.layout.ranks != ranks {
            // What was made of the tables before stands in other keys.
            self.tables.clear();
        }
        self.layout.ranks = ranks;
        let before = std::mem::replace(&mut self.layout.tables, tables);
        self.reads.clear();
        self.refusals.clear();
        for (asked, name) in asked {
            let access = match name {
                Some(name) => {
                    let table = self.layout.table(name).ok_or(Why::Other)?;
                    access::serve(&self.catalog, &self.layout, asked, table)?
                }
                None => match access::best(&self.catalog, &self.layout, asked) {
                    Ok(access) => access,
                    // What no table answers is no part of what is chosen here.
                    Err(_) => continue,
                },
            };
            let at_most = at_most(&self.catalog, asked, &access);
            self.reads.push(ReadPlan { asked: (*asked).clone(), access, at_most });
        }
        columns(&self.catalog, &mut self.layout, &self.reads);
        let known = self.known(&before);
        for (at, table) in self.layout.tables.iter().enumerate() {
            let same = known.get(at).filter(|_| before[at] == *table).cloned();
            match same.or_else(|| stored(&self.catalog, &self.layout, self.companions, table)) {
                Some(made) => self.tables.push(made),
                None => self.refusals.push(Refusal::of_table(&table.name, Because::Layout, What::NotMade)),
            }
            sizes(&self.catalog, &self.abilities, table, &mut self.refusals);
        }
        let of_pattern = |pattern: &&Pattern| writes_of(&self.catalog, &self.layout, self.companions, pattern);
        self.writes = patterns.iter().flat_map(of_pattern).collect();
        transactions(&self.catalog, &self.abilities, &self.writes, &mut self.refusals);
        Ok(())
    }

    /// What was made of the tables before, where that says something of the same tables now: a source holds what its indexes show.
    fn known(&mut self, before: &[Table]) -> Vec<Stored> {
        let known = std::mem::take(&mut self.tables);
        let has_indexes = before.iter().chain(&self.layout.tables).any(is_index);
        if has_indexes || known.len() != before.len() { Vec::new() } else { known }
    }

    /// The same catalog without plans and tables, with the tables that Keyloom keeps for itself beside this layout: what sketches begin
    /// with.
    pub fn with_tables_of(&self, layout: &Layout) -> Self {
        Self {
            catalog: self.catalog.clone(),
            layout: Layout { tables: Vec::new(), paths: Vec::new(), ..layout.clone() },
            abilities: self.abilities.clone(),
            companions: self.companions,
            horizons: self.horizons,
            system: system_tables(&self.catalog, layout, self.companions),
            tables: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// What the engine's own language has against the reads of the program.
    pub fn objections(&self) -> Vec<Refusal> {
        objections(&self.layout, &self.abilities, &self.reads, &self.tables)
    }
}
