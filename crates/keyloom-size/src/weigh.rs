//! What a program costs in one number, for choosing between layouts.
//!
//! The number is made of what [`size`](crate::size) says of every call, by mean rates. Where the catalog leaves a range, its middle
//! counts; of several questions of one pattern each is asked equally often; a rate that is not stated counts as one a second.
//! These are for choosing alone: no total that is shown has them in it.

use std::collections::BTreeMap;

use keyloom_facts::Prices;
use keyloom_model::layout::{Holds, Question, Table};
use keyloom_model::{Engine, Pattern};
use keyloom_plan::{Asked, Does, Effect, ReadPlan};
use keyloom_store::Discipline;

use crate::effort::{Cost, Effort};
use crate::ground::Ground;
use crate::limits::{self, Break, Unknown};
use crate::quantity::{Between, share};
use crate::reads;
use crate::rows;
use crate::table::TableSize;
use crate::time::{Calls, MONTH_MS};
use crate::visits::{ALWAYS, Becomes, Beside, Often, RowVisit, Visit, Visits};
use crate::{NodeSize, Terms};

/// What work and bytes are worth in a month.
#[derive(Debug, Clone, PartialEq)]
pub enum Tariff {
    /// Dollars of DynamoDB on demand.
    Dollars(Prices),
    /// Dollars of nodes, by the part of them that is used.
    Nodes {
        /// How large one is.
        node: NodeSize,
        /// What it costs in a month, in billionths of a dollar.
        price: u64,
        /// How many nodes have each row.
        replicas: u32,
    },
    /// Processor time of all replicas; what is stored is not weighed, since nobody says what it is worth beside that.
    Time,
}

/// In how many parts a billionth of a dollar, or a nanosecond, is divided: so nothing is rounded while it is summed up.
const PARTS: u128 = 4_000_000_000;

impl Tariff {
    /// What is weighed on an engine under these terms.
    pub fn of(engine: Engine, terms: &Terms) -> Self {
        match (engine, &terms.prices, terms.node, terms.node_price) {
            (Engine::DynamoDb, Some(prices), _, _) => Self::Dollars(prices.clone()),
            (Engine::Cassandra, _, Some(node), Some(price)) => {
                let replicas = terms.replicas.map_or(1, |replicas| replicas.count);
                Self::Nodes { node, price: price.nanos(), replicas }
            }
            _ => Self::Time,
        }
    }

    /// Whether it is money.
    pub fn is_money(&self) -> bool {
        !matches!(self, Self::Time)
    }

    /// A weight in billionths of a dollar a month, or in nanoseconds of processor a month.
    pub fn nanos(weight: u128) -> u128 {
        weight / PARTS
    }

    /// So many calls of such an effort, in parts.
    fn calls(&self, effort: &Between<Effort>, calls: u128) -> u128 {
        let both = |of: fn(&Effort) -> u128| of(&effort.low).saturating_add(of(&effort.high));
        match self {
            // Half units in thousandths, at a price for a million, and two ends of a range.
            Self::Dollars(prices) => {
                let reads =
                    both(|effort| effort.read_half_units).saturating_mul(prices.on_demand.read_million.nanos().into());
                let writes =
                    both(|effort| effort.write_units).saturating_mul(prices.on_demand.write_million.nanos().into());
                calls.saturating_mul(reads.saturating_add(writes.saturating_mul(2)))
            }
            // Thousandths of nanoseconds, and two ends of a range.
            Self::Time => calls.saturating_mul(both(|effort| effort.nanos)).saturating_mul(PARTS / 2_000),
            Self::Nodes { node, price, .. } => {
                let month_nanos = u128::from(node.cores).saturating_mul(u128::from(MONTH_MS)).saturating_mul(1_000_000);
                let spent = calls.saturating_mul(both(|effort| effort.nanos)).saturating_mul(PARTS / 2_000);
                share(spent, (*price).into(), month_nanos)
            }
        }
    }

    /// So many bytes that are stored for a month, in parts.
    fn stored(&self, bytes: u128) -> u128 {
        match self {
            Self::Dollars(prices) => {
                share(bytes.saturating_mul(PARTS), prices.storage.gigabyte_month.nanos().into(), 1 << 30)
            }
            Self::Nodes { node, price, replicas } => {
                let all = bytes.saturating_mul((*replicas).into()).saturating_mul(PARTS);
                share(all, (*price).into(), node.bytes.into())
            }
            Self::Time => 0,
        }
    }
}

/// What a program weighs, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weighed {
    /// Each question of the program, in its order.
    pub reads: Vec<u128>,
    /// What each pattern writes, by its name.
    pub writes: BTreeMap<String, u128>,
    /// What each table of the layout stores, in its order.
    pub stored: Vec<u128>,
    /// The limits that are crossed, by table.
    pub breaks: Vec<Break>,
    /// Those of which nobody can tell.
    pub unknown: Vec<Unknown>,
}

impl Weighed {
    /// All of it.
    pub fn total(&self) -> u128 {
        let parts = self.reads.iter().chain(self.writes.values()).chain(&self.stored);
        parts.fold(0, |sum, part| sum.saturating_add(*part))
    }

