//! Tables as a script, for whoever makes them by hand: where no program may change a schema, or to read what one would do.

use keyloom_store::{Fault, Table, steps};

use crate::{abilities, names, plan, records, script};

/// The CQL that makes these tables in a keyspace that holds none of Keyloom's yet: the statements that this store sends,
/// with the same types, columns and options, in an order in which they can be run.
///
/// The last ones write down which tables are there, as the store does when it has made one: it then takes them for its
/// own, and has nothing left to do. Every statement may be run again.
///
/// # Errors
/// `Refused` when a table is not sound, or more than Cassandra can hold, or when the keyspace can't have such a name.
pub fn cql(keyspace: &str, tables: &[Table]) -> Result<String, Fault> {
    names::look_at_keyspace(keyspace)?;
    let mut records = Vec::new();
    let mut parts = plan::told(keyspace, &mut records, &steps(&[], tables, &abilities())?)?;
    let mut written_down = vec![script::create_schema(keyspace)];
    for record in &records {
        written_down.push(records::inserted(keyspace, record)?);
    }
    parts.push(written_down);
    let parts = parts.iter().map(|statements| format!("{};\n", statements.join(";\n")));
    Ok(parts.collect::<Vec<_>>().join("\n"))
}
