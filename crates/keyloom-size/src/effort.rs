//! What a call makes an engine do, as far as it is paid for or limited.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_facts::Facts;
use keyloom_model::Engine;
use keyloom_store::Work;

use crate::quantity::{Between, share};

/// What calls take, in thousandths: some of it happens only with a share of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Half read units of DynamoDB.
    pub read_half_units: u128,
    /// Write units of DynamoDB.
    pub write_units: u128,
    /// Nanoseconds of processor, over all replicas, by the facts about the engine.
    pub nanos: u128,
    /// Rows that are decided.
    pub decisions: u128,
    /// Rows that are written, of all tables.
    pub rows: u128,
    /// Rows among them that are removed, and leave a trace on engines that remember it.
    pub removed: u128,
}

impl Effort {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, u128::saturating_add)
    }

    /// So many parts of it.
    #[must_use]
    pub fn part(self, parts: u128, of: u128) -> Self {
        self.each(self, |one, _| share(one, parts, of))
    }

    fn each(self, other: Self, of: impl Fn(u128, u128) -> u128) -> Self {
        Self {
            read_half_units: of(self.read_half_units, other.read_half_units),
            write_units: of(self.write_units, other.write_units),
            nanos: of(self.nanos, other.nanos),
            decisions: of(self.decisions, other.decisions),
            rows: of(self.rows, other.rows),
            removed: of(self.removed, other.removed),
        }
    }
}

/// What a call takes in all, and of each table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    pub(crate) total: Between<Effort>,
    /// At worst, since limits are looked at from above.
    pub(crate) tables: BTreeMap<String, Effort>,
    /// The same of rows that are looked up: which ones has nothing to do with how uneven the calls themselves are.
    pub(crate) looked_up: BTreeMap<String, Effort>,
    /// What is not counted, since nothing states how much it is.
    pub(crate) without: BTreeSet<String>,
}

impl Cost {
    pub(crate) fn on(table: &str, effort: Effort) -> Self {
        let tables = BTreeMap::from([(table.to_owned(), effort)]);
        Self { total: Between::exactly(effort), tables, ..Self::default() }
    }

    /// The same, as what is looked up.
    pub(crate) fn into_looked_up(mut self) -> Self {
        self.looked_up = std::mem::take(&mut self.tables);
        self
    }

    /// Both.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.total.low = self.total.low.plus(other.total.low);
        self.total.high = self.total.high.plus(other.total.high);
        add(&mut self.tables, other.tables, Effort::plus);
        add(&mut self.looked_up, other.looked_up, Effort::plus);
        self.without.extend(other.without);
        self
    }

    /// What is more in it than in another, in all.
    pub(crate) fn less(mut self, other: &Self) -> Self {
        self.total.low = self.total.low.each(other.total.low, u128::saturating_sub);
        self.total.high = self.total.high.each(other.total.high, u128::saturating_sub);
        self
    }

    /// One or the other.
    pub(crate) fn or(mut self, other: Self) -> Self {
        self.total.low = self.total.low.each(other.total.low, u128::min);
        self.total.high = self.total.high.each(other.total.high, u128::max);
        add(&mut self.tables, other.tables, |one, other| one.each(other, u128::max));
        add(&mut self.looked_up, other.looked_up, |one, other| one.each(other, u128::max));
        self.without.extend(other.without);
        self
    }

    /// So often, in millionths.
    pub(crate) fn often(self, millionths: Between<u128>) -> Self {
        let of = |effort: Effort, parts| effort.part(parts, 1_000_000);
        let all = |tables: BTreeMap<String, Effort>| -> BTreeMap<String, Effort> {
            tables.into_iter().map(|(table, effort)| (table, of(effort, millionths.high))).collect()
        };
        Self {
            total: Between { low: of(self.total.low, millionths.low), high: of(self.total.high, millionths.high) },
            tables: all(self.tables),
            looked_up: all(self.looked_up),
            without: self.without,
        }
    }
}

fn add(all: &mut BTreeMap<String, Effort>, more: BTreeMap<String, Effort>, how: impl Fn(Effort, Effort) -> Effort) {
    for (table, effort) in more {
        let known = all.entry(table).or_default();
        *known = how(*known, effort);
    }
}

/// What work costs a processor, in nanoseconds, where the engine was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nanos {
    read: u128,
    row: u128,
    read_kilobyte: u128,
    write: u128,
    write_kilobyte: u128,
    batch: u128,
    batch_row: u128,
    batch_kilobyte: u128,
    decision: u128,
}

impl Nanos {
    pub(crate) fn of(engine: Engine) -> Option<Self> {
        let facts = Facts::of(engine);
        let value = |name: &str| facts.get(name).map(|fact| u128::from(fact.value));
        Some(Self {
            read: value("read_nanos")? + value("read_partition_nanos")?,
            row: value("read_row_nanos")?,
            read_kilobyte: value("read_kilobyte_nanos")?,
            write: value("write_nanos")?,
            write_kilobyte: value("write_kilobyte_nanos")?,
            batch: value("batch_nanos")?,
            batch_row: value("batch_row_nanos")?,
            batch_kilobyte: value("batch_kilobyte_nanos")?,
            decision: value("decision_nanos")?,
        })
    }

    /// An agreement counts as the read that it comes before: nobody has measured it.
    fn thousandths(&self, work: &Work) -> u128 {
        let each = [
            (u128::from(work.reads).saturating_add(work.agreements.into()), self.read),
            (work.read_rows.into(), self.row),
            (work.writes.into(), self.write),
            (work.batches.into(), self.batch),
            (work.batch_rows.into(), self.batch_row),
            (work.decisions.into(), self.decision),
        ];
        let kilobytes = [
            (work.read_bytes, self.read_kilobyte),
            (work.write_bytes, self.write_kilobyte),
            (work.batch_bytes, self.batch_kilobyte),
        ];
        let each = each.iter().fold(0_u128, |sum, (count, nanos)| sum.saturating_add(count.saturating_mul(*nanos)));
        let bytes = kilobytes.iter().fold(0_u128, |sum, (bytes, nanos)| {
            sum.saturating_add(u128::from(*bytes).saturating_mul(*nanos).saturating_mul(1_000) / 1_024)
        });
        each.saturating_mul(1_000).saturating_add(bytes)
    }
}

/// What work takes.
pub(crate) fn effort(work: &Work, nanos: Option<&Nanos>) -> Effort {
    let thousandths = |count: u64| u128::from(count).saturating_mul(1_000);
    Effort {
        read_half_units: thousandths(work.read_half_units),
        write_units: thousandths(work.write_units),
        nanos: nanos.map_or(0, |nanos| nanos.thousandths(work)),
        ..Effort::default()
    }
}
