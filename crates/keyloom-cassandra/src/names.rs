//! Names as Cassandra takes them.

use keyloom_store::{Fault, Table};

/// The table in which the tables are described.
pub(crate) const SCHEMA: &str = "keyloom_schema";

/// How many characters the name of a keyspace or a table has at most: it is the name of a folder.
const NAME_MAX: usize = 48;

/// An identifier as it is written in a statement: exactly this name, whatever stands in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The version column of a group.
pub(crate) fn version(group: usize) -> String {
    if group == 0 { "kl_v".to_owned() } else { format!("kl_v{group}") }
}

/// The column that says from when on a group is not there.
pub(crate) fn end(group: usize) -> String {
    if group == 0 { "kl_x".to_owned() } else { format!("kl_x{group}") }
}

/// Looks at the name of a keyspace.
pub(crate) fn look_at_keyspace(name: &str) -> Result<(), Fault> {
    if is_word(name) {
        return Ok(());
    }
    Err(Fault::refused(format!("`{name}` is no keyspace: up to {NAME_MAX} letters, digits and underscores")))
}

/// Looks at the names of a table. Another name is refused and not made fit: who looks into the keyspace must find the
/// table under the name it has everywhere else.
pub(crate) fn look(table: &Table) -> Result<(), Fault> {
    let refuse = |what: String| Err(Fault::refused(format!("table `{}`: {what}", table.name)));
    if !is_word(&table.name) {
        return refuse(format!("on Cassandra a table's name has 1 to {NAME_MAX} letters, digits and underscores"));
    }
    if table.name == SCHEMA {
        return refuse("this name is Keyloom's own".to_owned());
    }
    if let Some(name) = table.column_names().find(|name| name.is_empty() || is_own(name)) {
        return refuse(format!("a column can't be called `{name}`: versions and ends of groups have such names"));
    }
    Ok(())
}

/// Whether a column of this store has this name in some table, or could have.
fn is_own(name: &str) -> bool {
    let group = name.strip_prefix("kl_v").or_else(|| name.strip_prefix("kl_x"));
    group.is_some_and(|group| group.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether Cassandra takes this as the name of a keyspace or a table.
fn is_word(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether Cassandra writes this name without quotes where it describes its tables.
pub(crate) fn is_unquoted(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}
