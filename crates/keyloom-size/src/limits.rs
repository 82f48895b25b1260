//! Which limits are crossed, and when.

use keyloom_facts::{Fact, Facts, Kind};
use keyloom_model::{Date, Engine};

use crate::quantity::Quantity;
use crate::table::TableSize;
use crate::time::{YEAR_MS, later};

/// What is looked ahead for.
pub const AHEAD_MS: u64 = 10 * YEAR_MS;

/// A limit that is crossed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// Of which table.
    pub table: String,
    /// What is too much: `rows in the worst partition`.
    pub what: &'static str,
    /// How much it is: at worst, or at peak; of what grows, after as long as rows stay or are looked ahead for.
    pub value: u128,
    /// The limit, with its source.
    pub limit: &'static Fact,
    /// After what span the first group crosses it, counted from its first row; 0 for at once.
    pub after_ms: u64,
    /// The day, for a group that begins on the day for which the catalog states its volumes.
    pub day: Option<Date>,
}

impl Break {
    /// What happens then.
    pub fn then(&self) -> &'static str {
        then(self.limit.kind)
    }

    /// The hardest first.
    fn hardness(&self) -> usize {
        Kind::ALL.iter().position(|kind| *kind == self.limit.kind).unwrap_or(Kind::ALL.len())
    }
}

/// What happens above a number of that kind.
pub(crate) fn then(kind: Kind) -> &'static str {
    match kind {
        Kind::Refused => "the engine answers with an error",
        Kind::Throttled => "the engine slows its callers down",
        Kind::RuleOfThumb => "the engine goes on; experience says that it gets slow",
        Kind::MeasuredByUs => "callers wait and lose against each other; measured on one small machine",
    }
}

/// What is crossed, the first and hardest first, and what nobody can tell, with the names of what is not stated.
pub(crate) fn look(engine: Engine, as_of: Option<Date>, tables: &[TableSize]) -> (Vec<Break>, Vec<Unknown>) {
    let mut found = Found { engine, facts: Facts::of(engine), as_of, breaks: Vec::new(), unknown: Vec::new() };
    for table in tables {
        found.row(table);
        found.partition(table);
        found.load(table);
        found.tombstones(table);
    }
    found.breaks.sort_by_key(|broken| (broken.after_ms, broken.hardness()));
    (found.breaks, found.unknown)
}

/// A limit of which nobody can tell whether it is crossed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Of which table.
    pub table: String,
    /// What may be too much.
    pub what: &'static str,
    /// The limit.
    pub limit: &'static Fact,
    /// What is not stated.
    pub without: Vec<String>,
}

struct Found {
    engine: Engine,
    facts: &'static Facts,
    as_of: Option<Date>,
    breaks: Vec<Break>,
    unknown: Vec<Unknown>,
}

impl Found {
    fn row(&mut self, table: &TableSize) {
        if let Some(limit) = self.facts.get("item_bytes")
            && table.bytes.worst > limit.value
        {
            self.add(table, "bytes in the largest row", table.bytes.worst.into(), limit, 0);
        }
    }

    fn partition(&mut self, table: &TableSize) {
        let Some(partition) = &table.partition else { return };
        let bytes = table.row_stored().max(1);
        let cells = u128::from(table.columns).max(1);
        let sizes = [
            ("partition_rows", "rows in the worst partition", 1),
            ("partition_bytes", "bytes in the worst partition", bytes),
            ("partition_cells", "cells in the worst partition", cells),
        ];
        for (name, what, each) in sizes {
            let Some(limit) = self.facts.get(name) else { continue };
            let worst = &partition.rows.worst;
            if let Some(after_ms) = partition.crosses(u128::from(limit.value) / each)
                && after_ms <= AHEAD_MS
            {
                let rows = partition.after(AHEAD_MS).worst.value().unwrap_or(0);
                self.add(table, what, rows.saturating_mul(each), limit, after_ms);
            } else if worst.whole().is_none() {
                self.not_known(table, what, limit, worst);
            }
        }
    }

    fn load(&mut self, table: &TableSize) {
        let (busiest, all) = (&table.load.busiest, &table.load.all);
        let units = |half_units: &Quantity| half_units.part(1, 2_000);
        let each = |thousandths: &Quantity| thousandths.part(1, 1_000);
        let reads = ("partition_read_units", "read units a second on the busiest partition");
        self.rate(table, reads, units(&busiest.read_half_units), &units(&all.read_half_units));
        let writes = ("partition_write_units", "write units a second on the busiest partition");
        self.rate(table, writes, each(&busiest.write_units), &each(&all.write_units));
        let decisions = match table.partition {
            None => "decisions a second on the busiest row",
            // A lightweight transaction is about a partition: those on its other rows wait for it, too.
            Some(_) if self.engine == Engine::Cassandra => "decisions a second on the busiest partition",
            Some(_) => return,
        };
        let decisions = ("row_decisions_per_second", decisions);
        self.rate(table, decisions, each(&busiest.decisions), &each(&all.decisions));
    }

    fn tombstones(&mut self, table: &TableSize) {
        let Some(removed) = &table.removed else { return };
        let what = "removed rows in the busiest partition, not forgotten yet";
        for name in ["tombstones", "tombstones_warned"] {
            if self.rate(table, (name, what), removed.busiest.clone(), &removed.all) {
                return;
            }
        }
    }

    /// Compares what is known of the busiest partition with a limit. Where all partitions together stay below it, nobody
    /// needs to know how uneven calls are.
    fn rate(
        &mut self,
        table: &TableSize,
        (name, what): (&str, &'static str),
        busiest: Quantity,
        all: &Quantity,
    ) -> bool {
        let Some(limit) = self.facts.get(name) else { return false };
        let most = u128::from(limit.value);
        if let Some(value) = busiest.value().filter(|value| *value > most) {
            self.add(table, what, value, limit, 0);
            return true;
        }
        if busiest.whole().is_none() && all.whole().is_none_or(|all| all > most) {
            self.not_known(table, what, limit, &busiest);
        }
        false
    }

    fn add(&mut self, table: &TableSize, what: &'static str, value: u128, limit: &'static Fact, after_ms: u64) {
        let day = self.as_of.filter(|_| after_ms > 0).and_then(|day| later(day, after_ms));
        self.breaks.push(Break { table: table.name.clone(), what, value, limit, after_ms, day });
    }

    fn not_known(&mut self, table: &TableSize, what: &'static str, limit: &'static Fact, quantity: &Quantity) {
        let without = quantity.without().map(str::to_owned).collect();
        self.unknown.push(Unknown { table: table.name.clone(), what, limit, without });
    }
}
