//! How hard a table is worked at peak, and its busiest partition.

use keyloom_model::layout::{Partition, Table};
use keyloom_model::{Catalog, Pattern, Skew};

use crate::effort::{Cost, Effort};
use crate::quantity::Quantity;
use crate::rows::fields;
use crate::time::{Calls, MONTH_MS};

/// What is asked of something in a second, in thousandths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// Half read units of DynamoDB.
    pub read_half_units: Quantity,
    /// Write units of DynamoDB.
    pub write_units: Quantity,
    /// Nanoseconds of processor.
    pub nanos: Quantity,
    /// Rows that are decided.
    pub decisions: Quantity,
}

impl Load {
    pub(crate) fn none() -> Self {
        let none = || Quantity::known(0_u64);
        Self { read_half_units: none(), write_units: none(), nanos: none(), decisions: none() }
    }

    /// With so much in each call more, where so many calls come in a thousand seconds.
    #[must_use]
    pub(crate) fn with(&self, effort: &Effort, kilosecond: &Quantity) -> Self {
        let add = |sum: &Quantity, each: u128| match each {
            // What a pattern never does is known, however often it is called.
            0 => sum.clone(),
            each => sum.plus(&kilosecond.times(&Quantity::known(each)).part(1, 1_000)),
        };
        Self {
            read_half_units: add(&self.read_half_units, effort.read_half_units),
            write_units: add(&self.write_units, effort.write_units),
            nanos: add(&self.nanos, effort.nanos),
            decisions: add(&self.decisions, effort.decisions),
        }
    }
}

/// What the patterns ask of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLoad {
    /// Of its busiest partition, as far as the catalog says how uneven calls are.
    pub busiest: Load,
    /// Of all partitions together: the busiest one has no more.
    pub all: Load,
}

impl TableLoad {
    pub(crate) fn of(catalog: &Catalog, table: &Table, patterns: &[(&Pattern, Calls, Cost)]) -> Self {
        let mut load = Self { busiest: Load::none(), all: Load::none() };
        for (pattern, calls, cost) in patterns {
            let peak = &calls.peak_kilosecond;
            if let Some(effort) = cost.tables.get(&table.name) {
                load.all = load.all.with(effort, peak);
                let on_busiest = peak.times(&busiest_share(catalog, table, pattern)).part(1, 1_000_000);
                load.busiest = load.busiest.with(effort, &on_busiest);
            }
            if let Some(effort) = cost.looked_up.get(&table.name) {
                load.all = load.all.with(effort, peak);
                let open = Quantity::open(format!("how unevenly {} looks up {}", pattern.name, table.name));
                load.busiest = load.busiest.with(effort, &open);
            }
        }
        load
    }
}

/// How often a pattern asks the busiest partition of a table in a thousand seconds of its peak.
pub fn calls_on_busiest(catalog: &Catalog, table: &Table, pattern: &Pattern) -> Quantity {
    let peak = Calls::of(&pattern.name, pattern.rate).peak_kilosecond;
    peak.times(&busiest_share(catalog, table, pattern)).part(1, 1_000_000)
}

/// The part of a pattern's calls that falls on the busiest partition of a table, in millionths.
fn busiest_share(catalog: &Catalog, table: &Table, pattern: &Pattern) -> Quantity {
    let everything = fields(catalog, table).is_empty();
    let tenant = catalog.tenant.as_ref().filter(|_| !table.all_tenants && table.partition != Partition::All);
    match (everything, tenant, pattern.skew) {
        (true, None, _) => Quantity::known(1_000_000_u64),
        (true, Some(tenant), _) => {
            Quantity::stated(tenant.busiest.map(|share| share.millionths), || "tenant.busiest".to_owned())
        }
        (false, _, Some(Skew::Busiest(share))) => Quantity::known(share.millionths),
        // How many groups a Zipf distribution is spread over is not stated, and the busiest share depends on it.
        (false, _, Some(Skew::Zipf(_))) => Quantity::open(format!("patterns.{}.skew.busiest", pattern.name)),
        (false, _, None) => Quantity::open(format!("patterns.{}.skew", pattern.name)),
    }
}

/// Rows of a table that are removed in a span: in its busiest partition, and in all.
pub(crate) fn removed(
    catalog: &Catalog,
    table: &Table,
    patterns: &[(&Pattern, Calls, Cost)],
    span_ms: u64,
) -> (Quantity, Quantity) {
    let mut removed = (Quantity::known(0_u64), Quantity::known(0_u64));
    for (pattern, calls, cost) in patterns {
        let each = cost.tables.get(&table.name).map_or(0, |effort| effort.removed);
        if each == 0 {
            continue;
        }
        let month = calls.month.times(&Quantity::known(each)).part(1, 1_000);
        let rows = month.part(span_ms.into(), MONTH_MS.into());
        let busiest = rows.times(&busiest_share(catalog, table, pattern)).part(1, 1_000_000);
        removed = (removed.0.plus(&busiest), removed.1.plus(&rows));
    }
    removed
}