    /// What a pattern weighs: its questions and what it writes.
    pub fn of_pattern(&self, ground: &Ground<'_>, pattern: &str) -> u128 {
        let own = |question: &Question| matches!(question, Question::Pattern { pattern: of, .. } if of == pattern);
        let asked = ground.program.reads.iter().zip(&self.reads).filter(|(plan, _)| own(&plan.asked.question));
        let writes = self.writes.get(pattern).copied().unwrap_or(0);
        asked.map(|(_, weight)| *weight).fold(writes, u128::saturating_add)
    }
}

/// What it takes to fill a table once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filling {
    /// The rows that it has.
    pub rows: u128,
    /// What they weigh together.
    pub weight: u128,
}

/// How many questions a list of a pattern is: each is asked equally often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Equally(BTreeMap<(String, Option<String>), u128>);

impl Equally {
    /// Of these questions.
    pub fn of<'a>(asked: impl Iterator<Item = &'a Asked>) -> Self {
        let mut counts = BTreeMap::new();
        for part in asked.filter_map(|asked| part(&asked.question)) {
            *counts.entry(part).or_default() += 1;
        }
        Self(counts)
    }

    fn questions(&self, question: &Question) -> u128 {
        part(question).and_then(|part| self.0.get(&part)).copied().unwrap_or(1).max(1)
    }
}

/// The list of a pattern that a question is about.
fn part(question: &Question) -> Option<(String, Option<String>)> {
    match question {
        Question::Pattern { pattern, with, .. } => Some((pattern.clone(), with.clone())),
        Question::Support { .. } => None,
    }
}

/// Calls of a pattern in a month; one a second where nobody says.
pub fn calls_in_month(pattern: &Pattern) -> u128 {
    Calls::of(&pattern.name, pattern.rate).month.value().unwrap_or(u128::from(MONTH_MS / 1_000))
}

