//! What would keep the limits that a design breaks, or cost less, and needs more than can be run today: shown, never proposed.
//!
//! What can't be run is not known here. Each way out is written into a layout, and whoever runs layouts says what he lacks.

use keyloom_facts::Fact;
use keyloom_model::layout::{Bucket, Holds, Keeper, Layout, Part, Partition, Spread, Table};
use keyloom_model::{Catalog, Type};
use keyloom_plan::{Program, ReadPlan, rows_of};
use keyloom_size::{Break, Equally, Ground, Weighed};

use super::scale::PARTITIONS_MAX;
use super::{Found, Score, Terms};
use crate::bucket::{STEPS, is_read};

/// Over how many partitions a group is spread at most: each call reads all of them.
const SPREAD_MAX: u64 = 64;

/// Something that a layout asks for and that is not run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// Where it stands: `tables.task_by_team`.
    pub at: String,
    /// What it is.
    pub what: String,
}

/// What to do about the limits that one table breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The table.
    pub table: String,
    /// The limits that it breaks now, and that would be kept.
    pub keeps: Vec<Break>,
    /// How; `None` where neither a step of time nor a spread keeps all of them.
    pub by: Option<Remedy>,
    /// What that needs, in words of the run time; nothing where it is run already.
    pub lacks: Vec<String>,
}

/// How a group that is too much for one partition is laid over several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// By a step of time; a call reads so many partitions at most.
    Step {
        /// The step.
        step: Bucket,
        /// Of which field.
        field: String,
        /// How many partitions a call reads at most.
        partitions: u64,
    },
    /// The heaviest groups over so many partitions, the others over one.
    Spread {
        /// Over how many.
        over: u64,
    },
}

/// A design that was found, and given up because it is not run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// What it comes to.
    pub score: Score,
    /// What it needs beyond what is run.
    pub lacks: Vec<Lack>,
}

/// What a program lacks beyond another.
pub(super) fn beyond(lacks: Vec<Lack>, known: &[Lack]) -> Vec<Lack> {
    lacks.into_iter().filter(|lack| !known.contains(lack)).collect()
}

/// For each table that breaks limits, what would keep them, in the order of the layout.
pub fn needs(catalog: &Catalog, found: &Found, terms: &Terms<'_>) -> Vec<Need> {
    let program = Program::compile(catalog, &found.layout, terms.abilities);
    let weighed = Ground::new(&program, terms.dialect).weigh(terms.tariff, &Equally::default());
    let known = (terms.not_run)(&program);
    let ways = Ways { catalog, terms, program: &program, weighed: &weighed, known: &known };
    program.layout.tables.iter().filter_map(|table| ways.need(table)).collect()
}

/// A design, and what it breaks.
struct Ways<'a> {
    catalog: &'a Catalog,
    terms: &'a Terms<'a>,
    program: &'a Program,
    weighed: &'a Weighed,
    known: &'a [Lack],
}

