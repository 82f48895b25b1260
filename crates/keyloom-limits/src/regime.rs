use keyloom_facts::{Fact, Facts};
use keyloom_model::Engine;

/// What an engine limits beside its abilities; nothing where it has no such limit.
#[derive(Debug, Clone)]
pub struct Regime {
    /// What one partition gives in a second.
    pub units: Option<Units>,
    /// What one read of a partition looks at.
    pub page_bytes: Option<u64>,
    /// What one row may have, as the engine counts it.
    pub item_bytes: Option<u64>,
    /// How far indexes are behind.
    pub index_lag_us: u64,
    /// For how long what has ended or was removed is still read over.
    pub expired_ms: i64,
    /// Rows of a partition above which it is slow.
    pub partition_rows: Option<&'static Fact>,
    /// The same of its bytes.
    pub partition_bytes: Option<&'static Fact>,
    /// Tombstones of a read above which the engine warns.
    pub tombstones_warned: Option<&'static Fact>,
    /// Above these it gives up.
    pub tombstones: Option<&'static Fact>,
    /// Bytes placed together above which it warns.
    pub batch_warned: Option<&'static Fact>,
}

/// Units a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// Of reads.
    pub read: u64,
    /// Of writes.
    pub write: u64,
}

impl Regime {
    /// What the facts say of an engine.
    pub fn of(engine: Engine) -> Self {
        let facts = Facts::of(engine);
        let value = |name: &str| facts.get(name).map(|fact| fact.value);
        let units = value("partition_read_units").zip(value("partition_write_units"));
        Self {
            units: units.map(|(read, write)| Units { read, write }),
            page_bytes: value("page_bytes"),
            item_bytes: value("item_bytes"),
            index_lag_us: value("index_lag_millis").unwrap_or(0) * 1_000,
            expired_ms: value("expired_seconds").and_then(|kept| i64::try_from(kept).ok()).unwrap_or(0) * 1_000,
            partition_rows: facts.get("partition_rows"),
            partition_bytes: facts.get("partition_bytes"),
            tombstones_warned: facts.get("tombstones_warned"),
            tombstones: facts.get("tombstones"),
            batch_warned: facts.get("batch_write_bytes_warned"),
        }
    }
}

/// What is simulated of an engine, in the words of its facts, and what is not.
pub fn simulated(engine: Engine) -> [String; 2] {
    let limits = [
        "partition_read_units",
        "partition_write_units",
        "page_bytes",
        "item_bytes",
        "transaction_items",
        "transaction_bytes",
        "index_lag_millis",
        "partition_rows",
        "partition_bytes",
        "tombstones_warned",
        "tombstones",
        "batch_write_bytes_warned",
        "expired_seconds",
    ];
    let facts = limits.iter().filter_map(|name| Facts::of(engine).get(name));
    let is = facts.map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let is_not = match Regime::of(engine).units {
        Some(_) => "limits of tables and accounts, partitions that share or split what they give",
        None => "replicas, compactions, how much a node can bear",
    };
    [format!("as {}: {is}", engine.title()), format!("not simulated: how long calls take, {is_not}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_has_the_limits_of_its_facts() {
        let dynamodb = Regime::of(Engine::DynamoDb);
        assert_eq!(dynamodb.units, Some(Units { read: 3_000, write: 1_000 }));
        assert_eq!((dynamodb.page_bytes, dynamodb.item_bytes), (Some(1 << 20), Some(400 << 10)));
        assert_eq!(dynamodb.index_lag_us, 1_000_000);
        assert!(dynamodb.tombstones.is_none() && dynamodb.partition_rows.is_none());
        let cassandra = Regime::of(Engine::Cassandra);
        assert!(cassandra.units.is_none() && cassandra.page_bytes.is_none());
        assert_eq!(cassandra.tombstones.map(|fact| fact.value), Some(100_000));
        assert_eq!(cassandra.batch_warned.map(|fact| fact.value), Some(5 << 10));
    }
}
