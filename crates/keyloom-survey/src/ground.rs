//! A schema with all that is known about it, while statements find their way to it.

use std::collections::BTreeSet;

use keyloom_cql::ast::QualifiedName;
use keyloom_cql::schema::{Keyspace, Lookup, Schema};

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

    /// Whether any keyspace has a table or view of this name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        let has = |keyspace: &Keyspace| keyspace.tables.contains_key(name) || keyspace.views.contains_key(name);
        self.replayed.schema.keyspaces.values().any(has)
    }

    /// Whether a keyspace is one of the schema's; where tables were made without one, any is.
    pub(crate) fn has_keyspace(&self, name: &str) -> bool {
        let keyspaces = &self.replayed.schema.keyspaces;
        keyspaces.contains_key(name) || keyspaces.get("").is_some_and(|keyspace| !keyspace.tables.is_empty())
    }

    /// Whether the keyspace is one that the schema makes, or puts its tables into; or one for which a folder of its files is
    /// named, where a template leaves the name open.
    pub(crate) fn makes_keyspace(&self, name: &str) -> bool {
        let in_folder = |file: &String| path::folder(file).split('/').any(|folder| folder == name);
        self.replayed.schema.keyspaces.contains_key(name) || self.replayed.files.iter().any(in_folder)
    }

    /// How near a file lies to the files of the schema: by the folders from the root on that both lie in, then by folders
    /// of the same name.
    pub(crate) fn nearness(&self, name: &str) -> (usize, usize) {
        let folders: BTreeSet<&str> = path::folder(name).split('/').collect();
        let named_alike = |file: &str| path::folder(file).split('/').filter(|folder| folders.contains(folder)).count();
        let near = |file: &String| (path::common_folders(file, name), named_alike(file));
        self.replayed.files.iter().map(near).max().unwrap_or_default()
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
