//! What steps come to and say, known from records alone: the same for a step that is taken, shown or printed.

use std::sync::Arc;

use keyloom_store::{Fault, Shape, Step, Table, Taking, taking};

use crate::{abilities, names, records::Record, script};

/// What a step comes to, seen from the tables that are there.
pub(crate) fn look(there: &[Record], step: &Step) -> Result<Taking, Fault> {
    let tables = || there.iter().filter_map(|record| record.table.as_ref());
    let shapes = tables().map(|table| Shape::of(table.clone()).map(Arc::new));
    let taking = taking(&shapes.collect::<Result<Vec<_>, Fault>>()?, step, &abilities())?;
    if let Taking::Create(shape) | Taking::Reshape(shape) = &taking {
        names::look(shape.table())?;
        look_at_types(shape.table(), tables())?;
    }
    Ok(taking)
}

/// The statements of each step, one taken after the other; `there` becomes what the records are behind the last.
pub(crate) fn told(keyspace: &str, there: &mut Vec<Record>, steps: &[Step]) -> Result<Vec<Vec<String>>, Fault> {
    let mut told = Vec::with_capacity(steps.len());
    for step in steps {
        let taking = look(there, step)?;
        let at = there.iter().position(|record| record.name == step.table()).unwrap_or_else(|| {
            there.push(Record::new(step.table()));
            there.len() - 1
        });
        let record = &mut there[at];
        record.incarnation += i64::from(matches!(taking, Taking::Create(_)));
        let id = script::id(keyspace, &record.name, record.incarnation);
        told.push(script::statements(keyspace, record.table.as_ref(), id, step, &taking));
        if taking != Taking::Nothing {
            // Written down once as pending and once as done.
            record.version += 2;
        }
        match taking {
            Taking::Create(shape) | Taking::Reshape(shape) => record.table = Some(shape.into_table()),
            Taking::Drop => record.table = None,
            Taking::Nothing => {}
        }
    }
    Ok(told)
}

/// Refuses a user type that would have the name of another one, or one that the driver can't read: it knows no quotes, fails
/// on every type of a keyspace when there is such a one, and then knows of no table.
fn look_at_types<'a>(table: &'a Table, there: impl Iterator<Item = &'a Table>) -> Result<(), Fault> {
    let refuse = |what: String| Err(Fault::refused(format!("table `{}`: {what}", table.name)));
    if let Some(it) = script::table_types(table).iter().find(|it| !names::is_unquoted(&it.name)) {
        return refuse(format!(
            "a column with members needs a type, and `{}` can't be its name: small letters, digits and underscores",
            it.name
        ));
    }
    let others = there.filter(|other| other.name != table.name);
    let mut names: Vec<String> = others.chain([table]).flat_map(script::table_types).map(|it| it.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(twice) => refuse(format!(
            "two columns with members would share the type `{}`; call one of them something else",
            twice[0]
        )),
    }
}