impl Ground<'_> {
    /// Weighs all that the program asks and does, and looks which limits are crossed.
    pub fn weigh(&self, tariff: &Tariff, equally: &Equally) -> Weighed {
        let all: Vec<&Pattern> = self.catalog().patterns.iter().collect();
        self.weigh_only(tariff, equally, &all)
    }

    /// The same of a program in which no other patterns than these ask or do anything.
    pub fn weigh_only(&self, tariff: &Tariff, equally: &Equally, patterns: &[&Pattern]) -> Weighed {
        let (mut writes, mut costs) = (BTreeMap::new(), Vec::new());
        for pattern in patterns {
            let write = self.cost(&self.write(pattern));
            if write.total != Between::default() {
                writes.insert(pattern.name.clone(), tariff.calls(&write.total, calls_in_month(pattern)));
            }
            costs.push((
                *pattern,
                Calls::of(&pattern.name, pattern.rate),
                reads::of_pattern(self, pattern).plus(write),
            ));
        }
        let tables: Vec<TableSize> =
            self.program.layout.tables.iter().map(|table| TableSize::of(self, table, &costs)).collect();
        let (breaks, unknown) = limits::look(self.program.layout.engine, self.catalog().as_of, &tables);
        let stored = tables.iter().map(|table| tariff.stored(table.stored_after(0).value().unwrap_or(0))).collect();
        Weighed { reads: self.weigh_reads(tariff, equally), writes, stored, breaks, unknown }
    }

    /// The limits that one table crosses, and those of which nobody can tell, in a program in which no other patterns than these ask
    /// or do anything.
    pub fn limits_of(&self, table: &Table, patterns: &[&Pattern]) -> (Vec<Break>, Vec<Unknown>) {
        let cost = |pattern: &Pattern| reads::of_pattern(self, pattern).plus(self.cost(&self.write(pattern)));
        let calls = |pattern: &Pattern| Calls::of(&pattern.name, pattern.rate);
        let work = patterns.iter().filter(|pattern| self.may_visit(pattern, table));
        let costs: Vec<_> = work.map(|pattern| (*pattern, calls(pattern), cost(pattern))).collect();
        let size = TableSize::of(self, table, &costs);
        limits::look(self.program.layout.engine, self.catalog().as_of, &[size])
    }

    /// Whether a pattern may have to do with a table. A source is looked up by many; of lists, plans say by whom they are visited.
    fn may_visit(&self, pattern: &Pattern, table: &Table) -> bool {
        let is_list = matches!(table.holds, Holds::Projection { .. } | Holds::Newest { .. });
        let on = |effect: &Effect| {
            // Rows that are touched or counted again are found by tables that their effects do not name.
            effect.table == table.name || matches!(effect.does, Does::Touches | Does::Keeps(_) | Does::MarksEnd)
        };
        !is_list
            || self.program.reads_of(&pattern.name).any(|plan| plan.access.table == table.name)
            || self.program.writes_of(&pattern.name).any(|plan| plan.effects.iter().any(on))
    }

    /// What the questions of the program weigh, in its order.
    pub fn weigh_reads(&self, tariff: &Tariff, equally: &Equally) -> Vec<u128> {
        let weigh = |plan: &ReadPlan| {
            // What the run time asks for itself is a part of the write that makes it ask.
            let Question::Pattern { pattern, .. } = &plan.asked.question else { return 0 };
            let Some(pattern) = self.catalog().pattern(pattern) else { return 0 };
            let cost = self.cost(&self.read(plan));
            tariff.calls(&cost.total, calls_in_month(pattern)) / equally.questions(&plan.asked.question)
        };
        self.program.reads.iter().map(weigh).collect()
    }

    /// What the writes of a pattern do in one table, and what they do in all: `(on the table, in all)`. Groups that are read
    /// again from other tables are left out of both, since which table they are read from is decided later.
    pub fn weigh_writes(&self, tariff: &Tariff, pattern: &Pattern, table: &str) -> (u128, u128) {
        let mut visits = self.write(pattern);
        visits.beside.retain(|beside| match &beside.visit.most {
            Visit::Slice { table: of, .. } => of == table,
            _ => true,
        });
        let calls = calls_in_month(pattern);
        let on = self.cost_on(&visits, table);
        (tariff.calls(&on.total, calls), tariff.calls(&self.cost(&visits).total, calls))
    }

    /// What a table stores.
    pub fn weigh_stored(&self, tariff: &Tariff, table: &Table) -> u128 {
        let rows = rows::of_table(self.program, table);
        let bytes = self.bytes(&table.name);
        let each = u128::from(bytes.typical).saturating_add(bytes.beside.into());
        tariff.stored(rows.now.value().unwrap_or(0).saturating_mul(each))
    }

    /// What it takes to fill a table once: every row of it is read where it is known, and placed. `None` where nobody says how many
    /// rows there are.
    pub fn weigh_filling(&self, tariff: &Tariff, table: &Table) -> Option<Filling> {
        let rows = rows::of_table(self.program, table).now.value()?;
        let source = keyloom_plan::rows_of(self.catalog(), table).and_then(|entity| self.source(entity))?;
        let mut visits = Visits::default();
        let freshness = keyloom_store::Freshness::Settled;
        visits.visit(Visit::Get { table: source.to_owned(), freshness }, Between::exactly(ALWAYS));
        if !self.is_index(&table.name) {
            visits.visit(Visit::Place { row: RowVisit::of(&table.name, Becomes::New) }, Between::exactly(ALWAYS));
        }
        Some(Filling { rows, weight: tariff.calls(&self.cost(&visits).total, rows) })
    }

    /// The part of a plan's cost that falls on one table.
    fn cost_on(&self, visits: &Visits, table: &str) -> Cost {
        if matches!(self.discipline(table), Some(Discipline::Indexed { .. })) {
            return self.cost_in_index(visits, table);
        }
        let mut cost = Cost::default();
        for (at, row) in visits.decision.iter().enumerate().filter(|(_, row)| row.most.table == table) {
            cost = cost.plus(self.decided(visits, at, row));
        }
        for beside in &visits.beside {
            let own = |visit: &Visit| match visit {
                Visit::Get { table: of, .. } | Visit::Slice { table: of, .. } => of == table,
                Visit::Place { row } => row.table == table,
                Visit::Decide { .. } => false,
            };
            match &beside.visit.most {
                Visit::Decide { rows } => {
                    let together = rows.len() > 1;
                    for row in rows.iter().filter(|row| row.table == table) {
                        cost = cost.plus(self.decided_row(row, together).often(beside.visit.millionths));
                    }
                }
                visit if own(visit) => cost = cost.plus(self.beside(beside)),
                _ => {}
            }
        }
        cost
    }

    /// What the engine does in one index while it writes the rows of its table.
    fn cost_in_index(&self, visits: &Visits, index: &str) -> Cost {
        let only = |row: &RowVisit| {
            let indexes = row.indexes.iter().filter(|(name, _)| name == index).cloned().collect();
            RowVisit { indexes, ..row.clone() }
        };
        let none = |row: &RowVisit| RowVisit { indexes: Vec::new(), ..row.clone() };
        let mut cost = Cost::default();
        for (at, row) in visits.decision.iter().enumerate().filter(|(_, row)| !row.most.indexes.is_empty()) {
            let as_it_is = |change: &dyn Fn(&RowVisit) -> RowVisit| {
                let row = Often { least: change(&row.least), most: change(&row.most), millionths: row.millionths };
                self.decided(visits, at, &row)
            };
            cost = cost.plus(as_it_is(&only).less(&as_it_is(&none)));
        }
        for beside in &visits.beside {
            let (Visit::Place { row: least }, Visit::Place { row: most }) = (&beside.visit.least, &beside.visit.most)
            else {
                continue;
            };
            let as_it_is = |change: &dyn Fn(&RowVisit) -> RowVisit| {
                let visit = Often {
                    least: Visit::Place { row: change(least) },
                    most: Visit::Place { row: change(most) },
                    millionths: beside.visit.millionths,
                };
                self.beside(&Beside::from(visit))
            };
            cost = cost.plus(as_it_is(&only).less(&as_it_is(&none)));
        }
        cost
    }
}
