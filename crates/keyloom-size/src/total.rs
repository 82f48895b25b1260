//! All tables and patterns together, and what was assumed on the way.

use keyloom_model::Engine;

use crate::load::Load;
use crate::money::{self, DynamoDbMonth, NodeSize};
use crate::quantity::{Between, Quantity};
use crate::table::TableSize;
use crate::time::{MONTH_MS, YEAR_MS};
use crate::values::{DIGITS_ASSUMED, TOKENS_ASSUMED, TOKENS_MAX};
use crate::{PatternSize, Terms};

/// What everything comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    /// Bytes that are stored: now, in a year, in five years. Without replicas and before compression.
    pub stored: [Quantity; 3],
    /// What all patterns ask at peak, all at once.
    pub peak: Load,
    /// Thousandths of nanoseconds of processor in a second, on average.
    pub mean_nanos: Between<Quantity>,
    /// Money on DynamoDB, where there are prices.
    pub dynamodb: Option<DynamoDbMonth>,
    /// Replicas and nodes, where the engine has them.
    pub cluster: Option<Cluster>,
}

/// Replicas and nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// How many nodes have each row.
    pub replicas: u32,
    /// Bytes of all replicas now, in a year, in five years.
    pub stored: [Quantity; 3],
    /// How many nodes hold the rows of now, in a year and in five years, and do the work of the peak; where a size is stated.
    pub nodes: Option<(NodeSize, [Quantity; 3])>,
    /// What those of now cost in a month, in billionths of a dollar, where a price is stated.
    pub month: Option<Quantity>,
}

/// The moments for which bytes are said.
pub(crate) const MOMENTS: [u64; 3] = [0, YEAR_MS, 5 * YEAR_MS];

impl Total {
    pub(crate) fn of(engine: Engine, tables: &[TableSize], patterns: &[PatternSize], terms: &Terms) -> Self {
        let sum = |all: Quantity, one: &Quantity| all.plus(one);
        let none = || Quantity::known(0_u64);
        let stored = MOMENTS.map(|moment| {
            tables.iter().map(|table| table.stored_after(moment)).fold(none(), |all, one| sum(all, &one))
        });
        let peak = patterns.iter().fold(Load::none(), |load, pattern| {
            let lacks = pattern.calls.peak_kilosecond.clone();
            load.with(&pattern.effort.high, &lacks)
        });
        let mean = |effort: fn(&PatternSize) -> u128| {
            let each = patterns.iter().filter(move |pattern| effort(pattern) > 0);
            let each = each.map(|pattern| {
                let month = pattern.calls.month.times(&Quantity::known(effort(pattern)));
                month.part(1_000, MONTH_MS.into()).but_for(pattern.without.iter().cloned())
            });
            each.fold(none(), |all, one| sum(all, &one))
        };
        let mean_nanos = Between { low: mean(|of| of.effort.low.nanos), high: mean(|of| of.effort.high.nanos) };
        let prices = terms.prices.as_ref().filter(|_| engine == Engine::DynamoDb);
        let dynamodb = prices.map(|prices| {
            let month = |bound: fn(&Between<Quantity>) -> &Quantity| {
                patterns.iter().filter_map(|pattern| pattern.month.as_ref().map(bound)).fold(none(), sum)
            };
            let units = |thousandths: &Quantity, of: u128| {
                let value = thousandths.value().map(|value| value.div_ceil(of));
                let names: Vec<String> = thousandths.without().map(str::to_owned).collect();
                value.map_or_else(|| thousandths.clone(), |value| Quantity::known(value).but_for(names))
            };
            let capacity = [units(&peak.read_half_units, 2_000), units(&peak.write_units, 1_000)];
            DynamoDbMonth {
                region: prices.region.clone(),
                prices_of: prices.date,
                on_demand: Between { low: month(|of| &of.low), high: month(|of| &of.high) },
                provisioned: money::provisioned(prices, &capacity),
                capacity,
                storage: money::storage(prices, &stored[0]),
            }
        });
        let cluster = terms.replicas.filter(|_| engine == Engine::Cassandra).map(|replicas| {
            let all = stored.clone().map(|bytes| bytes.part(replicas.count.into(), 1));
            let nodes = terms.node.map(|node| {
                let nanos = peak.nanos.part(1, 1_000);
                (node, all.clone().map(|bytes| node.nodes(&bytes, &nanos, replicas.count)))
            });
            let price = nodes.as_ref().zip(terms.node_price);
            let month = price.map(|((_, nodes), price)| nodes[0].part(price.nanos().into(), 1));
            Cluster { replicas: replicas.count, stored: all, nodes, month }
        });
        Self { stored, peak, mean_nanos, dynamodb, cluster }
    }
}

/// What was assumed, in sentences.
pub(crate) fn assumed(engine: Engine, patterns: &[PatternSize], terms: &Terms) -> Vec<String> {
    let mut said = vec![
        "rows are typical ones, also in the largest groups; optional fields are there".to_owned(),
        format!("a decided row remembers {TOKENS_ASSUMED} request (at most {TOKENS_MAX}, within `retries`)"),
    ];
    if engine == Engine::DynamoDb {
        said.push(format!(
            "numbers have {DIGITS_ASSUMED} digits; limits are looked at with all that their types allow"
        ));
        if let Some(prices) = terms.prices.as_ref().filter(|_| terms.region_assumed) {
            said.push(format!("the prices of {} (--region)", prices.region));
        }
        said.push("what is free of charge is not taken off: it belongs to the account".to_owned());
    }
    let names = |of: fn(&PatternSize) -> bool| {
        let names: Vec<&str> = patterns.iter().filter(|pattern| of(pattern)).map(|p| p.name.as_str()).collect();
        match names.len() {
            0 => None,
            1..=3 => Some(names.join(", ")),
            more => Some(format!("{} and {} more", names[..2].join(", "), more - 2)),
        }
    };
    if let Some(names) = names(|pattern| pattern.calls.mean_assumed) {
        said.push(format!("the mean rate is the peak where only that is stated: {names}"));
    }
    if let Some(names) = names(|pattern| pattern.calls.peak_assumed) {
        said.push(format!("the peak is ten times the mean where only that is stated: {names}"));
    }
    match (engine, terms.replicas) {
        (Engine::Cassandra, Some(replicas)) => {
            if replicas.assumed {
                said.push(format!("{} replicas (--replicas)", replicas.count));
            }
            said.push("no room for compaction, nothing taken off for compression".to_owned());
        }
        (Engine::Embedded, _) => said.push("nothing taken off for compression".to_owned()),
        _ => {}
    }
    said
}
