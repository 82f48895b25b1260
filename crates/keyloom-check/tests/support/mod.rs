//! What engines are able to, without their crates: the limits are those of the facts.

use keyloom_facts::Facts;
use keyloom_model::Engine;
use keyloom_store::{Abilities, Atomic, Freshness, Indexes, Limits, no_objection};

/// What an engine is able to; nothing for those on which Keyloom does not store.
pub fn abilities(engine: Engine) -> Option<Abilities> {
    let fact = |name: &str, otherwise: u64| Facts::of(engine).get(name).map_or(otherwise, |fact| fact.value);
    let narrow = |value: u64| u32::try_from(value).unwrap();
    let indexes = Some(Indexes { freshest: Freshness::Any, per_table_max: narrow(fact("global_indexes", 0)) });
    let (atomic, indexes) = match engine {
        Engine::Embedded => (Atomic::Rows { rows_max: 10_000, bytes_max: 64 << 20 }, None),
        Engine::Cassandra => (Atomic::Row, None),
        Engine::DynamoDb => {
            let rows_max = narrow(fact("transaction_items", 0));
            (Atomic::Rows { rows_max, bytes_max: fact("transaction_bytes", 0) }, indexes)
        }
        _ => return None,
    };
    let limits = Limits {
        partition_key_bytes_max: narrow(fact("partition_key_bytes", 30_000)),
        sort_key_bytes_max: narrow(fact("sort_key_bytes", 30_000)),
        row_bytes_max: fact("item_bytes", 0),
        partition_cells_max: (engine == Engine::Cassandra).then_some(2_000_000_000),
        together_rows_max: 100,
        together_bytes_max: 4 << 20,
    };
    Some(Abilities { engine: engine.title(), atomic, column_groups_max: 16, indexes, limits, objection: no_objection })
}
