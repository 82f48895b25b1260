//! Dollars, from units and prices; nodes, from work and bytes.

use keyloom_facts::{Dollars, Prices};
use keyloom_model::Date;

use crate::effort::Effort;
use crate::quantity::{Between, Quantity};
use crate::time::MONTH_MS;

/// A GB, as AWS counts storage.
const GIGABYTE: u128 = 1 << 30;

/// What a month costs on DynamoDB, in billionths of a dollar. What is free is not taken off: it belongs to the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamoDbMonth {
    /// The region whose prices they are.
    pub region: String,
    /// The day on which they were read.
    pub prices_of: Date,
    /// Requests on demand.
    pub on_demand: Between<Quantity>,
    /// Read and write units that must be provisioned for the peak of all patterns at once.
    pub capacity: [Quantity; 2],
    /// That capacity for a whole month; `None` where its price is not known.
    pub provisioned: Option<Quantity>,
    /// What is stored today.
    pub storage: Quantity,
}

/// Requests of a pattern on demand: so many calls in a month of such an effort.
pub(crate) fn on_demand(prices: &Prices, effort: &Effort, calls: &Quantity) -> Quantity {
    let priced = |thousandths: u128, price: Dollars, of: u128| match thousandths {
        0 => Quantity::known(0_u64),
        each => calls.times(&Quantity::known(each)).part(price.nanos().into(), of),
    };
    // Half units, in thousandths, at a price for a million.
    let reads = priced(effort.read_half_units, prices.on_demand.read_million, 2_000_000_000);
    reads.plus(&priced(effort.write_units, prices.on_demand.write_million, 1_000_000_000))
}

/// Provisioned capacity for a month.
pub(crate) fn provisioned(prices: &Prices, [reads, writes]: &[Quantity; 2]) -> Option<Quantity> {
    let prices = prices.provisioned?;
    let month = |units: &Quantity, hour: Dollars| units.part(hour.nanos().into(), 1).part(MONTH_MS.into(), 3_600_000);
    Some(month(reads, prices.read_unit_hour).plus(&month(writes, prices.write_unit_hour)))
}

/// Bytes that are stored for a month.
pub(crate) fn storage(prices: &Prices, bytes: &Quantity) -> Quantity {
    bytes.part(prices.storage.gigabyte_month.nanos().into(), GIGABYTE)
}

/// The size of a node, as the user states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeSize {
    /// How many cores it has.
    pub cores: u64,
    /// How many bytes of rows it holds.
    pub bytes: u64,
}

impl NodeSize {
    /// Reads `8 cores, 2TB`.
    ///
    /// # Errors
    /// When it is written otherwise.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "write it as \"8 cores, 2TB\": cores, and how much of its disk rows may take".to_owned();
        let (cores, bytes) = text.split_once(',').ok_or_else(wrong)?;
        let cores = cores.trim().strip_suffix("cores").or_else(|| cores.trim().strip_suffix("core"));
        let cores = cores.and_then(|cores| cores.trim().parse::<u64>().ok()).filter(|cores| *cores > 0);
        let bytes = bytes.trim();
        let units = [("TB", 1_u64 << 40), ("GB", 1 << 30), ("MB", 1 << 20)];
        let bytes = units.iter().find_map(|(name, unit)| {
            let count = bytes.strip_suffix(name)?.trim().parse::<u64>().ok()?;
            count.checked_mul(*unit)
        });
        cores.zip(bytes.filter(|bytes| *bytes > 0)).map(|(cores, bytes)| Self { cores, bytes }).ok_or_else(wrong)
    }

    /// How many nodes hold so many bytes and do so many nanoseconds of work in a second; at least one for each replica.
    pub(crate) fn nodes(&self, bytes: &Quantity, nanos: &Quantity, replicas: u32) -> Quantity {
        let by = |quantity: &Quantity, each: u128| match quantity.value() {
            Some(value) => Quantity::known(value.div_ceil(each.max(1))).plus(&quantity.part(0, 1)),
            None => quantity.clone(),
        };
        let by_bytes = by(bytes, self.bytes.into());
        let by_work = by(nanos, u128::from(self.cores).saturating_mul(1_000_000_000));
        let most = by_bytes.value().max(by_work.value()).map(|nodes| nodes.max(replicas.into()));
        let names = by_bytes.plus(&by_work);
        let names = names.without().map(str::to_owned).collect::<Vec<_>>();
        match most {
            Some(nodes) => Quantity::known(nodes).but_for(names),
            None => by_bytes.plus(&by_work),
        }
    }
}

/// Reads a price in dollars, such as `310.50`.
///
/// # Errors
/// When it is written otherwise.
pub fn node_price(text: &str) -> Result<Dollars, String> {
    let wrong = || "write the price of a node for a month in dollars, such as 310.50".to_owned();
    let (whole, behind) = text.trim_start_matches('$').split_once('.').unwrap_or((text.trim_start_matches('$'), "0"));
    let digits = |part: &str| !part.is_empty() && part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(behind) {
        return Err(wrong());
    }
    let nanos = format!("{behind:0<9}").parse::<u64>().map_err(|_| wrong())?;
    let whole = whole.parse::<u64>().map_err(|_| wrong())?;
    Ok(Dollars::from_nanos(whole.saturating_mul(1_000_000_000).saturating_add(nanos)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_read() {
        assert_eq!(NodeSize::parse("8 cores, 2TB"), Ok(NodeSize { cores: 8, bytes: 2 << 40 }));
        assert_eq!(NodeSize::parse("1 core,500 GB"), Ok(NodeSize { cores: 1, bytes: 500 << 30 }));
        for wrong in ["", "8", "8 cores", "0 cores, 1TB", "8 cores, 0GB", "-1 cores, 1TB", "8 cores, 99999999999TB"] {
            assert!(NodeSize::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nodes_are_enough_for_bytes_work_and_replicas() {
        let node = NodeSize { cores: 2, bytes: 100 };
        let nodes = |bytes: u64, nanos: u64| node.nodes(&Quantity::known(bytes), &Quantity::known(nanos), 3).whole();
        assert_eq!(nodes(1, 1), Some(3));
        assert_eq!(nodes(401, 1), Some(5));
        assert_eq!(nodes(1, 9_000_000_000), Some(5));
        let open = node.nodes(&Quantity::open("rows"), &Quantity::known(9_000_000_000_u64), 3);
        assert_eq!((open.value(), open.whole()), (Some(5), None));
    }

    #[test]
    fn a_price_is_read() {
        assert_eq!(node_price("310.5").map(Dollars::nanos), Ok(310_500_000_000));
        assert_eq!(node_price("$7").map(Dollars::nanos), Ok(7_000_000_000));
        for wrong in ["", "1,5", "-1", "1e9", "9999999999", "."] {
            assert!(node_price(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_million_units_cost_their_price() {
        let prices = Prices::of("us-east-1").unwrap();
        let calls = Quantity::known(1_000_000_u64);
        let read = Effort { read_half_units: 2_000, ..Effort::default() };
        let write = Effort { write_units: 1_000, ..Effort::default() };
        assert_eq!(on_demand(prices, &read, &calls).whole(), Some(prices.on_demand.read_million.nanos().into()));
        assert_eq!(on_demand(prices, &write, &calls).whole(), Some(prices.on_demand.write_million.nanos().into()));
        let stored = storage(prices, &Quantity::known(GIGABYTE));
        assert_eq!(stored.whole(), Some(prices.storage.gigabyte_month.nanos().into()));
    }
}
