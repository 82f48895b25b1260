//! Tables as a script, for whoever makes them by hand: where no program may change a schema, or to read what one would do.

use keyloom_store::{Fault, Shape, Table, steps};

use crate::{
    abilities, names, plan, records, script,
    statements::{Far, Near, SliceForm, Statements},
};

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

/// The statements that read a slice of a table: its first page, and what comes behind a cursor. `equal` is how many of the
/// first sort components are given, `bounded` whether the next one lies in a range, `backward` whether rows are read against
/// the order in which they stand.
///
/// # Errors
/// `Refused` when the table is not sound, or has fewer components.
pub fn slice_cql(
    keyspace: &str,
    table: &Table,
    equal: usize,
    bounded: bool,
    backward: bool,
) -> Result<Vec<String>, Fault> {
    let shape = Shape::of(table.clone())?;
    let sort = table.sort.len();
    if equal > sort || (bounded && equal == sort) {
        return Err(Fault::refused(format!("table `{}` has {sort} sort components", table.name)));
    }
    let statements = Statements { keyspace, shape: &shape };
    let far = if bounded { Far::Before } else { Far::Last };
    let first = if bounded { Near::At } else { Near::First };
    let mut forms = vec![SliceForm { equal, near: first, far, reverse: backward }];
    // A cursor goes on behind each run of components in turn, from the last to the first that is not given.
    forms.extend((equal..sort).map(|at| SliceForm {
        equal: at,
        near: Near::behind(&shape, at),
        far: if at == equal { far } else { Far::Last },
        reverse: backward,
    }));
    Ok(forms.into_iter().map(|form| statements.slice(form)).collect())
}

/// The statement that reads one row of a table by its whole key.
///
/// # Errors
/// `Refused` when the table is not sound.
pub fn get_cql(keyspace: &str, table: &Table) -> Result<String, Fault> {
    let shape = Shape::of(table.clone())?;
    Ok(Statements { keyspace, shape: &shape }.get())
}
