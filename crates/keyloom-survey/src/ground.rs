//! A schema with all that is known about it, while statements find their way to it.

use std::collections::BTreeSet;

use keyloom_cql::ast::QualifiedName;
use keyloom_cql::schema::{Lookup, Schema};

use crate::Use;
use crate::choose::tables;
use crate::part::Part;
use crate::path;
use crate::replay::{Replayed, replay};

/// A schema, the parts that made it, and the statements that use it.
#[derive(Debug, Default)]
pub(crate) struct Ground {
    pub parts: Vec<Part>,
    pub replayed: Replayed,
    pub uses: Vec<Use>,
}

impl Ground {
    /// The schema that these parts make.
    pub(crate) fn new(parts: Vec<Part>) -> Self {
        let mut replayed = replay(&parts);
        doubt_what_differs(&mut replayed.schema, &parts);
        Self { parts, replayed, uses: Vec::new() }
    }

    /// Whether any table is known.
    pub(crate) fn is_empty(&self) -> bool {
        tables(&self.replayed.schema).next().is_none()
    }

    /// Whether the schema has such a table.
    pub(crate) fn knows(&self, table: &QualifiedName, keyspace: Option<&str>) -> bool {
        !matches!(self.replayed.schema.find(table, keyspace), Lookup::None)
    }

    /// Whether a keyspace is one of the schema's; where tables were made without one, any is.
    pub(crate) fn has_keyspace(&self, name: &str) -> bool {
        let keyspaces = &self.replayed.schema.keyspaces;
        keyspaces.contains_key(name) || keyspaces.get("").is_some_and(|keyspace| !keyspace.tables.is_empty())
    }

    /// How near a file lies to the files of the schema.
    pub(crate) fn nearness(&self, name: &str) -> usize {
        self.replayed.files.iter().map(|file| path::common_folders(file, name)).max().unwrap_or(0)
    }
}

/// Where two writings of one table differ, nobody knows from here which of them is in use.
fn doubt_what_differs(schema: &mut Schema, parts: &[Part]) {
    let mut more: BTreeSet<(String, String)> = BTreeSet::new();
    for table in parts.iter().flat_map(|part| tables(&part.alone)) {
        let keyspaces = [table.keyspace.as_str(), ""].into_iter().filter_map(|name| schema.keyspaces.get(name));
        let Some(known) = keyspaces.filter_map(|keyspace| keyspace.tables.get(&table.name)).next() else { continue };
        let is_known = |name: &str| known.column(name).is_some() || known.dropped.iter().any(|(gone, _)| gone == name);
        if table.columns.iter().any(|column| !is_known(&column.name)) {
            more.insert((known.keyspace.clone(), known.name.clone()));
        }
    }
    for (keyspace, name) in more {
        let table = schema.keyspaces.get_mut(&keyspace).and_then(|keyspace| keyspace.tables.get_mut(&name));
        if let Some(table) = table {
            table.unknown = true;
        }
    }
}
