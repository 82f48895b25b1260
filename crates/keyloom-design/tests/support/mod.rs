//! What the tests of designs share.

use keyloom_model::Engine;
use keyloom_store::{Abilities, Atomic, Limits, no_objection};
use keyloom_text::{Files, Unreadable};

/// One file, whatever it is called.
pub(crate) struct One<'a>(pub(crate) &'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

/// An engine that decides one row, or one with transactions.
pub(crate) fn abilities(engine: Engine) -> Abilities {
    let atomic = match engine {
        Engine::Cassandra => Atomic::Row,
        _ => Atomic::Rows { rows_max: 100, bytes_max: 4 << 20 },
    };
    let limits = Limits {
        partition_key_bytes_max: 2_048,
        sort_key_bytes_max: 1_024,
        row_bytes_max: 400 << 10,
        partition_cells_max: (engine == Engine::Cassandra).then_some(2_000_000_000),
        together_rows_max: 25,
        together_bytes_max: 1 << 20,
    };
    Abilities { engine: engine.title(), atomic, column_groups_max: 1, indexes: None, limits, objection: no_objection }
}