impl Ways<'_> {
    fn need(&self, table: &Table) -> Option<Need> {
        let of_table = self.weighed.breaks.iter().filter(|found| found.table == table.name);
        let keeps: Vec<Break> = of_table.filter(|found| is_of_partition(found)).cloned().collect();
        if keeps.is_empty() || !may_be_cut(table) {
            return None;
        }
        let (by, lacks) = match self.stepped(table, &keeps).or_else(|| self.spread(table, &keeps)) {
            Some((by, lacks)) => (Some(by), lacks),
            None => (None, Vec::new()),
        };
        Some(Need { table: table.name.clone(), keeps, by, lacks })
    }

    /// The coarsest step of time that keeps all of it, and what that needs.
    fn stepped(&self, table: &Table, keeps: &[Break]) -> Option<(Remedy, Vec<String>)> {
        let entity = self.catalog.entity(rows_of(self.catalog, table)?)?;
        let field = &table.sort.first()?.field;
        let known = entity.field(field).filter(|known| !known.optional)?;
        let hours = matches!(known.ty, Type::Timestamp { .. } | Type::Uuid7);
        if !hours && known.ty != Type::Date {
            return None;
        }
        let steps = STEPS.into_iter().filter(|step| hours || *step != Bucket::Hour);
        for step in steps {
            let layout = self.laid(table, |laid| {
                let Partition::By(parts) = &mut laid.partition else { return };
                parts.retain(|part| matches!(part, Part::Field(_)));
                parts.push(Part::Bucket(step, field.clone()));
            });
            let program = Program::compile(self.catalog, &layout, self.terms.abilities);
            let is_cut = layout.table(&table.name).is_some_and(|cut| is_read(self.program, cut));
            if !is_cut || program.refusals.len() > self.program.refusals.len() {
                continue;
            }
            let reads = || program.reads.iter().filter(|plan| plan.access.table == table.name);
            // A call that reads a partition for each of its rows is no slice any more.
            let is_slice =
                |plan: &ReadPlan| plan.at_most.is_none_or(|most| most.partitions <= most.rows.max(PARTITIONS_MAX));
            if !self.keeps_all(&program, table, keeps) || !reads().all(is_slice) {
                continue;
            }
            let partitions = reads().filter_map(|plan| plan.at_most).map(|most| most.partitions).max().unwrap_or(1);
            return Some((Remedy::Step { step, field: field.clone(), partitions }, self.lacks(&program)));
        }
        None
    }

    /// Whether a program keeps these limits of a table, for certain.
    fn keeps_all(&self, program: &Program, table: &Table, keeps: &[Break]) -> bool {
        let then = Ground::new(program, self.terms.dialect).weigh(self.terms.tariff, &Equally::default());
        let broken = then.breaks.iter().map(|found| (&found.table, found.what, found.limit));
        let open = then.unknown.iter().map(|found| (&found.table, found.what, found.limit));
        let is_kept =
            |what: &str, limit: &Fact| keeps.iter().any(|kept| kept.what == what && kept.limit.name == limit.name);
        !broken.chain(open).any(|(of, what, limit)| *of == table.name && is_kept(what, limit))
    }

    /// The least spread that keeps all of it, and what that needs.
    fn spread(&self, table: &Table, keeps: &[Break]) -> Option<(Remedy, Vec<String>)> {
        let fits = |over: &u64| {
            keeps.iter().all(|broken| broken.value.div_ceil(u128::from(*over)) <= u128::from(broken.limit.value))
        };
        let over = (1..=SPREAD_MAX.ilog2()).map(|power| 1 << power).find(fits)?;
        let layout = self.laid(table, |laid| {
            laid.spread = Some(Spread { rows: None, reads: None, at_most: over });
        });
        let lacks = self.lacks(&Program::compile(self.catalog, &layout, self.terms.abilities));
        Some((Remedy::Spread { over }, lacks))
    }

    /// The layout with one table changed.
    fn laid(&self, table: &Table, change: impl Fn(&mut Table)) -> Layout {
        let mut layout = self.program.layout.clone();
        layout.tables.iter_mut().filter(|laid| laid.name == table.name).for_each(change);
        layout.paths.clear();
        layout
    }

    /// What isn't run of a program, beyond what is not run anyway.
    fn lacks(&self, program: &Program) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for lack in beyond((self.terms.not_run)(program), self.known) {
            if !words.contains(&lack.what) {
                words.push(lack.what);
            }
        }
        words
    }
}

/// Whether a limit is one of what stands or happens in one partition, so that several partitions would keep it.
fn is_of_partition(found: &Break) -> bool {
    !["item_bytes", "row_decisions_per_second"].contains(&found.limit.name.as_str())
}

/// Whether rows of a table may be laid over more partitions than its key makes.
fn may_be_cut(table: &Table) -> bool {
    match &table.holds {
        Holds::Source { .. } | Holds::Contributions(_) => true,
        Holds::Projection { keeper, .. } => *keeper != Keeper::Index,
        Holds::Reservations { .. } | Holds::Kept { .. } | Holds::Newest { .. } | Holds::Numbers { .. } => false,
    }
}
