//! What a program comes to: rows, bytes, units and money, now and later, and which limit is crossed first.
//!
//! Everything is computed from the program and the numbers of its catalog, in integers. What the catalog does not state is
//! left open by name and never counts as zero; typical, p99 and worst are never mixed. Money comes from means, limits from
//! worst and peak. `docs/size.md` says what is assumed.

mod effort;
mod ground;
mod json;
mod limits;
mod load;
mod money;
mod partition;
mod plot;
mod price;
mod quantity;
mod reads;
mod rows;
mod say;
mod table;
mod text;
mod time;
mod total;
mod values;
mod visits;
mod weigh;
mod what_if;
mod words;
mod writes;

use keyloom_facts::{Dollars, Prices};
use keyloom_model::{Date, Engine, Pattern};
use keyloom_plan::Program;
use keyloom_store::Dialect;

pub use effort::Effort;
pub use ground::{Ground, RowBytes};
pub use json::json;
pub use limits::{AHEAD_MS, Break, Unknown};
pub use load::{Load, TableLoad, calls_on_busiest};
pub use money::{DynamoDbMonth, NodeSize, node_price};
pub use partition::PartitionRows;
pub use plot::{cost_plot, growth_plot, plot};
pub use quantity::{Between, Quantity, Three};
pub use rows::Rows;
pub use table::{Removed, TableSize};
pub use text::{break_lines, partition_lines, pattern_lines, summary, table_lines, text, text_beside};
pub use time::Calls;
pub use total::{Cluster, Total};
pub use visits::{Becomes, Beside, InIndex, Often, RowVisit, Visit, Visits};
pub use weigh::{Equally, Filling, Tariff, Weighed, calls_in_month};
pub use what_if::WhatIf;
pub use words::{peak, rate};

use effort::Cost;

/// What is known beside the catalog.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// The prices of DynamoDB.
    pub prices: Option<Prices>,
    /// Nobody has stated the region whose prices they are.
    pub region_assumed: bool,
    /// How many nodes have each row, where an engine has replicas.
    pub replicas: Option<Replicas>,
    /// The size of a node.
    pub node: Option<NodeSize>,
    /// What a node costs in a month.
    pub node_price: Option<Dollars>,
}

/// How many nodes have each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replicas {
    /// How many.
    pub count: u32,
    /// Nobody has stated it.
    pub assumed: bool,
}

/// What a program comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// The name of the catalog.
    pub catalog: String,
    /// Where it is stored.
    pub engine: Engine,
    /// The day for which the catalog states its volumes.
    pub as_of: Option<Date>,
    /// The tables of the layout, in its order.
    pub tables: Vec<TableSize>,
    /// The patterns of the catalog, in its order.
    pub patterns: Vec<PatternSize>,
    /// All of it.
    pub total: Total,
    /// Which limits are crossed within [`AHEAD_MS`], the first and hardest first.
    pub breaks: Vec<Break>,
    /// Of which limits nobody can tell.
    pub unknown: Vec<Unknown>,
    /// What can't be held at all, and so is not counted.
    pub refused: Vec<String>,
    /// What was assumed, in sentences.
    pub assumed: Vec<String>,
}

/// What a pattern comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternSize {
    /// Its name.
    pub name: String,
    /// How often it is called.
    pub calls: Calls,
    /// What one call takes, by typical rows.
    pub effort: Between<Effort>,
    /// What a month of it costs on demand, in billionths of a dollar, where there are prices.
    pub month: Option<Between<Quantity>>,
    /// What is not counted.
    pub without: Vec<String>,
}

/// Sizes a program on an engine.
pub fn size(program: &Program, dialect: &dyn Dialect, terms: &Terms) -> Sizes {
    let ground = Ground::new(program, dialect);
    let costs: Vec<(&Pattern, Calls, Cost)> = program
        .catalog
        .patterns
        .iter()
        .map(|pattern| {
            let cost = reads::of_pattern(&ground, pattern).plus(ground.cost(&ground.write(pattern)));
            (pattern, Calls::of(&pattern.name, pattern.rate), cost)
        })
        .collect();
    let tables: Vec<TableSize> =
        program.layout.tables.iter().map(|table| TableSize::of(&ground, table, &costs)).collect();
    let engine = program.layout.engine;
    let prices = terms.prices.as_ref().filter(|_| engine == Engine::DynamoDb);
    let patterns: Vec<PatternSize> = costs
        .iter()
        .map(|(pattern, calls, cost)| {
            let lacks = |quantity: Quantity| quantity.but_for(cost.without.iter().cloned());
            let month =
                prices.map(|prices| cost.total.map(|effort| lacks(money::on_demand(prices, &effort, &calls.month))));
            PatternSize {
                name: pattern.name.clone(),
                calls: calls.clone(),
                effort: cost.total,
                month,
                without: cost.without.iter().cloned().collect(),
            }
        })
        .collect();
    let total = Total::of(engine, &tables, &patterns, terms);
    let (breaks, unknown) = limits::look(engine, program.catalog.as_of, &tables);
    let assumed = total::assumed(engine, &patterns, terms);
    Sizes {
        catalog: program.catalog.name.clone(),
        engine,
        as_of: program.catalog.as_of,
        tables,
        patterns,
        total,
        breaks,
        unknown,
        refused: program.refusals.iter().map(|refusal| format!("{}: {}", refusal.at, refusal.what)).collect(),
        assumed,
    }
}
