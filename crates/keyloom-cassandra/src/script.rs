//! What a step says to Cassandra: statements that may be sent again.

use keyloom_store::{Column, Discipline, Shape, Step, Table, Taking};

use xxhash_rust::xxh3::xxh3_128;

use crate::{
    names,
    names::quoted,
    native::{Form, UserType, cql, user_type, user_types},
    options,
};

/// The statements of a step, from the table as it was and what the step comes to; `id` is that of a new table. A step that
/// was taken already says nothing.
pub(crate) fn statements(keyspace: &str, was: Option<&Table>, id: u128, step: &Step, taking: &Taking) -> Vec<String> {
    match (taking, step, was) {
        (Taking::Nothing, ..) => Vec::new(),
        (Taking::Create(shape), ..) => create(keyspace, shape, id),
        (Taking::Reshape(shape), Step::AddColumn { column, .. }, _) => add(keyspace, shape.table(), column),
        (Taking::Reshape(shape), _, was) => {
            let known: Vec<UserType> = was.into_iter().flat_map(table_types).collect();
            table_types(shape.table()).iter().flat_map(|it| grow(keyspace, it, &known)).collect()
        }
        (Taking::Drop, step, was) => {
            let mut statements = vec![format!("DROP TABLE IF EXISTS {}", qualified(keyspace, step.table()))];
            // Each before those it is made of.
            let types: Vec<UserType> = was.into_iter().flat_map(table_types).collect();
            let drop = |it: &UserType| format!("DROP TYPE IF EXISTS {}", qualified(keyspace, &it.name));
            statements.extend(types.iter().rev().map(drop));
            statements
        }
    }
}

/// The user types of a table, each behind those it is made of.
pub(crate) fn table_types(table: &Table) -> Vec<UserType> {
    let columns = table.groups.iter().flat_map(|group| &group.columns);
    columns.flat_map(|column| column_types(table, column)).collect()
}

/// The table in which tables are described: one partition, so that all of them are read at one moment.
pub(crate) fn create_schema(keyspace: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {} (store text, name text, incarnation bigint, version bigint, definition text, \
         pending text, PRIMARY KEY (store, name)) WITH ID = '{}'",
        qualified(keyspace, names::SCHEMA),
        uuid(id(keyspace, names::SCHEMA, 0))
    )
}

fn create(keyspace: &str, shape: &Shape, id: u128) -> Vec<String> {
    let table = shape.table();
    debug_assert!(matches!(table.discipline, Discipline::Decided | Discipline::Placed));
    let mut statements: Vec<String> = Vec::new();
    let forms = Form::of_key(shape.key_parts(), table.partition.len());
    let keys = table.key_names().zip(shape.key_parts()).zip(&forms);
    let mut columns: Vec<String> =
        keys.map(|((name, part), form)| format!("{} {}", quoted(name), form.cql(&part.kind))).collect();
    for (at, group) in table.groups.iter().enumerate() {
        for column in &group.columns {
            statements.extend(types(keyspace, table, column));
            columns.push(defined(table, column));
        }
        columns.extend([names::version(at), names::end(at)].map(|name| format!("{} bigint", quoted(&name))));
    }
    let partition: Vec<String> = table.partition.iter().map(|column| quoted(&column.name)).collect();
    let mut key = format!("({})", partition.join(", "));
    let mut order = Vec::new();
    for column in &table.sort {
        key.push_str(", ");
        key.push_str(&quoted(&column.name));
        order.push(format!("{} {}", quoted(&column.name), if column.descending { "DESC" } else { "ASC" }));
    }
    columns.push(format!("PRIMARY KEY ({key})"));
    let mut options = Vec::new();
    if !order.is_empty() {
        options.push(format!("CLUSTERING ORDER BY ({})", order.join(", ")));
    }
    options.extend(options::of(table));
    options.push(format!("ID = '{}'", uuid(id)));
    statements.push(format!(
        "CREATE TABLE IF NOT EXISTS {} (\n  {}\n) WITH {}",
        qualified(keyspace, &table.name),
        columns.join(",\n  "),
        options.join("\n  AND "),
    ));
    statements
}

fn add(keyspace: &str, table: &Table, column: &Column) -> Vec<String> {
    let mut statements = types(keyspace, table, column);
    let name = qualified(keyspace, &table.name);
    statements.push(format!("ALTER TABLE {name} ADD IF NOT EXISTS {}", defined(table, column)));
    statements
}

/// The statements that make the user types of a column.
fn types(keyspace: &str, table: &Table, column: &Column) -> Vec<String> {
    column_types(table, column).iter().flat_map(|it| grow(keyspace, it, &[])).collect()
}

/// The statements that make a user type what it is, from those that are known.
fn grow(keyspace: &str, wanted: &UserType, known: &[UserType]) -> Vec<String> {
    let name = qualified(keyspace, &wanted.name);
    let field = |(field, cql): &(String, String)| format!("{} {cql}", quoted(field));
    match known.iter().find(|it| it.name == wanted.name) {
        None => {
            let fields: Vec<String> = wanted.fields.iter().map(field).collect();
            vec![format!("CREATE TYPE IF NOT EXISTS {name} ({})", fields.join(", "))]
        }
        Some(known) => {
            let added = wanted.fields.iter().skip(known.fields.len());
            added.map(|added| format!("ALTER TYPE {name} ADD IF NOT EXISTS {}", field(added))).collect()
        }
    }
}

fn column_types(table: &Table, column: &Column) -> Vec<UserType> {
    user_types(&column.kind, &user_type(&table.name, &column.name))
}

fn defined(table: &Table, column: &Column) -> String {
    format!("{} {}", quoted(&column.name), cql(&column.kind, &user_type(&table.name, &column.name)))
}

/// The id of a table: the same for all who make it, so that two who do so at once make one table and not two.
pub(crate) fn id(keyspace: &str, name: &str, incarnation: i64) -> u128 {
    xxh3_128(format!("{keyspace}.{name}.{incarnation}").as_bytes())
}

fn uuid(id: u128) -> String {
    let digits = format!("{id:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// A name in a keyspace.
pub(crate) fn qualified(keyspace: &str, name: &str) -> String {
    format!("{}.{}", quoted(keyspace), quoted(name))
}
